"""A figure on error flow: the paths through the unrolled network."""

from itertools import pairwise

from book.shared import figure_style as s
from book.shared.figure_style import arrow, drawn, label
from matplotlib.axes import Axes


@drawn(7.2, 3.6)
def unrolled_paths(axes: Axes, units: int = 3, lag: int = 3) -> None:
    """The net unrolled over ``lag`` steps: all paths from one unit back to another, one with its factors (bptt-14)."""
    start, end, chosen = 0, units - 1, (0, units - 1, 1 % units, units - 1)[: lag + 1]
    height = [-float(unit) for unit in range(units)]
    for step in range(lag):
        right, left = lag - step, lag - step - 1
        for a in range(units):
            for b in range(units):
                used = (step > 0 or a == start) and (step < lag - 1 or b == end)
                color, width = (s.SKY, 1.6) if used else (s.HAIR, 0.8)
                axes.plot([right, left], [height[a], height[b]], color=color, lw=width, zorder=1)
    for step, (a, b) in enumerate(pairwise(chosen), 1):
        right, left = lag - step + 1, lag - step
        near = (left + 0.09, height[b] - 0.09 * (height[b] - height[a]))
        arrow(axes, (right, height[a]), near, s.GRADIENT, lw=2.4, shrinkA=8, shrinkB=2)
        link = rf"$w_{{{a + 1}{b + 1}}}\,f'_{{{b + 1}}}(z_{{{b + 1}}}(t{-step}))$"
        label(axes, (right + left) / 2, (height[a] + height[b]) / 2 + 0.17, link, s.GRADIENT, ha="center", fontsize=10)
    for time in range(lag + 1):
        for unit in range(units):
            ends = (time, unit) in ((lag, start), (0, end))
            axes.plot(time, height[unit], "o", ms=24, mfc=s.GRADIENT if ends else s.CARD, mec=s.INK, mew=1.1, zorder=3)
            style = {"color": s.CARD if ends else s.INK, "fontsize": 9.5, "zorder": 4}
            axes.text(time, height[unit], f"$z_{unit + 1}$", ha="center", va="center", **style)
        back = "" if time == lag else f" - {lag - time}"
        axes.text(time, 0.62, f"$t{back}$", ha="center", va="center", color=s.INK, fontsize=11)
    axes.set(xlim=(-0.35, lag + 0.35), ylim=(height[-1] - 0.45, 0.85))
    axes.set(xticks=[], yticks=[])
    axes.axis("off")
