"""Fixtures of the chapters' tests: names that the cells of a page define, and programs that are not compiled."""

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from book.beyond.diagonal_recurrence import checks
from book.experiments import later, trial
from book.experiments.net import _blocks, _small

BOOK = Path(__file__).parents[2] / "book"
KEPT = (checks.compiled, _blocks, _small, later.forgetting)  # compiled nets


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs run as Python: compiling them takes longer than these small nets."""
    monkeypatch.setattr("throughtime.programs.build.COMPILED", False)
    monkeypatch.setattr(trial, "TESTED", 40)
    for made in KEPT:
        made.cache_clear()
    yield
    for made in KEPT:
        made.cache_clear()


def code_of_page(tests: ModuleType) -> list[str]:
    """The code cells of the page of a test file: that of the same name, or the one that it names as its ``PAGE``."""
    path = Path(str(tests.__file__))
    name = f"{path.parent.name}/{path.stem.removeprefix('test_').replace('_', '-')}"
    page = BOOK / f"{getattr(tests, 'PAGE', name)}.ipynb"
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.fixture(scope="module")
def page_cell(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """The one code cell of the page that contains a text."""

    def find(text: str) -> str:
        (source,) = (source for source in code_of_page(request.module) if text in source)
        return source

    return find


@pytest.fixture(scope="module")
def run_cell(page_cell: Callable[[str], str]) -> Callable[..., dict]:
    """Run that cell as a reader types it, with NumPy, a `table` that returns its rows and further names; its names."""

    def run(text: str, **further: object) -> dict:
        names = {"np": np, "table": lambda head, rows: list(rows), **further}
        exec(page_cell(text), names)
        return names

    return run


@pytest.fixture(scope="module")
def run_page(request: pytest.FixtureRequest) -> Callable[[str], dict]:
    """Run the first code cell of a page that contains a text, and those before it that it needs; return their names."""

    def run(last: str) -> dict:
        sources = code_of_page(request.module)
        end = next(place for place, source in enumerate(sources) if last in source)
        names: dict = {}
        for source in needed(sources[: end + 1]):
            exec(source, names)
        return names

    return run


def needed(sources: list[str]) -> list[str]:
    """The last of some cells and those before it that set a name, or a part of it, which a later one of them reads."""
    found: list[str] = []
    wanted: set[str] = set()
    for source in reversed(sources):
        nodes = [*ast.walk(ast.parse(source))]
        if not found or {name for node in nodes for name in names_set(node)} & wanted:
            found.insert(0, source)
            wanted |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return found


def names_set(node: ast.AST) -> Iterator[str]:
    """The names that a node of a syntax tree sets, or of whose value it sets a part."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case (
            ast.Subscript(value=ast.Name(id=name), ctx=ast.Store())
            | ast.Attribute(value=ast.Name(id=name), ctx=ast.Store())
        ):
            yield name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name.split(".")[0] for alias in names)
