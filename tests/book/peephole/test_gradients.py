"""The chapter on gradients: the angles of its figure, and the drawing of what is cut."""

import numpy as np
import pytest
from book.peephole.gradients import figures as peephole_gradients
from throughtime.systems import lstm_family as s

# --- the angle between the truncated and the exact gradient


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
