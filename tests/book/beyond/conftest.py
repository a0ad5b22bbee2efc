"""What tests of this part share."""

from collections.abc import Iterator

import pytest
from book.beyond.diagonal_recurrence import checks


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs run as Python: compiling them takes longer than these small nets."""
    monkeypatch.setattr("throughtime.programs.build.COMPILED", False)
    checks.compiled.cache_clear()
    yield
    checks.compiled.cache_clear()
