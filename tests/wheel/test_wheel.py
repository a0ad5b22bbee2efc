"""The wheel holds the library alone, and all of it; `make wheel-test` runs the library's tests from it."""

from __future__ import annotations

import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "lib" / "throughtime"


def test_the_wheel_holds_the_library_and_nothing_else(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        names = wheel.namelist()
    files = (path for path in LIBRARY.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    metadata = re.compile(r"throughtime-[^/]*\.dist-info/")
    assert {name for name in names if not metadata.match(name)} == {
        path.relative_to(LIBRARY.parent).as_posix() for path in files
    }


def test_the_source_archive_holds_nothing_of_the_book(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[0]) as sdist:
        names = ["/".join(name.split("/")[1:]) for name in sdist.getnames()]
    assert [name for name in names if name.startswith("book/")] == []
    assert "lib/throughtime/py.typed" in names
