"""Mutants of the compiled loops, as a fixture."""

import kernel_mutants
import pytest


@pytest.fixture(scope="session")
def mutants():
    return kernel_mutants.mutants
