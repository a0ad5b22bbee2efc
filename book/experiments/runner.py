"""Trials of a row, in parallel, each written to the file as it ends; what is written is not run again.

joblib starts the processes; within `joblib.parallel_config(backend="dask")` it spreads them over a Dask cluster.
"""

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from book.experiments import later, timed
from book.experiments.later import LATER, LaterRow
from book.experiments.origin import commit, program
from book.experiments.reading import DETAILS, PAIRS, READINGS
from book.experiments.rows import DETAILED, ROWS, Row
from book.experiments.rows import row as named
from book.experiments.timed import TimedRow
from book.experiments.timed_rows import TIMED
from book.experiments.trial import measured
from book.shared.records import FOLDER, Records, versions
from joblib import Parallel, delayed

FILE, KEY = "experiments_1997.csv", ("row", "reading", "trial")
FILES = {Row: FILE, TimedRow: timed.FILE, LaterRow: later.FILE}
MEASURE = {Row: measured, TimedRow: timed.measured, LaterRow: later.measured}
AnyRow = Row | TimedRow | LaterRow
WIDTH = 30


def records(folder: Path | None = None, kind: type[AnyRow] = Row) -> Records:
    """The file of results of a kind of rows."""
    return Records(FILES[kind], KEY, folder or FOLDER)


def missing(row: AnyRow, name: str, trials: int | None, folder: Path | None = None) -> list[int]:
    """Numbers of the trials of a row that the file lacks.

    ValueError for a reading that is not there, or that does not change anything of the row, and for a file whose lines
    of the row were computed by another program: what is mixed could not be told apart later.
    """
    if not row.open_to(name):
        raise ValueError(f"reading: expected one that concerns row {row.name}, got {name!r}")
    file = records(folder, type(row))
    there = {int(line["trial"]): line for line in file.read() if (line["row"], line["reading"]) == (row.name, name)}
    for line in there.values():
        if (before := line.get("program", "none")) != (now := program(row, name)):
            raise ValueError(
                f"{file.path.name}: expected lines of {row.name} by program {now} (reading {name}), "
                f"got {before} of commit {line['commit']}; go on with that commit, or move these lines away"
            )
    return [number for number in range(trials or row.planned(name)) if number not in there]


def run(
    row: AnyRow,
    reading: str = "letter",
    *,
    trials: int | None = None,
    jobs: int = 1,
    folder: Path | None = None,
    uncommitted: bool = False,
    out: TextIO = sys.stderr,
) -> list[dict[str, object]]:
    """Run what is missing, show how far it is, and return the new lines of the file.

    trials      how many of the row, its own number unless given
    jobs        processes
    uncommitted     whether code may run that no commit holds; its lines say so by a "+" behind the commit before it

    ValueError as for ``missing``, and for such code.
    """
    todo, done, code = missing(row, reading, trials, folder), [], commit()
    if todo and code.endswith("+") and not uncommitted:
        raise ValueError(
            f"{FILES[type(row)]}: expected lines of {row.name} by code that a commit holds, "
            f"got changes of book/experiments or lib since {code[:-1]}; commit them, "
            f"or run with --uncommitted, and lines say {code}"
        )
    begun, file = time.monotonic(), records(folder, type(row))
    tasks = (delayed(MEASURE[type(row)])(row, reading, number) for number in todo)
    for line in Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
        line |= {"program": program(row, reading), "commit": code} | versions()
        file.add([line])
        done.append(line)
        out.write(f"\r{_bar(row.name, reading, done, len(todo), time.monotonic() - begun)}")
        out.flush()
    if done:
        out.write("\n")
    return done


def _bar(name: str, reading: str, done: list[dict], of: int, seconds: float) -> str:
    """A line that says how far a row is: trials, sequences, successes, time left."""
    filled = WIDTH * len(done) // of
    sequences = sum(int(line["sequences"]) for line in done)
    solved = sum(bool(line["solved"]) for line in done)
    left = seconds / len(done) * (of - len(done))
    bar = f"[{'#' * filled}{'.' * (WIDTH - filled)}]"
    return (
        f"{name} {reading} {bar} {len(done)}/{of} trials, {solved} solved, {sequences:,} sequences, {left:.0f} s left "
    )


def chosen(names: Iterable[str], readings: Iterable[str]) -> list[tuple[AnyRow, str]]:
    """Some rows, each with those readings that concern it, in the order of ``in_order``; ValueError if none does."""
    rows = sorted(dict.fromkeys(TIMED.get(name) or LATER.get(name) or named(name) for name in names), key=_most)
    found = [(one, each) for one in rows for each in readings if one.open_to(each)]
    if not found:
        raise ValueError(f"reading: expected one that concerns {', '.join(names)}, got {', '.join(readings)}")
    return found


def _most(row: AnyRow) -> int:
    """Steps of all trials of a row, if none stops before its cap."""
    return row.trials * row.cap * row.steps


def in_order(name: str | None = None) -> list[tuple[Row, str]]:
    """Rows with readings, those first that take the fewest steps if no trial stops before its cap.

    name        of one reading; else all rows by the letter, then by the program, then details and pairs of some rows
    """
    quickest = sorted(ROWS.values(), key=_most)
    some = [one for one in quickest if one.name in DETAILED]
    named = [name] if name else [*READINGS, *DETAILS, *PAIRS]
    pairs = ((one, each) for each in named for one in (quickest if name or each in READINGS else some))
    return [(one, each) for one, each in pairs if one.open_to(each)]
