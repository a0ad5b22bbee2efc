"""What tests of experiments share."""

from collections.abc import Iterator

import pytest
from book.experiments import later, trial
from book.experiments.net import _blocks, _small


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs run as Python: compiling them takes longer than these small nets."""
    monkeypatch.setattr("throughtime.programs.build.COMPILED", False)
    monkeypatch.setattr(trial, "TESTED", 40)
    for made in (_blocks, _small, later.forgetting):
        made.cache_clear()
    yield
    for made in (_blocks, _small, later.forgetting):
        made.cache_clear()
