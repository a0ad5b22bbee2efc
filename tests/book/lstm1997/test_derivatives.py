"""The chapter on derivatives under truncation: the checks of the factor, one by one."""

import pytest
from book.lstm1997.bench import make_bench
from book.lstm1997.derivatives import checks
from sympy import Equality


@pytest.mark.parametrize("right", [checks.to_gate * checks.to_cell, checks.to_gate])
def test_each_check_of_the_factor_refuses_another(right):
    bench, formula = make_bench(), Equality(checks.factor, right, evaluate=False)
    assert not checks.exactly(bench, formula)
    assert not checks.in_numbers(bench, formula)
    assert not all(step.check() for step in checks.proof(bench, formula))
