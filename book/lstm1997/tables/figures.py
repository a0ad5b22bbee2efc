"""The trials of a table of the paper on one axis, and one trial on its way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from book.experiments.reading import READINGS
from book.experiments.rows import ROWS, Row
from book.lstm1997.tables.results import UNRUN, Lines, Stored
from book.shared import figure_style as s
from book.shared.figure_style import canvas, label, styled
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLORS = {"letter": s.BLUE, "program": s.VERMILION}


@styled
def trials(stored: Stored, *numbers: int) -> Figure:
    """All trials of some tables: a dot where one was solved, how many were not at the cap, the paper's mean a bar."""
    rows = [row for row in ROWS.values() if row.table in numbers]
    figure, ax = canvas(6.6, 1.15 + 0.5 * len(rows))
    for place, row in enumerate(rows):
        across = [place - 0.32, place + 0.32]
        if row.share:
            ax.plot([row.sequences] * 2, across, color=s.INK, lw=2.4)
        ax.plot([row.cap] * 2, across, color=s.HAIR, lw=2.4)
        for shift, how in zip((-0.16, 0.16), READINGS, strict=True):
            if row.open_to(how):
                _trials(ax, row, place + shift, stored.get((row.name, how), []), COLORS[how])
    largest, least = max(row.cap for row in rows), min(row.sequences for row in rows)
    ax.set(xscale="log", xlim=(least / 6, 4 * largest), ylim=(len(rows) - 0.5, -0.9), xlabel="training sequences")
    ax.set_yticks(range(len(rows)), [row.name for row in rows])
    for place, (how, color) in zip((0.02, 0.14), COLORS.items(), strict=True):
        ax.text(place, 1.01, how, color=color, fontsize=9, va="bottom", transform=ax.transAxes)
    first = rows[0]
    label(ax, first.sequences, -0.62, "paper's mean", s.INK, fontsize=9, ha="center")
    label(ax, first.cap, -0.62, "cap", s.FAINT, fontsize=9, ha="center")
    return figure


def _trials(ax: Axes, row: Row, place: float, lines: Lines, color: str) -> None:
    counts = [int(line["sequences"]) for line in lines if line["solved"] == "True"]
    ax.plot(counts, [place] * len(counts), "o", color=color, ms=4, alpha=0.55, mew=0)
    missed = len(lines) - len(counts)
    if missed or not lines:
        words = f"{missed} not" if lines else UNRUN
        label(ax, 1.1 * row.cap, place, words, color, fontsize=8)


@styled
def watched(curve: Sequence[tuple[int, int, float]], copies: int, row: Row) -> Figure:
    """A trial on its way: sequences taken, how many of ``copies`` new ones are wrong, and their mean error."""
    taken, wrong, error = zip(*curve, strict=True)
    figure, ax = canvas(6.2, 3.0)
    ax.axvline(row.sequences, color=s.INK, lw=2.4)
    ax.plot(taken, np.array(wrong) / copies, color=s.BLUE)
    ax.plot(taken, error, color=s.PURPLE)
    ax.set(xlabel="training sequences", ylim=(0, 1.08), xlim=(0, 1.1 * max(row.sequences, *taken)))
    label(ax, taken[1], wrong[1] / copies - 0.1, "share wrong", s.BLUE)
    label(ax, taken[1], error[1] + 0.08, "mean error", s.PURPLE)
    label(ax, row.sequences, 0.5, "paper's mean", s.INK, ha="center")
    return figure
