"""On-line descent takes the very steps that the gradients of the textbook prescribe."""

import numpy as np
import pytest
from book.lstm1997 import tasks
from throughtime.checks import relative_error
from throughtime.tasks import AtEnd
from throughtime.textbook.lstm1997 import LSTM1997

MODEL, RATE = LSTM1997(1, 1, 2, 2, timing="same", bias=["ig", "out"]), 0.3


@pytest.mark.parametrize("method", tasks.METHODS)
@pytest.mark.parametrize("counted", ["last", "all"])
def test_the_weights_move_after_each_sequence_by_its_gradient(method, counted):
    rng = np.random.default_rng(0)
    lengths = np.array([5, 3, 4])
    sequences = AtEnd(rng.normal(size=(3, 5, 1)), lengths, rng.normal(size=(3, 2)))
    targets, mask = sequences.by_step()
    if counted == "all":
        targets, mask = rng.normal(size=targets.shape), np.ones_like(mask)
    theta = MODEL.init(rng, 0.9)
    made = tasks.descent(MODEL, theta, method, RATE)
    outputs = tasks.last_outputs(made, sequences, targets, mask)
    for n, end in enumerate(lengths):
        part = sequences.x[n, :end], targets[n, :end], mask[n, :end]
        assert relative_error(outputs[n], MODEL.forward(theta, part[0]).y[-1]) <= 1e-12
        theta = theta - RATE * MODEL.gradient(theta, *part, method=method).gradient
    assert relative_error(made.theta, theta) <= 1e-12


def test_a_run_that_overflows_is_an_error():
    made = tasks.descent(MODEL, np.full(MODEL.layout.size, 1e200), "truncated", RATE)
    sequences = AtEnd(np.ones((1, 2, 1)), np.array([2]), np.ones((1, 2)))
    targets, mask = sequences.by_step()
    with np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="loss: a sequence has none"):
        tasks.last_outputs(made, sequences, 1e300 * targets, mask)
