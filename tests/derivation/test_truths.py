"""Equations as one writes them are proved without a word of advice; a falsehood beside each is refused in general."""

import pytest
import throughtime as tt
from one_layer import U, a, b, e, f, h, i, j, k, loss, m, n, p, s, t, u, units, w, x
from sympy import Integer
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.system import LENGTH as T
from throughtime.derivation.formulas.nodes import Delta, Paths, Truncated, d, parameter, sum_over, time, variable
from throughtime.derivation.judging.checks import holds_in_general

first, c, l = tt.Dimension("s0"), time("c"), tt.lag("l")
y, z, rate, drive = tt.sequence("y", units), variable("z"), parameter("r")[()], parameter("g")[()]
L = loss


def net(recurrent, penalty=None, start=1, now=0) -> tt.System:
    """One layer with some recurrent part of the net input, and a loss summed from a time on."""
    system = tt.System("a layer", t)
    system[a[i, t]] = sum_over(j, w[i, j] * x[j, t]) + recurrent + b[i] * (Delta(t, now) if now else 1)
    system[h[i, t]] = f(a[i, t])
    system[L] = sum_over((s, start, T), i, penalty or (h[i, s] - y[i, s]) ** 2 / 2)
    return system


def alone(**how) -> tt.System:
    return net(u[i] * h[i, t - 1], **how)


def full(**how) -> tt.System:
    return net(sum_over(k, U[i, k] * h[k, t - 1]), **how)


def linear() -> tt.System:
    system = tt.System("a leaky sum", t)
    system[z[t]] = rate * z[t - 1] + drive
    system[L] = sum_over((s, 1, T), z[s])
    return system


def residual(unit, when):
    return h[unit, when] - y[unit, when]


def back(unit, when):
    """dL/dh one step before a time from what is there at that time."""
    return u[unit] * f.prime(a[unit, when]) * residual(unit, when)


LATER = residual(i, T - 1) + back(i, T)
ONE, TWO = tt.cut(h[i, t - 1], into=a), tt.cut(a[i, t], into=h)
EQUATIONS = {  # system, left, right, what is to be added for a falsehood
    "one step before the end": (alone, d(L, h[i, T - 1]), LATER, back(i, T)),
    "two steps before the end": (
        alone,
        d(L, h[i, T - 2]),
        residual(i, T - 2) + u[i] * f.prime(a[i, T - 1]) * LATER,
        u[i] * f.prime(a[i, T - 1]) * back(i, T),
    ),
    "one step before the end, all units": (
        full,
        d(L, h[i, T - 1]),
        residual(i, T - 1) + sum_over(k, U[k, i] * f.prime(a[k, T]) * residual(k, T)),
        residual(i, T),
    ),
    "real-time recurrent learning is back-propagation": (
        full,
        sum_over((s, 1, T), i, residual(i, s) * d(h[i, s], U[p, k])),
        sum_over((s, 1, T), d(L, a[p, s]) * h[k, s - 1]),
        d(L, a[p, T]) * h[k, T - 1],
    ),
    "every later residual": (
        full,
        d(L, h[i, t]),
        sum_over((s, t, T), k, residual(k, s) * d(h[k, s], h[i, t])),
        residual(i, t),
    ),
    "two steps at once": (
        full,
        d(L, h[i, t]),
        residual(i, t)
        + sum_over(k, residual(k, t + 1) * d(h[k, t + 1], h[i, t]) + d(h[k, t + 2], h[i, t]) * d(L, h[k, t + 2])),
        sum_over(k, residual(k, t + 2) * d(h[k, t + 2], h[i, t])),
    ),
    "without a term that is 0": (alone, d(h[i, 2], u[i]), f.prime(a[i, 2]) * h[i, 1], f.prime(a[i, 2]) * h[i, 2]),
    "gradient cut at a time": (
        alone,
        d(L, b[i]),
        sum_over((s, 1, t), d(L, a[i, s])) + sum_over((s, t + 1, T), d(L, a[i, s])),
        d(L, a[i, t]),
    ),
    "proportional to the drive": (linear, z[t], drive * d(z[t], drive), rate),
    "cuts in another order": (
        alone,
        Truncated(h[i, t], u[p], ONE, TWO),
        Truncated(h[i, t], u[p], TWO, ONE),
        d(h[i, t], u[p]),
    ),
    "two units at one place": (
        alone,
        Delta(i, 1) * Delta(k, 1) * h[i, t],
        Delta(i, 1) * Delta(i, k) * h[k, t],
        Delta(i, k) * h[k, t],
    ),
}


@pytest.mark.parametrize(("build", "left", "right", "slip"), EQUATIONS.values(), ids=EQUATIONS)
def test_true_equation_is_proved_and_its_neighbour_is_not(build, left, right, slip) -> None:
    bench = tt.Bench(build(), [{n: 2, m: 2}])
    assert bench.on_instances([(left, right)]).passed
    assert holds_in_general(bench.reducer, [(left, right)]).passed
    assert not bench.on_instances([(left, right + slip)]).passed
    assert not holds_in_general(bench.reducer, [(left, right + slip)]).passed


def test_one_lemma_proves_every_way_to_write_its_sum() -> None:
    lemma = tt.FromTheStart(z[t], drive * sum_over((s, 1, t), rate ** (t - s)), t)
    for right in (sum_over((s, 0, t - 1), rate**s), sum_over((s, 1, t), rate ** (s - 1)), (1 - rate**t) / (1 - rate)):
        assert holds_in_general(Reducer(linear()), [(z[t], drive * right)], [lemma]).passed
        assert not holds_in_general(Reducer(linear()), [(z[t], drive * (right + rate**t))], [lemma]).passed


SUMS = [
    sum_over((s, 0, l), rate**s),
    1 + rate * sum_over((s, 0, l - 1), rate**s),
    sum_over((s, T - l, T), rate ** (T - s)),
    sum_over((s, 1, l + 1), rate ** (l + 1 - s)),
    (1 - rate ** (l + 1)) / (1 - rate),
]


@pytest.mark.parametrize("right", SUMS, ids=str)
def test_claim_from_the_end_with_a_loss_at_every_time(right) -> None:
    reducer = Reducer(linear())
    assert tt.FromTheEnd(d(L, z[T - l]), right, l).prove(reducer) == 0
    with pytest.raises(tt.DerivationError, match="the base"):
        tt.FromTheEnd(d(L, z[T - l]), right + 1, l).prove(reducer)
    with pytest.raises(tt.DerivationError, match="the step fails"):
        tt.FromTheEnd(d(L, z[T - l]), right + l, l).prove(reducer)


SLOPE = f.prime(a[k, t - c + 1])


@pytest.mark.parametrize("wrong", [U[e, k] * SLOPE, U[k, e] * f.prime(a[e, t - c + 1]), U[k, e] * f.prime(a[k, t - c])])
def test_a_claim_over_paths_is_proved_from_either_end(wrong) -> None:
    backwards = Paths(U[e, k] * f.prime(a[e, t - l + c]), k, e, c, p, i, l)
    for right in (Paths(U[k, e] * SLOPE, k, e, c, i, p, l), backwards):
        assert tt.Lemma(d(h[i, t], h[p, t - l]), right, l).prove(Reducer(full())) == 0
    with pytest.raises(tt.DerivationError, match="the step fails"):
        tt.Lemma(d(h[i, t], h[p, t - l]), Paths(wrong, k, e, c, i, p, l), l).prove(Reducer(full()))


LOSSES = {
    "from the second time": {"start": 2},
    "from the third time": {"start": 3},
    "after a washout": {"start": first},
    "a penalty on changes": {"penalty": (h[i, s] - h[i, s - 1]) ** 2},
    "a drive at one time": {"now": 2},
}


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_of_a_loss_that_leaves_times_out(name) -> None:
    bench = tt.Bench(full(**LOSSES[name]), [{n: 2, m: 2, first: 2}])
    derivation = bench.derive_backward(L, h[i, t], keep=[a])
    assert tt.show(bench, derivation).mutants.passed
    tt.show(bench, bench.derive_gradient(L, U[p, k]))
    assert not bench.reducer.equal(derivation.left, derivation.result + residual(i, t))


def test_what_is_read_before_the_last_time_leaves_the_first_times_open() -> None:
    """Where h(t+1) is read, t + 1 is at most T: the loss reads h there."""
    reducer = Reducer(alone())
    right = residual(i, t) + residual(i, t + 1) * d(h[i, t + 1], h[i, t]) + d(L, h[i, t + 2]) * d(h[i, t + 2], h[i, t])
    assert reducer.reach(d(L, h[i, t]), right) == 2


def test_claim_from_the_end_holds_for_the_initial_state_by_one_more_step() -> None:
    claim = tt.FromTheEnd(d(L, z[T - l]), SUMS[0], l)
    reducer = Reducer(linear())
    assert reducer.equal(d(L, z[Integer(0)]), rate * sum_over((s, 0, T - 1), rate**s), claim.apply)
    assert not reducer.equal(d(L, z[Integer(0)]), sum_over((s, 0, T), rate**s), claim.apply)
