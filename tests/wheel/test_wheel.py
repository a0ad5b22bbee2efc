"""The wheel holds the library alone, and all of it: every module and every public name can be imported from it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "lib" / "throughtime"


def beside_the_library(names: Iterable[str]) -> Iterator[str]:
    """The files of a wheel that are neither of the package throughtime nor its metadata."""
    yield from (name for name in names if not re.match(r"throughtime/|throughtime-[^/]*\.dist-info/", name))


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
    for name in ("book/a.py", "tools/a.py", "throughtime_extra/a.py", "book-0.1.0.dist-info/RECORD"):
        assert list(beside_the_library([*names, name])) == [name]


# Imports every module and asks for every public name; prints their numbers and where the package is.
IMPORT = """
import importlib, pkgutil, sys
import throughtime
modules = [throughtime]
for found in pkgutil.walk_packages(throughtime.__path__, "throughtime."):
    if not found.name.endswith("__main__"):
        modules.append(importlib.import_module(found.name))
names = [getattr(module, name) for module in modules for name in getattr(module, "__all__", ())]
print(len(modules), len(names), throughtime.__file__)
"""


def imported(folder: Path) -> subprocess.CompletedProcess:
    """Import all of the package in a folder, which comes before the environment's own."""
    return subprocess.run(
        [sys.executable, "-P", "-c", IMPORT],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_module_and_public_name_is_imported_from_the_wheel(archives: tuple[Path, Path], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(tmp_path)]
    subprocess.run([*command, str(archives[1])], check=True)
    ended = imported(tmp_path)
    assert ended.returncode == 0, ended.stderr
    modules, names, place = ended.stdout.split(maxsplit=2)
    assert Path(place.strip()) == tmp_path / "throughtime" / "__init__.py"
    mains = list(LIBRARY.rglob("__main__.py"))
    assert int(modules) == len(list(LIBRARY.rglob("*.py"))) - len(mains)
    assert int(names) > 200
    (tmp_path / "throughtime" / "arrays" / "network.py").unlink()
    assert "No module named 'throughtime.arrays.network'" in imported(tmp_path).stderr
