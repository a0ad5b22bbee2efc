"""What the tests of these chapters share: two settings, the check of verdicts, the code that a reader types."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from throughtime.systems import lstm_family as s
from throughtime_book.peephole.setting import setting
from throughtime_book.reference.ledger import Judged


@pytest.fixture(scope="package")
def plain():
    return setting(s.UNSQUASHED)


@pytest.fixture(scope="package")
def peephole():
    return setting(s.LSTM2002)


@pytest.fixture
def verdicts(judged: dict[str, Judged]) -> Callable:
    """A function that checks the verdicts of the module's page, given its statements as sets of ids."""

    def check(holds: set[str], corrected: set[str] = frozenset(), supported: set[str] = frozenset()) -> None:
        assert judged.keys() == holds | corrected | supported
        for id, record in ((item.id, item.record) for item in judged.values()):
            wanted = "corrected" if id in corrected else "supported" if id in supported else "holds"
            assert record["verdict"] == wanted
            passed = {kind: check["passed"] for kind, check in record["checks"].items()}
            assert passed["general"] is True
            assert passed["instance"] is True or passed["numeric"] is True
            assert record["mutants"]["survivors"] == []
            assert bool(record["counterexample"]) == (id in corrected)

    return check


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
