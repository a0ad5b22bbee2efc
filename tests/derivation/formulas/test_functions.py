"""Functions with rules of their own: in formulas, on exact numbers and in floating point."""

from fractions import Fraction
from itertools import product

import pytest
import sympy
import throughtime as tt
from shared_formulas import a, b, i, m, n, t, u, x, y, z
from sympy import Integer, Rational
from throughtime.derivation.deriving.differentiate import immediate
from throughtime.derivation.evaluating.elementary import CLOSED, NAMED
from throughtime.derivation.evaluating.evaluate import Undefined
from throughtime.derivation.formulas.nodes import Activation, Applied
from throughtime.reading.known import sigma, tanh

SYSTEM = tt.System("one layer", t)
SYSTEM[z[i, t]] = u[i] * x[i, t]
AT = {i: Integer(1), t: Integer(1)}


def net(**how) -> tt.ExactInstance:
    return tt.ExactInstance(SYSTEM, {n: 1, m: 1}, 2, **how)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("function", [tt.exp, tt.log, tt.sqrt, sigma, tanh], ids=str)
def test_both_ways_to_a_derivative_of_any_order_agree_and_are_right(function, order) -> None:
    """The chain rule on formulas and the closed forms of the instances; and SymPy's derivative of the function."""
    made, point = net(values={("u", 1): Fraction(3, 7)}), sympy.Symbol("point", positive=True)
    formula = Applied(function, Integer(order), u[i])
    assert made.value(formula, AT) == made.function(function(u[i]), ())(Fraction(3, 7), order)
    assert tt.equal(immediate(Applied(function, Integer(order - 1), u[i]), u[i]), formula)
    itself = 1 / (1 + sympy.exp(-point)) if function is sigma else getattr(sympy, function.name)(point)
    true = itself.diff(point, order).subs(point, Rational(3, 7))
    made = net(number=float, values={("u", 1): 3 / 7})
    assert made.value(formula, AT) == pytest.approx(float(true), rel=1e-14)
    assert made.value(function(u[i]), AT) == pytest.approx(float(itself.subs(point, Rational(3, 7))), rel=1e-14)


@pytest.mark.parametrize("function", [tt.exp, tt.log, tt.sqrt], ids=str)
def test_rules_that_differ_refute_each_other(function, monkeypatch) -> None:
    net = tt.System("one function", t)
    net[z[i, t]], net[y[i, t]] = u[i] * x[i, t], function(z[i, t])
    right = CLOSED[function.name]
    monkeypatch.setitem(CLOSED, function.name, lambda value, z, order: right(value, z, order) * value)
    bench = tt.Bench(net, [{n: 2, m: 1}])
    with pytest.raises(tt.CheckError, match="instance check failed"):
        tt.show(bench, bench.derive(y[i, t], u[i]))


@pytest.mark.parametrize("name", NAMED)
def test_a_function_that_its_name_tells_is_that_in_floating_point(name: str) -> None:
    value, step = net(number=float).function(Activation(name)(u[a]), ()), 1e-6
    for at, order in product((-0.7, 0.7), range(3)):
        rise = (value(at + step, order) - value(at - step, order)) / (2 * step)
        assert value(at, order + 1) == pytest.approx(rise, abs=1e-8)


def test_no_value_is_refused_by_name_and_place() -> None:
    with pytest.raises(Undefined, match=r"log\(-1\) has no value at i=1, t=1"):
        net(number=float).value(tt.log(Integer(-1)), AT)
    with pytest.raises(Undefined, match=r"1/z\[i\]\(t-1\) has no value at i=1, t=1"):
        net().value(1 / z[i, t - 1], AT)


@pytest.mark.parametrize(("half", "slopes"), [(0, (0, 1)), (Fraction(1, 2), (Fraction(1, 2),) * 2), (1, (1, 0))])
def test_the_slopes_of_the_larger_at_a_tie_are_those_stated(half, slopes) -> None:
    def part(value, order: int):
        return half if order and value == 0 else (value > 0) * (1 if order else value)

    made = net(activations={"relu": part}, values={("u", 1): Fraction(2), ("u", 2): Fraction(2)})
    found = [made.value(immediate(tt.maximum(u[a], u[b]), by), {a: Integer(1), b: Integer(2)}) for by in (u[a], u[b])]
    assert tuple(found) == slopes
    assert made.value(tt.maximum(u[a], 3 + u[b]), {a: Integer(1), b: Integer(2)}) == 5
    assert made.value(tt.minimum(u[a], 3 + u[b]), {a: Integer(1), b: Integer(2)}) == 2


def test_functions_of_sympy_are_refused_with_the_way_out() -> None:
    with pytest.raises(tt.DerivationError, match=r"cannot evaluate exp.*write exp, log, sqrt"):
        net().value(sympy.exp(u[i]), AT)
    with pytest.raises(tt.DerivationError, match=r"cannot evaluate the root.*write exp, log, sqrt"):
        net().value(sympy.sqrt(u[i]), AT)
