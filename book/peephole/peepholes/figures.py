"""Figures on the cell with forget gate and peepholes, on growing states, and on gates behind a closed output gate."""

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import arrow, bent, drawn, label
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from throughtime.arrays.activations import identity, tanh_half
from throughtime.textbook.peephole import PeepholeLSTM

COLOURS = {"fg": s.PURPLE, "ig": s.BLUE, "og": s.VERMILION}
STATE = s.GREEN
HEIGHTS = {"ig": 2.0, "fg": 3.75, "og": 5.6}
KEPT = 1.3  # horizontal position of the forget gate's factor
Place = tuple[float, float]


@drawn(6.8, 6.2, x=(-4.4, 5.0), y=(-1.15, 7.4), aspect="equal")
def cell(ax: Axes, *, peepholes: bool = False) -> None:
    """One block with one cell, from bottom to top, and its three gates; with or without peepholes."""
    ax.text(0, -0.55, r"$w^{\mathrm{block}}\, r$", ha="center", va="top", fontsize=13)
    _node(ax, (0, 0.6), "$g$", s.INK)
    _node(ax, (0, HEIGHTS["ig"]), r"$\times$", COLOURS["ig"])
    _node(ax, (0, HEIGHTS["fg"]), "$s$", STATE, radius=0.42)
    _node(ax, (0, HEIGHTS["og"]), r"$\times$", COLOURS["og"])
    ax.text(0, 6.85, r"$y^{\mathrm{block}}$", ha="center", va="bottom", fontsize=13)
    for start, end in ((-0.5, 0.3), (0.9, 1.7), (2.3, 3.3), (4.2, 5.3), (5.9, 6.8)):
        arrow(ax, (0, start), (0, end), s.INK)
    _loop(ax)
    for name, words in (("ig", "input gate"), ("fg", "forget gate"), ("og", "output gate")):
        _gate(ax, name, words)
    if peepholes:
        for name, when in (("ig", "s(t-1)"), ("fg", "s(t-1)"), ("og", "s(t)")):
            _peephole(ax, name, when)


def _gate(ax: Axes, name: str, words: str) -> None:
    """Draw a gate with its factor: the forget gate on the right, at the loop of the state, the others on the left."""
    y, color, side = HEIGHTS[name], COLOURS[name], 1 if name == "fg" else -1
    at, end = (3.15, KEPT + 0.32) if name == "fg" else (-2.6, -0.32)
    _node(ax, (at, y), "$f$", color)
    above = name != "ig"  # a peephole comes down to the input gate
    ax.text(at, y + (0.42 if above else -0.42), words, ha="center", va="bottom" if above else "top",
            color=color, fontsize=11)  # fmt: skip
    ax.text(at + 0.95 * side, y, rf"$w^{{\mathrm{{{name}}}}} r$", ha="left" if side > 0 else "right", va="center",
            color=color, fontsize=12)  # fmt: skip
    arrow(ax, (at + 0.9 * side, y), (at + 0.32 * side, y), color)
    arrow(ax, (at - 0.32 * side, y), (end, y), color)
    ax.text((at + end) / 2, y + 0.12, rf"$y^{{\mathrm{{{name}}}}}$", ha="center", va="bottom", color=color, fontsize=12)


def _loop(ax: Axes) -> None:
    y = HEIGHTS["fg"]
    for start, end in (((0.28, y + 0.32), (KEPT - 0.1, y + 0.3)), ((KEPT - 0.1, y - 0.3), (0.28, y - 0.32))):
        bent(ax, start, end, STATE, -0.6, lw=2.2)
    _node(ax, (KEPT, y), r"$\times$", COLOURS["fg"])
    ax.text(KEPT, y + 0.85, "what is kept", color=COLOURS["fg"], ha="center", va="center", fontsize=11)
    ax.text(0.45, HEIGHTS["ig"], "what enters", color=COLOURS["ig"], va="center", fontsize=11)
    ax.text(0.45, HEIGHTS["og"], "what others see", color=COLOURS["og"], va="center", fontsize=11)


def _peephole(ax: Axes, name: str, when: str) -> None:
    y, state, bend = HEIGHTS[name], HEIGHTS["fg"], 0.0
    start, end = {
        "og": ((-0.36, state + 0.24), (-2.38, y - 0.22)),
        "ig": ((-0.36, state - 0.24), (-2.38, y + 0.22)),
        "fg": ((0.1, state - 0.42), (3.05, y - 0.3)),
    }[name]
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    if name == "fg":
        bend, middle = 0.45, (1.55, state - 1.05)
    bent(ax, start, end, STATE, bend, lw=1.5, ls=(0, (4, 2)))
    label(ax, *middle, f"${when}$", STATE, ha="center", fontsize=11)


def _node(ax: Axes, place: Place, words: str, color: str, radius: float = 0.3) -> None:
    ax.add_patch(Circle(place, radius, facecolor=s.CARD, edgecolor=color, lw=1.7, zorder=3))
    ax.text(*place, words, ha="center", va="center", color=color, fontsize=13, zorder=4)


# --- growing states -----------------------------------------------------------------------------------------

STREAM, EVERY = 120, 20
WAYS = {"no forget gate": 1.0, "always open at 0.9": 0.9, "shut where a sequence ends": 0.0}


def states(way: str) -> np.ndarray:
    """States s(t) = y_fg(t) s(t-1) + 1/2 at the times 0, ..., `STREAM` from s(0) = 0, for one of `WAYS`."""
    kept, found = WAYS[way], [0.0]
    for t in range(1, STREAM + 1):
        shut = way != "shut where a sequence ends" or t % EVERY == 1
        found.append((kept if shut else 1.0) * found[-1] + 0.5)
    return np.array(found)


@drawn(6.4, 6.6, rows=2, sharex=True)
def growth(panels: np.ndarray) -> None:
    """State s(t) and slope h'(s(t)) over a continual stream of sequences, for the forget gates in `WAYS`."""
    top, low = panels
    for way, color in zip(WAYS, (s.VERMILION, s.BLUE, s.PURPLE), strict=True):
        found = states(way)
        top.plot(found, color=color)
        low.semilogy(tanh_half.derivative(found), color=color)
    label(top, 40, 27, "no forget gate", s.VERMILION, ha="right", fontsize=11)
    label(top, 119, 14.5, "reset at the end of each sequence", s.PURPLE, ha="right", fontsize=11)
    label(top, 119, -5, "forget gate 0.9", s.BLUE, ha="right", fontsize=11)
    label(low, 58, 1e-17, "no forget gate", s.VERMILION, ha="right", fontsize=11)
    top.set(ylabel="state $s(t)$", title="The state", ylim=(-9, 63))
    low.set(xlabel="time $t$", ylabel="$h'(s(t))$", title="The slope on the way out", ylim=(1e-27, 3))
    for axes in (top, low):
        axes.set_xticks(range(0, STREAM + 1, EVERY))
        axes.grid(axis="x")


# --- gates behind a closed output gate ----------------------------------------------------------------------

NET = PeepholeLSTM(n_in=1, blocks=1, cells=1, n_out=1, feedback="cells", direct=False, bias=True, g=identity)
STEPS = 12


def blind_run(output_bias: float, peephole: float, state: float) -> np.ndarray:
    """Activations of the forget gate at the times 1, ..., `STEPS`, shape (STEPS,), with s(1) = state.

    output_bias     bias of the output gate
    peephole        weight of the forget gate's peephole; its weight from the cell output is 2
    """
    parts = {name: np.zeros(shape) for name, shape in NET.layout.shapes.items()}
    parts["w_cell"][..., 0] = 2.0 * state
    parts["w_fg"][..., 1], parts["u_fg"][:], parts["b_og"][:] = 2.0, peephole, output_bias
    x = np.zeros((STEPS, 1))
    x[0] = 1.0
    return NET.forward(NET.layout.flatten(parts), x).y_fg[1:, 0]


@drawn(6.4, 6.6, rows=2, sharex=True)
def blind_gates(panels: np.ndarray) -> None:
    """The forget gate after s(1) = 1 and s(1) = -1: without a peephole, output gate open or shut; with one, shut."""
    times = np.arange(1, STEPS + 1)
    for axes, output_bias, peephole in ((panels[0], 30.0, 0.0), (panels[1], -30.0, 2.0)):
        for state, color in ((1.0, s.BLUE), (-1.0, s.VERMILION)):
            axes.plot(times, blind_run(output_bias, peephole, state), color=color, marker="o", ms=4)
        axes.set(ylabel=r"$y^{\mathrm{fg}}(t)$", ylim=(-0.03, 1.05))
        label(axes, 5.6, 0.86, "after input $+1$", s.BLUE, ha="left", fontsize=11)
        label(axes, 5.6, 0.36, "after input $-1$", s.VERMILION, ha="left", fontsize=11)
    for state in (1.0, -1.0):
        panels[0].plot(times, blind_run(-30.0, 0.0, state), color=s.INK, marker="s", ms=3.5, lw=1.2)
    label(panels[0], 3.3, 0.2, "output gate shut:\nboth inputs give the same 0.5", s.INK, ha="left", fontsize=11)
    panels[0].annotate("", (4.0, 0.48), (4.0, 0.27), arrowprops={"arrowstyle": "-|>", "color": s.INK}, zorder=4)
    panels[0].set_title("no peephole; output gate open (dots), shut (squares)")
    panels[1].set(xlabel="time $t$", title="with a peephole; output gate shut")
