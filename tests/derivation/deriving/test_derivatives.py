"""Total and truncated derivatives, forwards and backwards, agree with dual numbers through the unrolled network."""

import pytest
import throughtime as tt
from hypothesis import given, settings
from hypothesis import strategies as st
from one_unit import leak, t, u, v
from shared_formulas import A, H, a, b, i, j, k, m, n, w, y, z
from shared_formulas import u as own
from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.forward import Forward
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.errors import CutError
from throughtime.derivation.formulas.nodes import Delta, d, sum_over, variable
from throughtime.derivation.judging.checks import holds_in_general

SIZES = st.tuples(*[st.integers(1, 2)] * 3)


def equations(net, cuts=()):
    """Forwards for each target and weight, backwards and of the loss: one step, and all lines of the derivation."""
    for derivation in net.derivations(cuts):
        yield from derivation.equations()
    for engine in (Forward(net.system, weight, cuts) for weight in net.weights):
        for target in net.states:
            step = engine.step(target)
            yield (engine.symbol(target), step, engine.resolve(step)[0])
    engine = Backward(net.system, net.loss, cuts)
    for state in net.states:
        yield (engine.symbol(state), engine.step(state))


@pytest.fixture(scope="module", params=["total", "truncated"])
def derived(request, net):
    return list(equations(net, tuple(net.cuts) if request.param == "truncated" else ()))


@settings(max_examples=3)
@given(SIZES, st.just(3), st.integers(0, 99))
def test_derivatives_are_those_of_brute_force(net, derived, sizes, length, seed) -> None:
    outcome = tt.holds_on([net.unrolled(sizes, length, seed)], derived)
    assert outcome.passed, outcome.reason


def test_cuts_make_a_difference(net) -> None:
    """Without a difference, the test of the truncated derivatives would repeat that of the total ones."""
    witness = net.unrolled((2, 2, 2), 4, 0)
    target, weight = net.states[-1], net.weights[0]
    total, truncated = (Forward(net.system, weight, cuts).symbol(target) for cuts in ((), tuple(net.cuts)))
    assert any(witness.value(total, env) != witness.value(truncated, env) for env in witness.environments(total))


def test_every_line_of_a_derivation_is_proved(net) -> None:
    outcome = holds_in_general(Reducer(net.system), list(equations(net)))
    assert outcome.passed, outcome.reason


def test_lag_that_may_be_zero_keeps_the_element_itself() -> None:
    """dv(t)/dv(t-q) is u * dv(t-1)/dv(t-q) for q > 0 only."""
    system, q = leak(), tt.lag("q")
    step = Forward(system, v[t - q]).step(v[t])
    assert step == u * d(v[t - 1], v[t - q]) + Delta(q, 0)
    assert tt.holds_on([tt.ExactInstance(system, {}, 4)], [(d(v[t], v[t - q]), step)]).passed
    assert not Reducer(system).equal(d(v[t], v[t - q]), u * d(v[t - 1], v[t - q]))


def test_element_by_itself_is_one() -> None:
    """What the definition of the element does not tell, and `known` cannot where the element feeds itself."""
    system, z, over = leak(), variable("z", A), Index("a'", A)
    system[z[a, t]] = z[a, t - 1] * v[t] + sum_over(over, z[over, t - 2])
    assert Forward(system, v[t]).step(v[t]) == u * d(v[t - 1], v[t]) + 1
    by_unit = Forward(system, z[over, t])
    assert by_unit._itself(z[a, t]) == Delta(a, over)
    assert by_unit._itself(z[a, t - 1]) == by_unit._itself(v[t]) == by_unit._itself(2 * z[a, t]) == 0
    assert Forward(system, u)._itself(u) == 0  # a weight has no definition: its own leaf says 1


def test_cut_severs_the_dependence_at_its_own_lag_only() -> None:
    z, h = variable("z", A), variable("h", A)
    severed = tt.cut(h[a, t - 1], into=z)
    assert severed.applies(h[a, t - 1], z[a, t])
    assert severed.applies(h[a, t + 1], z[a, t + 2])
    assert not severed.applies(h[a, t - 2], z[a, t])
    assert not severed.applies(h[a, t], z[a, t])
    assert not severed.applies(z[a, t - 1], z[a, t])
    assert not severed.applies(h[a, t - 1], h[a, t])


def test_cases_of_one_quantity_may_depend_on_each_other_at_one_time() -> None:
    system, low = tt.System("two cases"), Index("k", A)
    system[z[a, t]] = own[a]
    system[z[b, t]] = own[b] * sum_over(low, z[low, t])
    assert Reducer(system).equal(d(z[b, t], z[a, t]), own[b])
    assert tt.holds_on([tt.ExactInstance(system, {n: 2, m: 2}, 2)], [(d(z[b, t], z[a, t]), own[b])]).passed


def test_weight_read_in_two_places_counts_once_in_the_chain_rule() -> None:
    system = tt.System("symmetric")
    system[z[i, t]] = sum_over(j, w[i, j] * w[j, i])
    witness, chain = tt.ExactInstance(system, {n: 2, m: 1}, 1), Forward(system, w[i, k]).chain(z[j, t])
    assert tt.holds_on([witness], [(d(z[j, t], w[i, k]), chain)]).passed


def test_cut_for_some_units_only_is_refused() -> None:
    """It would hold every unit constant."""
    pair = variable("pair", H, H)
    assert tt.cut(y[i, t - 1], into=z) == tt.cut(y[k, t - 1], into=z)
    for some in (y[a, t - 1], y[1, t - 1], pair[i, i, t - 1]):
        with pytest.raises(CutError, match="a cut is made for all units; expected a letter of its own over H"):
            tt.cut(some, into=z)
