"""The brute-force duals themselves, against the complex step through the same definitions."""

from math import factorial

import pytest

STEP = 1e-30


def test_duals_are_those_of_the_complex_step(net) -> None:
    exact = net.unrolled((2, 2, 2), 3, 4)
    given = dict(exact.given)
    weights = [key for key in given if key[0] in {weight.quantity for weight in net.weights}]
    assert weights
    for moved in weights:
        again = net.unrolled((2, 2, 2), 3, 4)
        values = {(key[0].name, *key[1:]): complex(float(value)) for key, value in given.items()}
        values[(moved[0].name, *moved[1:])] += 1j * STEP
        again.values, again.given, again.number = values, {}, lambda value: complex(float(value))
        again.activations = {name: _rounded(function) for name, function in again.activations.items()}
        trace = again._run(None, ())
        for key, dual in exact.slopes(moved).items():
            assert trace[key].value.imag / STEP == pytest.approx(float(dual.slope), rel=1e-9, abs=1e-9), (key, moved)


def _rounded(function):
    """The same cubic in floating point, from its derivatives at 0."""
    at_zero = [float(function(0, order)) for order in range(4)]
    return lambda z, order: sum(at_zero[n] / factorial(n - order) * z ** (n - order) for n in range(order, 4))
