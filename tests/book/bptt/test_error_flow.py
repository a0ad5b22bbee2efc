"""The chapter on error flow: times of error signals that no slip tries, and the exercise that counts paths."""

from itertools import pairwise, product

import numpy as np
import pytest
from book.bptt.error_flow import checks
from book.bptt.error_flow.checks import REACHED, t_future, t_past
from sympy import And, Equivalent, Le


@pytest.mark.parametrize("reached", [checks.reached_exactly, checks.reached_in_library])
def test_one_step_into_the_future_is_refused(reached):
    assert not checks.holds_for_times(Equivalent(REACHED, And(Le(0, t_past), Le(t_past, t_future + 1))), reached)


def test_only_a_start_before_the_first_net_input_says_the_same():
    in_range, *others = (Equivalent(REACHED, And(Le(n, t_past), Le(t_past, t_future))) for n in (0, -1, 1, 2))
    assert [checks.same_for_net_inputs(formula, in_range) for formula in others] == [True, True, False]
    assert not checks.reached_exactly(2, 0)


def test_the_solution_that_counts_paths(run_cell):
    typed = run_cell("def paths(", product=product, pairwise=pairwise)
    assert sum(typed["paths"](np.ones((3, 3)) - np.eye(3), np.ones((4, 3)), 0, 0).values()) == 6
