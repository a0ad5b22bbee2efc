"""Results of long experiments as CSV files under `book/data`, written run by run: an interrupted run can be continued.

A file is replaced as a whole or not at all, whenever the process is stopped.
"""

import argparse
import csv
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from throughtime.programs.cache import COMPILED

FOLDER = Path(__file__).parents[1] / "data"
Run = TypeVar("Run")


def read(path: Path) -> list[dict[str, str]]:
    """All rows of a CSV file by column name; none if there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The whole file, with the columns of the first row; until it is complete the old file stays."""
    unfinished = path.with_suffix(".part")
    with unfinished.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    unfinished.replace(path)


@dataclass
class Records:
    """One file of ``book/data``, with one line for each value of its key, the columns ``key``."""

    file: str
    key: tuple[str, ...]
    folder: Path = FOLDER

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.folder / self.file

    def read(self, **types: Callable[[str], Any]) -> list[dict[str, Any]]:
        """All lines by column name, columns of text but for those with a type; none if there is no file yet."""
        return [row | {name: made(row[name]) for name, made in types.items()} for row in read(self.path)]

    def keys(self) -> set[tuple[str, ...]]:
        """The keys that have a line."""
        return {self._key(row) for row in self.read()}

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append lines, or replace those with the same key; ValueError for other columns."""
        kept = {self._key(row): row for row in self.read()}
        columns = next((list(row) for row in kept.values()), None)
        for row in rows:
            columns = columns or list(row)
            if list(row) != columns:
                raise ValueError(f"rows: expected the columns {columns}, got {list(row)}")
            written = {name: _written(value) for name, value in row.items()}
            kept[self._key(written)] = written
        if kept:
            write(self.path, list(kept.values()))

    def clear(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)

    def _key(self, row: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(row[name] for name in self.key)


def begin(description: str | None, arguments: Sequence[str], *records: Records) -> int | None:
    """Parse the command line of an experiment; the number of runs asked for, None for all.

    ``--again`` removes its files first; ``--folder`` sets another folder than `book/data`; ``--first N`` limits the
    experiment to its first N runs. ``description`` is the experiment's docstring. Exits with a message for any other
    argument.
    """
    lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=lines, allow_abbrev=False)
    parser.add_argument("--again", action="store_true", help="remove what is stored and begin from the beginning")
    parser.add_argument("--folder", type=_folder, help="where the files are, book/data if not given")
    parser.add_argument("--first", type=positive, metavar="N", help="only the first N runs")
    options = parser.parse_args(list(arguments))
    for record in records:
        record.folder = options.folder or record.folder
        if options.again:
            record.clear()
    return options.first


def missing(
    record: Records, todo: Mapping[tuple[Any, ...], Run], first: int | None = None
) -> Iterator[tuple[tuple[Any, ...], Run]]:
    """Those of the first runs that have no line in the file; each is printed when the next one is asked for.

    ``todo`` maps the values of the first columns of the file's key to the runs.
    """
    columns, stored = max(map(len, todo), default=0), record.keys()
    done = {key[:columns] for key in stored}
    for count, (key, run) in enumerate(islice(todo.items(), first), 1):
        written = tuple(map(_written, key))
        if written not in done:
            yield key, run
            print(f"{count}/{len(todo)}  {', '.join(written)}", flush=True)


def versions() -> dict[str, str]:
    """The versions of Python, NumPy and Numba, and the date (UTC)."""
    made_with = {"python": platform.python_version(), "numpy": version("numpy")}
    made_with |= {"numba": version("numba") if COMPILED else "none"}
    return made_with | {"date": datetime.now(UTC).date().isoformat()}


def positive(text: str) -> int:
    """An argument of the command line as a number from 1; argparse prints the message for others."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1, got {text!r}")
    return int(text)


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"expected a folder that is there, got {text!r}")
    return Path(text)


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.8g}"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
