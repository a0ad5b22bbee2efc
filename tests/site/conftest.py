"""One browser with one tab for all tests of a worker, and the built site."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from site_check import Reader, open_reader
from site_files import Served, serve

SITE = Path(__file__).parents[2] / "_build" / "html"


@pytest.fixture(scope="session")
def reader() -> Iterator[Reader]:
    with open_reader() as opened:
        yield opened


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with serve(SITE) as site:
        yield site
