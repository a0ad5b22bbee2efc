"""Figures on the local feedback multilayered network: its connections, and the memory of each kind of hidden unit."""

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import arrow, bent, drawn, label
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch
from throughtime.textbook.lfmn import LFMN

STATIC, NET, ACT = s.INK, s.BLUE, s.VERMILION
KINDS = ("static", "net", "act")
COLOURS = dict(zip(KINDS, (STATIC, NET, ACT), strict=True))
HALF = 0.62  # distance from the middle of a unit to the middle of each of its two parts
RADIUS = 0.34
INPUTS = [(0.0, 3.95), (0.0, 2.2)]
HIDDEN = [(5.2, 6.6), (5.2, 4.85), (5.2, 3.1)]
OUTPUTS = [(10.6, 4.85), (10.6, 0.35), (10.6, -1.4)]
"""Where the units stand; hidden units and outputs in the order of ``KINDS``."""


@drawn(9.6, 5.6, x=(-0.9, 12.4), y=(-2.2, 8.55), aspect="equal")
def network(ax: Axes) -> None:
    """A net of one unit of each kind in each layer; each shows its net input, its activation and its feedback, if any.

    Static outputs read the hidden units, recurrent ones the inputs.
    """
    for place in INPUTS:
        for unit in HIDDEN:
            _arrow(ax, place, unit, s.FAINT, RADIUS)
        for unit in OUTPUTS[1:]:
            _arrow(ax, place, unit, s.GREEN, RADIUS)
    for unit in HIDDEN:
        _arrow(ax, unit, OUTPUTS[0], s.PURPLE, HALF + RADIUS)
    for number, place in enumerate(INPUTS, 1):
        ax.add_patch(Circle(place, RADIUS, facecolor=s.CARD, edgecolor=s.INK, lw=1.2, zorder=3))
        ax.text(*place, f"$x_{number}$", ha="center", va="center", zorder=4)
    for letter, layer, places in (("h", "hid", HIDDEN), ("y", "out", OUTPUTS)):
        for number, (kind, place) in enumerate(zip(KINDS, places, strict=True), 1):
            weight = rf"${'u' if kind == 'net' else 'v'}^\mathrm{{{layer}}}_{number}$"
            _unit(ax, place, kind, f"${letter}_{number}$", weight)

    label(ax, 2.35, 5.0, r"$w^\mathrm{hid}$", s.FAINT, ha="center", fontsize=11)
    label(ax, 7.9, 3.65, r"$w^\mathrm{out}$", s.PURPLE, ha="center", fontsize=11)
    label(ax, 5.2, 0.55, r"$W^\mathrm{out}$", s.GREEN, ha="center", fontsize=11)
    for x, text in ((0.0, "inputs"), (5.2, "hidden units"), (10.6, "output units")):
        ax.text(x, 8.05, text, ha="center", va="bottom", fontsize=11)
    names = {"static": "static: no feedback", "net": "feeds back its net input", "act": "feeds back its activation"}
    for row, (kind, text) in enumerate(names.items()):
        ax.text(-0.6, -0.25 - 0.62 * row, text, color=COLOURS[kind], va="center", fontsize=10)


@drawn(7.6, 3.9)
def three_memories(ax: Axes, u: float = 0.8, weak: float = 0.8, strong: float = 3.0, steps: int = 20) -> None:
    """Activation h(t) of each kind of hidden unit after the single pulse x(1) = 1."""
    model = LFMN(1, hidden=(1, 1, 2), output=(1, 0, 0))
    weights = {name: np.zeros(shape) for name, shape in model.layout.shapes.items()}
    weights |= {"w_hid": np.full((4, 1), 2.0), "u_hid": np.array([u]), "v_hid": np.array([weak, strong])}
    trace = model.forward(model.layout.flatten(weights), np.eye(1, steps).T)
    times = np.arange(steps + 1)
    for column, (color, dashes) in enumerate(((STATIC, "-"), (NET, "-"), (ACT, (0, (4, 2))), (ACT, "-"))):
        ax.plot(times, trace.h[:, column], color=color, ls=dashes, marker="o", ms=3)
    label(ax, 2.1, -0.055, "static", STATIC)
    label(ax, 4.6, 0.47, f"net-input feedback, $u = {u:g}$", NET)
    label(ax, 2.75, 0.29, f"activation\nfeedback,\n$v = {weak:g}$", ACT)
    label(ax, 8.0, trace.h[8, 3] - 0.1, f"activation feedback, $v = {strong:g}$", ACT)
    ax.set(xlabel="time $t$", ylabel="activation $h(t)$", xlim=(0, steps), ylim=(-0.1, 1))
    ax.set_xticks(range(0, steps + 1, 5))
    ax.set_title(r"Responses to one pulse, $x(1) = 1$ and $x(t) = 0$ from then on")


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str, leave: float) -> None:
    ends = (start[0] + leave, start[1]), (end[0] - HALF - RADIUS - 0.12, end[1])
    bent(ax, *ends, color, mutation_scale=9, lw=0.9, zorder=1)


def _unit(ax: Axes, place: tuple[float, float], kind: str, name: str, weight: str) -> None:
    """Draw a unit: net input (sum sign) on the left, activation f on the right, feedback loop above both."""
    x, y = place
    color = COLOURS[kind]
    box = FancyBboxPatch(
        (x - HALF - 0.3, y - 0.22), 2 * HALF + 0.6, 0.44, boxstyle="round,pad=0.16,rounding_size=0.38",
        facecolor=s.CARD, edgecolor=color, lw=1.5, zorder=3,
    )  # fmt: skip
    ax.add_patch(box)
    for side, sign in ((-HALF, r"$\Sigma$"), (HALF, "$f$")):
        ax.text(x + side, y, sign, ha="center", va="center", color=color, zorder=4, fontsize=11)
    arrow(ax, (x - HALF + 0.22, y), (x + HALF - 0.2, y), color, lw=1, shrinkA=0, shrinkB=0, zorder=4)
    ax.text(x + HALF + 0.42, y - 0.42, name, ha="left", va="top", color=color, fontsize=11, zorder=4)
    if kind == "static":
        return
    start = x + (HALF if kind == "act" else -HALF + 0.3)
    end = x - HALF - (0.12 if kind == "act" else 0.32)
    bent(ax, (start, y + 0.36), (end, y + 0.36), color, 0.75 if kind == "act" else 1.9, mutation_scale=9)
    ax.text(x + (0.62 if kind == "act" else 0.02), y + 0.72, weight, color=color, fontsize=10, va="center")
