"""The paper's (19) to (28) as a program, with all times as printed, and how far it is from the truncated gradient.

The program is also that of the page. It computes -dE/dw in the paper's sense, E half the squared error: the gradient
of the loss is its negative.
"""

from functools import cache

import numpy as np
from throughtime.checks import angle
from throughtime.textbook.lstm1997 import LSTM1997

KINDS = ("w_hid", "w_ig", "w_og", "w_cell", "w_out")
NETS, STEPS, SCALE = 100, 20, 1.0


def updates(
    model: LSTM1997, theta: np.ndarray, x: np.ndarray, targets: np.ndarray, late: int = 0, lag: int = 1
) -> dict:
    """Sum over time of (19) to (28): the weights' names to arrays, for a model without biases.

    late    time between a cell and the output that it feeds, in the errors: 0 as printed, 1 for the forward pass of A.1
    lag     time between an output and its sources in (22): 1 as printed, 0 for the three phases
    """
    run, W = model.forward(theta, x), model.layout.views(theta)
    total = {name: np.zeros_like(part) for name, part in W.items()}
    s_in, s_cell = np.zeros((2, len(run.s), *W["w_cell"].shape))
    to_hid, to_cell = (W["w_out"][:, model.output_sources[name]] for name in ("y_hid", "y_cell"))
    to_cell = to_cell.reshape(model.n_out, model.cells, model.blocks)
    for t in range(1, run.length + 1):
        units = (run.y_hid, run.y_ig, run.y_og, run.y_cell)
        y = np.concatenate([x[t - 1], *(unit[t - 1].ravel() for unit in units)])
        g, slope = model.g(run.net_cell[t]), model.g.derivative(run.net_cell[t])
        s_in[t] = s_in[t - 1] + (g * model.f.derivative(run.net_ig[t]))[..., None] * y  # (25)
        s_cell[t] = s_cell[t - 1] + (slope * run.y_ig[t])[..., None] * y  # (27)
        at = t + late  # the time of the outputs that these cells feed
        if at <= run.length:
            e = model.f_out.derivative(run.net_out[at]) * (targets[at - 1] - run.y[at])  # (19)
            back = np.einsum("o,okb->kb", e, to_cell)
            e_hid = model.f_hid.derivative(run.net_hid[t]) * (e @ to_hid)  # (20)
            e_og = model.f.derivative(run.net_og[t]) * (model.h(run.s[t]) * back).sum(axis=0)  # (21)
            e_s = run.y_og[t] * model.h.derivative(run.s[t]) * back  # (23)
            total["w_hid"] += np.outer(e_hid, y)  # (22)
            total["w_og"] += np.outer(e_og, y)  # (22)
            total["w_ig"] += (e_s[..., None] * s_in[t]).sum(axis=0)  # (26)
            total["w_cell"] += e_s[..., None] * s_cell[t]  # (28)
        e = model.f_out.derivative(run.net_out[t]) * (targets[t - 1] - run.y[t])
        sources = (x[t - 1], run.y_hid[t - lag], run.y_cell[t - lag].ravel())
        total["w_out"] += np.outer(e, np.concatenate(sources))  # (22)
    return total


def case(timing: str, seed: int) -> tuple[LSTM1997, np.ndarray, np.ndarray, np.ndarray]:
    """A net, its weights, uniform on [-SCALE, SCALE], normal inputs and targets in [0, 1] at all steps."""
    draw = np.random.default_rng(seed)
    model = LSTM1997(n_in=3, blocks=3, cells=2, n_out=2, hidden=2, timing=timing)
    theta, x = model.init(draw, scale=SCALE), draw.normal(size=(STEPS, model.n_in))
    return model, theta, x, draw.uniform(size=(STEPS, model.n_out))


def compared(timing: str, seed: int, late: int = 0, lag: int = 1) -> dict[str, tuple[float, float, float]]:
    """By kind of weight and "all", beside the truncated gradient: relative difference in the Euclidean norm, angle in
    degrees, and largest difference relative to the largest entry.
    """
    model, theta, x, targets = case(timing, seed)
    right = model.gradient(theta, x, targets, method="truncated").gradient
    found = updates(model, theta, x, targets, late, lag)
    parts = {name: (-found[name].ravel(), part.ravel()) for name, part in model.layout.views(right).items()}
    parts["all"] = (-model.layout.flatten(found), right)
    found = {}
    for name, (mine, true) in parts.items():
        sizes = [float(size(mine - true) / size(true)) for size in (np.linalg.norm, lambda part: np.abs(part).max())]
        found[name] = sizes[0], angle(mine, true), sizes[1]
    return found


@cache
def quantiles(timing: str, late: int = 0, lag: int = 1) -> dict[str, np.ndarray]:
    """By kind of weight and "all": the quantiles 10, 50, 90 % of the numbers over the networks, shape (3, 3)."""
    runs = [compared(timing, seed, late, lag) for seed in range(NETS)]
    return {name: np.quantile([run[name] for run in runs], (0.1, 0.5, 0.9), axis=0) for name in (*KINDS, "all")}
