"""One browser for all tests of a worker."""

from collections.abc import Iterator

import pytest
from site_check import Readers, open_readers


@pytest.fixture(scope="session")
def readers() -> Iterator[Readers]:
    with open_readers() as opened:
        yield opened
