"""Figures on the cost of a gradient of the LSTM of 1997: operations, dependence of stored derivatives, measurements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from throughtime_book.lstm1997.complexity import claims as cost
from throughtime_book.lstm1997.complexity.locality import NET, dependence
from throughtime_book.shared import figure_style as s
from throughtime_book.shared.figure_style import canvas, label, styled
from throughtime_book.shared.records import Records

COLORS = {"truncated": s.GREEN, "bptt": s.BLUE, "rtrl": s.VERMILION}
WORDS = {"truncated": "truncated", "bptt": "BPTT", "rtrl": "RTRL"}
BLOCKS = (1, 2, 4, 8, 16, 32, 64)
MEASURED = Records(
    "lstm1997_scaling.csv", ("series", "method", "weights", "length")
)  # by benchmarks/lstm1997_scaling.py
COUNTED = {"truncated": (1, 2, 4, 8, 16), "bptt": (1, 2, 4, 8, 16), "rtrl": (1, 2, 3)}


def sizes(blocks: int) -> tuple[int, ...]:
    """(d_in, d_hid, blocks, cells, d_out) of a network in the figures: two inputs, blocks of two cells, one output."""
    return (2, 0, blocks, 2, 1)


@styled
def operations_per_weight() -> Figure:
    """Operations of one step divided by the number of weights W, over W: formulas as lines, counted loops as dots."""
    figure, axes = canvas(6.4, 4.8)
    weights = [cost.network(sizes(blocks)).layout.size for blocks in BLOCKS]
    for method, color in COLORS.items():
        line = [cost.value(cost.operations(method), sizes(blocks)) for blocks in BLOCKS]
        axes.loglog(weights, np.divide(line, weights), color=color)
        at = [cost.network(sizes(blocks)).layout.size for blocks in COUNTED[method]]
        found = [cost.count(method, sizes(blocks)).total for blocks in COUNTED[method]]
        axes.loglog(at, np.divide(found, at), "o", color=color)
    label(axes, 3e3, 3e4, "RTRL: grows like the weights", COLORS["rtrl"], ha="right", fontsize=12)
    label(axes, 3e3, 21, "truncated: at most 19", COLORS["truncated"], ha="left", fontsize=12)
    label(axes, 3e3, 2.9, "BPTT: at most 13", COLORS["bptt"], ha="left", fontsize=12)
    axes.set(xlabel="number of weights $W$", ylabel="operations of a step / $W$", ylim=(1, 3e5))
    _large(axes)
    return figure


@styled
def kept_derivatives(shown: int = 24) -> Figure:
    """The dependence matrices of the truncated gradient and RTRL for ``NET``, first ``shown`` derivatives."""
    figure, axes = canvas(6.6, 4.0, columns=2)
    for ax, method in zip(axes, ("truncated", "rtrl"), strict=True):
        whole = dependence(NET, method)
        places = np.argwhere(whole[:shown, :shown])
        ax.scatter(places[:, 1], places[:, 0], s=20, marker="s", lw=0, color=COLORS[method])
        ax.set(aspect="equal", xlabel="kept before the step", xticks=[], yticks=[])
        ax.set(xlim=(-1, shown), ylim=(shown, -1))
        ax.set_title(f"{WORDS[method]}, {shown} of {len(whole)}", fontsize=13)
        _large(ax)
    axes[0].set_ylabel("kept after it")
    return figure


@styled
def measured(table: Sequence[dict[str, str]]) -> Figure:
    """Time per step over the number of weights, and peak memory over the length, from the rows of ``MEASURED``."""
    figure, (above, below) = canvas(6.2, 8.2, rows=2)
    for method, color in COLORS.items():
        rows = [row for row in table if row["method"] == method]
        many, long = ([row for row in rows if row["series"] == series] for series in ("weights", "length"))
        weights = [float(row["weights"]) for row in many]
        above.loglog(
            weights, [1e6 * float(row["seconds"]) / float(row["length"]) for row in many], "o-", color=color, ms=5
        )
        below.loglog(
            [float(row["length"]) for row in long], [float(row["peak_bytes"]) / 1e3 for row in long], "o-",
            color=color, ms=5,
        )  # fmt: skip
    label(above, 2.2e3, 5e3, "RTRL", COLORS["rtrl"], ha="right", fontsize=12)
    label(above, 1.1e5, 90, "truncated", COLORS["truncated"], ha="left", fontsize=12)
    label(above, 3.2e4, 220, "BPTT", COLORS["bptt"], ha="right", fontsize=12)
    above.set(xlabel="number of weights $W$", ylabel="microseconds a step")
    above.set_title("Time: what $W$ costs", fontsize=13)
    label(below, 6e3, 9e3, "BPTT", COLORS["bptt"], ha="right", fontsize=12)
    label(below, 2e3, 260, "RTRL", COLORS["rtrl"], ha="left", fontsize=12)
    label(below, 2e3, 13, "truncated", COLORS["truncated"], ha="left", fontsize=12)
    below.set(xlabel="length of the sequence $T$", ylabel="kilobytes")
    below.set_title("Memory: what $T$ costs", fontsize=13)
    below.set_ylim(6, 6e4)
    for ax in (above, below):
        _large(ax)
    return figure


def _large(axes: Axes) -> None:
    """Enlarge axis and tick labels so that they are legible on a phone."""
    for text in (axes.xaxis.label, axes.yaxis.label):
        text.set_fontsize(13)
    axes.tick_params(labelsize=11)
