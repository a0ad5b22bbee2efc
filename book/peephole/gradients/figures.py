"""Angle between the truncated and the exact gradient of the LSTM with forget gates."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.figure import Figure
from throughtime.checks import angle
from throughtime.models.peephole import GATES, Cut, PeepholeLSTM
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled

SCALES = 2.0 ** np.arange(-6, 3)
NETS, STEPS = 200, 12
NAMES = {"w_out": "output weights", "w_og": "output gate", "w_cell": "cells"}
NAMES |= {"w_ig": "input gate", "w_fg": "forget gate"}


@cache
def angles(scale: float, *, nets: int = NETS, gates_into_cells: bool = False) -> dict[str, np.ndarray]:
    """Angles in degrees between truncated and exact gradient of the error at the last step, by weight matrix; (nets,).

    Weights are uniform on [-scale, scale]. With ``gates_into_cells`` the paths from the gates of the previous step into
    the net inputs of the cells are not cut.
    """
    draw = np.random.default_rng(2000)
    net = PeepholeLSTM(n_in=2, blocks=2, cells=2, n_out=1, peepholes=False)
    opened = [Cut("net_cell", f"y_{gate}") for gate in GATES] if gates_into_cells else []
    cuts = [cut for cut in net.cuts("truncated") if cut not in opened]
    last, found = np.eye(1, STEPS, STEPS - 1)[0], {name: [] for name in NAMES}
    for _ in range(nets):
        theta = net.init(draw, scale=scale)
        data = (theta, draw.normal(size=(STEPS, 2)), draw.uniform(size=(STEPS, 1)), last)
        views = [net.layout.views(net.gradient_with_cuts(*data, cuts=some).gradient) for some in (cuts, ())]
        for name in NAMES:
            found[name].append(angle(*(view[name].ravel() for view in views)))
    return {name: np.array(values) for name, values in found.items()}


@styled
def truncation_angle(nets: int = NETS) -> Figure:
    """Median angle over ``nets`` random nets over the scale of the weights, one curve per weight matrix."""
    figure, axes = canvas(6.6, 5.2)
    colours = dict(zip(NAMES, (s.INK, s.VERMILION, s.GREEN, s.BLUE, s.PURPLE), strict=True))
    by_scale = [angles(scale, nets=nets) for scale in SCALES.tolist()]
    places = {"w_out": 0, "w_og": 70.5, "w_cell": 57, "w_ig": 64, "w_fg": 77}
    for name, colour in colours.items():
        axes.semilogx(SCALES, [np.median(found[name]) for found in by_scale], color=colour, marker="o", ms=4, base=2)
        label(axes, 4.5, places[name], NAMES[name], colour, ha="left", fontsize=11)
    axes.set(xlabel="scale of the weights", ylabel="median angle in degrees", xlim=(0.014, 24), ylim=(-4, 90))
    axes.set_xticks(SCALES[::2], ["1/64", "1/16", "1/4", "1", "4"])
    axes.set_title("Between the truncated and the exact gradient")
    return figure
