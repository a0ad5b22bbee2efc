"""Initial states that are learnt or given for each unit: derived forwards and backwards, proved, put to mutants."""

import pytest
import throughtime as tt
from one_layer import U, a, b, f, h, i, k, loss, n, p, s, t, u, units
from shared_formulas import a as low
from shared_formulas import i as unit
from shared_formulas import z as either
from sympy import Rational, sqrt
from throughtime.derivation import INPUT, Bench, Delta, d, partial, sum_over, to_text, variable

x, c = tt.sequence("x", units), tt.Quantity("c", units, timed=False, role=INPUT)


def layer(start=None, **how) -> Bench:
    """Units that read each other and, with two lags, themselves, from an initial state on."""
    net = tt.System("layer", t)
    net[a[i, t]] = sum_over(k, U[i, k] * h[k, t - 1]) + u[i] * h[i, t - 2] + x[i, t]
    net[h[i, t]] = f(a[i, t])
    net[loss] = sum_over((s, 1, tt.LENGTH), i, h[i, s] ** 2)
    net.initial(h[i, 0], b[i] if start is None else start)
    return Bench(net, sizes=[{n: 2}], **how)


@pytest.fixture(scope="module")
def bench() -> Bench:
    return layer()


def result(bench: Bench, derivation):
    """What a derivation ends with, once it has passed its checks and all mutants are rejected."""
    assert tt.show(bench, derivation).mutants.passed
    return derivation.result


def test_forwards_the_recursion_begins_with_a_delta(bench) -> None:
    assert bench.derive(h[i, 0], b[p]).result == Delta(i, p)
    assert bench.derive(a[i, 0], b[p]).result == 0
    shown = to_text(result(bench, bench.derive(h[i, t], b[p])))
    assert shown == "f'(a[i](t))*(u[i]*dh[i](t-2)/db[p] + sum[k=1..n] U[i,k]*dh[k](t-1)/db[p])"
    first = sum_over(k, U[i, k] * d(h[k, 0], b[p]))
    assert bench.reducer.equal(d(h[i, 1], b[p]), f.prime(a[i, 1]) * (first + u[i] * Delta(i, p)))


def test_by_a_state_before_the_first_no_later_one_is_that_state(bench) -> None:
    shown = to_text(result(bench, bench.derive(h[i, t], h[p, 0])))
    assert shown == "f'(a[i](t))*(u[i]*dh[i](t-2)/dh[p](0) + sum[k=1..n] U[i,k]*dh[k](t-1)/dh[p](0))"


def test_backwards_the_gradient_is_that_by_the_states_before_the_first(bench) -> None:
    assert to_text(result(bench, bench.derive_gradient(loss, b[p]))) == "dL/dh[p](-1) + dL/dh[p](0)"
    assert result(bench, bench.derive_backward(loss, h[i, -1])) == u[i] * d(loss, a[i, 1])
    by_first = result(bench, bench.derive_backward(loss, h[i, 0], keep=[a]))
    later = u[i] * d(loss, a[i, 2]) + sum_over(k, U[k, i] * d(loss, a[k, 1]))
    assert tt.equal(by_first, later)


def test_statements_are_judged(bench) -> None:
    right = d(loss, h[p, 0]) + d(loss, h[p, -1])
    assert bench.equation("gradient", tt.chain(d(loss, b[p]), right), numeric="-").verdict == "holds"
    with pytest.raises(tt.CheckError, match=r"is not dL/db\[p\] at p=1, T=3; the sides are"):
        bench.equation("one of two", tt.chain(d(loss, b[p]), d(loss, h[p, 0])), numeric="-")
    with pytest.raises(tt.CheckError, match="is not h"):
        bench.equation("another start", tt.chain(h[i, 0], b[i] + 1), numeric="-")


def test_a_zero_is_not_concluded_from_the_recursion_alone() -> None:
    """No definition reads `b`, and without the initial state each unit would depend on its own start alone."""
    bench = layer(sum_over(k, U[i, k] * b[k]))
    net = bench.system
    assert result(bench, bench.derive(h[i, t], b[p])) != 0
    alone = tt.System("alone", t)
    alone[h[i, t]] = u[i] * h[i, t - 1]
    alone.initial(h[i, 0], b[i])
    assert result(Bench(alone, [{n: 2}]), Bench(alone, [{n: 2}]).derive(h[i, t], b[p])).has(Delta)
    alone.initial(h[i, 0], sum_over(k, b[k]))
    assert not Bench(alone, [{n: 2}]).derive(h[i, t], b[p]).result.has(Delta)
    assert net.definition(h[p, 0]) == sum_over(k, U[p, k] * b[k])


@pytest.mark.parametrize("start", [tt.exp(b[i]), b[i] ** 2 / n, c[i] * b[i]], ids=str)
def test_any_formula_in_what_is_given_once_may_be_a_start(start) -> None:
    bench = layer(start)
    result(bench, bench.derive(h[i, t], b[p]))
    result(bench, bench.derive_gradient(loss, b[p]))


@pytest.mark.parametrize("start", [c[i], Rational(2, 3)], ids=str)
def test_a_start_that_is_given_has_no_derivative(start) -> None:
    bench = layer(start)
    assert bench.derive(h[i, t], b[p]).result == 0
    result(bench, bench.derive_gradient(loss, u[p]))
    bench.equation("start", tt.chain(h[i, 0], start), numeric="-")


def test_a_weight_may_be_a_start_as_well_and_one_number_that_of_all_units() -> None:
    bench = layer(u[i] + U[i, i])
    result(bench, bench.derive_gradient(loss, u[p]))
    shared, one = tt.System("shared", t), tt.parameter("b0")
    shared[h[i, t]] = f(u[i] * h[i, t - 1])
    shared[loss] = sum_over(i, h[i, tt.LENGTH] ** 2)
    shared.initial(h, one[()])
    bench = Bench(shared, [{n: 2}])
    assert result(bench, bench.derive_gradient(loss, one[()])) == sum_over(i, d(loss, h[i, 0]))


def test_an_immediate_derivative_holds_the_initial_states(bench) -> None:
    assert bench.reducer.equal(partial(a[i, 1], b[p]), 0)
    assert bench.on_instances([(partial(a[i, 1], b[p]), 0 * b[p]), (partial(h[i, 0], b[p]), Delta(i, p))]).passed
    assert bench.reducer.equal(partial(h[i, 0], b[p]), Delta(i, p))


def test_a_program_is_checked_by_its_gradient_with_respect_to_the_start() -> None:
    net, y, given = tt.System("one unit", t), variable("y"), tt.sequence("x")
    own, start = tt.parameter("a"), tt.parameter("y0")
    net[y[t]] = own[()] * y[t - 1] + given[t]
    net[loss] = sum_over((s, 1, tt.LENGTH), y[s] ** 2)
    net.initial(y, start[()])
    bench = Bench(net, [{}], length=2, activations={})

    def gradient(values: dict, lost: float = 0.0) -> float:
        state, total = values["y0"], lost
        for now, x in enumerate(values["x"], 1):
            state = values["a"] * state + x
            total += 2 * state * values["a"] ** now
        return total

    by_start = bench.derive_gradient(loss, start[()])
    assert tt.check_gradient(bench, by_start, gradient)
    assert not tt.check_gradient(bench, by_start, lambda values: gradient(values, lost=1e-3))


WRONG = {
    "a state": (h[i, 0], a[i, 0], "expected a rational number or a formula in parameters"),
    "a sequence": (h[i, 0], x[i, 1], "expected a rational number or a formula in parameters"),
    "a time": (h[i, 0], t * b[i], "expected a rational number or a formula in parameters"),
    "a root": (h, sqrt(2), "expected a rational number or a formula in parameters"),
    "one unit": (h[1, 0], b[1], "the indices on the left have to be distinct letters"),
    "another letter": (h[i, 0], b[k], "index k is neither on the left nor summed over"),
}


@pytest.mark.parametrize(("state", "value", "message"), WRONG.values(), ids=WRONG)
def test_what_is_no_initial_value_is_refused(bench, state, value, message) -> None:
    with pytest.raises(tt.DerivationError, match=message):
        bench.system.initial(state, value)


def test_a_start_of_one_part_is_refused() -> None:
    net = tt.System("two parts", t)
    net[either[unit, t]] = either[unit, t - 1]
    with pytest.raises(tt.DerivationError, match="or a formula in parameters, for all units"):
        net.initial(either[low, 0], 1)
