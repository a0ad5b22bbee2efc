"""The wheel passes the library's tests in an empty environment (``make wheel-test``).

The tests are copied beside neither the library nor the book, so that the installed package is the only one to import.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "lib" / "throughtime"


def test_the_library_passes_its_tests_in_an_empty_environment(archives: tuple[Path, Path], tmp_path: Path) -> None:
    """In the versions of constraints.txt."""
    python = tmp_path / "empty" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    needed = ["-c", ROOT / "constraints.txt", archives[1], "pytest", "pytest-xdist", "hypothesis"]
    subprocess.run([python, "-m", "pip", "install", "-q", *needed], check=True)
    names = {path.stem for path in LIBRARY.iterdir()}
    rooms = [room for room in (ROOT / "tests").iterdir() if room.is_dir() and room.name in names]
    here = tmp_path / "tests"
    for room in rooms:
        shutil.copytree(room, here / room.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "conftest.py", here)
    (tmp_path / "benchmarks").mkdir()
    for name in ("benchmarks/cells.py", "benchmarks/compiled.py", "pyproject.toml"):  # for its settings of pytest
        shutil.copy(ROOT / name, tmp_path / name)
    assert {"derivation", "textbook", "learning", "tasks", "evidence", "checks"} <= {room.name for room in rooms}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    absent = [python, "-c", "import book"]
    assert subprocess.run(absent, cwd=tmp_path, env=clean, check=False, capture_output=True).returncode == 1
    workers = ["-n", "logical", "--dist", "loadfile", "--no-loadscope-reorder"]
    command = [python, "-m", "pytest", "-q", *workers, "tests"]
    ended = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr
    assert int(re.search(r"(\d+) passed", ended.stdout)[1]) > 1000
    assert not re.search(r"\bskipped\b", ended.stdout)
