"""The chapter on the forward pass: wrong places in [x; y] are refused."""

import numpy as np
import pytest
from book.bptt.forward import checks as p
from book.shared.reading import equals
from throughtime import FullyRecurrent
from throughtime.derivation import sum_over
from throughtime.systems import recurrent as s

i, t = s.i, p.t
j_x, j_y = p.column.within(s.X), p.column.within(p.COLUMNS_OF_Y)
INPUTS = sum_over(j_x, p.W[i, j_x] * p.x[j_x, t])


def of_outputs(term):
    return equals(p.z[i, t + 1], INPUTS + sum_over(j_y, term))


WRONG = {
    "the position taken for the number": of_outputs(p.W[i, j_y] * p.y[j_y, t]),
    "an output one position on": of_outputs(p.W[i, j_y] * p.y_at[j_y + 1, t]),
    "an output one position back": of_outputs(p.W[i, j_y] * p.y_at[j_y - 1, t]),
    "the column of an input": of_outputs(p.W[i, j_y - s.d_in] * p.y_at[j_y, t]),
    "one output for all": of_outputs(p.W[i, j_y] * p.y[i, t]),
}


@pytest.mark.parametrize("equation", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("is_true", [p.holds_exactly, p.holds_in_library])
def test_another_place_is_refused(is_true, equation):
    assert not is_true(equation)


def test_when_the_units_first_respond():
    net, x = FullyRecurrent(n_in=1, n_out=4), np.zeros((6, 1))
    moved = x.copy()
    moved[0] = 1.0
    ring = np.roll(np.eye(4), 1, axis=0)
    for to_units, weights, first in (
        (np.ones(4), ring, [1, 1, 1, 1]),
        (np.eye(4)[0], np.ones((4, 4)), [1, 2, 2, 2]),
        (np.eye(4)[0], ring, [1, 2, 3, 4]),
    ):
        theta = net.layout.flatten({"W": np.hstack([to_units[:, None], weights])})
        change = net.forward(theta, moved).y - net.forward(theta, x).y
        assert [int(np.flatnonzero(column)[0]) for column in change.T] == first
