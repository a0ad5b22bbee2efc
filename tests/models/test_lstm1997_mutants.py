"""A mistake planted anywhere in the loops of the LSTM of 1997 is noticed by the checks of test_lstm1997."""

import numpy as np
from throughtime.gradcheck import relative_error
from throughtime.models import _lstm1997_kernels, lstm1997, lstm1997_online
from throughtime.models.activations import logistic, tanh
from throughtime.models.lstm1997 import LSTM1997, METHODS, TIMINGS

TOLERANCE = 1e-12
LENGTH = 5


def test_every_mutant_of_the_loops_is_rejected(mutants, monkeypatch):
    models = [LSTM1997(2, 2, 2, 2, 2, timing=timing, bias=True, f_hid=tanh, f_out=logistic) for timing in TIMINGS]
    rng = np.random.default_rng(0)
    theta, x, targets = models[0].init(rng, 0.8), rng.normal(size=(LENGTH, 2)), rng.normal(size=(LENGTH, 2))
    mask = rng.integers(0, 2, (LENGTH, 2))
    mask[2], mask[-1] = 0, 1

    def quantities():
        """All that the loops compute, one after another; test_lstm1997 proves them right without a mutation."""
        for model in models:
            yield from (values for _, values in model.forward(theta, x).items())
            for method in METHODS:
                result = model.gradient(theta, x, targets, mask, method=method)
                yield from (result.gradient, np.array(result.loss))
            for method in ("bptt", "truncated"):
                yield from model.error_signals(theta, x, targets, mask, method=method)

    right = list(quantities())

    def rejected():
        try:
            return any(relative_error(a, b) > TOLERANCE for a, b in zip(quantities(), right, strict=True))
        except (IndexError, ValueError, FloatingPointError):
            return True

    assert not rejected()
    tried, survivors = 0, []
    for description, mutant in mutants(_lstm1997_kernels):
        for module in (lstm1997, lstm1997_online):
            monkeypatch.setattr(module, "kernels", mutant)
        tried += 1
        if not rejected():
            survivors.append(description)
    assert tried > 100
    assert survivors == []
