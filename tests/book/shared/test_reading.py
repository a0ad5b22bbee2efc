"""Formulas of a source on the numbers of another witness: every index has to fit, and both sides have to be close."""

import pytest
import throughtime as tt
from book.shared.reading import NoSuchElement, SourceNotation, equals
from sympy import Integer

n, t = tt.Dimension("n"), tt.time("t")
H = tt.domain("H", n)
i = tt.Index("i", H)
u, x, h, y = tt.parameter("u", H), tt.sequence("x", H), tt.variable("h", H), tt.variable("y", H)


class Renamed(SourceNotation):
    """y of the source is h; what has no index there is missing."""

    factor = 1

    def element(self, key):
        quantity, unit, *when = key
        if unit > int(self.sizes[n]):
            raise NoSuchElement(f"{quantity}: no element {unit}")
        value = self.of.element((h if quantity == y else quantity, unit, *when))
        return value * (self.factor if quantity == y else 1)


@pytest.fixture(params=[None, float], ids=["exact", "float"])
def reading(request) -> Renamed:
    system = tt.System("leaky units")
    system[h[i, t]] = u[i] * h[i, t - 1] + x[i, t]
    return Renamed(tt.ExactInstance(system, {n: 2}, 3, **({"number": float} if request.param else {})))


RIGHT = equals(y[i, t], u[i] * y[i, t - 1] + x[i, t])


def test_equation_under_other_names_holds_and_its_slip_does_not(reading) -> None:
    assert reading.holds(RIGHT)
    assert not reading.holds(equals(y[i, t], u[i] * y[i, t - 1] - x[i, t]))
    assert not reading.holds(equals(y[i, t], u[i] * y[i, t] + x[i, t]))


def test_witness_off_by_1e_9_is_refused(reading) -> None:
    reading.factor = 1 + 10**-9
    assert not reading.holds(equals(y[i, t], h[i, t]))


def test_index_out_of_range_is_no_equation(reading) -> None:
    reading.sizes = {**reading.sizes, n: Integer(1)}
    reading.of.sizes = {**reading.of.sizes, n: Integer(2)}
    assert not reading.holds(equals(y[Integer(2), t], y[Integer(2), t]))


def test_equation_without_a_place_does_not_hold(reading) -> None:
    assert not reading.holds(equals(y[i, t + 5], y[i, t + 5]))


def test_forward_pass_has_no_derivatives(reading) -> None:
    with pytest.raises(NotImplementedError, match="no derivatives"):
        reading.holds(equals(tt.d(y[i, t], u[i]), y[i, t - 1]))
