"""The nets of 1997 beside a second program of the paper's words, and beside the paper's numbers of weights."""

import numpy as np
import pytest
from book.experiments import small
from book.experiments import system as s
from book.experiments.net import Net, SmallNet
from book.experiments.reading import reading
from book.experiments.rows import ROWS


def logistic(a: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-a))


def distance(y: np.ndarray, net: np.ndarray, target: np.ndarray, slope: bool) -> np.ndarray:
    """Half the squared error, or the cross-entropy of logistic outputs."""
    return ((y - target) ** 2).sum() / 2 if slope else (np.log(1 + np.exp(net)) - target * net).sum()


def loss_with_held_sources(
    views: dict, x: np.ndarray, targets: np.ndarray, sources: list, reset: float, slope: bool = True
) -> tuple:
    """The loss of one sequence, its error at the end, and what gates and cells read; `sources` are read if given."""
    blocks, cells = views["w_c"].shape[:2]
    held = np.concatenate([np.full(2 * blocks, reset), np.full(blocks * cells, reset)])
    state, read = np.zeros((blocks, cells)), []
    bias = lambda name: views.get(name, 0.0)  # noqa: E731
    for now, given in zip(x, sources or [None] * len(x), strict=True):
        held = held if given is None else given
        read.append(held)
        gate_in = logistic(views["w_in"] @ now + views["r_in"] @ held + bias("b_in"))
        gate_out = logistic(views["w_out"] @ now + views["r_out"] @ held + bias("b_out"))
        net = views["w_c"] @ now + views["r_c"] @ held + bias("b_c")
        state = state + gate_in[:, None] * (4 * logistic(net) - 2)
        cell = gate_out[:, None] * (2 * logistic(state) - 1)
        held = np.concatenate([gate_in, gate_out, cell.T.ravel()])
    net = np.einsum("kjv,jv->k", views["w_k"], cell) + bias("b_k")
    return distance(logistic(net), net, targets[-1], slope), read


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("how", ["letter", "reset", "error", "program+error"])
@pytest.mark.parametrize("biased", [s.BIASED, ("gates",), ("gates", "cells"), ()])
def test_truncated_gradient_is_that_with_held_sources(biased: tuple[str, ...], how: str) -> None:
    read = reading(how)
    net = Net(2, 2, biased, 0.5).compiled(3, 2, read)
    random = np.random.default_rng(1)
    theta, x = net.init(2, 0.5), random.uniform(-1, 1, (7, 3))
    targets, mask = random.uniform(0, 1, (7, 2)), np.arange(7) == 6
    start = 0.5 if read.reset == "1/2" else 0.0
    loss, sources = loss_with_held_sources(net.layout.views(theta), x, targets, [], start, read.slope)
    found = net.gradient(theta, x, targets, mask, method="truncated")
    assert found.loss == pytest.approx(loss, rel=1e-13)
    expected = np.zeros_like(theta)
    for place in range(len(theta)):
        moved = theta.astype(complex)
        moved[place] += 1e-200j
        moved_loss, _ = loss_with_held_sources(net.layout.views(moved), x, targets, sources, start, read.slope)
        expected[place] = moved_loss.imag / 1e-200
    np.testing.assert_allclose(found.gradient, expected, rtol=0, atol=1e-14)
    exact = net.gradient(theta, x, targets, mask, method="bptt").gradient
    assert np.abs(exact - expected).max() > 1e-6


def small_loss(hidden: str, views: dict, x: np.ndarray, targets: np.ndarray, slope: bool) -> np.ndarray:
    """The loss of one sequence of a net of experiments 2a and 2b."""
    unit, total = 0.0, 0.0
    for now, target in zip(x, targets, strict=True):
        net = views["W"] @ now
        if hidden == "cell":
            unit = unit + logistic(views["w_in"] @ now) * logistic(views["w_c"] @ now)
        if hidden == "unit":
            unit = logistic(views["w"] @ now + views["u"] * unit)
        net = net + (views["w_k"] * unit if hidden != "none" else 0.0)
        total = total + distance(logistic(net), net, target, slope)
    return total


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("how", ["letter", "error"])
@pytest.mark.parametrize("hidden", small.KINDS)
def test_gradient_of_the_nets_of_2a(hidden: str, how: str) -> None:
    net = SmallNet(hidden).compiled(3, 2, reading(how))
    random = np.random.default_rng(1)
    theta, x, targets = net.init(2, 0.5), random.uniform(-1, 1, (6, 3)), random.uniform(0, 1, (6, 2))
    found = net.gradient(theta, x, targets, method="rtrl")
    slope = reading(how).slope
    loss = lambda theta: small_loss(hidden, net.layout.views(theta), x, targets, slope)  # noqa: E731
    assert found.loss == pytest.approx(loss(theta), rel=1e-13)
    steps = theta + 1e-200j * np.eye(len(theta))
    np.testing.assert_allclose(found.gradient, [loss(one).imag / 1e-200 for one in steps], rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ROWS)
def test_nets_have_as_many_weights_as_the_paper_counts(name: str) -> None:
    row = ROWS[name]
    if isinstance(row.net, SmallNet):
        assert row.net.compiled(row.task.inputs, row.task.outputs).layout.size == row.weights
        assert row.cap >= min(5_000_000, 5 * row.sequences)
        return
    net, inputs, hidden = row.net, row.task.inputs, row.net.blocks * (2 + row.net.cells)
    biases = {"gates": 2 * net.blocks, "cells": net.blocks * net.cells, "outputs": row.task.outputs}
    outputs = row.task.outputs * net.blocks * net.cells
    assert hidden * (inputs + hidden) + outputs + sum(biases[kind] for kind in net.biased) == row.weights
    assert row.cap >= 5 * row.sequences
    assert row.trials >= row.counted


@pytest.mark.parametrize("name", ["1-4x1-0.1", "1-3x2-0.5", "2c-50-50", "3a-100-3", "4-100", "6a", "6b"])
def test_compiled_nets_have_these_weights(name: str) -> None:
    row = ROWS[name]
    assert row.net.compiled(row.task.inputs, row.task.outputs).layout.size == row.weights


def test_initial_weights() -> None:
    given = Net(2, 2, s.BIASED, 0.1, (-3.0, -6.0), (-1.0, -2.0))
    net = given.compiled(2, 1)
    theta = given.start(net, np.random.default_rng(0))
    views = net.layout.views(theta)
    assert views["b_in"].tolist() == [-3.0, -6.0]
    assert views["b_out"].tolist() == [-1.0, -2.0]
    others = np.concatenate([views[name].ravel() for name in views if name not in ("b_in", "b_out")])
    assert np.abs(others).max() < 0.1
    assert np.abs(others).max() > 0.09
    added = given.start(net, np.random.default_rng(0), reading("added"))
    moved = net.layout.views(added)["b_in"] - [-3.0, -6.0]
    assert (moved != 0).all()
    assert np.abs(moved).max() < 0.1
    grid = given.start(net, np.random.default_rng(0), reading("grid"))
    free = np.concatenate(
        [part.ravel() for name, part in net.layout.views(grid).items() if name not in ("b_in", "b_out")]
    )
    np.testing.assert_allclose(free * 10_000, np.round(free * 10_000), atol=1e-9)


def test_bad_settings() -> None:
    with pytest.raises(ValueError, match="biased: expected some of"):
        s.build(("gate",))
    with pytest.raises(ValueError, match="reset: expected '0' or '1/2'"):
        s.build(reset="1")
    with pytest.raises(ValueError, match="hidden: expected one of none, cell, unit, got 'two'"):
        small.build("two")
