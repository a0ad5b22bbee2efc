"""A run of pytest leaves out the files that have passed with the inputs that they have now."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
PLUGINS = ("-p", "xdist", "-p", "stamps")
FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["lib"]\n',
    "requirements.txt": "",
    "lib/one.py": "x = 1\n",
    "tests/test_one.py": "from one import x\n\ndef test_a():\n    assert x > 0\n\ndef test_b():\n    assert x < 9\n",
    "tests/test_two.py": "def test_c():\n    pass\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def ran(project: Path, *options: str, fails: bool = False, **environment: str) -> set[str]:
    """The tests that a run of pytest carries out."""
    command = [sys.executable, "-m", "pytest", "-v", *PLUGINS, "--stamps", "_build/stamps.json", *options]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "ALL"))}
    # Python knows bytecode that is old by the size of the source and the second: here both may stay.
    paths = {"PYTHONPATH": str(TOOLS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        command, cwd=project, env=clean | paths | environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == fails, ended.stdout + ended.stderr
    found = re.findall(r"::(test_\w) (?:PASSED|FAILED)|\] (?:PASSED|FAILED) \S+::(test_\w)", ended.stdout)
    return {alone or of_a_worker for alone, of_a_worker in found}


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_has_passed_runs_again_only_if_it_can_have_changed(project: Path, workers: str) -> None:
    options = ("-n", workers, "--dist", "loadfile")
    assert ran(project, *options) == {"test_a", "test_b", "test_c"}
    assert ran(project, *options) == set()
    write(project / "lib" / "one.py", "x = 2\n")
    assert ran(project, *options) == {"test_a", "test_b"}
    assert ran(project, *options, ALL="1") == {"test_a", "test_b", "test_c"}


def test_a_file_with_a_failed_test_runs_until_all_of_it_pass(project: Path) -> None:
    write(project / "lib" / "one.py", "x = 9\n")
    assert ran(project, fails=True) == {"test_a", "test_b", "test_c"}
    assert ran(project, fails=True) == {"test_a", "test_b"}
    write(project / "lib" / "one.py", "x = 8\n")
    assert ran(project) == {"test_a", "test_b"}


def test_a_part_of_a_file_proves_nothing_and_what_passed_before_a_stop_is_kept(project: Path) -> None:
    assert ran(project, "-k", "test_a") == {"test_a"}
    stop = "import os\n\ndef test_d():\n    os._exit(1)\n"
    write(project / "tests" / "test_zero.py", stop)
    ran(project, fails=True)
    write(project / "tests" / "test_zero.py", "def test_d():\n    pass\n")
    assert ran(project) == {"test_d"}
