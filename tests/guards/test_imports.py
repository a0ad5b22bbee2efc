"""Imports point one way: derivation and models know nothing of each other, the library nothing of the book.

Also: one idea per file, so no file of the library grows beyond 350 lines.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[2] / "lib"
FILES = sorted(LIBRARY.rglob("*.py"))
LONGEST = 350

# What the files of a package may import beside the standard library; the longest name that fits a file rules.
ALLOWED = {
    "throughtime": {"throughtime", "numpy", "numba", "sympy", "matplotlib"},
    "throughtime.derivation": {"throughtime.derivation", "sympy"},
    "throughtime.models": {"throughtime.models", "numpy", "numba"},
}


def module_name(path: Path, source_folder: Path = LIBRARY) -> str:
    parts = path.relative_to(source_folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, source_folder: Path = LIBRARY) -> Iterator[tuple[int, str]]:
    """Line and full name of all that a file imports, also inside functions and under TYPE_CHECKING."""
    package = module_name(path, source_folder).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            # `from throughtime import models` imports throughtime.models; other names are within `module`.
            own = module.split(".")[0] == package[0]
            yield from ((node.lineno, f"{module}.{alias.name}" if own else module) for alias in node.names)


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def against_the_direction(path: Path, source_folder: Path = LIBRARY) -> Iterator[str]:
    name = module_name(path, source_folder)
    if name == "throughtime":
        allowed: set[str] = set()  # importing any part of the package runs this file first
    else:
        allowed = ALLOWED[max((package for package in ALLOWED if within(name, package)), key=len)]
    for line, target in imported(path, source_folder):
        if target.split(".")[0] in sys.stdlib_module_names:
            continue
        if not any(within(target, package) for package in allowed):
            may = sorted(allowed) or "the standard library only"
            yield f"{name}, line {line}: imports {target}, may import {may}"


def too_long(path: Path) -> Iterator[str]:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > LONGEST:
        yield f"{path.name} has {lines} lines, more than {LONGEST}: it holds more than one idea"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(LIBRARY).as_posix())
def test_file_imports_with_the_direction_and_holds_one_idea(path: Path) -> None:
    assert [*against_the_direction(path), *too_long(path)] == []


def test_derivation_loads_without_numpy() -> None:
    """As it must in a browser, where only SymPy can be had."""
    script = "import sys, throughtime.derivation; print(*{'numpy', 'numba', 'matplotlib'} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


# ---- the guards themselves


@pytest.fixture
def source_folder(tmp_path: Path) -> Path:
    for package in ("derivation", "models", "figures"):
        (tmp_path / "throughtime" / package).mkdir(parents=True)
    return tmp_path


FORBIDDEN = [
    ("derivation/a.py", "import numpy as np", "numpy"),
    ("derivation/a.py", "def f():\n    from mpmath import mp", "mpmath"),
    ("derivation/a.py", "from throughtime.models import lfmn", "throughtime.models.lfmn"),
    ("derivation/a.py", "from ..models.lfmn import forward", "throughtime.models.lfmn.forward"),
    ("derivation/a.py", "from .. import models", "throughtime.models"),
    ("derivation/a.py", "from throughtime import models", "throughtime.models"),
    ("models/a.py", "import sympy", "sympy"),
    ("models/__init__.py", "from ..derivation import System", "throughtime.derivation.System"),
    ("figures/a.py", "from tests.helpers import x", "tests.helpers"),
    ("figures/a.py", "import book.lfmn", "book.lfmn"),
    ("__init__.py", "from . import models", "throughtime.models"),
    ("__init__.py", "import numpy", "numpy"),
]


@pytest.mark.parametrize(("name", "source", "target"), FORBIDDEN)
def test_planted_import_is_found(name: str, source: str, target: str, source_folder: Path) -> None:
    path = source_folder / "throughtime" / name
    path.write_text(source, encoding="utf-8")
    (fault,) = against_the_direction(path, source_folder)
    assert f"imports {target}," in fault


PERMITTED = [
    (
        "derivation/a.py",
        "import sympy.core\nfrom .b import c\nfrom fractions import Fraction\nfrom . import d",
    ),
    ("models/__init__.py", "from numba import njit\nimport numpy\nfrom .lfmn import forward"),
    (
        "figures/a.py",
        "from ..models import lfmn\nfrom throughtime.derivation import System\nimport matplotlib.pyplot",
    ),
    ("__init__.py", "from importlib import metadata"),
]


@pytest.mark.parametrize(("name", "source"), PERMITTED)
def test_permitted_import_is_passed(name: str, source: str, source_folder: Path) -> None:
    path = source_folder / "throughtime" / name
    path.write_text(source, encoding="utf-8")
    assert list(against_the_direction(path, source_folder)) == []


def test_planted_length_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1\n" * LONGEST, encoding="utf-8")
    assert list(too_long(path)) == []
    path.write_text("x = 1\n" * (LONGEST + 1), encoding="utf-8")
    assert len(list(too_long(path))) == 1
