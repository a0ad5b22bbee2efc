"""Benches: each forward pass computes its system, and tells true derivatives from wrong ones, whatever they are by."""

from functools import cache, partial

import pytest
from book.beyond import bench as beyond
from book.beyond import leaky
from book.bptt import bench as bptt
from book.lfmn import bench as lfmn_bench
from book.lfmn.gradients.checks import both_kinds
from book.lstm1997 import bench as lstm1997_bench
from book.lstm1997 import three_phases
from book.lstm1997.updates.checks import with_weights_by_unit
from book.peephole import bench as peephole
from book.training import bench as training
from book.training import counter
from throughtime.derivation import chain
from throughtime.systems import elman_jordan, lfmn, lstm1997, lstm_family, recurrent

MEMBERS = {"2000": lstm_family.LSTM2000, "unsquashed": lstm_family.UNSQUASHED, "2002": lstm_family.LSTM2002}
BENCHES = {
    "bptt": bptt.make_bench, "bptt, all steps": partial(bptt.make_bench, masked=False),
    "lfmn": lfmn_bench.make_bench, "lfmn, both kinds": both_kinds,
    "lstm1997": lstm1997_bench.make_bench, "three phases": three_phases.make_bench, "by unit": with_weights_by_unit,
    **{name: partial(peephole.make_bench, member) for name, member in MEMBERS.items()},
    "Elman": partial(training.elman_jordan, jordan=False), "Jordan": partial(training.elman_jordan, jordan=True),
    "bits": training.bit_counter,
    "leaky": beyond.of_leaky, "feedback": beyond.of_feedback, "spiking": beyond.of_spiking,
}  # fmt: skip


@cache
def bench(name):
    return BENCHES[name]()


@pytest.mark.parametrize("name", BENCHES)
def test_the_forward_pass_computes_the_system_and_no_other(name):
    for case in bench(name).system.all_definitions():
        assert bench(name).on_model([chain(case.left, case.right)]).passed is True, case
        assert bench(name).on_model([chain(case.left, case.right + 1)]).passed is False, case


r, f, n, p, e, c, b = recurrent, lfmn, lstm1997, lstm_family, elman_jordan, counter, leaky
DERIVED = {
    "bptt": [
        lambda S: S.derive_backward(r.loss[()], r.net[r.i, r.t]),
        lambda S: S.derive_gradient(r.loss[()], r.w[r.i, r.j]),
        lambda S: S.derive(r.y[r.i, r.t + 2], r.net[r.k, r.t]),
        lambda S: S.derive(r.unit_cost[r.i, r.t], r.y[r.k, r.t - 1]),
    ],
    "lfmn": [
        lambda S: S.derive_gradient(f.loss[()], f.v_hid[f.j_a]),
        lambda S: S.derive(f.y[f.i_s, f.t], f.h[f.j, f.t]),
    ],
    "lstm1997": [
        lambda S: S.derive(n.s[n.k, n.i, n.t], n.w_ig[n.p, n.q], cuts=n.cuts()),
        lambda S: S.derive_backward(n.loss[()], n.s[n.k, n.i, n.t], cuts=n.cuts()),
    ],
    **{
        name: [lambda S, m=m: S.derive(p.cost[p.t], p.w["fg"][p.k, p.q], cuts=m.cuts(), keep=[p.y_cell])]
        for name, m in MEMBERS.items()
    },
    "Elman": [lambda S: S.derive_backward(e.loss[()], e.f[e.i, e.k, e.t])],
    "Jordan": [lambda S: S.derive_backward(e.loss[()], e.g[e.i, e.j, e.t])],
    "bits": [lambda S: S.derive_backward(c.error[()], c.f[c.i, c.t])],
    "leaky": [lambda S, cuts=cuts: S.derive(b.h[b.i, b.t], b.W[b.a, b.b], cuts=cuts) for cuts in b.CUTS.values()],
    "spiking": [lambda S: S.derive(b.spike[b.j, b.t], b.V[b.i, b.k], cuts=b.EPROP)],
}


@pytest.mark.parametrize(("name", "derive"), [(name, one) for name, some in DERIVED.items() for one in some])
def test_derivatives_by_nodes_and_under_cuts_are_judged_on_the_forward_pass(name, derive):
    derivation = derive(bench(name))
    assert bench(name).on_model([chain(derivation.left, derivation.result)]).passed is True
    assert bench(name).on_model([chain(derivation.left, 2 * derivation.result)]).passed is False
