"""The chapter on online rules: for which weights a cut is exact, what programs cost."""

import numpy as np
import pytest
from book.beyond import costs
from book.beyond import leaky as net
from book.beyond.online_rules import checks, figures


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


# --- costs


def test_places_in_arrays_are_no_operations():
    """The sweeps of BPTT, which read t - 1, by hand."""
    n, m = costs.n, costs.m
    forward = 2 * n**2 + 2 * n + (2 * n * m + 3 * n) + 5 * n + 2 * n + 6
    backward = 1 + 2 * n + (2 * n**2 + 8 * n) + 2 * n + 8 * n**2 + 2 * n * m + 2 * n
    assert checks.cost("bptt").operations == (forward + backward).expand()


def test_a_program_of_other_sizes_has_the_same_loops(monkeypatch):
    monkeypatch.setattr("throughtime.programs.build.CACHE", None)  # of another order, maybe
    small, large = (checks.program("exact", *sizes) for sizes in ((2, 3), (40, 30)))
    assert large.replace("\nn = 40\nm = 30\n", "\nn = 2\nm = 3\n") == small


def test_the_lost_path_has_the_factors_of_the_three_steps():
    J = np.eye(2) / 2 + np.array([[1, 1], [2, 0]]) / 2
    factors = [{"1": 1.0, "½": 0.5}[word] for word in (*figures.OWN, *figures.OTHERS)]
    assert factors == [J[0, 0], J[1, 1], J[1, 0], J[0, 1]]
    drawn = figures.lost_path().axes[0]
    assert sum(line.get_marker() == "x" for line in drawn.lines) == 4
