"""Numeric values of formulas: dual numbers, paths, environments, and formulas without a value."""

from fractions import Fraction

import numpy as np
import pytest
import throughtime as tt
from shared_formulas import A, B, f, i, j, m, n, s, t, u, v, w, x
from sympy import Integer, Max, Rational, Symbol
from throughtime.derivation.evaluating import compiled
from throughtime.derivation.evaluating.evaluate import Dual, OutOfRange
from throughtime.derivation.evaluating.unroll import polynomial
from throughtime.derivation.formulas.nodes import Constant, Delta, Modulus, d, product_over, sum_over

VALUES = {("u", 1): Fraction(2), ("u", 2): Fraction(-3), ("u", 3): Fraction(1, 2)}
VALUES |= {("w", row, column): Fraction(row - 2, column) for row in (1, 2, 3) for column in (1, 2, 3)}


@pytest.fixture(scope="module")
def witness() -> tt.ExactInstance:
    """v(t) = v(t - 1) + 1 from v(0) = 5, and f(z) = z^2 + 1."""
    system = tt.System("counter")
    system[v[t]] = v[t - 1] + 1
    system.initial(v, 5)
    return tt.ExactInstance(system, {n: 2, m: 1}, 3, values=VALUES, activations={"f": polynomial(1, 0, 1)})


@pytest.mark.parametrize("number", [Fraction(2), 2, 2.0, np.float64(2)], ids=lambda number: type(number).__name__)
def test_number_beside_a_dual_has_no_slope(number) -> None:
    moved = Dual(3, 5)
    assert number * moved == moved * number == Dual(6, 10)
    assert number + moved == moved + number == Dual(5, 5)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (u[1] - 2 * u[2] ** 2, -16),
        (u[1] / u[2], Fraction(-2, 3)),
        (Rational(1, 3) * u[3], Fraction(1, 6)),
        (sum_over(i, u[i]), Fraction(-1, 2)),
        (sum_over(i.within(B), u[i.within(B)]), Fraction(1, 2)),
        (product_over(i, u[i]), -3),
        (sum_over(i, j, Delta(i, j) * u[j] ** 2), Fraction(53, 4)),
        (f(u[2]), 10),
        (f.prime(u[2]), -6),
        (f.prime(u[2]).derivative(), 2),
        (sum_over((s, 1, tt.LENGTH), v[s]), 21),
        (product_over((s, 1, Integer(0)), v[s]), 1),
        (sum_over((s, 3, Integer(2)), v[s]), 0),
        (v[Integer(0)], 5),
        (v[Integer(-4)], 5),
        (Modulus(u[2] - u[1]), 5),
        (Max(0, u[2], u[3]), Fraction(1, 2)),
        (Constant("M", Rational(1, 4)) * u[1], Fraction(1, 2)),
        (n * m + tt.LENGTH, 5),
    ],
    ids=str,
)
def test_value_of_a_formula(witness, formula, value) -> None:
    assert witness.value(formula, {}) == value
    held = witness.evaluate(formula, {}, lambda ref, key: Dual(witness.element(key), Fraction(0)))
    assert held == Dual(value, 0)


def test_formulas_are_kept_and_made_again_when_there_are_too_many(witness, monkeypatch) -> None:
    monkeypatch.setattr(compiled, "MOST", 3)
    for _ in range(2):
        for number in range(1, 8):
            assert witness.value(number * u[1] + u[2] ** 2, {}) == 2 * number + 9


def test_environments_are_all_places_and_all_times(witness) -> None:
    found = list(witness.environments(w[i, j] * x[i, t], u[i.within(A)]))
    assert len(found) == len({frozenset(env.items()) for env in found}) == 3 * 3 * 2 * 3
    assert {int(env[t]) for env in found} == {1, 2, 3}
    assert list(witness.environments(u[1])) == [{}]
    assert list(tt.ExactInstance(witness.system, {n: 0, m: 0}, 3).environments(u[i])) == []


def test_lags_start_where_they_may_start(witness) -> None:
    zero, one = tt.lag("q"), tt.lag("p", start=1)
    assert [int(env[zero]) for env in witness.environments(u[1] ** zero)] == [0, 1, 2, 3]
    assert [int(env[one]) for env in witness.environments(u[1] ** one)] == [1, 2, 3]
    with pytest.raises(ValueError, match="start: expected 0 or 1, got 2"):
        tt.lag("q", start=2)


def test_times_beyond_the_sequence_are_out_of_range(witness) -> None:
    last = v[Integer(4)]
    for formula in (x[1, 0], x[1, 4], last, d(last, v[Integer(1)]), d(last, last)):
        with pytest.raises(OutOfRange):
            witness.value(formula, {})


NO_VALUE = [
    (u[i], r"no value for i, known are \['t'\]"),
    (d(Modulus(v[t]), v[t]), "it has a kink"),
    (d(Max(0, v[t]), v[t]), "it has a kink"),
    (Symbol("a", real=True), "cannot evaluate Symbol: a"),
]


@pytest.mark.parametrize(("formula", "message"), NO_VALUE, ids=str)
def test_what_has_no_value_is_refused_with_the_reason(witness, formula, message) -> None:
    with pytest.raises(tt.DerivationError, match=message):
        witness.value(formula, {t: Integer(1)})
