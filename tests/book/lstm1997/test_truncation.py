"""The chapter on truncation: its verdicts, the remaining paths, and agreement of cuts by hand with the library."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sympy import Eq, Integer, Piecewise
from throughtime.derivation import Delta, Lemma, Truncated, holds_on, lag, slips
from throughtime.models.lstm1997 import LSTM1997
from throughtime.systems import lstm1997 as s
from throughtime_book.lstm1997.cell import by_hand as example
from throughtime_book.lstm1997.truncation import claims as p
from throughtime_book.lstm1997.truncation import experiment as cuts
from throughtime_book.lstm1997.truncation import figures
from throughtime_book.reference.ledger import read_notebook

BOOK = Path(__file__).parents[3] / "book"
DATA = (example.THETA, example.X, example.TARGETS, example.LAST)
VERDICTS = {f"lstm97-{number}": "holds" for number in (44, 45, 46, 48)} | {"lstm97-47": "corrected"}
i, j, k, k_star, t = s.i, s.j, s.k, s.k_star, s.t


@pytest.fixture(scope="module")
def bench():
    return p.small()


def test_verdicts_of_the_page():
    records = {judged.id: judged.record for judged in read_notebook(BOOK / "lstm1997" / "truncation.ipynb", BOOK)}
    assert {id: record["verdict"] for id, record in records.items()} == VERDICTS
    for record in records.values():
        assert all(check["passed"] is not False for check in record["checks"].values())
        assert record["mutants"]["survivors"] == []


def test_the_note_leaves_out_the_path_through_the_old_state():
    assert not p.decide(p.INCOMPLETE)
    assert all(map(p.decide, p.CORRECTED_47))
    assert "it lacks 0.006906" in p.omission()
    assert not any(p.decide(slip.expr) and not p.is_zero(slip.expr) for slip in slips(p.COMPLETE))


def test_each_step_of_the_proof_can_fail(bench):
    assert all(step.check() for step in p.proof_47())
    assert not p.general(
        "the output gate is cut, its exact derivative is not zero", p.PRINTED_47[1].lhs, Integer(0)
    ).check()
    assert not p.by_definition("too little", s.s[k, i, t + 1], p.d(s.s[k, i, t], p.WEIGHT)).check()


@pytest.mark.parametrize("unit", [s.y_hid[s.j_hid, t], s.y_og[j, t], s.y_cell[k_star, j, t]])
def test_no_unit_but_an_input_gate_reaches_a_cell_one_step_later(bench, unit):
    assert bench.reducer.equal(p.cut(s.y_cell[k, i, t + 1], unit), Integer(0))


def test_an_input_gate_does_through_the_state(bench):
    derived = bench.derive(s.y_cell[k, i, t + 1], s.y_ig[j, t], cuts=p.CUTS).result
    through_state = s.y_og[i, t + 1] * s.h.prime(s.s[k, i, t + 1], k, i) * s.g[k, i](s.net_cell[k, i, t])
    assert bench.reducer.equal(derived, Delta(i, j) * through_state)


def test_the_error_along_a_state_is_constant_unless_an_input_gate_is_left_open(bench):
    q = lag("q")
    kept = Delta(i, j) * Delta(k, k_star) + 0 * q
    for held in (p.CUTS, p.GATES_AND_CELLS):
        Lemma(Truncated(s.s[k, i, t], s.s[k_star, j, t - q], *held), kept, q).prove(bench.reducer)
    held = tuple(item for item in p.CUTS if item.into != s.net_ig)
    one_back = Truncated(s.s[k, i, t + 1], s.s[k_star, j, t], *held)
    gate = s.f_ig.prime(s.net_ig[i, t + 1], i) * s.w_ig[i, s.cell_column(k_star, j)]
    back = s.g[k, i](s.net_cell[k, i, t + 1]) * gate * s.y_og[j, t] * s.h.prime(s.s[k_star, j, t], k_star, j)
    assert holds_on(bench.witnesses, [(one_back, kept + back)]).passed
    assert not holds_on(bench.witnesses, [(one_back, kept)]).passed


def test_without_their_cut_hidden_units_run_rtrl(bench):
    left = Truncated(s.y_hid[s.i_hid, t + 1], p.WEIGHT, *p.GATES_AND_CELLS)
    own = s.f_hid.prime(s.net_hid[s.i_hid, t + 1], s.i_hid) * Delta(s.i_hid, s.p_hid) * s.r[s.m, t + 1]
    assert bench.reducer.equal(p.cut(left.target, p.WEIGHT), own)
    assert not holds_on(bench.witnesses, [(left, own)]).passed


@pytest.mark.parametrize("timing", ["previous", "same"])
def test_detach_gives_the_gradients_of_the_library(timing):
    draw = np.random.default_rng(5)
    net = LSTM1997(n_in=2, blocks=2, cells=2, n_out=2, hidden=2, timing=timing, bias=True)
    data = (
        net.init(draw, scale=1.0),
        draw.normal(size=(6, 2)),
        draw.normal(size=(6, 2)),
        np.array([0, 1, 0, 0, 1, 1.0]),
    )
    for kinds, method in ((cuts.ALL, "truncated"), ((), "bptt")):
        ours = cuts.gradient(net, *data, kinds)
        np.testing.assert_allclose(ours, net.gradient(*data, method=method).gradient, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(cuts.outputs(net, *data[:2]).real, net.forward(*data[:2]).y[1:], rtol=1e-13)


def test_all_four_kinds_are_cut_and_a_fifth_does_not_exist():
    assert p.all_kinds_are_cut()
    with pytest.raises(ValueError, match="cut: expected kinds out of"):
        cuts.outputs(example.NET, *DATA[:2], cut=("out",))


def test_hidden_units_make_no_difference_where_there_are_none():
    net = replace(example.NET, hidden=0)
    theta = net.init(1, scale=1.0)
    open_, all_ = (cuts.gradient(net, theta, *DATA[1:], kinds) for kinds in (cuts.GATES_AND_CELLS, cuts.ALL))
    np.testing.assert_array_equal(open_, all_)
    hidden = [cuts.gradient(example.NET, *DATA, kinds) for kinds in (cuts.GATES_AND_CELLS, cuts.ALL)]
    assert not np.allclose(*hidden)


def test_kronecker():
    assert p.is_kronecker(p.KRONECKER)
    assert not any(p.is_kronecker(slip.expr) for slip in slips(p.KRONECKER))
    assert not p.is_kronecker(Eq(p.delta(p.a, p.b), Piecewise((1, p.a <= p.b), (0, True)), evaluate=False))


def test_the_error_along_the_states_is_as_the_page_describes_it():
    cut, exact = figures.signals(60, 6)
    np.testing.assert_allclose(cut, 1.0, rtol=1e-14)
    assert exact.max() > 50
    assert 0.14 < exact.min() < 0.16
    assert exact[:, 1:5].max() > 5


def test_the_page_reads_its_table_right():
    views = [example.NET.layout.views(cuts.gradient(example.NET, *DATA, kinds)) for kinds in ((), cuts.ALL)]
    first = {kind: [view[f"w_{kind}"].reshape(-1, 6)[:, 0] for view in views] for kind in ("hid", "ig", "og", "cell")}
    off = {kind: np.abs(cut / exact - 1).tolist() for kind, (exact, cut) in first.items()}
    assert {kind: [round(100 * each) for each in share] for kind, share in off.items()} == {
        "hid": [89], "ig": [13], "og": [25], "cell": [16, 15]
    }  # fmt: skip
    np.testing.assert_allclose(views[0]["w_out"], views[1]["w_out"], rtol=1e-13)
