"""The bench of the LSTM with forget gates and peepholes: quantities and truncated derivatives map to the library."""

import pytest
from book.peephole.bench import d_tr, make_bench
from book.peephole.family.figures import changes
from throughtime.derivation import Truncated, Unreadable, chain, close, d, holds_on, sum_over
from throughtime.systems import lstm_family as s

j, k, l, m, p, q, t = s.j, s.k, s.l, s.m, s.p, s.q, s.t
MEMBERS = {"2000": s.LSTM2000, "no squashing": s.UNSQUASHED, "2002": s.LSTM2002}


@pytest.fixture(scope="module", params=MEMBERS)
def case(request):
    member = MEMBERS[request.param]
    return member, make_bench(member)


def test_every_definition_holds_of_the_library(case):
    _, bench = case
    for definition in bench.system.all_definitions():
        assert holds_on([bench.model], [chain(definition.left, definition.right)], close).passed is True, definition
        assert holds_on([bench.model], [chain(definition.left, 2 * definition.right)], close).passed is False


def test_the_sources_are_the_stacked_column_vector(case):
    _, bench = case
    for row in bench.model.model.wiring()["S_x"], bench.model.model.wiring()["S_block"]:
        assert set(row.ravel()) == {0.0, 1.0}
    wiring = [part.reshape(len(part), -1) for part in bench.model.model.wiring().values()]
    assert (sum(part.sum(axis=1) for part in wiring) == 1.0).all()


def weights(member):
    yield from (s.w[name][k, q] for name in s.GATES)
    yield s.w_cell[k, p, q]
    if member.peepholes:
        yield from (s.u[name][k, p] for name in s.GATES)


def test_truncated_errors_are_the_librarys(case):
    member, bench = case
    for weight in weights(member):
        derived = bench.derive(s.cost[t], weight, cuts=member.cuts(), keep=[s.y_cell]).result
        assert holds_on([bench.model], [chain(d_tr(member, s.cost[t], weight), derived)], close).passed is True, weight
        assert holds_on([bench.model], [chain(d_tr(member, s.cost[t], weight), -derived)], close).passed is False


def test_the_exact_derivative_is_another_one(case):
    member, bench = case
    for weight in weights(member):
        assert (
            holds_on([bench.model], [chain(d_tr(member, s.cost[t], weight), d(s.cost[t], weight))], close).passed
            is False
        )


def test_a_truncation_with_other_cuts_is_not_read(case):
    _, bench = case
    weight = s.w["fg"][k, q]
    fewer = Truncated(s.cost[t], weight, *s.LSTM2002.cuts()[:2])
    at = {k: 1, q: 1, t: 1}
    with pytest.raises(Unreadable, match="cuts"):
        bench.model.value(fewer, at)


def test_gradients_are_compared_with_both_exact_methods(case):
    _, bench = case
    weight = s.w_out[s.i, k, j]
    derivation = bench.derive(s.cost[t], weight)
    assert bench.model.disagreements((d(s.cost[t], weight), derivation.result)) == []
    assert bench.model.disagreements((d(s.cost[t], weight), 2 * derivation.result))
    assert bench.model.gradients("w_out", (0, 1, 1)).keys() == {"bptt", "rtrl"}


def test_the_peepholes_are_what_is_new_in_2002():
    changed = [change.after.left.quantity for change in changes(s.UNSQUASHED, s.LSTM2002)]
    assert changed == list(s.net.values())
    for name, change in zip(s.GATES, changes(s.UNSQUASHED, s.LSTM2002), strict=True):
        when = t if name == "og" else t - 1
        assert change.after.right - change.before.right == sum_over(s.c, s.u[name][k, s.c] * s.s[k, s.c, when])


def test_a_member_is_its_own_child_without_changes():
    assert changes(s.LSTM2002, s.LSTM2002) == []


def test_the_net_of_the_experiments_has_17_parameters():
    system, ones = s.EXPERIMENTS.build().check(), dict.fromkeys((s.d_in, s.n_blk, s.d_blk, s.d_out), 1)
    sizes = {**ones, s.n_src: 2}
    assert sum(s.size_of(parameter, sizes) for parameter in s.parameters(system)) == 17
    two_inputs = {**sizes, s.d_in: 2, s.n_src: 3}
    assert sum(s.size_of(parameter, two_inputs) for parameter in s.parameters(system)) == 21
