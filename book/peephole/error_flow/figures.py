"""Figures on error flow through the states of the peephole LSTM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from throughtime.models.activations import logistic
from throughtime_book.shared.figure_style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    VERMILION,
    canvas,
    label,
    styled,
)

WEIGHTS = {-1.0: VERMILION, 0.0: INK, 1.0: BLUE}
CUTS = {"both": PURPLE, "cell outputs": ORANGE, "peepholes": GREEN}


def factor(s: np.ndarray, u: float, b: float = 0.0) -> np.ndarray:
    """ds(t)/ds(t-1) for s(t) = f(u s(t-1) + b) s(t-1) with a logistic forget gate f, elementwise in s = s(t-1)."""
    z = u * s + b
    return logistic(z) + s * logistic.derivative(z) * u


def _at_one(axes: Axes) -> None:
    axes.axhline(1, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))


@styled
def factors() -> Figure:
    """ds(t)/ds(t-1) over the state s(t-1), for peepholes of weight -1, 0 and 1."""
    figure, axes = canvas(6.2, 3.8)
    s = np.linspace(-6, 6, 601)
    _at_one(axes)
    axes.axhline(0, color=FAINT, linewidth=0.8)
    for u, color in WEIGHTS.items():
        axes.plot(s, factor(s, u), color=color)
    label(axes, 4.1, 0.92, "$u = 1$", color=BLUE, ha="center")
    label(axes, -4.1, 0.92, "$u = -1$", color=VERMILION, ha="center")
    label(axes, 4.1, 0.58, "$u = 0$", color=INK, ha="center")
    axes.set(xlabel="state $s(t-1)$", ylim=(-0.25, 1.25))
    axes.set_title("factor of the error, one step back")
    return figure


@styled
def fading(links: np.ndarray, gates: np.ndarray, flows: np.ndarray, products: np.ndarray) -> Figure:
    """Error flow along the states with peepholes and with the forget gates alone.

    links, gates        (T,), factors of the steps to times 1, ..., T: ds(t)/ds(t-1), and the forget gate
    flows, products     (T+1,), their products over the lags 0, ..., T
    """
    figure, (top, bottom) = canvas(6.2, 6.2, rows=2)
    times, lags = np.arange(1, len(links) + 1), np.arange(len(flows))
    top.plot(times, gates, color=PURPLE)
    top.plot(times, links, color=BLUE)
    _at_one(top)
    top.set(xlabel="time $t$")
    top.set_title("factor of one step")
    bottom.plot(lags, np.abs(products), color=PURPLE)
    bottom.plot(lags, np.abs(flows), color=BLUE)
    bottom.set(xlabel="steps back $n$", yscale="log", xlim=(0, len(flows) * 1.22))
    bottom.set_title("product over $n$ steps back, from the end")
    label(bottom, lags[-1] * 1.02, abs(flows[-1]), "with\npeepholes", color=BLUE, ha="left")
    label(bottom, lags[-1] * 1.02, 1.4 * abs(products[-1]), "forget gate\nalone", color=PURPLE, ha="left")
    return figure


def quartiles(rows: Iterable[Mapping[str, str]], start: str, cut: str, column: str) -> dict[int, np.ndarray]:
    """Quartiles (3,) of a numeric column over the seeds, by epoch, from the rows with this start and cut."""
    values: dict[int, list[float]] = {}
    for row in rows:
        if row["start"] == start and row["cut"] == cut:
            values.setdefault(int(row["epoch"]), []).append(float(row[column]))
    return {epoch: np.quantile(found, (0.25, 0.5, 0.75)) for epoch, found in sorted(values.items())}


@styled
def lost(rows: list[Mapping[str, str]], start: str) -> Figure:
    """Cosine to the exact gradient (top) and norm ratio (bottom) by epoch, for each kind of cuts; median and quartiles.

    ``rows`` of ``experiment.RECORD``; ``start`` is a key of ``experiment.STARTS``.
    """
    figure, panels = canvas(6.2, 6.8, rows=2)
    titles = {"cosine": "cosine of the angle to the exact gradient", "ratio": "norm over that of the exact gradient"}
    for axes, (column, title) in zip(panels, titles.items(), strict=True):
        _at_one(axes)
        for cut, color in CUTS.items():
            found = quartiles(rows, start, cut, column)
            places, (low, middle, high) = np.arange(len(found)), np.array(list(found.values())).T
            axes.fill_between(places, low, high, color=color, alpha=0.13, linewidth=0)
            axes.plot(places, middle, color=color, marker="o", markersize=4)
        axes.set_xticks(places, list(found))
        axes.set(xlabel="epochs of training")
        axes.set_title(title)
    panels[1].set(yscale="log")
    panels[1].set_yticks([0.2, 0.5, 1.0, 2.0], ["0.2", "0.5", "1", "2"])
    panels[1].minorticks_off()
    names = {"both": "all cuts", "cell outputs": "cell outputs cut", "peepholes": "peepholes cut"}
    for place, (cut, name) in enumerate(names.items()):
        label(panels[0], 0.03, 0.30 - 0.09 * place, name, color=CUTS[cut], ha="left", transform=panels[0].transAxes)
    return figure
