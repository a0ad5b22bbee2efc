"""The tasks and nets of 2002 that are run, and what their trials came to."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from book.experiments.timed import READINGS, TimedRow
from book.experiments.timing import Generated, Measured, Timing, Wave

PERIODS, SHAPES = (10, 20, 30, 40, 50), {"cos": "cosine", "tri": "triangle", "rect": "rectangle"}
TASKS: dict[str, Timing] = {
    **{f"nmsd-{period}": Measured(period, continual=False) for period in PERIODS},
    "msd-10": Measured(10),
    "msd-10-2": Measured(10, (0, 1, 2)),
    **{f"gts-{period}": Generated(period) for period in PERIODS},
    **{f"pfg-{name}-{period}": Wave(shape, period) for name, shape in SHAPES.items() for period in (10, 25)},
}
TIMED = {
    row.name: row
    for name, task in TASKS.items()
    for row in (TimedRow(name, task, True), TimedRow(f"{name}-plain", task, False))
}


@dataclass(frozen=True)
class Summary:
    """What the trials of a row by a reading came to; streams of the solved trials, and their root mean square error."""

    row: str
    reading: str
    solved: int
    trials: int
    mean: float
    deviation: float
    rms: float

    def __str__(self) -> str:
        streams = f"{self.mean:,.0f} +- {self.deviation:,.0f} streams, RMSE {self.rms:.3f}" if self.solved else "-"
        return f"{self.row:18} {self.reading:8} {self.solved:3}/{self.trials}  {streams}"


def summary(lines: Sequence[dict[str, str]]) -> list[Summary]:
    """A summary of each row and reading that has lines, in the order of ``TIMED``; deviations are of single trials."""
    found = []
    for name, reading in ((name, reading) for name in TIMED for reading in READINGS):
        mine = [line for line in lines if (line["row"], line["reading"]) == (name, reading)]
        solved = [line for line in mine if line["solved"] == "True"]
        streams = np.array([int(line["sequences"]) for line in solved], float)
        rms = np.sqrt([float(line["squared"]) for line in solved])
        mean, spread, error = (
            float(f(x)) if solved else np.nan for f, x in ((np.mean, streams), (np.std, streams), (np.mean, rms))
        )
        if mine:
            found.append(Summary(name, reading, len(solved), len(mine), mean, spread, error))
    return found
