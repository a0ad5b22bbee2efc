"""The chapter on gradients: its verdicts, each slip of (11) alone, and the angles of its figure."""

from pathlib import Path

import numpy as np
import pytest
from book.peephole.factors import d_tr, error, out_slope, slope
from book.peephole.gradients import figures as peephole_gradients
from throughtime.derivation import CheckError, chain, holds_on, partial, sum_over
from throughtime.systems import lstm_family as s
from throughtime.textbook.peephole import PeepholeLSTM

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "gradients.ipynb"
i, j, k, p, q, t = s.i, s.j, s.k, s.p, s.q, s.t
E = s.cost[t]
fg, ig, og = (s.gate[name][k, t] for name in s.GATES)


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


# --- the angle between the truncated and the exact gradient


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


def test_the_figure_draws_the_median_of_each_matrix_at_each_scale():
    (axes,) = peephole_gradients.truncation_angle(nets=3).axes
    drawn = {line.get_color(): line.get_ydata() for line in axes.lines}
    assert len(drawn) == len(peephole_gradients.NAMES)
    found = [peephole_gradients.angles(scale, nets=3) for scale in peephole_gradients.SCALES.tolist()]
    medians = [[float(np.median(angles[name])) for angles in found] for name in peephole_gradients.NAMES]
    assert sorted(map(list, drawn.values())) == sorted(medians)


def test_numbers_beside_the_figure():
    small, middle, large = (peephole_gradients.angles(scale) for scale in (1 / 64, 1 / 4, 4.0))
    assert all(len(angles["w_fg"]) == 200 for angles in (small, middle, large))
    gates = [float(np.median(small[f"w_{gate}"])) for gate in s.GATES]
    assert (round(min(gates)), round(max(gates))) == (16, 19)
    assert all(15 < np.median(middle[f"w_{gate}"]) < 20 for gate in s.GATES)
    ends = {name: round(float(np.median(values))) for name, values in large.items()}
    assert ends == {"w_out": 0, "w_og": 69, "w_cell": 57, "w_ig": 67, "w_fg": 73}
    assert all((large[name] > 90).any() for name in large if name != "w_out")


# --- the rule that a reader types


@pytest.mark.parametrize(
    ("n_in", "blocks", "cells", "n_out", "steps"), [(1, 1, 1, 1, 1), (2, 3, 2, 2, 25), (3, 1, 4, 1, 9)]
)
def test_the_typed_rule_is_the_truncated_gradient(run_cell, n_in, blocks, cells, n_out, steps):
    draw = np.random.default_rng(cells)
    net = PeepholeLSTM(n_in, blocks, cells, n_out, peepholes=False)
    theta = net.init(draw, scale=1.2)
    x, target = draw.normal(size=(steps, n_in)), draw.uniform(size=(steps, n_out))
    found = run_cell("def truncated(")["truncated"](net.layout.views(theta), x, target)
    cut, exact = (net.gradient(theta, x, target, method=method).gradient for method in ("truncated", "bptt"))
    assert np.allclose(net.layout.flatten(found), cut, rtol=1e-11, atol=1e-14)
    assert np.allclose(net.layout.flatten(found), exact, rtol=1e-3, atol=0.0) == (steps == 1)


# --- the drawing of what is cut


@pytest.mark.parametrize(("member", "edges"), [(s.UNSQUASHED, 4), (s.LSTM2002, 7), (s.EXPERIMENTS, 4)], ids=str)
def test_what_is_crossed_are_the_cuts_and_all_else_but_the_carousel(member, edges):
    cut, drawn = peephole_gradients.crossed(member.cuts()), peephole_gradients.across(member)
    assert len(drawn) == len(set(drawn)) == edges + 1
    assert set(drawn) - cut == {("s", "s")}
    assert cut <= set(drawn)


def test_a_cross_stands_on_each_cut_edge():
    for cuts, crosses in ((None, 7), (s.LSTM2002.cuts()[:4], 4), ((), 0)):
        (axes,) = peephole_gradients.unrolled(s.LSTM2002, cuts).axes
        assert sum(line.get_marker() == "x" for line in axes.lines) == crosses


def test_weights_of_the_nets_with_four_inputs_and_one_output():
    found = []
    for blocks, cells in ((1, 1), (2, 2), (4, 2), (8, 4)):
        units = blocks * (3 + cells)
        found.append(units * (4 + units) + 4 + blocks * cells)
        assert PeepholeLSTM(4, blocks, cells, 1, peepholes=False).init(0).size == found[-1]
    assert found == [37, 148, 492, 3396]
