"""Adjoints and gradients agree with dual numbers through the unrolled network, for all indices and times."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.steps import derive_backward, derive_gradient
from throughtime.derivation.deriving.system import LENGTH, System
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import d, parameter, scalar, sum_over, time, variable
from throughtime.derivation.judging.checks import holds_in_general, holds_on

SIZES = st.tuples(*[st.integers(1, 2)] * 3)
t = time("t")


def equations(net, cuts=()):
    reducer, engine = Reducer(net.system), Backward(net.system, net.loss, cuts)
    for state in net.states:
        yield (engine.symbol(state), engine.step(state))
        yield from derive_backward(reducer, net.loss, state, cuts=cuts).equations()
    for weight in net.weights:
        yield from derive_gradient(reducer, net.loss, weight, cuts=cuts).equations()


@pytest.fixture(scope="module", params=["total", "truncated"])
def derived(request, net):
    return list(equations(net, tuple(net.cuts) if request.param == "truncated" else ()))


@settings(max_examples=3)
@given(SIZES, st.just(3), st.integers(0, 99))
def test_adjoints_are_those_of_brute_force(net, derived, sizes, length, seed) -> None:
    outcome = holds_on([net.unrolled(sizes, length, seed)], derived)
    assert outcome.passed, outcome.reason


def test_every_line_of_an_adjoint_recursion_is_proved(net) -> None:
    reducer = Reducer(net.system)
    lines = [c for state in net.states for c in derive_backward(reducer, net.loss, state).equations()]
    outcome = holds_in_general(reducer, lines)
    assert outcome.passed, outcome.reason


def test_loss_beyond_the_last_time_is_not_read() -> None:
    """dL/dv(t+1) = 1 is false at t = T: a delta is summed out only if its time lies within the limits of the sum."""
    system, v, w, loss, s = System("sum"), variable("v"), parameter("w"), scalar("loss"), time("s")
    system[v[t]] = w[()]
    system[loss[()]] = sum_over((s, 1, LENGTH), v[s])
    reducer = Reducer(system)
    assert reducer.equal(d(loss[()], v[t]), 1 + 0 * w[()])
    assert not reducer.equal(d(loss[()], v[t + 1]), 1 + 0 * w[()])


def test_loss_that_is_defined_at_every_time_is_refused(net) -> None:
    with pytest.raises(DerivationError, match="is not a quantity that the system defines once"):
        Backward(net.system, net.states[0])
