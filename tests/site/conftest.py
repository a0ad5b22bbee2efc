"""One browser with one tab for all tests of a worker, and the built site."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from site_check import PATIENCE, Reader, open_reader
from site_files import SITE, Served, serve

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def reader() -> Iterator[Reader]:
    with open_reader() as opened:
        yield opened


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with serve(SITE) as site:
        yield site
