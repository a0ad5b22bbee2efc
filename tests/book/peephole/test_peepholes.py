"""The chapter on peepholes: its verdicts, which state a peephole sees, and what it changes."""

import numpy as np
import pytest
from book.peephole.peepholes import figures as peephole_gates
from throughtime.derivation import chain, d, holds_in_general, holds_on, refs, sum_over
from throughtime.systems import lstm_family as s

j, k, p, q, t = s.j, s.k, s.p, s.q, s.t


@pytest.mark.parametrize("when", [t, t - 1], ids=["new state", "old state"])
def test_which_state_a_peephole_sees_matters(peephole, when):
    for name, right in (("og", t), ("ig", t - 1), ("fg", t - 1)):
        term = sum_over(s.c, s.u[name][k, s.c] * s.s[k, s.c, when])
        claimed = chain(s.net[name][k, t], sum_over(q, s.w[name][k, q] * s.source[q, t]) + term)
        assert holds_on(peephole.witnesses, [claimed]).passed is (when == right)


def test_a_shut_output_gate_hides_the_state(plain, peephole):
    seen = chain(d(s.source[q, t], s.s[k, j, t - 1]), s.select_cell[q, k, j] * s.gate["og"][k, t - 1])
    assert holds_in_general(plain.reducer, [seen]).passed
    assert not holds_in_general(peephole.reducer, [seen]).passed
    without, with_ = ([peephole_gates.blind_run(-30.0, u, state) for state in (1.0, -1.0)] for u in (0.0, 2.0))
    assert np.abs(without[0] - without[1]).max() < 1e-12
    assert (round(with_[0][1], 2), round(with_[1][1], 2)) == (0.88, 0.12)
    opened = [peephole_gates.blind_run(30.0, 0.0, state) for state in (1.0, -1.0)]
    assert np.allclose(opened, with_, rtol=1e-12)  # an open output gate does what a peephole does


def test_an_uncut_peephole_mixes_the_cells(peephole):
    cuts = s.LSTM2002.cuts()
    whole = peephole.derive(s.s[k, j, t], s.s[k, p, t - 1], cuts=cuts)
    mixed = peephole.derive(s.s[k, j, t], s.s[k, p, t - 1], cuts=cuts[:4])
    assert {ref.quantity for ref in refs(whole.result)} == {s.gate["fg"]}
    assert {s.u["fg"], s.u["ig"]} <= {ref.quantity for ref in refs(mixed.result)}
