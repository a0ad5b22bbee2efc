"""Figures on Elman's and Jordan's nets: their connections, and the angle of the truncated to the exact gradient."""

from functools import cache

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from throughtime.checks import angle
from throughtime.textbook.simple_recurrent import Elman, Jordan


@drawn(6.6, 6.2, rows=2, x=(-1.15, 7.5), y=(-1.1, 2.75))
def networks(panels: np.ndarray) -> None:
    """Both nets, one above the other: Elman's context copies the hidden units, Jordan's the outputs."""
    for ax, jordan in zip(panels, (False, True), strict=True):
        _network(ax, jordan)


def _network(ax: Axes, jordan: bool) -> None:
    copied, shape, start = ("g", "J", 6.4) if jordan else ("f", "K", 3.2)
    _layer(ax, 0.0, 2.0, "$x(t)$", "$N$ inputs", s.INK)
    _layer(ax, 0.0, 0.4, f"${copied}(t-1)$", f"${shape}$ context units", s.VERMILION)
    _layer(ax, 3.2, 1.2, "$f(t)$", "$K$ hidden units", s.BLUE)
    _layer(ax, 6.4, 1.2, "$g(t)$", "$J$ outputs", s.PURPLE)
    for height in (2.0, 0.4):
        arrow(ax, (0.75, height), (2.42, 1.2 + 0.25 * (height - 1.2)), s.INK)
    arrow(ax, (3.95, 1.2), (5.62, 1.2), s.INK)
    label(ax, 1.55, 1.98, "$v$", s.INK, ha="center", fontsize=13)
    label(ax, 4.8, 1.45, r"$\omega$", s.INK, ha="center", fontsize=13)
    ax.plot([start, start], [0.82, -0.62], color=s.VERMILION, ls=(0, (4, 2)), lw=1.6)
    ax.plot([start, 0.0], [-0.62, -0.62], color=s.VERMILION, ls=(0, (4, 2)), lw=1.6)
    ax.annotate("", (0.0, 0.0), (0.0, -0.66), arrowprops={"arrowstyle": "-|>", "color": s.VERMILION, "lw": 1.6})
    label(ax, 1.6, -0.86, "copied, one step later", s.VERMILION, ha="center", fontsize=11)
    ax.set_title("Jordan: the outputs come back" if jordan else "Elman: the hidden units come back", fontsize=13)


def _layer(ax: Axes, x: float, y: float, name: str, words: str, color: str) -> None:
    shape = {"boxstyle": "round,pad=0.12", "facecolor": s.CARD, "edgecolor": color}
    ax.add_patch(FancyBboxPatch((x - 0.6, y - 0.26), 1.2, 0.52, lw=1.6, zorder=3, **shape))
    ax.text(x, y, name, ha="center", va="center", fontsize=13, zorder=4)
    ax.text(x, y + 0.42, words, ha="center", va="bottom", fontsize=10.5, color=color, zorder=4)


@drawn(6.2, 6.0, rows=2, x=(-1.0, 7.0), y=(-0.5, 4.6))
def unrolled(panels: np.ndarray) -> None:
    """Both nets over three steps: the ways through time, crossed where the truncated gradient does not go."""
    for ax, jordan in zip(panels, (False, True), strict=True):
        for step, time in enumerate(("t-2", "t-1", "t")):
            x = 3.0 * step
            for y, name, color in ((0.0, "x", s.INK), (1.4, "f", s.BLUE), (2.8, "g", s.PURPLE), (4.1, "E", s.GRADIENT)):
                box(ax, x, y, f"${name}({time})$", color, size=12)
                if y:
                    arrow(ax, (x, y - (1.0 if y < 4 else 0.9)), (x, y - 0.4), s.INK)
            if step < 2:
                start, end = ((x + 0.75, 2.65), (x + 2.3, 1.62)) if jordan else ((x + 0.75, 1.4), (x + 2.2, 1.4))
                arrow(ax, start, end, s.VERMILION)
                ax.plot(*np.mean([start, end], axis=0), "x", color=s.INK, ms=11, mew=2.4, zorder=4)
        height, weight = (2.62, "$v^g$") if jordan else (1.85, "$v^f$")
        label(ax, 1.5, height, weight, s.VERMILION, ha="center", fontsize=13)
        ax.set_title("Jordan: by way of the outputs" if jordan else "Elman: from hidden unit to hidden unit")


SCALES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NETS, STEPS = 100, 12


@cache
def angles(jordan: bool) -> np.ndarray:
    """Angles in degrees between the truncated and the exact gradient with respect to v, shape (scales, nets).

    Random nets of five hidden units and two outputs, each on one sequence of random bit pairs with random targets.
    """
    net, found = (Jordan if jordan else Elman)(n_in=2, hidden=5, n_out=2), np.zeros((len(SCALES), NETS))
    for row, scale in enumerate(SCALES):
        draw = np.random.default_rng(row)
        for column in range(NETS):
            theta = net.init(draw, scale=scale)
            x, targets = draw.integers(0, 2, (2, 1, STEPS, 2)).astype(float)
            exact, cut = (net.gradient(theta, x, targets, method=way).gradient for way in ("bptt", "truncated"))
            found[row, column] = angle(*(net.layout.views(each)["v"] for each in (exact, cut)))
    return found


@drawn(6.2, 4.4)
def truncation(ax: Axes) -> None:
    """The angle over the scale of the weights: one dot per net, medians joined by lines, dots above 90 in vermilion."""
    for jordan, color, words, shift in ((False, s.BLUE, "Elman", 0.94), (True, s.PURPLE, "Jordan", 1.06)):
        found = angles(jordan)
        for scale, row in zip(SCALES, found, strict=True):
            for part, shade in ((row <= 90, color), (row > 90, s.VERMILION)):
                ax.plot(np.full(part.sum(), scale * shift), row[part], "o", color=shade, ms=3, alpha=0.35, mew=0)
        ax.plot(np.array(SCALES) * shift, np.median(found, axis=1), color=color, marker="o", ms=6)
        label(ax, 0.72, -3 if jordan else 20, words, color, ha="center", va="top" if jordan else "bottom", fontsize=12)
    ax.axhline(90, color=s.FAINT, lw=0.9, ls=(0, (4, 3)))
    label(ax, 0.25, 97, "above: uphill", s.VERMILION, fontsize=11)
    ax.set_ylim(-14, 156)
    ax.set_xscale("log", base=2)
    ax.set_xticks(SCALES, [f"{scale:g}" for scale in SCALES])
    ax.set_xlabel("weights drawn from [-scale, scale]", fontsize=11)
    ax.set_ylabel("angle to the exact gradient (degrees)", fontsize=11)
