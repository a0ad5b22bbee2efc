"""Fixtures of the chapters' tests: names that the cells of a page define, and programs that are not compiled."""

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
def run_page(request: pytest.FixtureRequest) -> Callable[..., dict]:
    """Run the code cells of a page that contain one of some texts, in its order; return their names."""

    def run(*texts: str) -> dict:
        names: dict = {}
        for source in code_of_page(request.module):
            if any(text in source for text in texts):
                exec(source, names)
        return names

    return run
