"""The chapter on other cuts: windows of time, by a cut and by holding states."""

import numpy as np
import pytest
from book.beyond import leaky as net
from throughtime.programs import compile

TAU = 2.5


def test_the_table_by_hand_and_the_exercise(run_cell):
    slope = run_cell("def slope(")["slope"]
    exact, window, chunks = [1, 3 / 2, 7 / 4, 15 / 8], [1, 3 / 2, 3 / 2, 3 / 2], [1, 3 / 2, 1, 3 / 2]
    for column, first in ((exact, (1, 1, 1, 1)), (chunks, (1, 1, 3, 3)), (window, (1, 1, 2, 3))):
        assert [slope(time, start) for time, start in enumerate(first, 1)] == column
    assert (slope(4, 2), slope(4, 4)) == (7 / 4, 1)


def step(W, W_in, state, now):
    return (1 - 1 / TAU) * state + np.tanh(W @ state + W_in @ now) / TAU


def loss_of(W, W_in, W_out, x, target, window=None):
    """The mean loss; with a window the error of each time goes back so many steps, to a constant state."""
    states, found = [np.zeros(len(W), complex)], 0
    for time, goal in enumerate(target, 1):
        states.append(step(W, W_in, states[-1], x[time - 1]))
        state = states[time]
        if window is not None and time > window:
            state = states[time - window].real.astype(complex)
            for now in x[time - window : time]:
                state = step(W, W_in, state, now)
        found += ((goal - W_out @ state) ** 2).sum() / 2
    return found / len(target)


def by_complex_step(W, W_in, *rest, window=None):
    """The gradient with respect to (W, W_in). A held state is no analytic function, so `complex_step` would refuse."""
    found = np.zeros((len(W), len(W) + W_in.shape[1]))
    for place in np.ndindex(found.shape):
        both = np.hstack([W, W_in]).astype(complex)
        both[place] += 1e-30j
        found[place] = loss_of(both[:, : len(W)], both[:, len(W) :], *rest, window).imag / 1e-30
    return found


@pytest.mark.parametrize(
    ("system", "cut", "steps"), [(net.leaky(masked=True), "ONE", 1), (net.windowed(), "WINDOW", 2)]
)
def test_a_window_is_a_cut_of_the_network_or_of_that_with_each_unit_twice(system, cut, steps):
    sizes, given, cuts = {net.n: 3, net.m: 2, net.r: 2}, {"tau": np.array(TAU)}, {cut: getattr(net, cut)}
    machine = compile(system, net.loss, sizes, activations={"phi": "tanh"}, given=given, cuts=cuts)
    draw = np.random.default_rng(3)
    W, W_in, W_out, x, goals = parts = [draw.normal(size=n) for n in ((3, 3), (3, 2), (2, 3), (6, 2), (6, 2))]
    theta = machine.layout.flatten({"W": W, "W_in": W_in, "W_out": W_out})
    assert machine.loss(theta, x, goals) / len(x) == pytest.approx(loss_of(*parts).real)
    views = machine.layout.views(machine.gradient(theta, x, goals, method=cut).gradient / len(x))
    found = np.hstack([views["W"], views["W_in"]])
    assert found == pytest.approx(by_complex_step(*parts, window=steps), abs=1e-12)
    for other in {1, 2, 3, None} - {steps}:
        assert np.abs(found - by_complex_step(*parts, window=other)).max() > 1e-3
