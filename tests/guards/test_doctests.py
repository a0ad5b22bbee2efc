"""The examples in the docstrings of every module of the library and of the book run, and give what they show."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

EXAMPLE = re.compile(r"^\s*>>> ", re.M)
ROOT = Path(__file__).parents[2]
FOLDERS = {"throughtime": ROOT / "lib" / "throughtime", "book": ROOT / "book"}


def modules() -> dict[str, Path]:
    """The file of each module by its full name; ``__main__`` would run the command."""
    found = {}
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            if parts[-1] != "__main__" and ".ipynb_checkpoints" not in parts:
                found[".".join((package, *parts)).removesuffix(".__init__")] = path
    return found


MODULES = modules()
WITH_EXAMPLES = [name for name, path in MODULES.items() if EXAMPLE.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_run(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0  # else doctest does not see the docstring
    assert failed == 0


def test_modules_and_examples_are_found() -> None:
    assert len(MODULES) > 150
    assert {"throughtime.checks", "throughtime.learning.optimizers", "throughtime.tasks.counting"} <= set(WITH_EXAMPLES)
    assert {"book.lfmn.one_unit", "book.bptt.networks"} <= set(WITH_EXAMPLES)
    engine = {name for name in WITH_EXAMPLES if name.startswith("throughtime.derivation.")}
    assert len(engine) >= 18
