"""The examples in docstrings of the models and of gradcheck run as they are printed."""

import doctest
import importlib
import pkgutil

import pytest
import throughtime.models

MODULES = [f"throughtime.models.{found.name}" for found in pkgutil.iter_modules(throughtime.models.__path__)]


@pytest.mark.parametrize("name", [*MODULES, "throughtime.checks"])
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples_to_run():
    modules = (importlib.import_module(name) for name in MODULES)
    assert sum(doctest.testmod(module).attempted for module in modules) > 5
