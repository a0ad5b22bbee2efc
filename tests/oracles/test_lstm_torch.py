"""Both LSTMs against PyTorch's autograd of forward passes written for them (transcriptions/lstm_torch.py)."""

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS, identity, tanh
from throughtime.checks import relative_error
from throughtime.textbook.lstm import METHODS
from throughtime.textbook.lstm1997 import LSTM1997, TIMINGS
from throughtime.textbook.peephole import FEEDBACK, PeepholeLSTM

TOLERANCE = 1e-12
SIGNALS_1997 = ("net_hid", "net_ig", "net_og", "net_cell", "s", "net_out")
SIGNALS_2002 = ("net_fg", "net_ig", "net_og", "net_cell", "s", "net_out")


MODELS = [LSTM1997(1, 1, 1, 1, timing=timing, bias=bias) for timing in TIMINGS for bias in (False, True, ["ig", "og"])]
MODELS += [LSTM1997(2, 3, 2, 2, 2, timing=timing, bias=True) for timing in TIMINGS]
MODELS += [LSTM1997(0, 2, 1, 2, 1, timing=timing, bias=["cell"]) for timing in TIMINGS]
MODELS += [
    LSTM1997(3, 2, 3, 2, 2, timing=timing, bias=["hid", "out"], g=tanh, h=f, f_hid=tanh, f_out=identity)
    for timing in TIMINGS
    for f in ACTIVATIONS.values()
]

PEEPHOLES = (True, False, ["og"], ["fg", "ig"])
MODELS += [PeepholeLSTM(1, 1, 1, 1, feedback=feedback, peepholes=p) for feedback in FEEDBACK for p in PEEPHOLES]
MODELS += [PeepholeLSTM(2, 3, 2, 2, feedback=feedback, bias=True) for feedback in FEEDBACK]
MODELS += [PeepholeLSTM(0, 2, 1, 2, feedback=feedback, bias=["cell"]) for feedback in FEEDBACK]
MODELS += [PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)]  # the experiments' net
MODELS += [
    PeepholeLSTM(3, 2, 3, 2, feedback=feedback, direct=False, bias=["fg", "out"], g=tanh, h=f, f_out=identity)
    for feedback in FEEDBACK
    for f in ACTIVATIONS.values()
]
every_model = pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))


def problem(model, length):
    rng = np.random.default_rng(length)
    theta, x = model.layout.uniform(rng, 0.9), rng.normal(size=(length, model.n_in))
    targets = rng.normal(size=(length, model.n_out))
    mask = rng.integers(0, 2, (length, model.n_out))
    mask[-1, 0] = 1
    return theta, x, targets, mask


@every_model
@pytest.mark.parametrize("cut", [False, True], ids=["exact", "truncated"])
@pytest.mark.parametrize("length", [1, 2, 17])
def test_gradients_and_error_signals_are_those_of_autograd(model, cut, length, kept):
    theta, x, targets, mask = problem(model, length)
    theirs = kept("lstm_torch.gradients", model, theta, x, targets, mask, cut)
    method = "truncated" if cut else "bptt"
    result = model.gradient(theta, x, targets, mask, method=method)
    assert theirs.error("loss", result.loss) <= TOLERANCE
    assert theirs.error("gradient", result.gradient) <= TOLERANCE
    ours = model.error_signals(theta, x, targets, mask, method=method)
    for name in SIGNALS_1997 if isinstance(model, LSTM1997) else SIGNALS_2002:
        assert theirs.error(name, getattr(ours, name)[1:]) <= TOLERANCE, name


DIFFERENT = [LSTM1997(2, 2, 2, 2, 2, timing=timing) for timing in TIMINGS]
DIFFERENT += [PeepholeLSTM(2, 2, 2, 2, feedback=feedback) for feedback in FEEDBACK]


@pytest.mark.parametrize("model", DIFFERENT, ids=[*TIMINGS, *FEEDBACK])
def test_truncated_and_exact_differ_where_there_is_something_to_cut(model):
    theta, x, targets, mask = problem(model, 17)
    truncated, exact = (model.gradient(theta, x, targets, mask, method=method).gradient for method in METHODS)
    assert relative_error(truncated, exact) > 1e-3
