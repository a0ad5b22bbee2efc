"""The chapter on truncation: its verdicts, the remaining paths, and agreement of cuts by hand with the library."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sympy import Eq, Integer, Piecewise
from throughtime.derivation import Delta, DerivationError, Lemma, Truncated, holds_on, lag, slips
from throughtime.models.lstm1997 import LSTM1997
from throughtime.systems import lstm1997 as s
from throughtime_book.lstm1997.cell import by_hand as example
from throughtime_book.lstm1997.truncation import claims as p
from throughtime_book.lstm1997.truncation import experiment as cuts
from throughtime_book.lstm1997.truncation import figures

BOOK = Path(__file__).parents[3] / "book"
DATA = (example.THETA, example.X, example.TARGETS, example.LAST)
i, j, k, k_star, t = s.i, s.j, s.k, s.k_star, s.t


@pytest.fixture(scope="module")
def bench():
    return p.small()


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


@pytest.mark.parametrize(("scale", "within", "interval"), [(0.1, 190, (0.91, 0.97)), (1.0, 66, (0.27, 0.40))])
def test_how_many_errors_stay_within_a_factor_of_two(scale, within, interval):
    last = figures.signals(figures.STEPS, figures.NETS, scale)[1][:, -1]
    count, total, z2 = int(((last >= 0.5) & (last <= 2)).sum()), figures.NETS, 1.959964**2
    middle = (count + z2 / 2) / (total + z2)
    half = np.sqrt(z2 * (count * (total - count) / total + z2 / 4)) / (total + z2)
    assert count == within
    assert (round(middle - half, 2), round(middle + half, 2)) == interval


# --- (A.39): scaled on entering and on leaving, by nothing in between


@pytest.mark.parametrize("steps_back", [0, 1, 2, 5])
def test_an_error_is_scaled_on_entering_and_on_leaving_a_cell(steps_back):
    """The library's truncated error signals against the formula, for blocks of two cells."""
    draw = np.random.default_rng(39)
    net = LSTM1997(n_in=2, blocks=2, cells=2, n_out=1, hidden=1)
    theta, x, steps = net.init(draw, scale=1.0), draw.normal(size=(9, 2)), 9
    mask = np.eye(1, steps, steps - 1)[0]
    run = net.forward(theta, x)
    signal = net.error_signals(theta, x, np.zeros((steps, 1)), mask, method="truncated")
    to_cell = net.layout.views(theta)["w_out"][0, net.output_sources["y_cell"]].reshape(2, 2)
    arrives = signal.net_out[steps, 0] * to_cell
    enters = run.y_og[steps - 1] * net.h.derivative(run.s[steps - 1])
    then = steps - 1 - steps_back
    by_cell = run.y_ig[then] * net.g.derivative(run.net_cell[then])
    by_gate = net.g(run.net_cell[then]) * net.f.derivative(run.net_ig[then])
    np.testing.assert_allclose(signal.net_cell[then], arrives * enters * by_cell, rtol=1e-13)
    np.testing.assert_allclose(signal.net_ig[then], (arrives * enters * by_gate).sum(axis=0), rtol=1e-13)
    if steps_back:  # the output gate scales what enters, and passes nothing back
        np.testing.assert_array_equal(signal.net_og[then], 0.0)


def test_a_factor_between_would_be_noticed(bench):
    q = lag("q")
    kept = Delta(i, j) * Delta(k, k_star)
    then = s.net_cell[k_star, j, t - q]
    leaves = s.y_ig[j, t - q] * s.g.prime(then, k_star, j)
    Lemma(p.cut(s.s[k, i, t], then), kept * leaves, q).prove(bench.reducer)
    with pytest.raises(DerivationError, match="induction"):
        Lemma(p.cut(s.s[k, i, t], then), kept * leaves * s.y_ig[j, t], q).prove(bench.reducer)


# --- the program in the text


@pytest.fixture(scope="module")
def typed():
    cells = json.loads((BOOK / "lstm1997" / "truncation.ipynb").read_text(encoding="utf-8"))["cells"]
    (source,) = [text for cell in cells if "def detach(" in (text := "".join(cell["source"]))]
    names = {"np": np}
    exec(source, names)
    return names


@pytest.mark.parametrize(("cut", "method"), [(cuts.ALL, "truncated"), ((), "bptt")])
def test_the_typed_detach_gives_both_gradients(typed, cut, method):
    draw = np.random.default_rng(8)
    net = LSTM1997(n_in=2, blocks=2, cells=2, n_out=2, hidden=1)
    theta, x, goal = net.init(draw, scale=1.0), draw.normal(size=(6, 2)), draw.normal(size=(6, 2))
    weights = {name.removeprefix("w_"): view for name, view in net.layout.views(theta).items()}
    found = typed["gradient"](weights, x, goal[-1], cut)
    library = net.layout.views(net.gradient(theta, x, goal, np.eye(1, 6, 5)[0], method=method).gradient)
    for kind, values in found.items():
        np.testing.assert_allclose(values, library[f"w_{kind}"], rtol=1e-11, atol=1e-14)


def test_the_bounds_of_the_last_exercise():
    f, g, h = example.NET.f, example.NET.g, example.NET.h
    assert (f.derivative(0.0), g.derivative(0.0), h.derivative(0.0)) == (0.25, 1.0, 0.5)
    assert g.bounds == (-2, 2)
