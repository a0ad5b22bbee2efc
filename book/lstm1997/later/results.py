"""Trials with one later idea beside those by the letter: which setting of an idea is chosen, and what came out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from book.experiments.later import LATER, LaterRow
from book.experiments.runner import records
from book.lstm1997.later.experiment import RUNS, chosen, tried
from book.lstm1997.tables.results import Lines, trials
from book.shared.intervals import counted, median_interval
from book.shared.rendered import Rendered, table

IDEAS = {"letter": "as in 1997", "exact": "exact gradient", "forget": "forget gate", "clip": "clipping"}
IDEAS |= {"adam": "Adam", "modern": "`torch.nn.LSTM`"}
NAMES = IDEAS | {"library": "the same, drawn"}  # of the last only the trials that choose were run
TASKS = ("3a-100-3", "4-100", "6a")
TRIALS = LATER["6a-later"].trials


class Group(NamedTuple):
    """The trials of a row with one idea in the chosen setting, ``reading``."""

    task: str
    idea: str
    reading: str
    lines: Lines

    @property
    def solved(self) -> int:
        """Trials that were solved."""
        return sum(line["solved"] == "True" for line in self.lines)

    @property
    def taken(self) -> np.ndarray:
        """Sequences of each trial by its number, inf for one that was not solved."""
        return np.array([int(line["sequences"]) if line["solved"] == "True" else np.inf for line in self._ordered()])

    @property
    def median(self) -> tuple[float, float, float]:
        """Of the sequences, and its interval of at least 95 %; a trial that failed counts as longer than all."""
        return float(np.median(self.taken)), *median_interval(self.taken.tolist())

    def sooner(self, other: Group) -> int:
        """Trials that took fewer sequences than those of the same number in another group."""
        return int((self.taken < other.taken).sum())

    @property
    def wrong(self) -> np.ndarray:
        """New sequences that the net of each trial answers wrongly at its end, of 2560."""
        return np.array([int(line["wrong"]) for line in self._ordered()])

    def _ordered(self) -> Lines:
        return sorted(self.lines, key=lambda line: int(line["trial"]))

    def fewer(self, other: Group) -> int:
        """Trials that end with fewer wrong answers than those of the same number in another group."""
        return int((self.wrong < other.wrong).sum())


def stored() -> Lines:
    """All lines with a later idea, those of PyTorch's cell among them."""
    return records(kind=LaterRow).read() + RUNS.read()


def groups() -> dict[tuple[str, str], Group]:
    """By row and idea: ten trials by the letter, then as many with each idea; rows still to be run are left out."""
    letter, lines, found = trials(), stored(), {}
    for task in TASKS:
        best = {"exact": "exact"} | chosen(lines, f"{task}-choose")
        for idea in (idea for idea in IDEAS if idea in best):
            some = [one for one in lines if (one["row"], one["reading"]) == (f"{task}-later", best[idea])]
            if len(some) == TRIALS:
                found.setdefault((task, "letter"), Group(task, "letter", "letter", letter[task, "letter"][:TRIALS]))
                found[task, idea] = Group(task, idea, best[idea], some)
    return found


def told(found: dict[tuple[str, str], Group]) -> Rendered:
    """All groups: what was solved, in how many sequences, and how many trials were sooner than by the letter."""
    head = ("row", "idea", "setting", "solved", "sequences, median", "at least 95 %", "sooner than in 1997")
    return table(head, (_told(one, found[one.task, "letter"]) for one in found.values()))


def _told(one: Group, letter: Group) -> list[str]:
    middle, low, high = map(_count, one.median)
    sooner = "" if one.idea == "letter" else f"{one.sooner(letter)} of {len(one.lines)}"
    between = f"{low} to {high}" if low != high else low
    named = f"`{one.task}`", IDEAS[one.idea], one.reading.partition("-")[2]
    return [*named, counted(one.solved, len(one.lines)), middle, between, sooner]


def _count(sequences: float) -> str:
    return f"{sequences:,.0f}" if sequences < np.inf else "not solved"


def choices() -> Rendered:
    """The trials that chose: of each setting how many of three were solved, and the sequences of all three."""
    lines, rows = stored(), []
    for task in TASKS:
        best, counts = chosen(lines, f"{task}-choose"), tried(lines, f"{task}-choose")
        for idea in (idea for idea in NAMES if idea in best):
            some = {one.partition("-")[2]: counts[one] for one in counts if one.startswith(idea)}
            cells = [f"{one}: {some[one][0]}, {some[one][1]:,}" for one in sorted(some, key=float)]
            rows.append([f"`{task}`", NAMES[idea], *cells, *[""] * (3 - len(cells)), best[idea].partition("-")[2]])
    return table(["row", "idea", "setting: solved of 3, sequences", "", "", "chosen"], rows)
