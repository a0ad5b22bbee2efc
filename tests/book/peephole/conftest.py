"""What the tests of these chapters share: two settings, the check of verdicts, the code that a reader types."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from book.peephole.bench import make_bench
from throughtime.systems import lstm_family as s


@pytest.fixture(scope="package")
def plain():
    return make_bench(s.UNSQUASHED)


@pytest.fixture(scope="package")
def peephole():
    return make_bench(s.LSTM2002)


@pytest.fixture
def typed() -> Callable:
    """A function that runs the visible cell of a page in which a function is defined, and returns that function."""

    def run(page: Path, name: str) -> Callable:
        cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
        (source,) = (text for cell in cells if f"def {name}(" in (text := "".join(cell["source"])))
        names = {"np": np}
        exec(source, names)
        return names[name]

    return run
