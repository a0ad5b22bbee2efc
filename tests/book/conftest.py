"""Fixtures of the chapters' tests: the statements of a page by id. A module names its page ``PAGE``."""

from pathlib import Path

import pytest
from throughtime_book.reference.ledger import Judged, read_notebook

BOOK = Path(__file__).parents[2] / "book"


@pytest.fixture(scope="module")
def judged(request: pytest.FixtureRequest) -> dict[str, Judged]:
    return {item.id: item for item in read_notebook(request.module.PAGE, BOOK)}
