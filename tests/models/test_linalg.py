"""The linear algebra of all loops against NumPy, and mistakes planted in it."""

import numpy as np
import pytest
from throughtime.checks import relative_error
from throughtime.models import _linalg

RNG = np.random.default_rng(0)
REAL = {name: RNG.normal(size=size) for name, size in {"m": (3, 5), "v": 4, "d": 3, "u": 3}.items()}
COMPLEX = {name: values + 1j * RNG.normal(size=values.shape) for name, values in REAL.items()}


def right(linalg, m, v, d, u):
    """Whether every function computes what NumPy does; matrices have a column more than the vectors have entries."""
    product, outer, multiple, error = np.zeros_like(d), m.copy(), m.copy(), np.zeros(3)
    linalg.multiply(m, v, product)
    linalg.add_outer(d, v, outer)
    linalg.add_multiple(v[0], m, multiple)
    mask = np.array([1.0, 0.0, 1.0])
    loss = linalg.output_error(d.real.copy(), u.real.copy(), mask, error)
    outer_expected = m.copy()
    outer_expected[:, :4] += np.multiply.outer(d, v)
    pairs = [
        (product, m[:, :4] @ v),
        (outer, outer_expected),
        (multiple, m + v[0] * m),
        (error, mask * (d - u).real),
        (np.array(loss), np.array(0.5 * (mask * (d - u).real ** 2).sum())),
    ]
    return all(relative_error(found, expected) <= 1e-14 for found, expected in pairs)


@pytest.mark.parametrize("numbers", [REAL, COMPLEX], ids=["real", "complex"])
def test_every_function_is_that_of_numpy(numbers):
    assert right(_linalg, **numbers)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
def test_one_number_that_is_not_finite_is_found_anywhere(wrong):
    assert _linalg.finite(np.zeros(3))
    assert _linalg.finite(np.zeros(0))
    for place in range(3):
        values = np.zeros(3)
        values[place] = wrong
        assert not _linalg.finite(values)


def test_every_mutant_is_rejected(mutants):
    tried = {description: right(mutant, **REAL) for description, mutant in mutants(_linalg)}
    assert len(tried) > 10
    assert [description for description, unnoticed in tried.items() if unnoticed] == []
