"""Sequences of every trial with a later idea, row by row."""

from __future__ import annotations

import numpy as np
from book.experiments.rows import ROWS
from book.lstm1997.later.results import IDEAS, Group
from book.shared import figure_style as s
from book.shared.figure_style import drawn, label

COLORS = dict(zip(IDEAS, (s.INK, s.PURPLE, s.GREEN, s.OCHRE, s.BLUE, s.VERMILION), strict=True))


@drawn(9.6, 3.4, columns=3, sharey=True)
def strips(panels: np.ndarray, found: dict[tuple[str, str], Group]) -> None:
    """A dot for each solved trial, a cross at the cap for each other, and how many they are; a bar at the median."""
    for ax, task in zip(panels, dict.fromkeys(task for task, _ in found), strict=True):
        cap = ROWS[task].cap
        ax.axvline(cap, color=s.HAIR, lw=2.4)
        for place, (idea, color) in enumerate(COLORS.items()):
            if one := found.get((task, idea)):
                taken, middle = one.taken, one.median[0]
                solved = taken[taken < np.inf]
                ax.plot(solved, [place] * len(solved), "o", color=color, ms=5, alpha=0.5, mew=0)
                if missed := len(taken) - len(solved):
                    ax.plot([cap], [place], "x", color=color, ms=6)
                    label(ax, 1.2 * cap, place, f"{missed} not", color, fontsize=8)
                ax.plot([middle] * 2, [place - 0.3, place + 0.3], color=color, lw=2.2)
        ax.set(xscale="log", xlim=(600, 1.3e6), ylim=(len(COLORS) - 0.5, -0.6), xlabel="training sequences", title=task)
    panels[0].set_yticks(range(len(IDEAS)), [name.strip("`") for name in IDEAS.values()])
