"""Our trials beside the paper's numbers: a table and a figure for each of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from book.experiments.reading import READINGS
from book.experiments.rows import ROWS, Row
from book.experiments.runner import records
from book.experiments.verdict import Verdict, judged
from book.shared import figure_style as s
from book.shared.figure_style import canvas, label, styled
from book.shared.rendered import Rendered, table
from matplotlib.figure import Figure

HEAD = ("row", "paper: solved", "sequences", "reading", "ours: solved", "95 %", "sequences", "means of as many", "verdict")
COLORS = {"letter": s.BLUE, "program": s.VERMILION}
Lines = list[dict[str, str]]


def trials(folder: Path | None = None) -> dict[tuple[str, str], Lines]:
    """The stored lines by row and reading, in the order of the paper's tables."""
    found: dict[tuple[str, str], Lines] = {}
    for line in records(folder).read():
        found.setdefault((line["row"], line["reading"]), []).append(line)
    order = [*ROWS]
    return dict(sorted(found.items(), key=lambda item: (order.index(item[0][0]), item[0][1])))


def verdicts(stored: dict[tuple[str, str], Lines]) -> dict[tuple[str, str], Verdict]:
    """The verdict on each row and reading."""
    return {(name, how): judged(ROWS[name], lines) for (name, how), lines in stored.items()}


def beside(stored: dict[tuple[str, str], Lines], *numbers: int) -> Rendered:
    """The rows of some of the paper's tables by both readings: the paper's numbers, ours, and the verdict."""
    return table(HEAD, (line for row in _rows(numbers) for line in _lines(row, stored)))


def _rows(numbers: Sequence[int]) -> list[Row]:
    return [row for row in ROWS.values() if row.table in numbers]


def _lines(row: Row, stored: dict[tuple[str, str], Lines]) -> Iterator[tuple[str, ...]]:
    paper = (f"`{row.name}`", f"{row.share:.0%}", f"{row.sequences:,}")
    for how in READINGS:
        if not row.open_to(how):
            continue
        lines = stored.get((row.name, how), [])
        if not lines:
            yield (*paper, how, f"0 of {row.planned(how)} run", "", "", "", "not run")
            continue
        found = judged(row, lines)
        low, high = found.share
        means = "" if found.means is None else f"{found.means[0]:,.0f} to {found.means[1]:,.0f}"
        mean = f"{found.mean:,.0f}" if found.solved else "none"
        yield (*paper, how, f"{found.solved} of {found.trials}", f"{low:.0%} to {high:.0%}", mean, means, found.words)


@styled
def drawn(stored: dict[tuple[str, str], Lines], *numbers: int) -> Figure:
    """All trials of some tables: a dot where one was solved, how many were not at the cap, the paper's mean a bar."""
    rows = [row for row in _rows(numbers) if any((row.name, how) in stored for how in READINGS)]
    figure, ax = canvas(6.6, 0.9 + 0.55 * len(rows))
    for place, row in enumerate(rows):
        if row.share:
            ax.plot([row.sequences] * 2, [place - 0.32, place + 0.32], color=s.INK, lw=2.4)
        for shift, how in ((0.16, "letter"), (-0.16, "program")):
            lines = stored.get((row.name, how), [])
            counts = [int(line["sequences"]) for line in lines if line["solved"] == "True"]
            ax.plot(counts, [place + shift] * len(counts), "o", color=COLORS[how], ms=4, alpha=0.55, mew=0)
            if missed := len(lines) - len(counts):
                label(ax, 1.08 * row.cap, place + shift, f"{missed} not", COLORS[how], fontsize=8.5, va="center")
        ax.plot([row.cap] * 2, [place - 0.32, place + 0.32], color=s.HAIR, lw=2.4)
    largest, least = max(row.cap for row in rows), min(row.sequences for row in rows)
    ax.set(xscale="log", xlim=(least / 6, 3.2 * largest), ylim=(-0.6, len(rows) - 0.4), xlabel="training sequences")
    ax.set_yticks(range(len(rows)), [row.name for row in rows])
    ax.invert_yaxis()
    label(ax, least / 5.5, -0.42, "by the letter", COLORS["letter"], fontsize=9)
    label(ax, least / 1.9, -0.42, "by the program", COLORS["program"], fontsize=9)
    return figure


def again(line: dict[str, str], result: object) -> bool:
    """Whether a trial that was run now ended as the stored one."""
    names = ("solved", "sequences", "wrong", "steps")
    same = all(str(getattr(result, name)) == line[name] for name in names)
    return same and bool(np.isclose(getattr(result, "error"), float(line["error"]), rtol=1e-6))
