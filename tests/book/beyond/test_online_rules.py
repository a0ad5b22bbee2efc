"""The chapter on online rules: for which weights a cut is exact, and the drawing of a lost path."""

import numpy as np
import pytest
from book.beyond import leaky as net
from book.beyond.online_rules import figures


def numbers():
    draw = np.random.default_rng(3)
    return [draw.normal(size=shape) for shape in ((3, 3), (3, 2), (2, 3), (6, 2), (6, 2))]


@pytest.mark.parametrize(
    ("scale", "tau_", "exact"),
    [
        (np.eye(3), 2.5, {"snap"}),
        (0, 2.5, {"snap", "rflo"}),
        (0, 1.0, {"snap", "rflo", "one"}),
        (1, 2.5, set()),
        (1, 1.0, set()),
    ],
)
def test_exercise_weights_for_which_a_cut_is_exact(run_cell, scale, tau_, exact):
    gradient, (W, *rest) = run_cell("def gradient(")["gradient"], numbers()
    goal = gradient(W * scale, *rest, tau_, "exact")
    close = {rule for rule in net.CUTS if np.allclose(gradient(W * scale, *rest, tau_, rule), goal, atol=1e-12)}
    assert close == exact


def test_the_lost_path_has_the_factors_of_the_three_steps():
    J = np.eye(2) / 2 + np.array([[1, 1], [2, 0]]) / 2
    factors = [{"1": 1.0, "½": 0.5}[word] for word in (*figures.OWN, *figures.OTHERS)]
    assert factors == [J[0, 0], J[1, 1], J[1, 0], J[0, 1]]
    drawn = figures.lost_path().axes[0]
    assert sum(line.get_marker() == "x" for line in drawn.lines) == 4
