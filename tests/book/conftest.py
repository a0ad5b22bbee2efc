"""Fixtures of the chapters' tests: statements of a page, names that its cells define. A module names its ``PAGE``."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from book.reference.ledger import Judged, read_notebook

BOOK = Path(__file__).parents[2] / "book"


@pytest.fixture(scope="module")
def judged(request: pytest.FixtureRequest) -> dict[str, Judged]:
    return {item.id: item for item in read_notebook(request.module.PAGE, BOOK)}


@pytest.fixture(scope="module")
def run_page(request: pytest.FixtureRequest) -> Callable[[str], dict]:
    """Run the code cells of a page up to the first that contains a text, figures left out; return their names."""

    def run(last: str) -> dict:
        cells = json.loads(request.module.PAGE.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        end = next(place for place, source in enumerate(sources) if last in source)
        names = {}
        for source in sources[: end + 1]:
            if not source.startswith("figures."):
                exec(source, names)
        return names

    return run
