"""Figures on error flow through the states of the peephole LSTM."""

from collections.abc import Mapping

import numpy as np
from book.peephole.error_flow.checks import column, looks_at
from book.peephole.error_flow.experiment import LOOKS
from book.shared.figure_style import BLUE, FAINT, GREEN, INK, ORANGE, PURPLE, VERMILION, drawn, label
from book.shared.intervals import median_interval
from matplotlib.axes import Axes
from throughtime.arrays.activations import logistic

WEIGHTS = {-1.0: VERMILION, 0.0: INK, 1.0: BLUE}
MARKS = {"learning": (PURPLE, "o"), "at rest": (INK, "s"), "finished": (GREEN, "x")}
CUTS = {"both": PURPLE, "cell outputs": ORANGE, "peepholes": GREEN}


def factor(s: np.ndarray, u: float, b: float = 0.0) -> np.ndarray:
    """ds(t)/ds(t-1) for s(t) = f(u s(t-1) + b) s(t-1) with a logistic forget gate f, elementwise in s = s(t-1)."""
    z = u * s + b
    return logistic(z) + s * logistic.derivative(z) * u


def _at_one(axes: Axes) -> None:
    axes.axhline(1, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))


@drawn(6.2, 3.8)
def factors(axes: Axes) -> None:
    """ds(t)/ds(t-1) over the state s(t-1), for peepholes of weight -1, 0 and 1."""
    s = np.linspace(-6, 6, 601)
    _at_one(axes)
    axes.axhline(0, color=FAINT, linewidth=0.8)
    for u, color in WEIGHTS.items():
        axes.plot(s, factor(s, u), color=color)
    label(axes, 4.1, 0.92, "$u = 1$", color=BLUE, ha="center")
    label(axes, -4.1, 0.92, "$u = -1$", color=VERMILION, ha="center")
    label(axes, 4.1, 0.58, "$u = 0$", color=INK, ha="center")
    axes.set(xlabel="state $s(t-1)$", ylim=(-0.25, 1.25), title="factor of the error, one step back")


@drawn(6.2, 6.2, rows=2)
def fading(axes: np.ndarray, links: np.ndarray, gates: np.ndarray, flows: np.ndarray, products: np.ndarray) -> None:
    """Error flow along the states with peepholes and with the forget gates alone.

    links, gates        (T,), factors of the steps to times 1, ..., T: ds(t)/ds(t-1), and the forget gate
    flows, products     (T+1,), their products over the lags 0, ..., T
    """
    top, bottom = axes
    times, lags = np.arange(1, len(links) + 1), np.arange(len(flows))
    top.plot(times, gates, color=PURPLE)
    top.plot(times, links, color=BLUE)
    _at_one(top)
    top.set(xlabel="time $t$", title="factor of one step")
    bottom.plot(lags, np.abs(products), color=PURPLE)
    bottom.plot(lags, np.abs(flows), color=BLUE)
    bottom.set(xlabel="steps back $n$", yscale="log", xlim=(0, len(flows) * 1.22))
    bottom.set_title("product over $n$ steps back, from the end")
    label(bottom, lags[-1] * 1.02, abs(flows[-1]), "with\npeepholes", color=BLUE, ha="left")
    label(bottom, lags[-1] * 1.02, 1.4 * abs(products[-1]), "forget gate\nalone", color=PURPLE, ha="left")


@drawn(6.2, 7.6, rows=2)
def lost(panels: np.ndarray, rows: list[Mapping[str, str]], start: str) -> None:
    """Cosines to the exact gradient by epoch: every net with all cuts (top), medians by kind of cuts (bottom).

    ``rows`` of ``experiment.RECORD``; ``start`` is a key of ``experiment.STARTS``. The medians are those of the nets
    that are learning, with their 95 % intervals.
    """
    for axes in panels:
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.set_xticks(range(len(LOOKS)), LOOKS)
        axes.set(xlabel="epochs of training", ylim=(-1.08, 1.08), xlim=(-0.5, len(LOOKS) - 0.3))
    for place, epoch in enumerate(LOOKS):
        for stage, (color, marker) in MARKS.items():
            found = column(looks_at(rows, start, "both", epoch, stage), "cosine")
            spread = np.linspace(-0.28, 0.28, len(found)) if len(found) > 1 else np.zeros(len(found))
            panels[0].plot(place + spread, found, marker, color=color, ms=3.5, mew=1.1, mfc="none", lw=0)
    for shift, (cut, color) in zip((-0.14, 0.0, 0.14), CUTS.items(), strict=True):
        found = [column(looks_at(rows, start, cut, epoch), "cosine") for epoch in LOOKS]
        middles, ends = [np.median(values) for values in found], [median_interval(values) for values in found]
        places = np.arange(len(LOOKS)) + shift
        panels[1].plot(places, middles, color=color, marker="o", markersize=4.5)
        panels[1].vlines(places, *np.array(ends).T, color=color, linewidth=1.3)
    names = {"both": "all cuts", "cell outputs": "cell outputs cut", "peepholes": "peepholes cut"}
    for place, (cut, name) in enumerate(names.items()):
        label(panels[1], 0.04, 0.32 - 0.1 * place, name, CUTS[cut], transform=panels[1].transAxes, fontsize=10)
    for place, (stage, (color, _)) in enumerate(MARKS.items()):
        label(panels[0], 0.04, 0.32 - 0.1 * place, stage, color, transform=panels[0].transAxes, fontsize=10)
    panels[1].set(ylim=(-0.04, 1.08))
    panels[0].set_title("all cuts: cosine to the exact gradient, each net")
    panels[1].set_title("nets that are learning: median and 95 % interval")
