"""The normal form is equal for equal formulas only, and for renamed, reordered and expanded versions of one formula."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_formulas import A, B, H, f, i, j, k, m, n, q, r, s, t, u, v, w, x, z
from sympy import Integer, Mul, Rational, expand, expand_mul
from throughtime.derivation.deriving.system import System
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.canonical import terms
from throughtime.derivation.formulas.domains import LENGTH, Dimension, Index, domain, union
from throughtime.derivation.formulas.equality import equal, reduced
from throughtime.derivation.formulas.nodes import Delta, parameter, product_over, sum_over, time
from throughtime.derivation.judging.mutants import mutants
from throughtime.derivation.judging.survivors import Differences

T = LENGTH
SYSTEM = System("any")
SYSTEM[z[i, t]] = f(sum_over(j, w[i, j] * x[j, t]))
WITNESSES = [ExactInstance(SYSTEM, {n: 2, m: 1}, 1, seed=seed) for seed in (1, 2)]


def formula(draw: random.Random, letters: tuple, names: list[str], depth: int = 3):
    """A random formula in the free indices ``letters``; ``names`` are the names of its summation indices by depth."""
    if depth == 0:
        row, column = draw.choice(letters), draw.choice(letters)
        return draw.choice([w[row, column], u[row], x[row, t], Integer(2), Delta(row, column)])
    kind = draw.choice(["sum", "product", "add", "apply", "square"])
    if kind == "sum":
        letter = Index(names[depth], H)
        return sum_over(letter, formula(draw, (*letters, letter), names, depth - 1))
    parts = [formula(draw, letters, names, depth - 1) for _ in range(1 if kind in ("apply", "square") else 2)]
    if kind == "add":
        return parts[0] - 2 * parts[1]
    return {"product": parts[0] * parts[-1], "apply": f(parts[0]), "square": parts[0] ** 2}[kind]


def alike(left, right) -> bool:
    return all(
        witness.value(left, env) == witness.value(right, env)
        for witness in WITNESSES
        for env in witness.environments(left, right)
    )


SEEDS = st.integers(0, 10**6)


@settings(max_examples=60)
@given(SEEDS)
def test_names_of_bound_letters_do_not_matter(seed) -> None:
    one, two = (formula(random.Random(seed), (i,), names) for names in (list("abcd"), list("wzyx")))
    assert equal(one, two)


@settings(max_examples=60)
@given(SEEDS)
def test_distributing_does_not_matter(seed) -> None:
    draw = random.Random(seed)
    one, two, three = (formula(draw, (i,), list("abcd"), 2) for _ in range(3))
    assert equal((one + two) * three, expand_mul(one * three) + three * two)


@settings(max_examples=60)
@given(SEEDS, SEEDS)
def test_formulas_called_equal_are_equal_in_numbers(first, second) -> None:
    one, two = (formula(random.Random(seed), (i,), list("abcd"), 2) for seed in (first, second))
    assert alike(one, two) or not equal(one, two)


@settings(max_examples=25)
@given(SEEDS)
def test_mutants_called_equal_are_equal_in_numbers(seed) -> None:
    one = formula(random.Random(seed), (i,), list("abcd"), 2)
    for mutant in mutants(one, u[i]):
        assert not (equal(one, mutant.expr) and Differences().found(WITNESSES, one, mutant.expr)), mutant


def test_sum_inside_an_activation_keeps_its_letter_apart_from_the_one_outside() -> None:
    i, j, k = (Index(name, A) for name in "ijk")  # over one domain, so that one number alone tells them apart
    outer = sum_over(i, f(sum_over(j, w[i, j] * u[j])))
    assert equal(outer, sum_over(k, f(sum_over(i, w[k, i] * u[i]))))
    assert not equal(outer, sum_over(i, f(sum_over(j, w[j, i] * u[j]))))
    assert not equal(outer, sum_over(i, f(sum_over(j, w[i, j] * u[i]))))


def test_sum_up_to_a_summed_time_is_told_from_one_up_to_another() -> None:
    p = time("p")
    body = v[s] * v[r] ** 2 * v[p] ** 3
    ends = (sum_over((s, 1, T), (r, 1, T), (p, 1, last), body) for last in (s, r))
    assert not equal(*ends)


def test_products_inside_products_keep_their_letters_apart() -> None:
    inner = product_over((s, 1, q), f(v[r] + 2 * v[s]))
    assert not equal(product_over((r, 1, q), inner), product_over((r, 1, q), product_over((s, 1, q), f(3 * v[s]))))


def test_product_from_a_time_to_the_end_has_as_many_factors_as_its_limits_say() -> None:
    assert equal(product_over((s, t + 1, T), u[i]), u[i] ** (T - t))
    assert equal(product_over((s, 2, T), u[i]), u[i] ** (T - 1))
    for lower, steps in ((t + 2, T - t - 1), (Integer(3), T - 2), (t - q, T - t + q + 1)):  # the last may be empty
        assert not equal(product_over((s, lower, T), u[i]), u[i] ** steps)
    assert not equal(product_over((s, t + 1, T), u[i]), u[i] ** (T - t + 1))
    for last in (T, T + 1, q):  # at r > T the power T - r is negative
        left, right = (sum_over((r, 1, last), what) for what in (product_over((s, r + 1, T), u[i]), u[i] ** (T - r)))
        assert equal(left, right) == (last == T)


def test_product_that_may_end_before_it_begins_is_left_alone() -> None:
    assert equal(product_over((r, 1, q + 1), v[r]), product_over((r, 1, q), v[r]) * v[q + 1])
    assert not equal(product_over((r, 1, q), v[r]), product_over((r, 1, q - 1), v[r]) * v[q])


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
    "from a lag on": (product_over((s, q + 1, q + 2), v[s]), v[q + 1] * v[q + 2]),
    "two factors": (product_over((s, 2, 3), v[s]), v[2] * v[3]),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_is_the_same_whatever_the_numbers_of_its_times(name) -> None:
    one, other = PRODUCTS[name]
    assert equal(one, other)
    assert not equal(one, other * v[t])


def test_delta_outside_the_times_of_a_sum_is_nothing() -> None:
    assert equal(sum_over((s, 1, t), Delta(s, t) * v[s]), v[t])
    assert equal(sum_over((s, 1, t - 1), Delta(s, t) * v[s]), Integer(0))
    assert not equal(sum_over((s, 1, t), Delta(s, t + q) * v[s]), v[t + q])


def test_several_deltas_say_that_all_their_letters_are_one() -> None:
    l = Index("l", H)
    star, path = Delta(i, j) * Delta(i, k) * Delta(i, l), Delta(k, l) * Delta(i, l) * Delta(j, k)
    assert equal(star * w[i, j], path * w[l, k])
    assert equal(Delta(i, j) * Delta(i, k), Delta(i, j) * Delta(j, k) * Delta(i, k))
    assert not equal(star, Delta(i, j) * Delta(k, l))
    assert not equal(Delta(i, j) * Delta(i, k), Delta(i, j))
    a, b = Index("a", A), Index("b", B)
    assert equal(Delta(i, j) * Delta(i, a) * Delta(j, b) * u[a] * u[b], Integer(0))
    assert equal(Delta(i, a) * u[i], Delta(i, a) * u[a])


def test_an_index_gives_way_to_one_over_a_part_whatever_their_names() -> None:
    part = Index("p", A)
    assert equal(Delta(i, part) * u[i], Delta(i, part) * u[part])


def test_indices_over_domains_that_overlap_and_an_index_and_a_time_do_not_give_way() -> None:
    parts = union("two parts", B, domain("after", Dimension("o"), after=B))
    one, other = Index("one", H), Index("two", parts)
    weight = parameter("y", parts)[other]
    assert weight in terms(Delta(one, other) * u[one] * weight)[0].factors
    assert v[t] in terms(Delta(i, t) * v[t])[0].factors


def test_a_sum_may_pick_what_may_lie_outside_of_it() -> None:
    assert equal(sum_over(k, Delta(k, 3) * u[k]), sum_over(k, Delta(k, 3)) * u[3])
    assert not equal(sum_over(k, Delta(k, 3) * u[k]), u[3])


@pytest.mark.parametrize("nothing", [Delta(i, 1) * Delta(i, 2), Delta(q, 0) * q], ids=str)
def test_a_term_that_is_nothing_leaves_the_number_beside_it(nothing) -> None:
    assert reduced(nothing + 3, Integer(1)) == (2, 0)


def test_a_delta_of_twice_a_time_picks_none() -> None:
    assert equal(sum_over((s, 1, T), Delta(2 * s, t) * v[s]), sum_over((r, 1, T), Delta(2 * r, t) * v[r]))


def test_square_of_a_delta_is_the_delta() -> None:
    one, two = Index("i", A), Index("j", A)
    assert equal(sum_over(two, Delta(one, two) ** 2 * u[two]), u[one])


def test_several_deltas_on_one_letter() -> None:
    one, two, three = (Index(name, A) for name in "ijk")
    assert equal(sum_over(two, Delta(one, two) * Delta(two, three) * u[two]), Delta(one, three) * u[three])


@pytest.mark.parametrize("name", ["units#x", "H#0", "A#1", "#x", "a#"])
def test_name_with_the_sign_of_a_stand_in_is_a_name_like_any_other(name) -> None:
    own = Index(name, H)
    assert equal(sum_over(j, w[own, j] * u[own]), u[own] * sum_over(k, w[own, k]))
    assert equal(sum_over(own, w[i, own]), sum_over(j, w[i, j]))
    assert not equal(sum_over(j, w[own, j]), sum_over(j, w[j, j]))


def test_squared_sum_is_a_double_sum() -> None:
    assert equal(sum_over(i, u[i]) ** 2, sum_over(j, k, u[j] * u[k]))
    assert not equal(sum_over(i, u[i]) ** 2, sum_over(i, u[i] ** 2))


@pytest.mark.parametrize("exponent", range(2, 9))
def test_power_of_a_bracket_is_multiplied_out(exponent) -> None:
    bracket = u[i] - 2 * w[i, j]
    assert equal(bracket**exponent, expand(bracket**exponent))
    assert equal((u[i] * (u[j] + 1)) ** exponent, u[i] ** exponent * expand((u[j] + 1) ** exponent))
    assert not equal(bracket**exponent, expand(bracket**exponent) + u[i])
    assert not equal(bracket**exponent, expand(bracket ** (exponent - 1)))


def test_power_of_a_sum_is_a_sum_over_as_many_letters() -> None:
    letters = [Index(name, H) for name in "abcde"]
    for exponent in range(2, 6):
        factors = Mul(*(u[letter] for letter in letters[:exponent]))
        assert equal(sum_over(i, u[i]) ** exponent, sum_over(*letters[:exponent], factors))


def test_sum_over_a_union_is_the_sums_over_its_parts() -> None:
    parts = [sum_over(i.within(part), u[i.within(part)]) for part in (A, B)]
    assert equal(sum_over(i, u[i]), sum(parts))
    assert not equal(sum_over(i, u[i]), parts[0])


POWERS_OF_NUMBERS = {
    "one more factor": (2 * u[i] * Integer(2) ** q, u[i] * Integer(2) ** (q + 1)),
    "bracket": (2**q * (2 * u[i] + 2 * u[j]), 2 ** (q + 1) * (u[i] + u[j])),
    "sign": (-u[i] * Integer(-1) ** q, u[i] * Integer(-1) ** (q + 1)),
    "half": (u[i] * Rational(1, 2) ** q / 2, u[i] * Rational(1, 2) ** (q + 1)),
    "square": (u[i] * Integer(4) ** q, u[i] * Integer(2) ** (2 * q)),
    "product over times": (product_over((s, 1, q + 1), 6 * u[i]), 6 * u[i] ** (q + 1) * 2**q * 3**q),
}


@pytest.mark.parametrize("name", POWERS_OF_NUMBERS)
def test_powers_of_numbers_are_one_power_and_a_number(name) -> None:
    one, other = POWERS_OF_NUMBERS[name]
    assert equal(one, other)
    for wrong in (2 * other, -other, 2**q * other, other / 3, other + Integer(2) ** q):
        assert not equal(one, wrong)


def test_one_factor_of_a_bracket_to_a_symbolic_power_is_multiplied_out() -> None:
    bracket = u[i] + 2 * v[t]
    assert equal(bracket ** (q + 1), bracket**q * u[i] + bracket**q * v[t] * 2)
    assert not equal(bracket ** (q + 1), bracket**q * u[i] + bracket**q * v[t])
    assert not equal(bracket ** (q + 1), u[i] ** (q + 1) + (2 * v[t]) ** (q + 1))
    with_factor = (u[j] * bracket) ** (q + 1)
    assert equal(with_factor, u[j] ** (q + 1) * (bracket**q * u[i] + bracket**q * v[t] * 2))
