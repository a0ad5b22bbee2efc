"""One browser with one tab for all tests of a worker, and the built site."""

from collections.abc import Iterator

import pytest
from site_check import Reader, open_reader
from site_files import SITE, Served, serve


@pytest.fixture(scope="session")
def reader() -> Iterator[Reader]:
    with open_reader() as opened:
        yield opened


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with serve(SITE) as site:
        yield site
