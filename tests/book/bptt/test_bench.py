"""The bench of the fully recurrent network: quantities map to the library, and a wrong equation fails on them."""

import pytest
from book.bptt.bench import LENGTH, make_bench
from sympy import Integer
from throughtime.derivation import (
    CheckError,
    DerivationError,
    OutOfRange,
    System,
    chain,
    close,
    d,
    holds_in_general,
    holds_on,
    sum_over,
    time,
    variable,
)
from throughtime.systems import recurrent as s

i, j, k, q, t = s.i, s.j, s.k, s.q, s.t
L = s.loss[()]


@pytest.fixture(scope="module", params=[True, False], ids=["masked", "all steps"])
def bench(request):
    return make_bench(masked=request.param)


@pytest.mark.parametrize("node", [s.net[i, t], s.y[i, t]], ids=["net input", "activation"])
@pytest.mark.parametrize("target", [L, s.cost[t + 1], s.unit_cost[k, t + 1], s.net[k, t + 1], s.y[k, t + 2]], ids=str)
def test_derivatives_by_nodes_are_the_librarys_error_signals(bench, target, node):
    right = bench.derive_backward(target, node).result if target == L else bench.derive(target, node).result
    assert holds_on([bench.model], [chain(d(target, node), right)], close).passed is True
    assert holds_on([bench.model], [chain(d(target, node), 2 * right)], close).passed is False


def test_gradients_are_compared_with_both_exact_methods(bench):
    for weight in (s.w[i, j], s.w_in[i, q]):
        derivation = bench.derive(s.mask[t] * s.cost[t], weight) if bench.model.step_cost.has(s.mask) else None
        derivation = derivation or bench.derive(s.cost[t], weight)
        assert bench.model.disagreements((d(bench.model.step_cost, weight), derivation.result)) == []
        assert bench.model.disagreements((d(bench.model.step_cost, weight), 2 * derivation.result))
    assert bench.model.gradients("w", (0, 1)).keys() == {"bptt"}


def test_length_four_rejects_every_mutant_of_the_adjoint_recursion(bench):
    derivation = bench.derive_backward(L, s.net[i, t])
    assert bench.equation("bptt-net", chain(derivation.left, derivation.result)).mutants.survivors == []


def test_inputs_have_the_times_from_zero(bench):
    for witness in (*bench.witnesses, bench.model):
        at = {i: Integer(1), q: Integer(1)}
        assert witness.value(s.x[q, t], {**at, t: Integer(0)}) != 0
        with pytest.raises(OutOfRange):
            witness.value(s.x[q, t], {**at, t: Integer(witness.length)})
        with pytest.raises(OutOfRange):
            witness.value(s.x[q, t], {**at, t: Integer(-1)})
    assert bench.model.length == LENGTH


def test_the_first_input_reaches_the_first_net_input(bench):
    assert holds_on([*bench.witnesses], [chain(d(s.net[i, t], s.x[q, t - 1]), s.w_in[i, q])]).passed
    with pytest.raises(CheckError):
        bench.equation("shifted", chain(s.net[i, t], sum_over(q, s.w_in[i, q] * s.x[q, t])), title="shifted")


def test_only_a_given_sequence_is_given_from_a_time():
    net = System("one state", t)
    with pytest.raises(DerivationError, match="no given sequence"):
        net.given_from(variable("h"), 0)


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_sum_over_times_may_start_anywhere(start):
    bench, r = make_bench(masked=False), time("r")
    shifted = sum_over((r, start, s.T + start - 1), s.cost[r + 1 - start])
    assert holds_in_general(bench.reducer, [chain(L, shifted)]).passed
    assert not holds_in_general(bench.reducer, [chain(L, sum_over((r, start, s.T), s.cost[r + 2 - start]))]).passed


def test_a_chain_that_speaks_of_the_next_step_is_proved_like_one_that_speaks_of_this():
    bench = make_bench(masked=False)
    for when in (t, t + 1, t + 2):
        error = s.y[i, when] - s.target[i, when]
        right = error + sum_over(k, s.w[k, i] * d(L, s.net[k, when + 1]))
        assert holds_in_general(bench.reducer, [chain(d(L, s.y[i, when]), right)]).passed
        assert not holds_in_general(bench.reducer, [chain(d(L, s.y[i, when]), error)]).passed
