"""Where a line of results comes from: the commit of the code, and a digest of all that its numbers depend on."""

import inspect
import subprocess
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from book.experiments import later, net, reber, sequences, tasks, timed, trial
from book.experiments.reading import reading
from book.experiments.rows import Row
from throughtime import __version__

CODE = Path(__file__).parent, Path(__file__).parents[2] / "lib"
# Beside the program of the net; read at once, since files may change while rows are run.
SOURCES = [inspect.getsource(module) for module in (net, reber, sequences, tasks, trial)]


@cache
def commit() -> str:
    """The abbreviated hash of the commit, with "+" if the code differs from it; without a checkout the version."""
    try:
        _git("ls-files", "--error-unmatch", __file__)  # an installed package may lie in the checkout of another project
        found = _git("rev-parse", "--short=10", "HEAD")
        return found + "+" * bool(_git("status", "--porcelain", "--", *map(str, CODE)))
    except (OSError, subprocess.CalledProcessError):
        return __version__


def _git(*arguments: str) -> str:
    where = ["git", "-C", str(CODE[0]), *arguments]
    return subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip()


@cache
def program(row: Row | timed.TimedRow | later.LaterRow, name: str) -> str:
    """Eight digits that are the same for all trials of a row by a reading, and change with what a trial computes."""
    if isinstance(row, timed.TimedRow):
        return timed.program(row, name)
    if isinstance(row, later.LaterRow):
        return later.program(row, name)
    how = reading(name)
    nets = dict.fromkeys([row, replace(row, grown=False)])  # that of the beginning, and that with all its units
    learners = [trial.Trial(one, how, 0).learner.source for one in nets]
    return sha256("\0".join([repr(row), repr(how), *learners, *SOURCES]).encode()).hexdigest()[:8]
