"""All rows on one axis, the trials of a table of the paper, and one trial on its way."""

from collections.abc import Sequence

import numpy as np
from book.experiments.reading import READINGS
from book.experiments.rows import ROWS, Row
from book.experiments.verdict import Verdict, judged
from book.lstm1997.tables import lag
from book.lstm1997.tables.results import PARTLY, UNRUN, Lines, Stored
from book.shared import figure_style as s
from book.shared.figure_style import canvas, drawn, label, styled
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
    largest, least = max(row.cap for row in rows), min(row.sequences for row in rows) / 6
    least = min(least, 0.8 * ax.dataLim.xmin)  # the quickest trials are seen as well
    ax.set(xscale="log", xlim=(least, 4 * largest), ylim=(len(rows) - 0.5, -0.9), xlabel="training sequences")
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
def overview(stored: Stored) -> Figure:
    """Our mean number of sequences over the paper's, with its interval, for each row that is judged."""
    found = {key: judged(ROWS[key[0]], lines) for key, lines in stored.items() if key[1] in READINGS}
    found = {key: verdict for key, verdict in found.items() if verdict.words != PARTLY}
    run = [row for row in ROWS.values() if any((row.name, how) in found for how in READINGS)]
    figure, ax = canvas(6.6, 1.0 + 0.34 * len(run))
    ax.axvline(1, color=s.INK, lw=2.4)
    for place, row in enumerate(run):
        for shift, how in zip((-0.17, 0.17), READINGS, strict=True):
            if (row.name, how) in found:
                _ratio(ax, row, place + shift, found[row.name, how], COLORS[how])
    ax.set(xscale="log", xlim=(0.08, 80), ylim=(len(run) - 0.5, -0.9), xlabel="our mean of sequences over the paper's")
    ax.set_yticks(range(len(run)), [row.name for row in run])
    for place, (how, color) in zip((0.02, 0.14), COLORS.items(), strict=True):
        ax.text(place, 1.01, how, color=color, fontsize=9, va="bottom", transform=ax.transAxes)
    label(ax, 1, -0.62, "paper", s.INK, fontsize=9, ha="center")
    label(ax, 9, -0.62, "solved, and the paper's", s.INK, fontsize=9)
    return figure


def _ratio(ax: Axes, row: Row, place: float, found: Verdict, color: str) -> None:
    """One row by one reading: counts in words, a dot with its interval where five trials or more were solved."""
    if found.means:
        ends = [one / row.sequences for one in found.means]
        ax.plot(ends, [place] * 2, color=color, lw=1.6)
        ax.plot([found.mean / row.sequences], [place], "o", color=color, ms=4)
    label(ax, 9, place, f"{found.solved} of {found.trials}; {row.share:.0%}", color, fontsize=8)


@drawn(6.2, 3.0)
def watched(ax: Axes, curve: Sequence[tuple[int, int, float]], copies: int, row: Row) -> None:
    """A trial on its way: sequences taken, how many of ``copies`` new ones are wrong, and their mean error."""
    taken, wrong, error = zip(*curve, strict=True)
    ax.axvline(row.sequences, color=s.INK, lw=2.4)
    ax.plot(taken, np.array(wrong) / copies, color=s.BLUE)
    ax.plot(taken, error, color=s.PURPLE)
    ax.set(xlabel="training sequences", ylim=(0, 1.08), xlim=(0, 1.1 * max(row.sequences, *taken)))
    label(ax, taken[1], wrong[1] / copies - 0.1, "share wrong", s.BLUE)
    label(ax, taken[1], error[1] + 0.08, "mean error", s.PURPLE)
    label(ax, row.sequences, 0.5, "paper's mean", s.INK, ha="center")


@drawn(9.6, 3.4, columns=2)
def long_lag(panels: np.ndarray, steps: int = 997) -> None:
    """State of the second block, and the output, by step of new sequences of both classes: mean and 80 %."""
    x, _, targets = lag.sequences(lag.TESTED)
    y, _, states = lag.forward(lag.weights(), x[:, :steps])
    for ax, values, places in zip(panels, (states[:, :, 1], y), ((5.2, -0.8), (0.85, 0.1)), strict=True):
        for target, color, at in zip((1, 0), (s.BLUE, s.VERMILION), places, strict=True):
            own = values[targets == target]
            low, high = np.quantile(own, (0.1, 0.9), axis=0)
            ax.fill_between(range(1, steps + 1), low, high, color=color, alpha=0.15, lw=0)
            ax.plot(range(1, steps + 1), own.mean(axis=0), color=color)
            label(ax, 0.5 * steps, at, f"class {2 - target}", color, fontsize=10)
        ax.set(xlim=(1, steps), xlabel="step")
    panels[0].set_title("State of the second block")
    panels[1].set_title("Output")
