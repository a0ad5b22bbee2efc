"""Our trials beside the numbers of the paper's tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
from book.experiments.reading import READINGS
from book.experiments.rows import ROWS, Recent, Row
from book.experiments.runner import records
from book.experiments.trial import TESTED, Result
from book.experiments.verdict import judged
from book.shared.intervals import counted
from book.shared.rendered import Rendered, table

UNRUN, PARTLY = "not run", "too few trials"
VERDICTS = ("reproduced", "success alone", "mean alone", "not reproduced", PARTLY, UNRUN)
BESIDE = ("row", "reading", "paper: solved", "mean", "ours: solved", "mean", "means, 95 %", "median", "verdict")
SAME = ("solved", "sequences", "wrong", "steps")
Lines = list[dict[str, str]]
Stored = dict[tuple[str, str], Lines]


def trials(folder: Path | None = None) -> Stored:
    """The stored lines by row and reading."""
    found: Stored = {}
    for line in records(folder).read():
        found.setdefault((line["row"], line["reading"]), []).append(line)
    return found


def shortest(lines: Lines) -> dict[str, str]:
    """The trial that took the fewest steps."""
    return min(lines, key=lambda line: int(line["steps"]))


def again(line: dict[str, str], result: Result) -> bool:
    """Whether a trial that was run now ended as the stored one: all counts, and the error to six digits."""
    same = all(str(getattr(result, name)) == line[name] for name in SAME)
    return same and bool(np.isclose(result.error, float(line["error"]), rtol=1e-6))


def details() -> Rendered:
    """What the paper leaves open, as each reading decides it."""
    names = [one.name for one in fields(READINGS["letter"])]
    rows = ([f"`{name}`", *(_plain(getattr(how, name)) for how in READINGS.values())] for name in names)
    return table(["detail", *READINGS], rows)


def _plain(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def plan() -> Rendered:
    """What was fixed before the first run of each row."""
    head = ("table", "row", "weights", "learning rate", "paper's trials", "paper's mean", "our trials", "our cap")
    rows = (
        (r.table, f"`{r.name}`", r.weights, r.rate, r.counted, f"{r.sequences:,}", r.trials, f"{r.cap:,}")
        for r in ROWS.values()
    )
    return table(head, rows)


def work(stored: Stored) -> Rendered:
    """What was run: trials, steps and time by version of the code and its environment."""
    made: dict[tuple[str, ...], Lines] = {}
    for line in (line for lines in stored.values() for line in lines):
        made.setdefault(tuple(line[name] for name in ("commit", "python", "numpy", "numba")), []).append(line)
    head = ("commit", "Python", "NumPy", "Numba", "trials", "sequences", "steps", "hours", "first", "last")
    return table(head, ((*versions, *_sums(lines)) for versions, lines in made.items()))


def _sums(lines: Lines) -> tuple[str, ...]:
    sequences, steps = (f"{sum(int(line[name]) for line in lines):,}" for name in ("sequences", "steps"))
    hours = sum(float(line["seconds"]) for line in lines) / 3600
    dates = [line["date"] for line in lines]
    return f"{len(lines):,}", sequences, steps, f"{hours:.1f}", min(dates), max(dates)


def summary(stored: Stored) -> Rendered:
    """Rows by reading and verdict."""
    counts = Counter((how, words) for row in ROWS.values() for how, words in _words(row, stored))
    return table(["reading", *VERDICTS], ([how, *(counts[how, words] for words in VERDICTS)] for how in READINGS))


def _words(row: Row, stored: Stored) -> Iterator[tuple[str, str]]:
    for how in READINGS:
        if row.open_to(how):
            lines = stored.get((row.name, how))
            yield how, judged(row, lines).words if lines else UNRUN


def beside(stored: Stored, *numbers: int) -> Rendered:
    """The rows of some of the paper's tables by both readings: the paper's numbers, ours, and the verdict."""
    return table(BESIDE, (_beside(row, how, words, stored) for row, how, words in _judged(stored, numbers)))


def _judged(stored: Stored, numbers: Sequence[int]) -> Iterator[tuple[Row, str, str]]:
    """Rows with reading and verdict; a row that was run by no reading stands once."""
    for row in ROWS.values():
        if row.table in numbers:
            words = dict(_words(row, stored))
            unrun = {*words.values()} == {UNRUN}
            yield from [(row, "", UNRUN)] if unrun else ((row, how, said) for how, said in words.items())


def _beside(row: Row, how: str, words: str, stored: Stored) -> tuple[str, ...]:
    solved = counted(round(row.share * row.counted), row.counted)
    paper = f"`{row.name}`", how, solved, f"{row.sequences:,}" if row.share else ""
    if words == UNRUN:
        return (*paper, "", "", "", "", words)
    found = judged(row, stored[row.name, how])
    mean, median = (f"{one:,.0f}" if found.solved else "" for one in (found.mean, found.median))
    means = f"{found.means[0]:,.0f} to {found.means[1]:,.0f}" if found.means else ""
    return (*paper, counted(found.solved, found.trials), mean, means, median, words)


def varied(stored: Stored) -> Rendered:
    """Rows of which trials differ from the letter, or from the program, in single details."""
    found = [(ROWS[name], how) for name, how in stored if how not in READINGS]
    return table(BESIDE, [_beside(row, how, judged(row, stored[row.name, how]).words, stored) for row, how in found])


def ended(stored: Stored, *numbers: int) -> Rendered:
    """New sequences that the nets of some tables got wrong after training, solved trials beside the others."""
    head = ("row", "reading", "paper: wrong", "solved", "wrong, mean", "mean error")
    found = ((row, how, stored.get((row.name, how), [])) for row, how, _ in _judged(stored, numbers))
    rows = (_ended(row, how, lines) for row, how, lines in found if lines)
    return table([*head, "not solved", "wrong, median", "mean error"], rows)


def _ended(row: Row, how: str, lines: Lines) -> tuple[str, ...]:
    told = [f"`{row.name}`", how, "" if row.wrong is None else f"{row.wrong:.1f}"]
    for solved, words in (("True", "{0:.1f}"), ("False", "{1:.0f} ({2:.0f} to {3:.0f})")):
        if some := [line for line in lines if line["solved"] == solved]:
            wrong, errors = ([float(line[name]) for line in some] for name in ("wrong", "error"))
            number = words.format(np.mean(wrong), np.median(wrong), min(wrong), max(wrong))
            told += [f"{len(some)}", number, f"{np.median(errors):.4f}" if row.task.tolerance else ""]
        else:
            told += [""] * 3
    return tuple(told)


def likely(stored: Stored, *numbers: int) -> Rendered:
    """How likely the nets of unsolved trials are to get the whole window of their rule right, as they are."""
    head = ("row", "reading", "not solved", "share wrong, median", "chance of a window without error")
    rows = []
    for (name, how), lines in stored.items():
        row, missed = ROWS[name], [line for line in lines if line["solved"] != "True"]
        if row.table in numbers and missed and row.rule == Recent(mean=row.rule.mean):
            share = float(np.median([int(line["wrong"]) for line in missed])) / TESTED
            chance = f"{(1 - share) ** row.rule.window:.0e}"
            rows.append((f"`{name}`", how, len(missed), f"{share:.2%}", chance))
    return table(head, rows)
