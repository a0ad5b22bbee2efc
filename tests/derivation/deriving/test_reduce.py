"""Equality of formulas of a system: proved at any depth where it is true, never where brute force disagrees."""

import pytest
import throughtime as tt
from one_unit import f, h, loss, s, t, u, unit, w, x, z
from sympy import Integer
from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.system import LENGTH as T
from throughtime.derivation.formulas.nodes import Delta, d, parameter, partial, product_over, sum_over, variable
from throughtime.derivation.judging.mutants import mutants
from throughtime.derivation.judging.survivors import Differences


@pytest.fixture(scope="module")
def reducer() -> Reducer:
    """One unit: z(t) = u h(t-1) + w x(t), h = f(z), h(0) = 2, a loss over all times and a penalty on u."""
    system = unit()
    system[loss] = sum_over((s, 1, T), h[s] ** 2) + u**3
    system.initial(h, 2)
    return Reducer(system)


@pytest.fixture(scope="module")
def witness(reducer) -> tt.ExactInstance:
    return tt.ExactInstance(reducer.system, {}, 4, seed=2)


SLOPE = f.prime(z[t])
TRUE = {
    "one step": (d(h[t], u), SLOPE * (h[t - 1] + u * d(h[t - 1], u))),
    "two steps": (d(z[t], w), x[t] + u * f.prime(z[t - 1]) * (x[t - 1] + u * d(h[t - 2], w))),
    "derivatives on both sides": (d(h[t], w), SLOPE * d(z[t], w)),
    "derivative of a formula": (d(h[t] ** 2 + w, w), 2 * h[t] * d(h[t], w) + 1),
    "immediate derivatives": (d(h[t], u), partial(h[t], z[t]) * d(z[t], u)),
    "definitions": (h[t], f(u * h[t - 1] + w * x[t])),
    "definitions two steps deep": (x[t - 2] * z[t], x[t - 2] * (u * f(z[t - 1]) + w * x[t])),
    "a known number of steps": (d(z[t], z[t - 2]), u**2 * f.prime(z[t - 1]) * f.prime(z[t - 2])),
    "adjoint": (d(loss, z[t]), SLOPE * (2 * h[t] + u * d(loss, z[t + 1]))),
    "adjoint at the last time": (d(loss, h[T]), 2 * h[T]),
    "immediate at the last time": (d(loss, h[T]), partial(loss, h[T])),
    "adjoint near the end": (d(loss, h[T - 1]), 2 * h[T - 1] + u * f.prime(z[T]) * d(loss, h[T])),
    "sum cut at a time": (sum_over((s, 1, T), h[s]), sum_over((s, 1, t), h[s]) + sum_over((s, t + 1, T), h[s])),
    "sum of earlier ones": (sum_over((s, 1, T), d(h[s - 2], u)), sum_over((s, -1, T - 3), d(h[s], u)) + d(h[T - 2], u)),
    "adjoint over later states": (d(loss, h[t]), sum_over((s, t, T), 2 * h[s] * d(h[s], h[t]))),
    "definitions in a sum": (sum_over((s, 3, t), h[s + 1]), sum_over((s, 3, t), f(z[s + 1]))),
    "definitions in a product": (product_over((s, 3, T), z[s]), product_over((s, 3, T), u * h[s - 1] + w * x[s])),
    "first factors taken out": (
        product_over((s, 1, T), z[s]),
        product_over((s, 1, 2), z[s]) * product_over((s, 3, T), z[s]),
    ),
    "the first time, beside a delta": (Delta(T, 4) * z[T - 3], Delta(T, 4) * (2 * u + w * x[Integer(1)])),
    "initial value": (h[Integer(0)] + h[Integer(-3)] ** 2, Integer(6)),
    "initial value inside": (z[Integer(1)], 2 * u + w * x[Integer(1)]),
}


@pytest.mark.parametrize("each", [3, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(("left", "right"), TRUE.values(), ids=TRUE)
def test_true_equation_is_proved_and_its_mutants_are_not(reducer, witness, left, right, each) -> None:
    assert not Differences().found([witness], left, right)
    assert reducer.equal(left, right)
    assert reducer.equal(right, left)
    for mutant in mutants(right, left)[::each]:
        if reducer.equal(left, mutant.expr):
            assert not Differences().found([witness], left, mutant.expr), mutant


WRONG = {
    "definitions of another range": (sum_over((s, 2, t), z[s - 1]), sum_over((s, 2, t - 1), u * h[s - 1] + w * x[s])),
    "another time beside a delta": (Delta(T, 4) * z[T - 2], Delta(T, 4) * (2 * u + w * x[2])),
    "a later state is lost": (d(loss, h[t]), sum_over((s, t + 1, T), 2 * h[s] * d(h[s], h[t]))),
    "a first factor is lost": (product_over((s, 1, T), z[s]), z[1] * product_over((s, 3, T), z[s])),
}


@pytest.mark.parametrize(("left", "right"), WRONG.values(), ids=WRONG)
def test_wrong_equation_over_times_is_not_proved(reducer, witness, left, right) -> None:
    assert Differences().found([witness], left, right)
    assert not reducer.equal(left, right)
    assert not reducer.equal(right, left)


def test_factors_taken_out_leave_sequences_without_them_open(reducer) -> None:
    left, right = TRUE["first factors taken out"]
    assert reducer.reach(left, right) == 1
    assert reducer.reach(*TRUE["definitions in a product"]) == 0
    assert reducer.reach(sum_over((s, 2, t), z[s - 1]), sum_over((s, 1, t - 1), u * h[s - 1] + w * x[s])) == 1


def test_units_that_a_part_of_them_reads_are_taken_part_by_part() -> None:
    n = tt.Dimension("n")
    low = tt.domain("low", n)
    high = tt.domain("high", n, after=low)
    i, k = tt.Index("i", tt.union("units", low, high)), tt.Index("k", high)
    a, y, v = variable("a", i.domain), variable("y", i.domain), parameter("v", i.domain, high)
    system = tt.System("units that the high ones drive")
    system[a[i, t]] = sum_over(k, v[i, k] * y[k, t - 1])
    system[y[i, t]] = f(a[i, t])
    system[loss] = sum_over((s, 1, T), i, y[i, s] ** 2)
    parts, end = Reducer(system), T

    def error(of):
        return 2 * f.prime(a[k, end - 1]) * (y[k, end - 1] + sum_over(of, v[of, k] * f.prime(a[of, end]) * y[of, end]))

    assert parts.reach(d(loss, a[k, end - 1]), error(i)) == 1
    assert parts.reach(d(loss, a[k, end - 1]), error(i.within(low))) is None


def test_sum_that_ends_too_early_at_first_leaves_these_times_open(reducer) -> None:
    derivatives = [sum_over((s, first, t - 1), d(z[s - 1], u)) for first in (1, 2)]  # z(0) is a constant
    assert reducer.reach(*derivatives) == 1
    assert reducer.reach(derivatives[0], sum_over((s, 3, t - 1), d(z[s - 1], u))) is None


def test_time_picked_near_the_end_leaves_shorter_sequences_open(reducer) -> None:
    left, right = d(loss, h[T - 1]), 2 * h[T - 1] + u * d(loss, z[T])
    assert reducer.reach(left, right) == 1
    assert reducer.reach(left, right - u * d(loss, z[T])) is None


@pytest.mark.parametrize(("start", "steps"), [(0, 0), (2, None)])
def test_sum_begins_a_time_earlier_where_it_adds_the_initial_value_0(start, steps) -> None:
    system = unit()
    system[loss] = sum_over((s, 1, T), h[s] ** 2)
    system.initial(h, start)
    late, whole = (sum_over((s, first, T - 1), h[s - 1] * d(loss, z[s])) for first in (2, 1))  # T may be 1
    assert Reducer(system).reach(late, whole) == steps


def test_nodes_add_to_the_derivative_of_a_later_quantity_up_to_its_time() -> None:
    """By a weight, and summed over the times of the target too."""
    system, cost = unit(), variable("cost")
    system[cost[t]] = h[t] ** 2
    system[loss] = sum_over((s, 1, T), cost[s])
    nodes, now, over = Reducer(system), d(cost[t], u), tt.time("r")
    added = d(cost[t], z[s]) * h[s - 1]
    assert nodes.reach(now, sum_over((s, 1, t), added)) == 0
    assert nodes.reach(now, sum_over((s, 1, t - 1), added)) is None
    assert nodes.reach(now, sum_over((s, 1, T), d(cost[T], z[s]) * h[s - 1])) is None
    each = sum_over((s, 1, over), d(cost[over], z[s]) * h[s - 1])
    assert nodes.reach(d(loss, u), sum_over((over, 1, T), each)) == 0
    assert nodes.reach(d(loss, u), sum_over((s, 1, t), added)) is None
    assert nodes.reach(now, sum_over((over, 1, T), each)) is None


def test_the_units_of_a_later_state_are_apart_from_those_on_the_way_to_it() -> None:
    i, k, p, q = tt.indices("i k p q", tt.domain("units", tt.Dimension("n")))
    a, y, v = variable("a", i.domain), variable("y", i.domain), parameter("v", i.domain, i.domain)
    system, back = tt.System("layer"), tt.lag("l", start=1)
    system[a[i, t]] = sum_over(k, v[i, k] * y[k, t - 1])
    system[y[i, t]] = f(a[i, t])
    nodes, state = Reducer(system), d(y[i, t], y[p, t - back])
    slope = f.prime(a[q, t - back + 1]) * v[q, p]
    assert nodes.reach(state, sum_over(q, slope * d(y[i, t], y[q, t - back + 1]))) == 0
    assert nodes.reach(state, sum_over(q, slope * d(y[q, t], y[q, t - back + 1]))) is None
    by_weight = sum_over((s, 1, t), d(y[i, t], a[p, s]) * y[q, s - 1])
    assert nodes.reach(d(y[i, t], v[p, q]), by_weight) == 0


def test_definition_inside_of_a_function_beside_an_adjoint_of_the_same_time() -> None:
    system, gate = tt.System("gate"), variable("g")
    system[z[t]] = w * x[t] + u * h[t - 1]
    system[gate[t]] = tt.Activation("s")(u * h[t - 1])
    system[h[t]] = (1 - gate[t]) * h[t - 1] + gate[t] * f(z[t])
    system[loss] = sum_over((s, 1, T), h[s] ** 2)
    right = d(loss, h[t]) * (f(w * x[t] + u * h[t - 1]) - h[t - 1])
    assert Reducer(system).reach(d(loss, gate[t]), right) == 0
    assert Reducer(system).reach(d(loss, gate[t]), right + d(loss, h[t]) * h[t - 1]) is None


ADJOINTS = sum_over((s, 1, T), d(loss, z[s]) * partial(z[s], u)) + 3 * u**2


def test_gradient_is_the_adjoints_times_the_immediate_derivatives(reducer, witness) -> None:
    assert not Differences().found([witness], d(loss, u), ADJOINTS)
    assert reducer.equal(d(loss, u), ADJOINTS)
    assert reducer.equal(d(loss, w), sum_over((s, 1, T), d(loss, z[s]) * x[s]))


@pytest.mark.parametrize(
    "wrong",
    [
        ADJOINTS - 3 * u**2,
        ADJOINTS + u,
        sum_over((s, 1, T), d(loss, z[s]) * h[s]) + 3 * u**2,
        sum_over((s, 1, T), d(loss, h[s]) * h[s - 1]) + 3 * u**2,
        sum_over((s, 1, T), 2 * h[s] * f.prime(z[s]) * h[s - 1]) + 3 * u**2,
        sum_over((s, 2, T), d(loss, z[s]) * h[s - 1]) + 3 * u**2,
    ],
    ids=["no penalty", "another penalty", "a time late", "the activation's adjoint", "no later times", "from time 2"],
)
def test_wrong_gradient_is_not_proved(reducer, witness, wrong) -> None:
    assert Differences().found([witness], d(loss, u), wrong)
    assert not reducer.equal(d(loss, u), wrong)


def test_truncated_gradient_is_that_of_the_truncated_adjoints(reducer, witness) -> None:
    severed = tt.cut(h[t - 1], into=z)
    engine = Backward(reducer.system, loss, (severed,))
    left = tt.Truncated(loss, u, severed)
    assert reducer.equal(left, engine.gradient(u))
    assert not Differences().found([witness], left, engine.gradient(u))
    assert not reducer.equal(left, ADJOINTS)
    assert Differences().found([witness], left, ADJOINTS)


def test_initial_values_are_those_of_the_system(reducer) -> None:
    assert reducer.immediates(h[Integer(0)] * z[Integer(-1)] + h[Integer(0)]) == 2
    assert reducer.immediates(h[Integer(1)]) == h[Integer(1)]
    assert reducer.immediates(x[Integer(0)]) == x[Integer(0)]
    assert not reducer.equal(h[Integer(0)], Integer(0))


def test_what_is_known_is_put_in_before_the_unfolding(reducer) -> None:
    """The claim is false on purpose: it is accepted only if `known` is applied, also after the first unfolding."""
    left, told = d(z[t], w), x[t] + u * 7
    assert not reducer.equal(left, told)
    assert reducer.equal(left, told, lambda expr: expr.subs(d(h[t - 1], w), 7))


def test_net_input_written_inside_the_slope_is_put_in_alone() -> None:
    """With long lags, definitions put in for the states as well would make both sides grow without an end."""
    system = tt.System("long lags")
    system[z[t]] = w * x[t] + u * h[t - 1] * h[t - 2]
    system[h[t]] = parameter("v")[()] * h[t - 4] + f(z[t])
    earlier, earliest = (d(h[t - lag], u) for lag in (1, 2))
    product = h[t - 1] * h[t - 2] + u * (h[t - 1] * earliest + h[t - 2] * earlier)
    right = parameter("v")[()] * d(h[t - 4], u) + f.prime(w * x[t] + u * h[t - 1] * h[t - 2]) * product
    assert Reducer(system).reach(d(h[t], u), right) == 0


def test_system_that_is_not_sound_is_refused_at_once() -> None:
    system = tt.System("loop")
    system[z[t]] = h[t]
    system[h[t]] = z[t]
    with pytest.raises(tt.DerivationError, match="circle"):
        Reducer(system)
