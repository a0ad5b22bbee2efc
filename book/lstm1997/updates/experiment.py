"""What it costs to take the updates of the paper's appendix beside its forward pass, over many random networks.

(A.17) to (A.26) take errors, gates, states and sensitivities all at one time t, and (A.20) the source of every weight
at t - 1. The first fits outputs with inputs of their own step, the second outputs with inputs of the previous step.
The gradient shares nothing with that of the library but the forward pass.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from throughtime.checks import angle
from throughtime.textbook.lstm1997 import HIDDEN_KINDS, LSTM1997

NETS, STEPS, SCALE = 200, 20, 1.0
SIZES = {"n_in": 3, "blocks": 3, "cells": 2, "n_out": 2, "hidden": 2}
KINDS = {"out": "outputs", "hid": "hidden units", "og": "output gates", "ig": "input gates", "cell": "cells"}


def gradient_from_trace(
    model: LSTM1997, theta: np.ndarray, x: np.ndarray, errors: np.ndarray, at_one_time: bool = False
) -> np.ndarray:
    """Sum over time of the derived updates, flat like ``theta``; for a model without biases.

    errors      (T, n_out): y - target gives the gradient of the loss; all ones what the note's (69) to (73) add up,
                the derivatives of the outputs themselves
    at_one_time take the cells at the time of the output whatever the timing, as (A.18) to (A.26) of the paper have it
    """
    trace, views = model.forward(theta, x), model.layout.views(theta)
    gradient = {name: np.zeros_like(view) for name, view in views.items()}
    read = _read(trace, x)
    by_gate, by_cell = np.zeros((2, *views["w_cell"].shape))  # ds/dw of the input gate's weights and of the cell's
    to_hid, to_cell = (views["w_out"][:, model.output_sources[name]] for name in ("y_hid", "y_cell"))
    to_cell = to_cell.reshape(model.n_out, model.cells, model.blocks)

    def advance(now: int) -> None:
        """(67) and (68)."""
        nonlocal by_gate, by_cell
        net = trace.net_cell[now]
        added = model.f.derivative(trace.net_ig[now]) * model.g(net)
        by_gate = by_gate + added[..., None] * read[now]
        by_cell = by_cell + (trace.y_ig[now] * model.g.derivative(net))[..., None] * read[now]

    for now in range(1, trace.length + 1):
        seen = (
            now - 1 if model.timing == "previous" and not at_one_time else now
        )  # the time whose cells the outputs at `now` read
        if seen == now:
            advance(now)
        e = model.f_out.derivative(trace.net_out[now]) * errors[now - 1]
        cells = np.concatenate([trace.y_hid[seen], trace.y_cell[seen].ravel()])
        gradient["w_out"] += np.outer(e, np.concatenate([x[now - 1], cells]))
        gradient["w_hid"] += np.outer(model.f_hid.derivative(trace.net_hid[seen]) * (e @ to_hid), read[seen])
        back = np.einsum("o,okb->kb", e, to_cell)
        e_og = model.f.derivative(trace.net_og[seen]) * (model.h(trace.s[seen]) * back).sum(axis=0)
        gradient["w_og"] += np.outer(e_og, read[seen])
        e_s = trace.y_og[seen] * model.h.derivative(trace.s[seen]) * back
        gradient["w_ig"] += (e_s[..., None] * by_gate).sum(axis=0)
        gradient["w_cell"] += e_s[..., None] * by_cell
        if seen < now:
            advance(now)
    return model.layout.flatten(gradient)


def _read(trace, x: np.ndarray) -> np.ndarray:
    """The inputs of all units, row t for time t: [x; y_hid; y_ig; y_og; y_cell](t-1), and zeros at time 0."""
    units = [getattr(trace, f"y_{kind}")[:-1].reshape(len(x), -1) for kind in HIDDEN_KINDS]
    rows = np.hstack([x, *units])
    return np.vstack([np.zeros_like(rows[:1]), rows])


def case(seed: int, timing: str) -> tuple[LSTM1997, np.ndarray, np.ndarray, np.ndarray]:
    """A net, its weights, uniform on [-SCALE, SCALE], normal inputs and targets in [0, 1] at all steps."""
    draw = np.random.default_rng(seed)
    net = LSTM1997(**SIZES, timing=timing)
    return net, net.init(draw, scale=SCALE), draw.normal(size=(STEPS, 3)), draw.uniform(size=(STEPS, 2))


def to_the_letter(net: LSTM1997, theta: np.ndarray, x: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The sum of the updates as the appendix has them, flat like ``theta``; errors as in ``gradient_from_trace``."""
    flat = gradient_from_trace(net, theta, x, errors, at_one_time=True)
    found = {name: view.copy() for name, view in net.layout.views(flat).items()}
    trace = net.forward(theta, x)
    e = net.f_out.derivative(trace.net_out[1:]) * errors
    units = [trace.y_hid[:-1], trace.y_cell[:-1].reshape(len(x), -1)]
    found["w_out"] = e.T @ np.hstack([x, *units])  # (A.20): sources at t - 1
    return net.layout.flatten(found)


def difference(seed: int, timing: str) -> tuple[dict[str, float], float]:
    """Largest difference from the truncated gradient for each kind of weights, relative to its largest entry; angle."""
    net, theta, x, goal = case(seed, timing)
    truncated = net.gradient(theta, x, goal, method="truncated").gradient
    letter = to_the_letter(net, theta, x, net.forward(theta, x).y[1:] - goal)
    ours, right = net.layout.views(letter), net.layout.views(truncated)
    apart = {
        kind: np.abs(ours[f"w_{kind}"] - right[f"w_{kind}"]).max() / np.abs(right[f"w_{kind}"]).max() for kind in KINDS
    }
    return {kind: float(value) for kind, value in apart.items()}, float(angle(letter, truncated))


@cache
def differences(timing: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Both over all nets: by kind (NETS,), and the angles in degrees (NETS,)."""
    found = [difference(seed, timing) for seed in range(NETS)]
    return {kind: np.array([one[kind] for one, _ in found]) for kind in KINDS}, np.array([angle for _, angle in found])


@cache
def truncation() -> np.ndarray:
    """For comparison: the angles between truncated and exact gradient in the same nets, timing "previous"."""
    angles = []
    for seed in range(NETS):
        net, *data = case(seed, "previous")
        angles.append(angle(*(net.gradient(*data, method=way).gradient for way in ("truncated", "bptt"))))
    return np.array(angles)


def table_of_differences() -> list[list[str]]:
    """A row for each kind of weights: median with the 10 % and 90 % quantiles, for both timings."""
    rows = []
    for kind, words in KINDS.items():
        found = [differences(timing)[0][kind] for timing in ("previous", "same")]
        rows.append([words, *(quantiles(values) if values.max() > 1e-12 else "0" for values in found)])
    return rows


def quantiles(values: np.ndarray) -> str:
    """Median and, in brackets, the quantiles at 10 and 90 percent."""
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


# ---- the note's sums as updates

TARGETS = {
    "0 throughout: all outputs too large": lambda draw, y: np.zeros_like(y),
    "1 throughout: all outputs too small": lambda draw, y: np.ones_like(y),
    "0 for the first output, 1 for the second": lambda draw, y: np.ones_like(y) * [0, 1],
    "random in [0, 1]": lambda draw, y: draw.uniform(size=y.shape),
    "the outputs themselves, plus noise of size 0.01": lambda draw, y: y + 0.01 * draw.normal(size=y.shape),
}


@cache
def of_the_sums() -> dict[str, np.ndarray]:
    """Angles between the note's sums, corrected, and the truncated gradient for several targets, (NETS,) each."""
    found: dict[str, list[float]] = {words: [] for words in TARGETS}
    for seed in range(NETS):
        net, theta, x, _ = case(seed, "previous")
        draw, y = np.random.default_rng([seed, 1]), net.forward(theta, x).y[1:]
        sums = gradient_from_trace(net, theta, x, np.ones_like(y))
        for words, goal in TARGETS.items():
            gradient = net.gradient(theta, x, goal(draw, y), method="truncated").gradient
            found[words].append(float(angle(sums, gradient)))
    return {words: np.array(angles) for words, angles in found.items()}
