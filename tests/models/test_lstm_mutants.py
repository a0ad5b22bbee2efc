"""A mistake planted anywhere in the loops of the LSTMs is noticed by the checks of test_lstm_gradients."""

import numpy as np
import pytest
from throughtime.arrays.activations import identity, logistic, tanh
from throughtime.checks import relative_error
from throughtime.models import lstm, lstm_kernels, lstm_online, lstm_online_kernels
from throughtime.models.lstm1997 import LSTM1997, TIMINGS
from throughtime.models.peephole import PeepholeLSTM

TOLERANCE = 1e-12
LENGTH = 4
MODELS = [LSTM1997(2, 2, 3, 2, 2, timing=timing, bias=True, f_hid=tanh, f_out=logistic) for timing in TIMINGS]
MODELS += [
    PeepholeLSTM(2, 2, 3, 2, bias=True, h=tanh),
    PeepholeLSTM(1, 3, 1, 2, feedback="cells", direct=False, bias=["out"], g=identity),
]


def problems():
    rng = np.random.default_rng(0)
    for model in MODELS:
        theta, x = model.init(rng, 0.8), rng.normal(size=(LENGTH, model.n_in))
        mask = rng.integers(0, 2, (LENGTH, 2))
        mask[2], mask[-1] = 0, 1
        yield model, theta, x, rng.normal(size=(LENGTH, 2)), mask


def swept():
    """All that the loops forward and backward compute; test_lstm_gradients proves them right without a mutation."""
    for model, theta, x, targets, mask in problems():
        yield from (values for _, values in model.forward(theta, x).items())
        yield model.gradient(theta, x, targets, mask, method="bptt").gradient
        yield from model.error_signals(theta, x, targets, mask)


def recursive():
    """All that the forward recursions compute."""
    for model, *arguments in problems():
        for method in ("truncated", "rtrl"):
            result = model.gradient(*arguments, method=method)
            yield from (result.gradient, np.array(result.loss))


@pytest.mark.parametrize(
    ("kernels", "user", "quantities"),
    [(lstm_kernels, lstm, swept), (lstm_online_kernels, lstm_online, recursive)],
    ids=["swept", "recursive"],
)
def test_every_mutant_of_the_loops_is_rejected(mutants, monkeypatch, kernels, user, quantities):
    right = list(quantities())

    def rejected():
        try:
            return any(relative_error(a, b) > TOLERANCE for a, b in zip(quantities(), right, strict=True))
        except (IndexError, ValueError, FloatingPointError):
            return True

    assert not rejected()
    tried, survivors = 0, []
    for description, mutant in mutants(kernels):
        monkeypatch.setattr(user, "kernels", mutant)
        tried += 1
        if not rejected():
            survivors.append(description)
    assert tried > 50
    assert survivors == []
