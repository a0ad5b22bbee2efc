"""What the tests of these chapters share: two benches."""

import pytest
from book.peephole.bench import make_bench
from throughtime.systems import lstm_family as s


@pytest.fixture(scope="package")
def plain():
    return make_bench(s.UNSQUASHED)


@pytest.fixture(scope="package")
def peephole():
    return make_bench(s.LSTM2002)
