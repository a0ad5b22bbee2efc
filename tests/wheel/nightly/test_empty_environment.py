"""The wheel passes the library's tests in an empty environment (``make wheel-test``).

The tests are copied beside neither the library nor the book, so that the installed package is the only one to import.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "lib" / "throughtime"
NEEDED = ("pytest", "pytest-xdist", "hypothesis")


def environment(folder: Path, *packages: str) -> Path:
    """The interpreter of a new environment with these packages, in the versions of constraints.txt."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    command = [python, "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), *packages]
    subprocess.run(command, check=True)
    return python


def test_the_library_passes_its_tests_in_an_empty_environment(archives: tuple[Path, Path], tmp_path: Path) -> None:
    python = environment(tmp_path / "empty", str(archives[1]), *NEEDED)
    names = {path.stem for path in LIBRARY.iterdir()}
    rooms = [room for room in (ROOT / "tests").iterdir() if room.is_dir() and room.name in names]
    here = tmp_path / "tests"
    for room in rooms:
        shutil.copytree(room, here / room.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "conftest.py", here)
    for name in ("cells.py", "compiled.py"):
        shutil.copy(ROOT / "benchmarks" / name, here / "programs")
    assert {"derivation", "textbook", "learning", "tasks", "evidence", "checks"} <= {room.name for room in rooms}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    places = [*(path for path in settings["pythonpath"] if path.startswith("tests/")), "tests/programs"]
    found = ["-o", f"pythonpath={' '.join(places)}"]
    options = ["[pytest]", "addopts = --import-mode=importlib --strict-markers -m 'not nightly'", "markers ="]
    options += (f"    {marker}" for marker in settings["markers"])
    (tmp_path / "pytest.ini").write_text("\n".join(options), encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    absent = [python, "-c", "import book"]
    assert subprocess.run(absent, cwd=tmp_path, env=clean, check=False, capture_output=True).returncode == 1
    workers = ["-n", "logical", "--dist", "loadfile", "--no-loadscope-reorder"]
    command = [python, "-m", "pytest", "-q", "-W", "error", *workers, *found, "tests"]
    ended = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr
    assert int(re.search(r"(\d+) passed", ended.stdout)[1]) > 1000
    assert not re.search(r"\bskipped\b", ended.stdout)
