"""The product and chain rules on single formulas agree with dual numbers, and refuse what they cannot differentiate."""

from random import Random

import pytest
import throughtime as tt
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_formulas import KINDS, H, f, i, j, k, m, n, random_formula, s, t, u, w, x, z
from sympy import Integer, Max, exp
from throughtime.derivation.deriving.differentiate import immediate, linearize
from throughtime.derivation.evaluating.evaluate import Dual
from throughtime.derivation.formulas.nodes import Modulus, d, product_over, sum_over

l = tt.Index("l", H)
SYSTEM = tt.System("any")
SYSTEM[z[i, t]] = f(sum_over(j, w[i, j] * x[j, t]))
WITNESS = tt.ExactInstance(SYSTEM, {n: 1, m: 1}, 2, seed=3)


def slope(expr, wrt, env):
    """The derivative of ``expr`` with respect to one element, all others constant, in dual numbers."""
    moved = WITNESS.key(wrt, env)

    def leaf(ref, key):
        return Dual(WITNESS.element(key), WITNESS.number(int(key == moved)))

    return WITNESS.evaluate(expr, env, leaf).slope


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([w[j, k], w[k, k], u[j], x[k, t], x[k, t - 1]]))
def test_immediate_derivative_is_that_of_dual_numbers(seed, wrt) -> None:
    """The indices of ``wrt`` have the names of summation indices of the formula and must not be captured by them."""
    expr = random_formula(Random(seed), (i,), kinds=(*KINDS, "inverse"), names="_jkl")
    derived = immediate(expr, wrt, contracted=False)
    for env in WITNESS.environments(expr, wrt, z[i, t]):
        assert WITNESS.value(derived, env) == slope(expr, wrt, env)


def test_deltas_of_a_derivative_are_summed_out() -> None:
    assert immediate(sum_over(j, w[i, j] * x[j, t]), w[i, k]) == x[k, t]
    assert tt.equal(immediate(sum_over(j, u[j] ** 2), u[k]), 2 * u[k])
    assert tt.equal(immediate(f(u[i] ** 2), u[i]), 2 * u[i] * f.prime(u[i] ** 2))
    assert immediate(f.prime(u[i]), u[i]).order == 2


def test_functions_of_sympy_bring_their_own_rule() -> None:
    assert immediate(exp(2 * u[i]), u[i]) == 2 * exp(2 * u[i])


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (d(z[i, t], u[j]) * u[j], "second derivatives are not derived here"),
        (product_over((s, 1, t), u[i]), "no rule to differentiate Product"),
        (u[i] ** t, "no rule to differentiate Pow"),
        (Max(u[i], 0), "no rule to differentiate Max.*write maximum or minimum"),
        (Modulus(u[i]), "no rule to differentiate Modulus"),
    ],
)
def test_what_has_no_rule_is_refused(expr, message) -> None:
    with pytest.raises(tt.DerivationError, match=message):
        linearize(expr, lambda ref: Integer(1))
