"""The fixture ``kept``: what PyTorch gives, from a file or from itself (ORACLES, see kept_values)."""

from collections.abc import Callable, Iterator

import pytest
from kept_values import Oracles, Values, mode
from throughtime.programs import build


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs as plain Python: what is asked is what they compute."""
    monkeypatch.setattr(build, "COMPILED", False)
    monkeypatch.setattr(build, "CACHE", None)


@pytest.fixture(scope="session")
def oracles() -> Iterator[Oracles]:
    run = Oracles(mode())
    yield run
    if run.how == "record":
        run.write()


@pytest.fixture
def kept(oracles: Oracles) -> Iterator[Callable[..., Values]]:
    """``kept("transcription.function", *arguments)``; a test that leaves one of its arrays uncompared fails."""
    given = []

    def values(function: str, *arguments: object) -> Values:
        given.append(oracles.values(function, arguments))
        return given[-1]

    yield values
    assert [one.left for one in given if one.left] == []
