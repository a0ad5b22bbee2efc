"""An experiment killed and started again from the command line writes the same file as an uninterrupted run.

The others write in the same way (tests/guards/test_experiments.py).
"""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

FIRST = ("--first", "2")  # runs, the smallest number with one done and one not
# The process ends as if killed from outside, at its first file: with all of it beside the place, or just put there.
KILLED = """
import os, signal, sys
from pathlib import Path
from book.training.rprop.experiment import main
replace, moment = Path.replace, sys.argv.pop(1)

def killed(self, target):
    if moment == "after":
        replace(self, target)
    os.kill(os.getpid(), signal.SIGKILL)

if moment != "never":
    Path.replace = killed
main(sys.argv[1:])
"""


def run(folder: Path, moment: str) -> int:
    """The exit code of an experiment that is killed before or after a file takes its place, or never."""
    command = [sys.executable, "-c", KILLED, moment, "--folder", str(folder), *FIRST]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False, timeout=600).returncode


def files(folder: Path) -> dict[str, str]:
    """Names and contents of the files in ``folder``, without the date, which may change during the test."""
    return {path.name: re.sub(r",\d{4}-\d\d-\d\d\n", "\n", path.read_text()) for path in folder.iterdir()}


@pytest.mark.nightly
def test_a_killed_experiment_goes_on_to_the_same_file(tmp_path):
    through, killed = tmp_path / "through", tmp_path / "killed"
    through.mkdir()
    killed.mkdir()
    assert run(through, "never") == 0
    assert [run(killed, moment) for moment in ("before", "after")] == [-signal.SIGKILL] * 2
    assert run(killed, "never") == 0
    assert files(killed) == files(through)
    assert all(text.count("\n") > 2 for text in files(killed).values())
