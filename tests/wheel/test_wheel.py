"""The wheel holds the library alone, and passes the library's tests in an empty environment (``make wheel-test``).

The source archive is made of this checkout, the wheel of the source archive. The tests are copied beside neither the
library nor the book, so that the installed package is the only one to import.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "lib" / "throughtime"
NEEDED = ("pytest", "pytest-xdist", "hypothesis")
# What makes the source archive: the backend's own function, as a builder calls it.
SDIST = "import sys; from setuptools.build_meta import build_sdist; print(build_sdist(sys.argv[1]))"


def beside_the_library(names: Iterable[str]) -> Iterator[str]:
    """The files of a wheel that are neither of the package throughtime nor its metadata."""
    yield from (name for name in names if not re.match(r"throughtime/|throughtime-[^/]*\.dist-info/", name))


def environment(folder: Path, *packages: str) -> Path:
    """The interpreter of a new environment with these packages, in the versions of constraints.txt."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    command = [python, "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), *packages]
    subprocess.run(command, check=True)
    return python


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source archive and the wheel."""
    folder = tmp_path_factory.mktemp("archives")
    python = environment(folder / "builder", "pip", "setuptools")
    source = folder / "source"
    names = ("pyproject.toml", "setup.py", "README.md", "LICENSE", "lib", "book")
    for name in names:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, source / name)
    subprocess.run([python, "-c", SDIST, str(folder)], cwd=source, check=True)
    (sdist,) = folder.glob("*.tar.gz")
    wheel = [python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), str(sdist)]
    subprocess.run(wheel, check=True)
    (found,) = folder.glob("*.whl")
    return sdist, found


def test_the_wheel_holds_the_library_and_nothing_else(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        names = wheel.namelist()
    assert list(beside_the_library(names)) == []
    modules = {path.relative_to(LIBRARY.parent).as_posix() for path in LIBRARY.rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    assert "throughtime/py.typed" in names


def test_the_source_archive_holds_nothing_of_the_book(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[0]) as sdist:
        names = ["/".join(name.split("/")[1:]) for name in sdist.getnames()]
    assert [name for name in names if name.startswith("book/")] == []
    assert "lib/throughtime/py.typed" in names


def test_what_is_not_the_library_is_found() -> None:
    names = ["throughtime/a.py", "throughtime-0.1.0.dist-info/RECORD"]
    assert list(beside_the_library(names)) == []
    for name in ("throughtime_book/a.py", "book/a.py", "setup.py", "throughtime_book-0.1.0.dist-info/RECORD"):
        assert list(beside_the_library([*names, name])) == [name]


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
    assert {"derivation", "models", "learning", "tasks", "evidence", "checks"} <= {room.name for room in rooms}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    places = [*(path for path in settings["pythonpath"] if path.startswith("tests/")), "tests/programs"]
    found = ["-o", f"pythonpath={' '.join(places)}"]
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib --strict-markers\n", encoding="utf-8"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    absent = [python, "-c", "import throughtime_book"]
    assert subprocess.run(absent, cwd=tmp_path, env=clean, check=False, capture_output=True).returncode == 1
    workers = ["-n", "logical", "--dist", "loadfile", "--no-loadscope-reorder"]
    command = [python, "-m", "pytest", "-q", "-W", "error", *workers, *found, "tests"]
    ended = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr
    assert int(re.search(r"(\d+) passed", ended.stdout)[1]) > 1000
    assert not re.search(r"\bskipped\b", ended.stdout)
