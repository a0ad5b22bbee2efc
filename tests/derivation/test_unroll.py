"""The brute-force duals themselves, against the complex step through the same definitions."""

from fractions import Fraction
from math import factorial

import pytest
from throughtime.derivation.checks import holds_on
from throughtime.derivation.domains import Dimension, Index, domain
from throughtime.derivation.errors import DerivationError, DomainError
from throughtime.derivation.nodes import Activation, d, parameter, time, variable
from throughtime.derivation.system import System
from throughtime.derivation.unroll import Unrolled, tabulated

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


t, f = time("t"), Activation("f")
n = Dimension("n")
A = domain("A", n)
i, u, v = Index("i", A), parameter("u", A), variable("v", A)
SYSTEM = System("units")
SYSTEM[v[i, t]] = f(u[i] * v[i, t - 1] + u[i])


def test_table_is_read_at_exact_points_only_and_by_name_order_and_point() -> None:
    read = [tabulated(name)(z, order) for name in "fg" for z in (Fraction(1, 3), Fraction(1, 2)) for order in (0, 1, 2)]
    assert len(set(read)) == len(read)
    assert tabulated("f")(Fraction(2, 6), 1) == read[1]
    assert tabulated("f")(0, 0) == tabulated("f")(Fraction(0), 0)
    with pytest.raises(DerivationError, match=r"read at exact numbers, got 0\.5; give the activation"):
        tabulated("f")(0.5, 0)


def test_stand_in_for_floating_point_is_smooth() -> None:
    """A table would make two ways to round one point two points, with two values."""
    stand_in = Unrolled(SYSTEM, {n: 1}, 2, number=float).function(f(u[i]), ())
    for order in range(3):
        slope = (stand_in(0.3 + 1e-5, order) - stand_in(0.3 - 1e-5, order)) / 2e-5
        assert slope == pytest.approx(stand_in(0.3, order + 1), rel=1e-6)


def test_exact_numbers_have_powers_that_differ() -> None:
    drawn = [Unrolled(SYSTEM, {n: 3}, 1, seed=seed) for seed in range(30)]
    assert not {abs(value) for net in drawn for value in net.given.values()} & {0, 1}


@pytest.mark.parametrize("formula", [u[i + 1], v[i + 1, t], d(v[i, t], u[i - 1]), v[i + 1, t + 9]])
def test_element_that_no_domain_has_is_refused(formula) -> None:
    """A place outside is no matter of the time: the comparison may not pass over it."""
    with pytest.raises(DomainError, match=r"lies outside A, which is 1\.\.n"):
        holds_on([Unrolled(SYSTEM, {n: 2}, 2)], [(formula, formula)])
