"""Both LSTMs against both modes of JAX, by scans written for them (transcriptions/lstm_jax.py)."""

import numpy as np
import pytest
from throughtime.arrays.activations import identity, logistic, tanh, tanh_half, twice_tanh_half
from throughtime.textbook.lstm1997 import LSTM1997, TIMINGS
from throughtime.textbook.peephole import PeepholeLSTM

TOLERANCE = 1e-12


PROBLEMS = [(LSTM1997(1, 1, 1, 1, timing=timing), length) for timing, length in zip(TIMINGS, (2, 1), strict=True)]
PROBLEMS += [(LSTM1997(2, 2, 2, 2, 2, timing=timing, bias=True), 25) for timing in TIMINGS]
PROBLEMS += [(LSTM1997(0, 2, 1, 2, 1, timing="same", bias=["ig", "og"]), 8)]
OTHERS = {"g": tanh, "h": identity, "f_hid": tanh_half, "f_out": identity}
MORE = {"f": tanh_half, "g": identity, "h": logistic, "f_hid": twice_tanh_half, "f_out": tanh}
PROBLEMS += [(LSTM1997(3, 2, 3, 2, 1, timing="previous", bias=["cell"], **OTHERS), 10)]
PROBLEMS += [(LSTM1997(1, 2, 2, 1, 1, timing="same", bias=["hid", "out"], **MORE), 10)]

OWN = {"f": tanh_half, "g": tanh, "h": logistic, "f_out": identity}
PROBLEMS += [
    (PeepholeLSTM(1, 1, 1, 1), 2),
    (PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity), 20),
    (PeepholeLSTM(2, 2, 2, 2, bias=True), 25),
    (PeepholeLSTM(2, 2, 2, 2, peepholes=False, bias=True), 25),
    (PeepholeLSTM(0, 2, 1, 2, peepholes=["og"], bias=["ig", "og"]), 8),
    (PeepholeLSTM(3, 2, 3, 2, feedback="cells", peepholes=["fg", "ig"], bias=["cell"], **OWN), 10),
]
every_problem = pytest.mark.parametrize(("model", "length"), PROBLEMS, ids=range(len(PROBLEMS)))


@every_problem
@pytest.mark.parametrize("cut", [False, True], ids=["exact", "truncated"])
def test_gradients_are_those_of_jax(model, length, cut, kept):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        theta, x = model.layout.uniform(rng, 0.9), rng.normal(size=(length, model.n_in))
        targets = rng.normal(size=(length, model.n_out))
        mask = rng.integers(0, 2, (length, model.n_out)).astype(float)
        mask[-1, 0] = 1.0
        theirs = kept("lstm_jax.gradients", model, cut, theta, x, targets, mask)
        result = model.gradient(theta, x, targets, mask, method="truncated" if cut else "bptt")
        assert theirs.error("loss", result.loss) <= TOLERANCE
        assert theirs.error("reverse", result.gradient) <= TOLERANCE
        assert theirs.error("forward", result.gradient) <= TOLERANCE
