"""A figure on error flow: the paths through the unrolled network."""

from itertools import pairwise, product

from book.shared import figure_style as s
from book.shared.figure_style import arrow, drawn, label
from matplotlib.axes import Axes


@drawn(7.2, 3.6, x=(-0.35, 3.35), y=(-2.45, 0.85))
def unrolled_paths(axes: Axes) -> None:
    """The net unrolled over three steps: all paths from one unit back to another, one with its factors (bptt-14)."""
    units, chosen = range(3), (0, 2, 1, 2)
    for step, a, b in product(units, repeat=3):
        used = (step > 0 or a == chosen[0]) and (step < 2 or b == chosen[-1])
        color, width = (s.SKY, 1.6) if used else (s.HAIR, 0.8)
        axes.plot([3 - step, 2 - step], [-a, -b], color=color, lw=width, zorder=1)
    for step, (a, b) in enumerate(pairwise(chosen), 1):
        right, left = 4 - step, 3 - step
        arrow(axes, (right, -a), (left + 0.09, 0.09 * (b - a) - b), s.GRADIENT, lw=2.4, shrinkA=8, shrinkB=2)
        link = rf"$w_{{{a + 1}{b + 1}}}\,f'_{{{b + 1}}}(z_{{{b + 1}}}(t{-step}))$"
        label(axes, (right + left) / 2, 0.17 - (a + b) / 2, link, s.GRADIENT, ha="center", fontsize=10)
    for time in range(4):
        for unit in units:
            ends = (time, unit) in ((3, chosen[0]), (0, chosen[-1]))
            axes.plot(time, -unit, "o", ms=24, mfc=s.GRADIENT if ends else s.CARD, mec=s.INK, mew=1.1, zorder=3)
            style = {"color": s.CARD if ends else s.INK, "fontsize": 9.5, "zorder": 4}
            axes.text(time, -unit, f"$z_{unit + 1}$", ha="center", va="center", **style)
        back = "" if time == 3 else f" - {3 - time}"
        axes.text(time, 0.62, f"$t{back}$", ha="center", va="center", color=s.INK, fontsize=11)
