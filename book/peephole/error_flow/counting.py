"""The looks at trained nets, counted by stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from throughtime_book.peephole.error_flow.experiment import stage
from throughtime_book.shared.intervals import median_interval

Row = Mapping[str, str]
STAGES = ("learning", "at rest", "finished")


def looks_at(rows: Iterable[Row], start: str, cut: str, epoch: int, wanted: str = "learning") -> list[Row]:
    """The rows of one start, kind of cut and epoch whose net is at a stage of ``STAGES``."""
    same = (row for row in rows if (row["start"], row["cut"], row["epoch"]) == (start, cut, str(epoch)))
    return [row for row in same if stage(row) == wanted]


def column(rows: Iterable[Row], name: str) -> np.ndarray:
    """One column of the rows as numbers."""
    return np.array([float(row[name]) for row in rows])


def middle(values: np.ndarray) -> str:
    """A median with its interval, as in "0.47 (0.22 to 0.77)"; a dash for fewer than 6 values."""
    if len(values) < 6:
        return "-"
    low, high = median_interval(values.tolist())
    return f"{np.median(values):.2f} ({low:.2f} to {high:.2f})"
