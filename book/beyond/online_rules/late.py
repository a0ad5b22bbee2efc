"""The traces of input weights as RFLO prints them, with the input of the previous step: the gradients they give."""

from __future__ import annotations

import numpy as np
from throughtime_book.beyond.online_rules import experiment as runs
from throughtime_book.shared.alignment import quality

NETS = 100


def input_gradients(theta: np.ndarray) -> dict[str, np.ndarray]:
    """dL/dW_in over all probes, (units, inputs): "printed" and "right" by the cut of RFLO, and "exact"."""
    weights, probes, tau = runs.plain().layout.views(theta), runs.probes(), runs.TAU
    found = {late: np.zeros(weights["W_in"].shape) for late in (False, True)}
    h, before = np.zeros((len(probes.x), runs.UNITS)), np.zeros(probes.x[:, 0].shape)
    trace = {late: np.zeros((len(h), *weights["W_in"].shape)) for late in found}
    for step in range(probes.x.shape[1]):
        now, ends = probes.x[:, step], probes.lengths == step + 1
        net_input = h @ weights["W"].T + now @ weights["W_in"].T
        slope = (1 - np.tanh(net_input) ** 2) / tau
        h = (1 - 1 / tau) * h + np.tanh(net_input) / tau
        signal = (h @ weights["W_out"].T - probes.targets) @ weights["W_out"]
        for late, source in ((False, now), (True, before)):
            trace[late] = slope[:, :, None] * source[:, None] + (1 - 1 / tau) * trace[late]
            found[late] += np.einsum("ba,baq->aq", signal[ends], trace[late][ends])
        before = now
    exact = runs.plain().gradient(theta, *runs.problem(probes), method="bptt").gradient
    return {"printed": found[True], "right": found[False], "exact": runs.plain().layout.views(exact)["W_in"]}


def cosines(nets: int = NETS) -> dict[str, list[float]]:
    """Cosines of the three gradients with each other, of the networks of the experiment at their starts."""
    pairs = {
        "printed trace and right trace": ("printed", "right"),
        "printed trace and exact gradient": ("printed", "exact"),
        "right trace and exact gradient": ("right", "exact"),
    }
    found: dict[str, list[float]] = {name: [] for name in pairs}
    for seed in range(nets):
        gradients = input_gradients(runs.start(np.random.default_rng(seed)))
        for name, (one, other) in pairs.items():
            found[name].append(quality(gradients[one].ravel(), gradients[other].ravel()).cosine)
    return found
