"""The examples in the docstrings of every module of the library and of the book run, and give what they show."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

EXAMPLE = re.compile(r"^\s*>>> ", re.M)
ROOT = Path(__file__).parents[2]
WITH_EXAMPLES = [
    ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")
    for top, package in ((ROOT / "lib", "throughtime"), (ROOT, "book"))
    for path in sorted((top / package).rglob("*.py"))
    if ".ipynb_checkpoints" not in path.parts and EXAMPLE.search(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_run(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0  # else doctest does not see the docstring
    assert failed == 0


def test_examples_are_found() -> None:
    assert {"throughtime.checks", "throughtime.tasks.counting", "book.bptt.networks"} <= set(WITH_EXAMPLES)
    assert len([name for name in WITH_EXAMPLES if name.startswith("throughtime.derivation.")]) >= 18
