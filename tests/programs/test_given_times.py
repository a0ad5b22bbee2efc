"""Sequences that a program reads at an earlier time."""

import cells
import numpy as np
import pytest
import throughtime as tt
from sympy import Expr

SIZES = {cells.n: 3, cells.m: 2}


def _reading(value: Expr) -> tt.System:
    i, t, h, w = cells.i, cells.t, cells.h, tt.variable("y", cells.U)
    system = tt.System("reading", t)
    system[h[i, t]] = tt.parameter("w", cells.U)[i] * value
    system[w[i, t]] = h[i, t]
    system[cells.loss[()]] = tt.sum_over((cells.s, 1, tt.LENGTH), i, w[i, cells.s] ** 2)
    return system


@pytest.mark.parametrize("steps", [(0, -1), (-1,)])
def test_a_sequence_that_is_not_read_a_row_a_step_is_refused_with_a_way_out(steps: tuple[int, ...]) -> None:
    system = _reading(sum(cells.d[cells.i, cells.t + step] for step in steps))
    with pytest.raises(tt.DerivationError, match="is not the row of the step; define what it was"):
        tt.compile(system, cells.loss, SIZES)


def test_a_sequence_that_is_given_from_0_has_its_first_row_at_step_1() -> None:
    system = _reading(cells.d[cells.i, cells.t - 1])
    system.given_from(cells.d, 0)
    net = tt.compile(system, cells.loss, SIZES)
    d = np.random.default_rng(1).normal(size=(4, 3))
    assert net.loss(np.ones(3), d, np.zeros((4, 0))) == pytest.approx((d**2).sum(), rel=1e-12)
