"""Figures on the target waves of periodic function generation (peephole-waves) and their differences."""

import numpy as np
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label
from matplotlib.axes import Axes
from throughtime.tasks.waves import WAVES, largest_difference, triangle

COLOURS = dict(zip(WAVES, (s.BLUE, s.GREEN, s.VERMILION), strict=True))
PERIODS = np.arange(3, 61)


@drawn(6.4, 7.2, rows=3, sharex=True)
def targets(panels: np.ndarray, period: int = 10) -> None:
    """The three waves over two and a half periods: curves over real times, dots for the targets at integer times."""
    times, fine = np.arange(5 * period // 2 + 1), np.linspace(0, 5 * period / 2, 2001)
    for axes, (name, wave) in zip(panels, WAVES.items(), strict=True):
        axes.plot(fine, wave(fine, period), color=COLOURS[name], lw=1.1, alpha=0.6)
        axes.plot(times, wave(times, period), "o", color=COLOURS[name], ms=5)
        axes.set(title=f"{name}, period {period}", ylabel="target", ylim=(-0.1, 1.12), yticks=(0, 0.5, 1))
    panels[-1].set(xlabel="time $t$")


@drawn(6.4, 3.9)
def printed_triangle(axes: Axes, period: int = 10) -> None:
    """The triangle wave and its printed formula, in which the branches are swapped."""
    times = np.arange(5 * period // 2 + 1)
    axes.plot(times, triangle(times, period), "o-", color=s.GREEN, ms=4)
    axes.plot(times, 2.0 - triangle(times, period), "o-", color=s.VERMILION, ms=4)
    label(axes, 10, 1.45, "as printed", s.VERMILION, ha="center", fontsize=11)
    label(axes, 10, 0.84, "branches swapped", s.GREEN, ha="center", fontsize=11)
    axes.set(xlabel="time $t$", ylim=(-0.1, 2.15), yticks=(0, 1, 2))


@drawn(6.4, 7.0, rows=2, sharex=True)
def difficulty(panels: np.ndarray) -> None:
    """Largest first and second differences of the waves at integer times, over the period (peephole-differences)."""
    ends = {"cosine": (0.053, 0.0056), "triangle": (0.0335, 0.067), "rectangle": (1.0, 1.0)}
    for order, axes in enumerate(panels, 1):
        for name, wave in WAVES.items():
            found = [largest_difference(wave, int(n), order) for n in PERIODS]
            axes.loglog(PERIODS, found, ".-", color=COLOURS[name], lw=1.2, ms=5)
            label(axes, 62, ends[name][order - 1], name, COLOURS[name], ha="left", fontsize=11)
        axes.set(title=f"Largest {'first' if order == 1 else 'second'} difference", ylabel="size", xlim=(2.8, 150))
        for period in (10, 25):
            axes.axvline(period, color=s.HAIR, lw=1, zorder=0)
    panels[1].set(xlabel="period $F$")
    panels[1].set_xticks([3, 5, 10, 25, 50], ["3", "5", "10", "25", "50"])
    panels[1].minorticks_off()
