"""`python -m throughtime` finds the book's commands where they are, and says where they are not."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(folder: Path, *arguments: str, installed: bool) -> subprocess.CompletedProcess:
    """The command in a folder; not `installed`: without what an editable install adds to the path."""
    path = [str(ROOT / "lib"), *([] if installed else [sysconfig.get_path("purelib")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, *([] if installed else ["-S"]), "-m", "throughtime", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("installed", [True, False])
def test_the_commands_of_a_checkout_are_found_in_its_root_installed_or_not(installed: bool) -> None:
    result = run(ROOT, "statements", installed=installed)
    assert (result.returncode, result.stderr) == (0, "")
    assert "lfmn-9" in result.stdout.split()


def test_outside_a_checkout_the_library_says_where_its_commands_are(tmp_path: Path) -> None:
    result = run(tmp_path, "statements", installed=False)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "run this in the root of a checkout" in result.stderr


def test_a_list_that_is_not_read_to_its_end_ends_without_a_traceback() -> None:
    command = [sys.executable, "-u", "-m", "throughtime", "experiments", "list"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        run.stdout.close()
        assert (run.wait(), run.stderr.read()) == (1, "")
