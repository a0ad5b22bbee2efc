"""The chapter on online rules: for which weights a cut is exact, windows, what programs cost."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from book.beyond import costs
from book.beyond import leaky as net
from book.beyond.online_rules import checks, figures
from throughtime.programs import compile

PAGE = Path(__file__).parents[3] / "book" / "beyond" / "online-rules.ipynb"
# --- the function of the page, and the weights for which a cut is exact


def numbers(seed=3, units=3, inputs=2, length=6):
    draw = np.random.default_rng(seed)
    shapes = (units, units), (units, inputs), (2, units), (length, inputs), (length, 2)
    return [draw.normal(size=shape) for shape in shapes]


def step(W, W_in, state, now, tau):
    return (1 - 1 / tau) * state + np.tanh(W @ state + W_in @ now) / tau


def loss_of(W, W_in, W_out, x, target, tau, window=None):
    """The mean loss; with a window the error of each time goes back so many steps, to a constant state."""
    states, found = [np.zeros(len(W), complex)], 0
    for time, goal in enumerate(target, 1):
        states.append(step(W, W_in, states[-1], x[time - 1], tau))
        state = states[time]
        if window is not None and time > window:
            state = states[time - window].real.astype(complex)
            for now in x[time - window : time]:
                state = step(W, W_in, state, now, tau)
        found += ((goal - W_out @ state) ** 2).sum() / 2
    return found / len(target)


def by_complex_step(parts, tau, window=None):
    """The gradient with respect to (W, W_in). A held state is no analytic function, so `complex_step` would refuse."""
    W, W_in, *rest = parts
    found = np.zeros((len(W), len(W) + W_in.shape[1]))
    for place in np.ndindex(found.shape):
        both = np.hstack([W, W_in]).astype(complex)
        both[place] += 1e-30j
        found[place] = loss_of(both[:, : len(W)], both[:, len(W) :], *rest, tau, window).imag / 1e-30
    return found


def test_one_step_is_a_window_of_one(run_cell):
    gradient, parts = run_cell("def gradient(")["gradient"], numbers()
    assert gradient(*parts, 2.5, "one") == pytest.approx(by_complex_step(parts, 2.5, window=1), abs=1e-12)


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


# --- cuts of other networks


@cache
def program(system, label):
    sizes = {net.n: 3, net.m: 2, net.r: 2}
    constants = {"tau": np.array(2.5)}
    return compile(
        system(), net.loss, sizes, activations={"phi": "tanh"}, given=constants, cuts={label: getattr(net, label)}
    )


def test_a_window_of_two_steps_is_a_cut_of_the_network_with_each_unit_twice():
    machine, parts = program(net.windowed, "WINDOW"), numbers()
    W, W_in, W_out, x, goals = parts
    theta = machine.layout.flatten({"W": W, "W_in": W_in, "W_out": W_out})
    assert machine.loss(theta, x, goals) / len(x) == pytest.approx(loss_of(*parts, 2.5).real)
    views = machine.layout.views(machine.gradient(theta, x, goals, method="WINDOW").gradient / len(x))
    found = np.hstack([views["W"], views["W_in"]])
    assert found == pytest.approx(by_complex_step(parts, 2.5, window=2), abs=1e-12)
    for other in (1, 3, None):
        assert np.abs(found - by_complex_step(parts, 2.5, window=other)).max() > 1e-3


# --- costs, and the estimates that are no cuts


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
