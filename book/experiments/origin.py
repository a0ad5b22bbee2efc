"""Where a line of results comes from: the commit of the code, and a digest of all that its numbers depend on."""

from __future__ import annotations

import inspect
import subprocess
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from book.experiments import net, reber, sequences, tasks, trial
from book.experiments.reading import reading
from book.experiments.rows import Row

CODE = Path(__file__).parent, Path(__file__).parents[2] / "lib"
DRAWN_BY = net, reber, sequences, tasks, trial  # beside the program of the net


@cache
def commit() -> str:
    """The abbreviated hash of the commit, with "+" if the code differs from it; without a checkout the version."""
    try:
        found = _git("rev-parse", "--short=10", "HEAD")
        return found + "+" * bool(_git("status", "--porcelain", "--", *map(str, CODE)))
    except (OSError, subprocess.CalledProcessError):
        return version("throughtime")


def _git(*arguments: str) -> str:
    where = ["git", "-C", str(CODE[0]), *arguments]
    return subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()


@cache
def program(row: Row, name: str) -> str:
    """Eight digits that are the same for all trials of a row by a reading, and change with what a trial computes."""
    how = reading(name)
    learner = trial.Trial(row, how, 0).learner.source
    sources = [inspect.getsource(module) for module in DRAWN_BY]
    return sha256("\0".join([repr(row), repr(how), learner, *sources]).encode()).hexdigest()[:8]
