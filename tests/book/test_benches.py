"""Benches: each forward pass computes its system; tests/evidence has how derivatives are told from it."""

from functools import cache, partial

import pytest
from book.beyond import bench as beyond
from book.bptt import bench as bptt
from book.lfmn import bench as lfmn_bench
from book.lfmn.gradients.checks import both_kinds
from book.lstm1997 import bench as lstm1997_bench
from book.lstm1997 import three_phases
from book.lstm1997.updates.checks import with_weights_by_unit
from book.peephole import bench as peephole
from book.training import bench as training
from throughtime.derivation import chain
from throughtime.systems import lstm_family

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
