"""Figures on gated cells: the paths of one step, and how far an error reaches at the start."""

import numpy as np
from book.beyond.gated import CELLS
from book.beyond.gated_cells import experiment
from book.shared import figure_style as s
from book.shared.figure_style import arrow, box, drawn, label
from matplotlib.axes import Axes

COLORS = dict(zip(CELLS, (s.BLUE, s.GREEN, s.PURPLE, s.INK, s.VERMILION), strict=True))
DASHES = dict(zip(CELLS, ("-", "--", "-", "-", "-"), strict=True))


@drawn(6.6, 3.8, x=(-0.8, 5.3), y=(-2.7, 0.5))
def paths(ax: Axes) -> None:
    """From the state of t - 1 to that of t: the carousel, and the paths through gate, candidate and reset."""
    box(ax, 0.0, 0.0, "$s_i(t-1)$", s.INK, size=12)
    box(ax, 4.6, 0.0, "$s_i(t)$", s.INK, size=12)
    box(ax, 0.0, -1.5, "$h_k(t-1)$", s.INK, size=12)
    box(ax, 2.6, -0.75, "$z_i(t)$", s.ORANGE, size=12)
    box(ax, 2.6, -1.5, "$a_i(t)$", s.GREEN, size=12)
    box(ax, 1.2, -2.3, "$\\rho(t)$", s.PURPLE, size=12)
    edges = (
        ((0.6, 0.0), (4.15, 0.0), s.BLUE, 2.6),
        ((0.6, -1.4), (2.2, -0.8), s.ORANGE, 1.6),
        ((3.0, -0.7), (4.2, -0.15), s.ORANGE, 1.6),
        ((0.6, -1.5), (2.2, -1.5), s.GREEN, 1.6),
        ((3.0, -1.4), (4.4, -0.25), s.GREEN, 1.6),
        ((0.3, -1.75), (0.85, -2.2), s.PURPLE, 1.6),
        ((1.55, -2.2), (2.3, -1.75), s.PURPLE, 1.6),
        ((0.0, -0.28), (0.0, -1.22), s.FAINT, 1.4),
    )
    for start, end, color, width in edges:
        arrow(ax, start, end, color, lw=width, zorder=1)
    label(ax, 2.4, 0.2, "carousel, $z_i(t)$", s.BLUE, fontsize=11)


@drawn(8.4, 4.2, 1, 2, sharey=True)
def reach(axes: np.ndarray) -> None:
    """Medians over networks of the norm of the state's Jacobian, over lags, for each cell and both biases."""
    for ax, bias in zip(axes, experiment.BIASES, strict=True):
        for name in CELLS:
            norms, _ = experiment.reach(name, bias)
            ax.plot(np.median(norms, axis=1), DASHES[name], color=COLORS[name], label=name)
        ax.set(yscale="log", title=f"bias {bias:g} of the gate that keeps", xlabel="lag")
        ax.grid(axis="y")
    axes[0].set_ylabel("norm of the Jacobian, median")
    axes[0].legend(frameon=False, fontsize=9, loc="lower left")
