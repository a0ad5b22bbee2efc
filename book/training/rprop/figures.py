"""Figures on Rprop: its paths on the error surface of the bit counter, and its convergence in one dimension."""

from collections.abc import Mapping

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import canvas, drawn, label, styled
from book.training.counter import mean_error
from matplotlib.axes import Axes
from matplotlib.figure import Figure

LEVELS = 10.0 ** np.arange(-3, 5)
X, Y = (-1, 3.5), (-1, 2)  # ranges of v_x and v_f


@styled
def paths(panels: Mapping[str, np.ndarray], length: int) -> Figure:
    """Paths of [v_x, v_f], shape (n, 2) each, on the contour lines of the mean error of ``length`` bits, by title."""
    figure, axes = canvas(5.0, 3.2 * len(panels), len(panels), sharex=True, squeeze=False)
    grid_x, grid_y = np.meshgrid(np.linspace(*X, 241), np.linspace(*Y, 241))
    surface = mean_error(grid_x, grid_y, length)
    for ax, (title, places) in zip(axes[:, 0], panels.items(), strict=True):
        lines = ax.contour(grid_x, grid_y, surface, LEVELS, colors=s.FAINT, linewidths=0.8)
        ax.clabel(lines, LEVELS[3:], fmt="%g", fontsize=8, inline_spacing=2)
        ax.plot(*places.T, "-", color=s.POSITIVE, lw=1.1)
        ax.plot(*places.T, "o", color=s.POSITIVE, ms=3)
        ax.plot(*places[0], "s", color=s.VERMILION, ms=7, zorder=6)
        ax.plot(1, 1, "*", color=s.MARGIN, ms=13, zorder=6)
        ax.set(title=title, xlim=X, ylim=Y, ylabel="$v_f$")
    first = next(iter(panels.values()))
    label(axes[0, 0], first[0, 0], first[0, 1] + 0.24, "start", s.VERMILION, ha="center", fontsize=10)
    label(axes[0, 0], 1.12, 1.2, "counts", s.MARGIN, fontsize=10)
    axes[-1, 0].set_xlabel("$v_x$")
    return figure


@drawn(5.0, 3.5)
def distances(ax: Axes, ways: Mapping[str, tuple[np.ndarray, tuple[float, float]]]) -> None:
    """Distance from the minimum over the number of steps: signed distances and the place of its name by way."""
    for (name, (values, place)), color in zip(ways.items(), (s.POSITIVE, s.VERMILION, s.GRADIENT), strict=True):
        ax.semilogy(np.abs(values), color=color, lw=1.4)
        label(ax, *place, name, color, fontsize=10)
    ax.set(xlabel="step", ylabel="distance from the minimum", ylim=(1e-7, 60))
    ax.grid(axis="y")
