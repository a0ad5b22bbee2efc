"""What all tests share: the same hypothesis examples on every machine, and figures that need no screen."""

import os
import sys

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
