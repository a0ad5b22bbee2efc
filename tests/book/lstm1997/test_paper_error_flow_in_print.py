"""The page on section 3.1 of the paper: bounds and conditions that are refused, and a counterexample."""

import numpy as np
import pytest
from book.lstm1997.paper import checks
from sympy import Abs, Eq, Implies, Le


@pytest.mark.parametrize(
    "formula",
    [
        Le(Abs(checks.F), checks.n**checks.q * checks.a_max**checks.q),
        Le(checks.norm_in, 2 * checks.norm_WT),
        Le(Abs(checks.F), checks.a_max),
    ],
)
def test_bounds_that_are_too_weak_or_too_strong_are_refused(formula) -> None:
    assert not checks.bound(formula)


@pytest.mark.parametrize("largest", [3, 5, 4 / checks.n**2])
def test_only_the_weakest_condition_for_vanishing_is_accepted(largest) -> None:
    assert not checks.limit(Implies(checks.w_max < largest, Eq(checks.lim_flow, 0)))


def test_the_counterexample_has_the_number_that_it_names() -> None:
    slopes = np.full((21, 2), 0.25)
    one, more = (checks.matrix_flow(np.full((2, 2), 3.9), slopes[:steps]) for steps in (20, 21))
    np.testing.assert_allclose(more, 1.95 * one)
    assert f"{one[0, 0]:.3g} after 20 steps" in checks.grown()
