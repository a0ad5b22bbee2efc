"""The normal form of sums over times: values stay, in empty ranges too; equal sums become one, slips do not."""

from contextlib import suppress

import pytest
import throughtime as tt
from shared_formulas import f, i, m, n, q, r, s, t, u, v, y
from sympy import Add, Integer
from throughtime.derivation.deriving.system import LENGTH as T
from throughtime.derivation.evaluating.evaluate import OutOfRange
from throughtime.derivation.formulas.canonical import terms
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import Delta, Modulus, d, product_over, scalar, sum_over
from throughtime.derivation.formulas.rewrite import at_least_zero

loss = scalar("loss")
NET = tt.System("one signal and some units")
NET[y[i, t]] = u[i] * y[i, t - 1] + 1
NET[v[t]] = f(sum_over(i, y[i, t]))
NET[loss[()]] = sum_over((s, 1, T), v[s] ** 2)
NET.initial(v, 2)
SHORT, LONG = (
    [tt.ExactInstance(NET, {n: 1, m: 1}, length, seed=length) for length in lengths] for lengths in ((1, 2), (6,))
)
a = u[1]

TRUE = {
    "reversed": (sum_over((s, 1, T), v[s]), sum_over((s, 1, T), v[T - s + 1]), sum_over((s, 1, T), v[T - s])),
    "reversed window": (sum_over((s, 0, t - 1), v[t - s]), sum_over((s, 1, t), v[s]), sum_over((s, 0, t), v[t - s])),
    "convolution": (
        sum_over((s, 1, t), v[s] * y[i, t - s]), sum_over((s, 0, t - 1), v[t - s] * y[i, s]),
        sum_over((s, 1, t), v[t - s] * y[i, s]),
    ),
    "telescoped": (sum_over((s, 1, T), v[s] - v[s - 1]), v[T] - v[0], v[T]),
    "telescoped squares": (sum_over((s, 2, t), v[s] ** 2 - v[s - 1] ** 2), v[t] ** 2 - v[1] ** 2, v[t] ** 2),
    "telescoped two steps": (
        sum_over((s, 1, t), v[s] - v[s - 2]), v[t] + v[t - 1] - v[0] - v[-1], v[t] + v[t - 1] - v[0],
    ),
    "by parts": (
        sum_over((s, 1, t), v[s] * (y[i, s] - y[i, s - 1])),
        v[t] * y[i, t] - v[0] * y[i, 0] - sum_over((s, 1, t), (v[s] - v[s - 1]) * y[i, s - 1]),
        v[t] * y[i, t] - v[0] * y[i, 0] - sum_over((s, 1, t), (v[s] - v[s - 1]) * y[i, s]),
    ),
    "exchanged": (
        sum_over((s, 1, T), (r, 1, s), v[s] * y[i, r]), sum_over((r, 1, T), (s, r, T), v[s] * y[i, r]),
        sum_over((r, 1, T), (s, r + 1, T), v[s] * y[i, r]),
    ),
    "exchanged, without the diagonal": (
        sum_over((s, 1, t), (r, 1, s - 1), v[s] * y[i, r]), sum_over((r, 1, t - 1), (s, r + 1, t), v[s] * y[i, r]),
        sum_over((r, 1, t), (s, 1, r - 1), v[s] * y[i, r]),
    ),
    "square of a sum": (
        sum_over((s, 1, t), v[s]) ** 2,
        2 * sum_over((s, 1, t), (r, 1, s), v[s] * v[r]) - sum_over((s, 1, t), v[s] ** 2),
        2 * sum_over((s, 1, t), (r, 1, s), v[s] * v[r]),
    ),
    "cut at a time": (
        sum_over((s, 1, T), v[s - 1]), sum_over((s, 1, t), v[s - 1]) + sum_over((s, t + 1, T), v[s - 1]),
        sum_over((s, 1, t), v[s - 1]) + sum_over((s, t, T), v[s - 1]),
    ),
    "as many equal terms": (sum_over((s, 1, t), v[t]), t * v[t], (t - 1) * v[t]),
    "geometric": (a * sum_over((s, 0, t - 1), a**s), sum_over((s, 1, t), a**s), sum_over((s, 0, t), a**s)),
    "geometric, backwards": (
        sum_over((s, 0, t), a ** (t - s)), 1 + a * sum_over((s, 0, t - 1), a**s), sum_over((s, 1, t), a**s),
    ),
    "geometric, closed": (
        sum_over((s, 1, t), u[1] ** (s - 1)), (1 - u[1] ** t) / (1 - u[1]), (1 - u[1] ** (t + 1)) / (1 - u[1]),
    ),
    "geometric, two ratios": (
        u[1] * u[2] * sum_over((s, 0, t - 1), (u[1] * u[2]) ** s), sum_over((s, 1, t), u[1] ** s * u[2] ** s),
        sum_over((s, 1, t), u[1] ** s * u[2] ** (s - 1)),
    ),
    "picked after a shift": (
        sum_over((s, 2, T), Delta(s - 1, t) * v[s]), sum_over((s, 1, T), Delta(s - 1, t) * v[s]),
        sum_over((s, 3, T), Delta(s - 1, t) * v[s]),
    ),
    "a late limit is void beside a delta": (
        sum_over((s, 3, T), Delta(s, t) * v[s]), sum_over((s, 3, T + 1), Delta(s, t) * v[s]),
        sum_over((s, 3, T - 1), Delta(s, t) * v[s]),
    ),
    "what is picked stands anywhere": (
        sum_over((s, 2, T), Delta(s, t) * v[s]), sum_over((s, 2, T), Delta(s, t)) * v[t],
        sum_over((s, 1, T), Delta(s, t) * v[s]),
    ),
    "a time that is a number": (Delta(t, 2) * v[t], Delta(t, 2) * v[2], Delta(t, 2) * v[1]),
    "a time before the first": (Delta(t, 0) * v[t], Integer(0), Delta(t, 1) * v[t]),
    "a time after the last one": (Delta(t, T + 1) * v[t], Integer(0), Delta(t, T) * v[t]),
    "two numbers for one index": (Delta(i, 1) * Delta(i, 2) * u[i], Integer(0), Delta(i, 1) * u[i]),
    "the past and the future": (
        sum_over((s, 1, t - 1), d(v[s], v[t])), Integer(0), sum_over((s, 1, t), d(v[s], v[t])),
    ),
    "the past of a node, and the node": (
        sum_over((s, 1, t), v[s] * d(v[s], v[t])), v[t] * d(v[t], v[t]), sum_over((s, 1, t + 1), v[s] * d(v[s], v[t])),
    ),
    "steps that may be fewer than none": (
        sum_over((s, 2, t - 1), v[t - s - 1]), sum_over((s, 3, t), v[t - s]), sum_over((s, 3, t), v[t - s + 1]),
    ),
    "as many, and as many again": (
        sum_over((s, 2, t - 1), v[t]), sum_over((s, 3, t), v[t]), sum_over((s, 3, t + 1), v[t]),
    ),
    "after the last time": (
        sum_over((s, 1, T), d(loss[()], v[s])), sum_over((s, 1, T + 1), d(loss[()], v[s])),
        sum_over((s, 1, T - 1), d(loss[()], v[s])),
    ),
    "absolute value": (Modulus(v[t]) ** 2, v[t] ** 2, Modulus(v[t]) * v[t]),
}  # fmt: skip


@pytest.mark.parametrize(("left", "right", "slip"), TRUE.values(), ids=TRUE)
def test_equal_sums_are_one_and_a_slip_makes_another(left, right, slip) -> None:
    assert equal(left, right)
    assert not equal(left, slip)


@pytest.mark.parametrize("name", TRUE)
def test_the_terms_have_the_value_of_the_formula(name) -> None:
    for formula in TRUE[name]:
        whole, seen = Add(*(term.formula() for term in terms(formula))), 0
        for net in (*SHORT, *LONG):
            for now in range(1, net.length + 1):
                env = {t: Integer(now), i: Integer(1)}
                with suppress(OutOfRange):  # where a factor that is 0 reads a time after the last one
                    assert net.value(whole, env) == net.value(formula, env), (formula, now, net.length)
                    seen += 1
        assert seen > 5


NEVER = [
    (sum_over((s, 3, T), v[s]), sum_over((s, 1, T), v[s]) - v[1] - v[2]),  # in one step
    (sum_over((s, t + 2, T), v[s]), sum_over((s, 1, T), v[s]) - sum_over((s, 1, t + 1), v[s])),  # at t = T
    (sum_over((s, 1, q - 1), v[s]), sum_over((s, 1, q), v[s]) - v[q]),  # for q = 0
    (sum_over((s, t - q + 1, t), v[s]), sum_over((s, 1, t), v[s]) - sum_over((s, 1, t - q), v[s])),  # for q > t
    (sum_over((s, 1, t - 2), v[t]), (t - 2) * v[t]),
    (sum_over((s, 4, t), v[s] - v[s - 1]), v[t] - v[3]),
    (sum_over((s, 1, T), (r, s + 2, T), v[s]), sum_over((s, 1, T), (T - s - 1) * v[s])),
    (sum_over((s, 1, T), Delta(s, t + 1) * v[s]), v[t + 1]),
    (sum_over((s, 1, T), Delta(s, t - 1) * v[s]), v[t - 1] * 1),
]


@pytest.mark.parametrize("number", range(len(NEVER)))
def test_a_range_that_may_run_backwards_is_not_taken_apart(number) -> None:
    assert not equal(*NEVER[number])


def test_least_number_of_steps() -> None:
    ranges = {r: (Integer(1), s - 1), s: (Integer(2), t)}
    assert at_least_zero(T - t, {})
    assert at_least_zero(t - r - 1, ranges)
    assert at_least_zero(q + t - 1, {})
    assert not at_least_zero(t - r - 2, ranges)
    assert not at_least_zero(t - q, {})
    assert not at_least_zero(-(t**2) + 4, {})
    assert not at_least_zero(T - 2, {})


@pytest.mark.parametrize("factor", [u[1], 1 / u[1], u[1] / u[2]], ids=str)
def test_a_geometric_sum_keeps_what_is_not_its_whole_ratio(factor) -> None:
    assert len(terms(factor * sum_over((s, 1, t), (u[1] * u[2]) ** s))) == 1


def test_product_in_a_sum_follows_the_index() -> None:
    links = product_over((r, 1, s), v[r])
    assert equal(sum_over((s, 1, t + 1), links), sum_over((s, 1, t), links) + product_over((r, 1, t), v[r]) * v[t + 1])
    assert not equal(sum_over((s, 1, t + 1), links), sum_over((s, 1, t), links) + product_over((r, 1, t), v[r]))
