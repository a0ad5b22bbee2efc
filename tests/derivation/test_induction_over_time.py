"""Closed forms in t, and derivatives by an initial state, proved by induction over t; false ones refused in numbers."""

from math import prod

import pytest
import throughtime as tt
from one_layer import U, a, b, f, h, i, k, n, s, t, u, units
from sympy import Integer
from throughtime.derivation import Bench, Delta, FromTheStart, Paths, d, product_over, sum_over, time, variable

j, m, q = tt.Index("j", units), time("m"), tt.lag("q")
x, g = tt.sequence("x", units), variable("g", units)


@pytest.fixture(scope="module")
def linear() -> Bench:
    net = tt.System("linear", t)
    net[h[i, t]] = u[i] * h[i, t - 1] + x[i, t]
    net.initial(h[i, 0], b[i])
    return Bench(net, [{n: 2}])


@pytest.fixture(scope="module")
def gated() -> Bench:
    """The state is in the net input too, and the gate reads the input alone."""
    net = tt.System("gated", t)
    net[a[i, t]] = u[i] * h[i, t - 1] + x[i, t]
    net[g[i, t]] = f(x[i, t])
    net[h[i, t]] = g[i, t] * h[i, t - 1] + f(a[i, t])
    return Bench(net, [{n: 2}])


@pytest.fixture(scope="module")
def mixed() -> Bench:
    """Units that read each other."""
    net = tt.System("mixed", t)
    net[a[i, t]] = sum_over(k, U[i, k] * h[k, t - 1])
    net[h[i, t]] = f(a[i, t])
    return Bench(net, [{n: 2}])


CLOSED = u[i] ** t * b[i] + sum_over((s, 1, t), u[i] ** (t - s) * x[i, s])
LINK = f.prime(a[tt.Index("before", units), t - m + 1]) * U[tt.Index("before", units), tt.Index("after", units)]
ONE_UNIT = Delta(i, j) * product_over((s, 1, t), g[i, s] + u[i] * f.prime(a[i, s]))
TRUE = {
    "a state": ("linear", h[i, t], CLOSED),
    "by its start": ("linear", d(h[i, t], h[j, 0]), Delta(i, j) * u[i] ** t),
    "by a learnt start": ("linear", d(h[i, t], b[j]), Delta(i, j) * u[i] ** t),
    "by a weight": ("linear", d(h[i, t], u[i]), sum_over((s, 1, t), u[i] ** (t - s) * h[i, s - 1])),
    "a product over the times": ("gated", d(h[i, t], h[j, 0]), ONE_UNIT),
    "all paths": (
        "mixed",
        d(h[i, t], h[j, 0]),
        Paths(LINK, tt.Index("before", units), tt.Index("after", units), m, i, j, t),
    ),
    "truncated": (
        "gated",
        tt.Truncated(h[i, t], h[j, 0], tt.cut(h[i, t - 1], into=a)),
        Delta(i, j) * product_over((s, 1, t), g[i, s]),
    ),
}


@pytest.mark.parametrize(("net", "left", "right"), TRUE.values(), ids=TRUE)
def test_a_true_claim_is_proved_judged_and_put_to_mutants(net, left, right, request) -> None:
    bench = request.getfixturevalue(net)
    claim = FromTheStart(left, right, t)
    tt.prove(*tt.by_induction(bench, claim))
    judged = bench.equation(f"by induction: {left}", tt.chain(left, right), lemmas=[claim], numeric="-")
    assert judged.verdict == "holds"
    assert judged.checks["general"].reach == 0
    assert "proof: By induction over time, " in judged.text()
    assert "proof: Step, $t - 1$ to $t$: one step of the recursion, then the claim for $t - 1$:" in judged.text()


def test_a_gated_sum_is_written_by_lags() -> None:
    net = tt.System("forgetting", t)
    net[g[i, t]] = f(x[i, t])
    net[h[i, t]] = g[i, t] * h[i, t - 1] + u[i] * x[i, t]
    net.initial(h[i, 0], b[i])
    kept = product_over((m, 0, q - 1), g[i, t - m])
    right = b[i] * product_over((s, 1, t), g[i, s]) + sum_over((q, 0, t - 1), u[i] * x[i, t - q] * kept)
    tt.prove(*tt.by_induction(Bench(net, [{n: 2}]), FromTheStart(h[i, t], right, t)))


def test_a_fixed_point_is_put_into_the_activation() -> None:
    net, c = tt.System("fixed", t), tt.parameter("c")[()]
    net[h[i, t]] = f(u[i] * h[i, t - 1]) - f(u[i] * c) + c
    net.initial(h, c)
    tt.prove(*tt.by_induction(Bench(net, [{n: 2}]), FromTheStart(h[i, t], c, t)))
    net.initial(h, 2 * c)
    with pytest.raises(tt.CheckError, match=r"c is not h\[i\]\(t\) at i=1, t=1; the sides are"):
        tt.prove(*tt.by_induction(Bench(net, [{n: 2}]), FromTheStart(h[i, t], c, t)))


LATE = (t - 1) * (t - 2) * (t - 3)  # 0 at the times of the instances
FALSE = {
    "base and step": (h[i, t], u[i] * CLOSED, "at i=1, t=1; the sides are"),
    "a limit of the sum": (h[i, t], CLOSED - x[i, t], "at i=1, t=1; the sides are"),
    "the step, from t = 2 on": (h[i, t], CLOSED + (t - 1), "at i=1, t=2; the sides are"),
    "after the last time of the instances": (h[i, t], CLOSED + LATE, "at i=1, t=4; the sides are"),
    "of another number of units": (h[i, t], CLOSED + n - 2, "at i=1, t=1, n=1; the sides are"),
    "the base of a derivative": (d(h[i, t], b[j]), Delta(i, j) * u[i] ** (t - 1), "at i=1, j=1, t=1; the sides are"),
    "the step of a derivative": (d(h[i, t], h[j, 0]), Delta(i, j) * u[i] ** (2 * t - 1), "at i=1, j=1, t=2; the"),
    "a derivative, late": (d(h[i, t], h[j, 0]), Delta(i, j) * (u[i] ** t + LATE), "t=4; the sides"),
}


@pytest.mark.parametrize(("left", "right", "message"), FALSE.values(), ids=FALSE)
def test_a_false_claim_is_refused_with_place_and_numbers(linear, left, right, message) -> None:
    claim = FromTheStart(left, right, t)
    with pytest.raises(tt.CheckError, match=message):
        tt.prove(*tt.by_induction(linear, claim))
    with pytest.raises(tt.CheckError, match=message):
        linear.equation("false", tt.chain(left, right), lemmas=[claim], numeric="-")


def test_what_no_instance_reaches_fails_in_the_proof(linear) -> None:
    sizes = prod(n - size for size in range(1, 9))  # 0 in all networks that are asked
    with pytest.raises(tt.DerivationError, match="the step fails"):
        tt.prove(*tt.by_induction(linear, FromTheStart(h[i, t], CLOSED + sizes * (t - 1), t)))
    with pytest.raises(tt.DerivationError, match=r"the base .* fails at t = 1"):
        FromTheStart(h[i, t], CLOSED + 1, t).prove(linear.reducer)


def test_it_is_used_at_times_that_are_at_least_one() -> None:
    claim = FromTheStart(h[i, t], u[i] ** t, t)
    assert claim.apply(h[k, t] + h[j, s + 1]) == u[k] ** t + u[j] ** (s + 1)
    assert claim.apply(h[i, 2]) == u[i] ** 2
    for untouched in (h[i, t - 1], h[i, 0], h[i, q], d(h[i, t], u[j]), g[i, t]):
        assert claim.apply(untouched) == untouched
    by_start = FromTheStart(d(h[i, t], h[j, 0]), Delta(i, j) * u[i] ** t, t)
    assert by_start.apply(d(h[k, s], h[k, 0])) == u[k] ** s
    for untouched in (d(h[i, t], h[j, 1]), d(h[i, t], h[j, -1]), d(h[i, t - 1], h[j, 0])):
        assert by_start.apply(untouched) == untouched


def test_the_claim_for_all_earlier_times_is_not_used(linear) -> None:
    """At t = 2 the claim for t - 2 would be one about time 0, which no base has shown."""
    net = tt.System("two lags", t)
    net[h[i, t]] = h[i, t - 2] + 0 * t
    with pytest.raises(tt.DerivationError, match="the step fails"):
        FromTheStart(h[i, t], Integer(0), t).prove(Bench(net, [{n: 2}]).reducer)


WRONG = {
    "another time": (h[i, t - 1], t, "is not a quantity at a time t from 1 on, or its derivative with"),
    "a lag": (h[i, q], q, "is not a quantity at a time q from 1 on, or its derivative with"),
    "no quantity": (h[i, t] + 1, t, "is not a quantity at a time t from 1 on, or its derivative with"),
    "by a later node": (d(h[i, t], h[j, 1]), t, "or its derivative with respect to a parameter or an initial state"),
    "by a moving node": (d(h[i, t], h[j, t - 1]), t, "derivative with respect to a parameter or an initial state"),
    "a number for an index": (h[1, t], t, r"every index of h\[1\]\(t\) has to be a letter"),
}


@pytest.mark.parametrize(("left", "over", "message"), WRONG.values(), ids=WRONG)
def test_another_left_side_is_refused(left, over, message) -> None:
    with pytest.raises(tt.DerivationError, match=message):
        FromTheStart(left, u[1], over)
