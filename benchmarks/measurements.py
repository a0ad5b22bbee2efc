"""Command line and result file of the benchmarks; the file is rewritten after each round.

A round measures everything once. The time kept in a row is the least of all rounds, so that other load on the machine
at one moment spoils no single row.
"""

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from book.shared.records import positive, read, write

Row = dict[str, object]
CHANGING = ("seconds", "difference", "rounds", "date")  # what a further round may change


def options(description: str | None, rounds: int, stored_only: str) -> argparse.Namespace:
    """The command line: ``--rounds``, and ``--again`` or the flag ``stored_only``; others end it with a message."""
    lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=lines, allow_abbrev=False)
    parser.add_argument("--rounds", type=positive, default=rounds, help=f"in all, those stored included ({rounds})")
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--again", action="store_true", help="remove what is stored and begin from the beginning")
    either.add_argument(f"--{stored_only}", action="store_true", help="measure nothing, only write what is stored")
    return parser.parse_args()


def setting(seed: int, *packages: str) -> Row:
    """The columns that say where and with what a row was measured."""
    machine = {"machine": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count()}
    return {"seed": seed, "python": platform.python_version()} | {name: version(name) for name in packages} | machine


def stored(path: Path, problems: Sequence[Row]) -> list[Row]:
    """The rows of the file if they are of these problems and settings; else the problems, not measured yet."""
    fresh = [row | {"rounds": 0, "date": "", "seconds": np.inf} for row in problems]
    fixed, old = [key for key in fresh[0] if key not in CHANGING], read(path)
    same = [[row.get(key) for key in fixed] for row in old] == [[str(row[key]) for key in fixed] for row in fresh]
    return old if same and list(old[0]) == list(fresh[0]) else fresh


def measure(path: Path, rows: list[Row], calls: Sequence[Callable[[], float]], rounds: int) -> list[Row]:
    """Add the rounds that are missing, storing after each. A call returns the seconds of one gradient."""
    for number in range(1 + min(int(row["rounds"]) for row in rows), rounds + 1):
        for row, call in zip(rows, calls, strict=True):
            row["seconds"] = f"{min(float(row['seconds']), call()):.4g}"
            row |= {"rounds": number, "date": datetime.now(UTC).date().isoformat()}
        write(path, rows)
        print(f"round {number} of {rounds}", flush=True)
    return rows


def exponent(rows: Sequence[Row], by: str, quantity: str) -> float:
    """Slope of log quantity against log ``by``, to two digits; there is no minus zero."""
    x, y = ([np.log(float(row[key])) for row in rows] for key in (by, quantity))
    return round(float(np.polyfit(x, y, 1)[0]), 2) + 0.0
