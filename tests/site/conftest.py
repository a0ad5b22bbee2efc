"""One browser with one tab for all tests of a worker."""

from collections.abc import Iterator

import pytest
from site_check import Reader, open_reader


@pytest.fixture(scope="session")
def reader() -> Iterator[Reader]:
    with open_reader() as opened:
        yield opened
