"""What it costs to take the updates of the paper's appendix beside its forward pass, over many random networks.

(A.17) to (A.26) take errors, gates, states and sensitivities all at one time t, and (A.20) the source of every weight
at t - 1. The first fits outputs with inputs of their own step, the second outputs with inputs of the previous step.
"""

from functools import cache

import numpy as np
from book.lstm1997.paper.experiment import case, compared, updates
from throughtime.checks import angle
from throughtime.textbook.lstm1997 import LSTM1997

NETS = 200
KINDS = {"out": "outputs", "hid": "hidden units", "og": "output gates", "ig": "input gates", "cell": "cells"}


@cache
def differences(timing: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Of all nets the largest relative differences by kind of weights, (NETS,) each, and the angles in degrees."""
    found = [compared(timing, seed) for seed in range(NETS)]
    apart = {kind: np.array([one[f"w_{kind}"][2] for one in found]) for kind in KINDS}
    return apart, np.array([one["all"][1] for one in found])


@cache
def truncation() -> np.ndarray:
    """For comparison: the angles between truncated and exact gradient in the same nets, timing "previous"."""
    angles = []
    for seed in range(NETS):
        net, *data = case("previous", seed)
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


def derivative_of_outputs(net: LSTM1997, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    """What the note's (69) to (73), corrected, add up: the truncated derivative of all outputs, flat like ``theta``."""
    goal = net.forward(theta, x).y[1:] + 1  # the error of each output is 1
    return net.layout.flatten(updates(net, theta, x, goal, late=1))


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
        net, theta, x, _ = case("previous", seed)
        draw, y = np.random.default_rng([seed, 1]), net.forward(theta, x).y[1:]
        sums = derivative_of_outputs(net, theta, x)
        for words, goal in TARGETS.items():
            gradient = net.gradient(theta, x, goal(draw, y), method="truncated").gradient
            found[words].append(float(angle(sums, gradient)))
    return {words: np.array(angles) for words, angles in found.items()}
