"""The chapters on forget gates, gradients, peepholes, waves and the family: verdicts, slips, numbers in the prose."""

from pathlib import Path

import numpy as np
import pytest
from throughtime.bridge.peephole import d_tr, error, out_slope, setting, slope
from throughtime.bridge.peephole_family import branch
from throughtime.derivation import CheckError, chain, d, sum_over
from throughtime.derivation.checks import holds_in_general, holds_on
from throughtime.derivation.nodes import partial, refs
from throughtime.derivation.systems import lstm_family as s
from throughtime.figures import peephole_family, peephole_gates, peephole_gradients
from throughtime.ledger import read_notebook

BOOK = Path(__file__).parents[2] / "book"
HOLD = {
    "forget-gates": {f"peephole-{n}" for n in range(1, 7)},
    "gradients": {f"peephole-{n}" for n in range(7, 11)},
    "peepholes": {f"peephole-{n}" for n in range(13, 18)} | {"peephole-parameters"},
    "waves": {"peephole-differences", "peephole-difficulty-cos", "peephole-difficulty-tri"},
    "family": set(),
}
WRONG = {
    "gradients": {"peephole-11", "peephole-12"},
    "peepholes": {"peephole-18"},
    "waves": {"peephole-waves", "peephole-difficulty-rect"},
}
SUPPORTED = {"peepholes": {"peephole-sign"}}  # what the paper itself prints could not be checked
i, j, k, p, q, t = s.i, s.j, s.k, s.p, s.q, s.t
E = s.cost[t]
fg, ig, og = (s.gate[name][k, t] for name in s.GATES)


@pytest.mark.parametrize("page", HOLD)
def test_verdicts_of_a_page(page):
    records = {judged.id: judged.record for judged in read_notebook(BOOK / "peephole" / f"{page}.ipynb", BOOK)}
    wrong, supported = WRONG.get(page, set()), SUPPORTED.get(page, set())
    assert records.keys() == HOLD[page] | wrong | supported
    for id, record in records.items():
        assert record["verdict"] == ("corrected" if id in wrong else "supported" if id in supported else "holds")
        passed = {kind: check["passed"] for kind, check in record["checks"].items()}
        assert passed["general"] is True
        assert passed["instance"] is True or passed["numeric"] is True
        assert record["mutants"]["survivors"] == []
        assert bool(record["counterexample"]) == (id in wrong)


@pytest.fixture(scope="module")
def plain():
    return setting(s.UNSQUASHED)


@pytest.fixture(scope="module")
def peephole():
    return setting(s.LSTM2002)


# --- the slips, each alone


def by_cell(kept, cell):
    w = s.w_cell[k, p, q]
    new = ig * s.g.prime(s.net_cell[k, p, t], k, p) * s.source[q, t]
    inner = kept * d_tr(s.UNSQUASHED, s.s[k, p, t - 1], w) + new
    right = sum_over(i, error * out_slope * s.w_out[i, k, cell] * og * inner)
    return chain(d_tr(s.UNSQUASHED, E, w), right)


@pytest.mark.parametrize(
    ("kept", "cell", "right"),
    [(fg, p, True), (s.f["fg"][k](t), p, False), (fg, j, False), (1, p, False), (ig, p, False)],
    ids=["right", "the function for its value", "a loose index", "no forget gate", "another gate"],
)
def test_each_slip_of_11_is_wrong_by_itself(plain, kept, cell, right):
    assert holds_on(plain.witnesses, [by_cell(kept, cell)]).passed is right
    if not right:
        with pytest.raises(CheckError, match="no correction is given"):
            plain.equation("a slip", by_cell(kept, cell))


def test_the_loose_index_of_the_second_line_of_11_is_wrong_too(plain):
    w = s.w_cell[k, p, q]
    for cell, right in ((p, True), (j, False)):
        new = partial(s.s[k, p, t], s.net_cell[k, cell, t]) * partial(s.net_cell[k, cell, t], w)
        kept = fg * d_tr(s.UNSQUASHED, s.s[k, p, t - 1], w)
        assert holds_on(plain.witnesses, [chain(d_tr(s.UNSQUASHED, s.s[k, p, t], w), kept + new)]).passed is right


def test_without_the_sum_over_cells_a_shared_gate_is_wrong(plain):
    w = s.w["og"][k, q]
    shown = s.w_out[i, k, j] * s.s[k, j, t]
    for inner, right in ((sum_over(j, shown), True), (shown, False)):
        claimed = sum_over(i, error * out_slope * inner * slope("og") * s.source[q, t])
        assert holds_on(plain.witnesses, [chain(d_tr(s.UNSQUASHED, E, w), claimed)]).passed is right


@pytest.mark.parametrize("when", [t, t - 1], ids=["new state", "old state"])
def test_which_state_a_peephole_sees_matters(peephole, when):
    for name, right in (("og", t), ("ig", t - 1), ("fg", t - 1)):
        term = sum_over(s.c, s.u[name][k, s.c] * s.s[k, s.c, when])
        claimed = chain(s.net[name][k, t], sum_over(q, s.w[name][k, q] * s.source[q, t]) + term)
        assert holds_on(peephole.witnesses, [claimed]).passed is (when == right)


# --- what the pages say in words


def test_a_shut_output_gate_hides_the_state(plain, peephole):
    seen = chain(d(s.source[q, t], s.s[k, j, t - 1]), s.select_cell[q, k, j] * s.gate["og"][k, t - 1])
    assert holds_in_general(plain.reducer, [seen]).passed
    assert not holds_in_general(peephole.reducer, [seen]).passed
    without, with_ = ([peephole_gates.blind_run(-30.0, u, state) for state in (1.0, -1.0)] for u in (0.0, 2.0))
    assert np.abs(without[0] - without[1]).max() < 1e-12
    assert (round(with_[0][1], 2), round(with_[1][1], 2)) == (0.88, 0.12)


def test_an_uncut_peephole_mixes_the_cells(peephole):
    cuts = s.LSTM2002.cuts()
    whole = peephole.derive(s.s[k, j, t], s.s[k, p, t - 1], cuts=cuts)
    mixed = peephole.derive(s.s[k, j, t], s.s[k, p, t - 1], cuts=cuts[:4])
    assert {ref.quantity for ref in refs(whole.result)} == {s.gate["fg"]}
    assert {s.u["fg"], s.u["ig"]} <= {ref.quantity for ref in refs(mixed.result)}


def test_states_without_a_forget_gate_grow():
    free, leaky, reset = (peephole_gates.states(way) for way in peephole_gates.WAYS)
    assert free[-1] == 60.0
    assert leaky.max() < 5.0
    assert reset.max() == 10.0


def test_angles_of_the_figure():
    small, large = peephole_gradients.angles(1 / 64, nets=20), peephole_gradients.angles(4.0, nets=20)
    assert max(values.max() for values in (small["w_out"], large["w_out"])) < 1e-5
    assert all(np.median(small[name]) < np.median(large[name]) for name in small if name != "w_out")
    assert any((large[name] > 90).any() for name in large)


def test_small_weights_make_the_truncation_exact_for_cells_and_not_for_gates_that_cells_read():
    for scale, bound in ((1 / 64, 1.0), (1 / 1024, 0.1)):
        cut, opened = (peephole_gradients.angles(scale, nets=20, gates_into_cells=way) for way in (False, True))
        assert np.median(cut["w_cell"]) < bound
        for gate in s.GATES:
            assert np.median(opened[f"w_{gate}"]) < bound
            assert np.median(cut[f"w_{gate}"]) > 10.0


def test_the_branches_name_what_changes():
    found = {child.name: peephole_family.changed(parent, child) for parent, child in peephole_family.BRANCHES}
    assert found[s.LSTM2000.name] == ["sources", "gates", "state", "output"]
    assert found[s.UNSQUASHED.name] == ["cell output"]
    assert found[s.LSTM2002.name] == ["gates"]
    assert found[s.EXPERIMENTS.name] == ["sources", "output"]
    assert found[s.LIBRARY.name] == ["sources", "no output layer"]


def test_boxes_mark_what_the_other_line_lacks():
    rows = branch(s.UNSQUASHED, s.LSTM2002)
    assert [which for which, _ in rows] == ["", "before", "after"] * 3
    assert all("boxed" not in text for which, text in rows if which == "before")
    assert all(text.count("boxed") == 1 and "u^" in text for which, text in rows if which == "after")
