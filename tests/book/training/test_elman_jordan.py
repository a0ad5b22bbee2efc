"""The chapter on Elman's and Jordan's nets: what readers type, and what the truncated gradient does not see."""

from pathlib import Path

import numpy as np
import pytest
from throughtime.checks import complex_step
from throughtime.textbook.simple_recurrent import Elman

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "training" / "elman-jordan.ipynb"


@pytest.fixture(scope="module")
def typed(page_cell):
    """The text of the cell with both gradients."""
    return page_cell("def gradient(v, w")


def run(source):
    names = {"np": np}
    exec(compile(source, "the page", "exec"), names)
    return names


def loss_of(names, v, w, x, targets, jordan):
    outputs = np.array([step[2] for step in names["forward"](v, w, x, jordan)])
    return ((outputs - targets) ** 2).sum() / 2


def problem(jordan, seed=5):
    draw = np.random.default_rng(seed)
    v, w = draw.normal(size=(1 + 2 + (2 if jordan else 3), 3)), draw.normal(size=(1 + 3, 2))
    return v, w, draw.normal(size=(6, 2)), draw.uniform(size=(6, 2))


def slopes(names, v, w, x, targets, jordan):
    flat = np.concatenate([v.ravel(), w.ravel()])

    def loss(point):
        return loss_of(names, point[: v.size].reshape(v.shape), point[v.size :].reshape(w.shape), x, targets, jordan)

    return complex_step(loss, flat)


@pytest.mark.parametrize("jordan", [False, True])
def test_the_typed_gradient_is_that_of_the_complex_step(typed, jordan):
    names, data = run(typed), problem(jordan)
    exact = slopes(names, *data, jordan)
    mine = np.concatenate([part.ravel() for part in names["gradient"](*data, jordan)])
    assert np.abs(mine - exact).max() < 1e-13
    truncated = np.concatenate([part.ravel() for part in names["gradient"](*data, jordan, truncated=True)])
    assert np.abs(truncated - exact).max() > 1e-3


def test_the_trace_of_the_exercise_changes_two_lines(typed):
    trace = typed.replace("context = g if", "context = 0.7 * context + g if")
    trace = trace.replace("else v[1 +", "else 0.7 * back + v[1 +")
    assert sum(a != b for a, b in zip(typed.splitlines(), trace.splitlines(), strict=True)) == 2
    names, data = run(trace), problem(True)
    exact = slopes(names, *data, True)
    mine = np.concatenate([part.ravel() for part in names["gradient"](*data, True)])
    assert np.abs(mine - exact).max() < 1e-13
    forgotten = run(trace.replace("else 0.7 * back + v", "else v"))
    mine = np.concatenate([part.ravel() for part in forgotten["gradient"](*data, True)])
    assert np.abs(mine - exact).max() > 1e-3


def test_the_best_prediction_of_the_second_bit_does_not_tell_the_first():
    rows = [(a, b, a ^ b) for a in (0, 1) for b in (0, 1)]
    after = {first: np.mean([row[1] for row in rows if row[0] == first]) for first in (0, 1)}
    assert set(after.values()) == {0.5}


def test_the_truncated_gradient_of_the_last_error_reads_the_last_step_only():
    net = Elman(n_in=1, hidden=2, n_out=1)
    theta = net.init(2, scale=2.0)
    x = np.array([[[0.3], [0.9], [-0.4], [1.0]]])
    targets, last = np.full((1, 4, 1), 0.2), np.eye(4)[3]
    trace = net.forward(theta, x)
    exact, cut = (
        net.layout.views(net.gradient(theta, x, targets, last, method=method).gradient)["v"]
        for method in ("bptt", "truncated")
    )
    error = (trace.g[0, 4] - 0.2) * trace.g[0, 4] * (1 - trace.g[0, 4])
    f, w = trace.f[0, 4], net.layout.views(theta)["w"][1:, 0]
    by_hand = np.outer(trace.extended_x[0, 4], error * w * f * (1 - f))
    assert np.allclose(cut, by_hand, rtol=1e-12)
    assert np.abs(exact - by_hand).max() > 0.01 * np.abs(exact).max()
