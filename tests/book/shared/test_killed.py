"""An experiment killed and started again from the command line writes the same file as an uninterrupted run.

The others write in the same way (tests/guards/test_experiments.py).
"""

import re
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

EXPERIMENTS = (
    "lfmn.examples",
    "lstm1997.quality",
    "lstm1997.training",
    "peephole.error_flow",
    "training.rprop",
    "training.temporal_xor",
)
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


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_folder_that_is_not_there_and_a_count_of_none_are_refused(name, tmp_path, capsys):
    main = import_module(f"book.{name}.experiment").main
    for wrong, message in [
        (("--folder", str(tmp_path / "none")), "expected a folder that is there"),
        (("--folder", str(tmp_path), "--first", "0"), "expected a number from 1, got '0'"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
