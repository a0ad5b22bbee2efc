"""The normal form is equal for equal formulas only, and for renamed, reordered and expanded versions of one formula."""

from random import Random

import pytest
import throughtime as tt
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_formulas import A, B, H, f, i, j, k, m, n, q, r, random_formula, s, t, u, v, w, x, z
from sympy import Integer, Rational, expand, expand_mul
from throughtime.derivation.formulas.canonical import terms
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.equality import equal, reduced
from throughtime.derivation.formulas.nodes import Delta, parameter, product_over, sum_over, time
from throughtime.derivation.judging.mutants import mutants
from throughtime.derivation.judging.survivors import Differences

T = tt.LENGTH
SYSTEM = tt.System("any")
SYSTEM[z[i, t]] = f(sum_over(j, w[i, j] * x[j, t]))
WITNESSES = [tt.ExactInstance(SYSTEM, {n: 2, m: 1}, 1, seed=seed) for seed in (1, 2)]


SEEDS = st.integers(0, 10**6)


@settings(max_examples=60)
@given(SEEDS)
def test_names_of_bound_letters_do_not_matter(seed) -> None:
    one, two = (random_formula(Random(seed), (i,), names=names) for names in ("abcd", "wzyx"))
    assert equal(one, two)


@settings(max_examples=60)
@given(SEEDS)
def test_distributing_does_not_matter(seed) -> None:
    draw = Random(seed)
    one, two, three = (random_formula(draw, (i,), 2) for _ in range(3))
    assert equal((one + two) * three, expand_mul(one * three) + three * two)


@settings(max_examples=25)
@given(SEEDS)
def test_mutants_called_equal_are_equal_in_numbers(seed) -> None:
    one = random_formula(Random(seed), (i,), 2)
    for mutant in mutants(one, u[i]):
        assert not (equal(one, mutant.expr) and Differences().found(WITNESSES, one, mutant.expr)), mutant


one, two, three = (Index(name, A) for name in "ijk")  # over one domain, so that a number alone tells them apart
l, p, part, other = Index("l", H), time("p"), Index("p", A), Index("b", B)
STAR, BRACKET = Delta(i, j) * Delta(i, k) * Delta(i, l), u[i] + 2 * v[t]
INNER, BODY = sum_over(one, f(sum_over(two, w[one, two] * u[two]))), v[s] * v[r] ** 2 * v[p] ** 3
TO_END = product_over((s, t + 1, T), u[i])
SAME = [
    (INNER, sum_over(three, f(sum_over(one, w[three, one] * u[one])))),
    # products
    (TO_END, u[i] ** (T - t)),
    (product_over((s, t - q, T), u[i]), u[i] ** (T - t + q + 1)),
    (product_over((s, 2, T), u[i]), u[i] ** (T - 1)),
    (product_over((r, 1, q + 1), v[r]), product_over((r, 1, q), v[r]) * v[q + 1]),
    (sum_over((r, 1, T), product_over((s, r + 1, T), u[i])), sum_over((r, 1, T), u[i] ** (T - r))),
    # deltas
    (sum_over((s, 1, t), Delta(s, t) * v[s]), v[t]),
    (sum_over((s, 1, t - 1), Delta(s, t) * v[s]), Integer(0)),
    (sum_over((s, 1, T), Delta(2 * s, t) * v[s]), sum_over((r, 1, T), Delta(2 * r, t) * v[r])),
    (STAR * w[i, j], Delta(k, l) * Delta(i, l) * Delta(j, k) * w[l, k]),
    (Delta(i, j) * Delta(i, k), Delta(i, j) * Delta(j, k) * Delta(i, k)),
    (Delta(i, j) * Delta(i, part) * Delta(j, other) * u[part] * u[other], Integer(0)),
    (Delta(i, part) * u[i], Delta(i, part) * u[part]),
    (sum_over(k, Delta(k, 3) * u[k]), sum_over(k, Delta(k, 3)) * u[3]),
    (sum_over(two, Delta(one, two) ** 2 * u[two]), u[one]),
    (sum_over(two, Delta(one, two) * Delta(two, three) * u[two]), Delta(one, three) * u[three]),
    # sums
    (sum_over(i, u[i]) ** 2, sum_over(j, k, u[j] * u[k])),
    (sum_over(i, u[i]) ** 4, sum_over(i, j, k, l, u[i] * u[j] * u[k] * u[l])),
    (sum_over(i, u[i]), sum_over(part, u[part]) + sum_over(other, u[other])),
    # powers
    (BRACKET ** (q + 1), BRACKET**q * u[i] + BRACKET**q * v[t] * 2),
    ((u[j] * BRACKET) ** (q + 1), u[j] ** (q + 1) * (BRACKET**q * u[i] + BRACKET**q * v[t] * 2)),
]
OTHER = [
    (INNER, sum_over(one, f(sum_over(two, w[two, one] * u[two])))),
    (INNER, sum_over(one, f(sum_over(two, w[one, two] * u[one])))),
    tuple(sum_over((s, 1, T), (r, 1, T), (p, 1, last), BODY) for last in (s, r)),
    tuple(product_over((r, 1, q), product_over((s, 1, q), f(what + 2 * v[s]))) for what in (v[r], v[s])),
    (TO_END, u[i] ** (T - t + 1)),
    *((product_over((s, lower, T), u[i]), u[i] ** steps)  # which may end before they begin
      for lower, steps in ((t + 2, T - t - 1), (Integer(3), T - 2))),
    *((sum_over((r, 1, last), product_over((s, r + 1, T), u[i])), sum_over((r, 1, last), u[i] ** (T - r)))
      for last in (T + 1, q)),  # at r > T the power T - r is negative
    (product_over((r, 1, q), v[r]), product_over((r, 1, q - 1), v[r]) * v[q]),
    (product_over((s, 1, T), v[s]), product_over((s, 1, T), v[T - s])),
    (product_over((s, 3, T), v[s]), product_over((r, 1, T - 2), v[T - r])),
    (product_over((s, 3, T), v[s]), product_over((r, 1, T - 1), v[r + 2])),
    (product_over((s, 1, T), v[s]), product_over((s, 1, 2), v[s]) * product_over((s, 3, T), v[s])),  # in one step
    (sum_over((s, 1, t), Delta(s, t + q) * v[s]), v[t + q]),
    (STAR, Delta(i, j) * Delta(k, l)),
    (Delta(i, j) * Delta(i, k), Delta(i, j)),
    (sum_over(k, Delta(k, 3) * u[k]), u[3]),
    (sum_over(i, u[i]) ** 2, sum_over(i, u[i] ** 2)),
    (sum_over(i, u[i]), sum_over(part, u[part])),
    (BRACKET ** (q + 1), BRACKET**q * u[i] + BRACKET**q * v[t]),
    (BRACKET ** (q + 1), u[i] ** (q + 1) + (2 * v[t]) ** (q + 1)),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME)
def test_what_is_the_same_is_equal(left, right) -> None:
    assert equal(left, right)


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_what_is_not_the_same_is_not_equal(left, right) -> None:
    assert not equal(left, right)


PRODUCTS = {
    "factor by factor": (
        product_over((s, 1, q), v[s] * x[i, s + 1]),
        product_over((s, 1, q), v[s]) * product_over((s, 2, q + 1), x[i, s]),
    ),
    "within the sequence": (
        product_over((s, t + 1, T), v[s] * x[i, s]),
        product_over((r, t + 1, T), v[r]) * product_over((r, t + 1, T), x[i, r]),
    ),
    "backwards": (
        product_over((r, 1, q), v[t - r + 2]) * v[t - q + 1],
        v[t + 1] * product_over((r, 1, q), v[t - r + 1]),
    ),
    "beside a time of its own": (
        product_over((s, 1, q), f(v[t + 1] + v[s + 1])),
        product_over((s, 2, q + 1), f(v[t + 1] + v[s])),
    ),
    "walked from its other end": (product_over((s, 1, T), v[s]), product_over((s, 1, T), v[T + 1 - s])),
    "walked back by a lag": (product_over((s, 0, q), v[t - s]), product_over((s, 0, q), v[t - q + s])),
    "walked from either time": (product_over((s, t + 1, T), v[s]), product_over((s, t + 1, T), v[T + t + 1 - s])),
    "of steps that may be none": (product_over((s, 3, T), v[s]), product_over((r, 1, T - 2), v[T + 1 - r])),
    "of times": (product_over((s, 3, T), s * v[s]), product_over((r, 1, T - 2), (r + 2) * v[r + 2])),
    "from a lag on": (product_over((s, q + 1, q + 2), v[s]), v[q + 1] * v[q + 2]),
    "two factors": (product_over((s, 2, 3), v[s]), v[2] * v[3]),
}


@pytest.mark.parametrize(("one", "other"), PRODUCTS.values(), ids=PRODUCTS)
def test_a_product_is_the_same_whatever_the_numbers_of_its_times(one, other) -> None:
    assert equal(one, other)
    assert not equal(one, other * v[t])


def test_indices_over_domains_that_overlap_and_an_index_and_a_time_do_not_give_way() -> None:
    parts = tt.union("two parts", B, tt.domain("after", tt.Dimension("o"), after=B))
    one, other = Index("one", H), Index("two", parts)
    weight = parameter("y", parts)[other]
    assert weight in terms(Delta(one, other) * u[one] * weight)[0].factors
    assert v[t] in terms(Delta(i, t) * v[t])[0].factors


@pytest.mark.parametrize("nothing", [Delta(i, 1) * Delta(i, 2), Delta(q, 0) * q], ids=str)
def test_a_term_that_is_nothing_leaves_the_number_beside_it(nothing) -> None:
    assert reduced(nothing + 3, Integer(1)) == (2, 0)


@pytest.mark.parametrize("name", ["units#x", "H#0", "A#1", "#x", "a#"])
def test_name_with_the_sign_of_a_stand_in_is_a_name_like_any_other(name) -> None:
    own = Index(name, H)
    assert equal(sum_over(j, w[own, j] * u[own]), u[own] * sum_over(k, w[own, k]))
    assert equal(sum_over(own, w[i, own]), sum_over(j, w[i, j]))
    assert not equal(sum_over(j, w[own, j]), sum_over(j, w[j, j]))


@pytest.mark.parametrize("exponent", range(2, 9))
def test_power_of_a_bracket_is_multiplied_out(exponent) -> None:
    bracket = u[i] - 2 * w[i, j]
    assert equal(bracket**exponent, expand(bracket**exponent))
    assert equal((u[i] * (u[j] + 1)) ** exponent, u[i] ** exponent * expand((u[j] + 1) ** exponent))
    assert not equal(bracket**exponent, expand(bracket**exponent) + u[i])
    assert not equal(bracket**exponent, expand(bracket ** (exponent - 1)))


POWERS_OF_NUMBERS = {
    "one more factor": (2 * u[i] * Integer(2) ** q, u[i] * Integer(2) ** (q + 1)),
    "bracket": (2**q * (2 * u[i] + 2 * u[j]), 2 ** (q + 1) * (u[i] + u[j])),
    "sign": (-u[i] * Integer(-1) ** q, u[i] * Integer(-1) ** (q + 1)),
    "half": (u[i] * Rational(1, 2) ** q / 2, u[i] * Rational(1, 2) ** (q + 1)),
    "square": (u[i] * Integer(4) ** q, u[i] * Integer(2) ** (2 * q)),
    "product over times": (product_over((s, 1, q + 1), 6 * u[i]), 6 * u[i] ** (q + 1) * 2**q * 3**q),
}


@pytest.mark.parametrize(("one", "other"), POWERS_OF_NUMBERS.values(), ids=POWERS_OF_NUMBERS)
def test_powers_of_numbers_are_one_power_and_a_number(one, other) -> None:
    assert equal(one, other)
    for wrong in (2 * other, -other, 2**q * other, other / 3, other + Integer(2) ** q):
        assert not equal(one, wrong)
