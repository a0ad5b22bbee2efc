"""Figures on the LSTM of 1997: one memory cell, a whole net, the two numberings of its cells, its two timings."""

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import bent, drawn
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch

CELL, CAROUSEL, IN, OUT = s.INK, s.GREEN, s.BLUE, s.VERMILION
Place = tuple[float, float]


@drawn(5.2, 6.0, x=(-4.0, 3.3), y=(-1.6, 8.45), aspect="equal")
def memory_cell(ax: Axes) -> None:
    """One memory cell, from bottom to top: net input, g, input gate, carousel, h, output gate."""
    rows = {"net": 0.0, "g": 1.25, "in": 2.5, "s": 3.95, "h": 5.4, "out": 6.65, "y": 7.9}
    _box(ax, (0, rows["net"]), r"$\mathrm{net}^{\mathrm{cell}}$", CELL, fontsize=12)
    _box(ax, (0, rows["g"]), "$g$", CELL, fontsize=12)
    _dot(ax, (0, rows["in"]), r"$\times$", IN)
    _dot(ax, (0, rows["s"]), r"$s$", CAROUSEL, radius=0.42)
    _box(ax, (0, rows["h"]), "$h$", CELL, fontsize=12)
    _dot(ax, (0, rows["out"]), r"$\times$", OUT)
    ax.text(0, rows["y"], r"$y^{\mathrm{cell}}$", ha="center", va="bottom", fontsize=13)
    ends = [(-1.0, -0.3), (0.3, 0.95), (1.55, 2.25), (2.75, 3.5), (4.39, 5.1), (5.7, 6.4), (6.9, 7.85)]
    for start, end in ends:
        bent(ax, (0, start), (0, end), CELL)
    bent(ax, (0.32, rows["s"] + 0.28), (0.32, rows["s"] - 0.28), CAROUSEL, -1.9, mutation_scale=13, lw=2.4, zorder=1)
    ax.text(1.12, rows["s"], "weight 1, always,\nnext step:\nthe carousel", color=CAROUSEL, va="center", fontsize=11)
    for name, y, color, at in (("ig", rows["in"], IN, "in"), ("og", rows["out"], OUT, "out")):
        _box(ax, (-3.15, y), rf"$\mathrm{{net}}^{{\mathrm{{{name}}}}}$", color, fontsize=12)
        _box(ax, (-1.55, y), "$f$", color, fontsize=12)
        bent(ax, (-2.6, y), (-1.76, y), color)
        bent(ax, (-1.34, y), (-0.26, y), color)
        ax.text(-0.72, y + 0.14, rf"$y^{{\mathrm{{{name}}}}}$", color=color, ha="center", va="bottom", fontsize=12)
        ax.text(-2.4, y + 0.5, f"{at}put gate", color=color, ha="center", va="bottom", fontsize=11)
        bent(ax, (-3.15, y - 1.0), (-3.15, y - 0.3), color)
        ax.text(-3.15, y - 1.1, rf"$w^{{\mathrm{{{name}}}}}\, r$", color=color, ha="center", va="top", fontsize=12)
    ax.text(0, -1.1, r"$w^{\mathrm{cell}}\, r$", ha="center", va="top", fontsize=12)
    ax.text(0.45, rows["in"], "what enters", color=IN, va="center", fontsize=11)
    ax.text(0.45, rows["out"], "what others see", color=OUT, va="center", fontsize=11)


@drawn(5.5, 5.2, x=(-0.75, 9.05), y=(-1.15, 8.4), aspect="equal")
def network(ax: Axes) -> None:
    """The connections of a net with two inputs, two hidden units, two blocks of two cells and two outputs."""
    inputs, outputs = [(3.2, 0.0), (4.8, 0.0)], [(3.2, 7.6), (4.8, 7.6)]
    hidden = [(0.45, 3.1), (0.45, 4.3)]
    cells = [[(2.75, 3.1), (2.75, 4.3)], [(6.55, 3.1), (6.55, 4.3)]]
    gates = [[(1.75, 3.7), (3.75, 3.7)], [(5.55, 3.7), (7.55, 3.7)]]
    _frame(ax, (-0.4, 1.85), 8.8, 3.65, s.FAINT)
    words = "the hidden layer: every unit reads every unit of the previous step"
    ax.text(4.0, 5.22, words, ha="center", va="center", fontsize=10)
    for block, left in enumerate((1.15, 4.95), 1):
        _frame(ax, (left, 2.05), 3.2, 2.9, CAROUSEL)
        ax.text(left + 1.6, 2.27, f"block {block}", ha="center", va="center", color=CAROUSEL, fontsize=10)
    for unit in hidden:
        _dot(ax, unit, "", CELL, radius=0.3)
    ax.text(0.45, 2.27, "hidden", ha="center", va="center", fontsize=10)
    for block, (members, (gate_in, gate_out)) in enumerate(zip(cells, gates, strict=True), 1):
        _dot(ax, gate_in, "in", IN, radius=0.32)
        _dot(ax, gate_out, "out", OUT, radius=0.32)
        for number, (x, y) in enumerate(members, 1):
            _square(ax, (x, y), f"$c_{{{block}}}^{{{number}}}$")
            bent(ax, (gate_in[0] + 0.27, gate_in[1] + 0.18 * (1 if y > 3.7 else -1)), (x - 0.36, y), IN)
            bent(ax, (gate_out[0] - 0.27, gate_out[1] + 0.18 * (1 if y > 3.7 else -1)), (x + 0.36, y), OUT)
    for x, y in (*hidden, *cells[0], *cells[1]):
        if y > 4:
            for out in outputs:
                bent(ax, (x, 5.5), (out[0] + 0.12 * (x - 4), out[1] - 0.42), s.PURPLE)
    for number, place in enumerate(inputs, 1):
        _dot(ax, place, f"$x_{number}$", CELL, radius=0.34)
        for x in (0.45, 2.75, 6.55):
            bent(ax, (place[0] + 0.1 * (x - 4), 0.4), (x, 1.8), s.FAINT)
    for number, place in enumerate(outputs, 1):
        _dot(ax, place, f"$y_{number}$", CELL, radius=0.34)
    ax.plot([3.2, 3.2, 8.75, 8.75, 3.2], [-0.34, -0.6, -0.6, 8.25, 8.25], color=s.FAINT, lw=1.4, zorder=2)
    ax.plot([4.8, 4.8], [-0.34, -0.6], color=s.FAINT, lw=1.4, zorder=2)
    for x, y in outputs:
        bent(ax, (x, 8.25), (x, y + 0.36), s.FAINT)
    ax.text(-0.4, 7.6, "hidden units and cells,\nbut no gates", color=s.PURPLE, va="center", fontsize=10)
    ax.text(8.75, -0.85, "every input reaches every output too", color=s.FAINT, ha="right", va="center", fontsize=10)


@drawn(5.2, 3.8, x=(-1.1, 5.8), y=(-3.0, 2.4), aspect="equal")
def numbering(ax: Axes) -> None:
    """The same cells in both numberings: rows are the note's memory cells k, columns the paper's blocks j."""
    for i in (1, 2, 3):
        x = 1.6 * i
        _frame(ax, (x - 0.62, -1.75), 1.24, 3.45, CAROUSEL)
        _dot(ax, (x - 0.28, -1.2), "in", IN, radius=0.25)
        _dot(ax, (x + 0.28, -1.2), "out", OUT, radius=0.25)
        ax.text(x, -2.0, f"block {i}", ha="center", va="top", color=CAROUSEL, fontsize=11)
        for k in (1, 2):
            _square(ax, (x, 1.15 * (2 - k)), f"$s_{{{i}}}^{{{k}}}$")
    for k in (1, 2):
        y = 1.15 * (2 - k)
        _frame(ax, (0.78, y - 0.46), 4.85, 0.92, s.PURPLE, style=(0, (4, 2)))
        ax.text(0.62, y, f"memory\ncell $k = {k}$", ha="right", va="center", color=s.PURPLE, fontsize=11)
    ax.text(0.62, -1.2, "gates", ha="right", va="center", fontsize=11)
    ax.text(3.2, 2.0, r"dimension $i = 1, 2, \ldots$ of the note", ha="center", color=s.PURPLE, fontsize=11)
    ax.text(3.2, -2.75, r"block $j = 1, 2, \ldots$ of the paper", ha="center", color=CAROUSEL, fontsize=11)


@drawn(5.3, 5.6, rows=2, x=(-0.45, 3.45), y=(-0.4, 2.45))
def timings(axes: np.ndarray) -> None:
    """Sources of the outputs: hidden units and cells of the previous step ("previous") or of the same step ("same")."""
    titles = ('"previous": Appendix A.1, forward pass', '"same": the experiments; updates of Appendix A.1')
    for ax, title, shift in zip(axes, titles, (1, 0), strict=True):
        for t in range(4):
            _box(ax, (t, 1), "0" if t == 0 else rf"$y^{{\mathrm{{cell}}}}({t})$", s.BLUE)
            if t < 3:
                _box(ax, (t, 0), f"$x({t})$", s.FAINT)
                bent(ax, (t + 0.12, 0.22), (t + 0.8, 0.76), s.FAINT)
                bent(ax, (t + 0.33 - 0.18 * (t == 0), 1), (t + 0.66, 1), s.BLUE)
            if t > 0:
                _box(ax, (t, 2), f"$y({t})$", s.VERMILION)
                start = (t - shift + 0.1 * shift, 1.24)
                bent(ax, start, (t - 0.12 * shift, 1.76), s.VERMILION)
        ax.set_title(title)


# --- helpers ------------------------------------------------------------------------------------------------


def _dot(ax: Axes, place: Place, text: str, color: str, radius: float = 0.25) -> None:
    ax.add_patch(Circle(place, radius, facecolor=s.CARD, edgecolor=color, lw=1.8, zorder=3))
    ax.text(*place, text, ha="center", va="center", color=color, zorder=4, fontsize=10 if len(text) > 1 else 12)


def _square(ax: Axes, place: Place, text: str) -> None:
    x, y = place
    _patch(ax, (x - 0.33, y - 0.3), 0.66, 0.6, CAROUSEL, 0.08, facecolor=s.CARD, zorder=3)
    ax.text(x, y, text, ha="center", va="center", color=CAROUSEL, zorder=4, fontsize=11)


def _box(ax: Axes, place: Place, text: str, color: str, **style) -> None:
    patch = {"boxstyle": "round,pad=0.35", "facecolor": s.CARD, "edgecolor": color, "linewidth": 1.5}
    ax.text(*place, text, **{"ha": "center", "va": "center", "bbox": patch, "fontsize": 11, "zorder": 3} | style)


def _frame(ax: Axes, corner: Place, width: float, height: float, color: str, style="-") -> None:
    _patch(ax, corner, width, height, color, 0.12, facecolor="none", linestyle=style, zorder=1)


def _patch(ax: Axes, corner: Place, width: float, height: float, color: str, rounding: float, **style) -> None:
    box = f"round,pad=0,rounding_size={rounding}"
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=box, edgecolor=color, lw=1.5, **style))
