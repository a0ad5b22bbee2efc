"""What all tests share: the same hypothesis examples on every machine, and figures that need no screen."""

import os
import sys
from collections import Counter

import hypothesis
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")

# `make test` must prove the same thing everywhere; `--hypothesis-profile=explore` looks for new examples.
hypothesis.settings.register_profile("book", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("book")


@pytest.fixture(autouse=True)
def own_statements():
    """Each test is a session of its own: an id that another test has judged is free.

    Taken from what is loaded: tests without the engine do not depend on it.
    """
    yield
    if engine := sys.modules.get("throughtime.derivation"):
        engine.reset_statements()


# Files and folders that take long start first, so that no worker is left with one while the others have nothing to do.
# Before all others one that runs every loop of the models, beside it those that run none: what comes later finds the
# loops compiled, and no two workers compile the same one.
FIRST = (
    "test_interface.py",
    "tools",
    "fuzz",
    "reader",
    "test_figures.py",
    "models",
    "test_killed.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple:
        rank = next((n for n, name in enumerate(FIRST) if name in (item.path.name, item.path.parent.name)), len(FIRST))
        return rank, -tests[item.path], str(item.path)

    items.sort(key=place)
