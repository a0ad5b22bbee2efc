"""The dual numbers of the unrolled system agree with the complex step through the same definitions."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import factorial

import pytest
import throughtime as tt
from throughtime.derivation.evaluating.unroll import tabulated
from throughtime.derivation.formulas.errors import DomainError
from throughtime.derivation.formulas.nodes import Activation, d, parameter, sequence, time, variable

STEP = 1e-30


def test_masks_are_drawn_zero_and_one_and_spread_inputs_zero_and_large() -> None:
    y, c, x = variable("y"), sequence("c", mask=True), sequence("x")
    system = tt.System("masked")
    system[y[t]] = c[t] * x[t]
    values = {name: set() for name in ("c", "x", "spread x")}
    for seed in range(4):
        for spread in (False, True):
            net = tt.ExactInstance(system, {}, 6, seed=seed, spread=spread)
            assert sorted(net.element((c, at)) for at in range(1, 7)) == [0, 1, 1, 1, 1, 1]
            assert net.element((c, 6)) == 1  # or the last step would ask nothing
            values["c"] |= {net.element((c, at)) for at in range(1, 7)}
            values["spread x" if spread else "x"] |= {net.element((x, at)) for at in range(1, 7)}
    assert values["c"] == {0, 1}
    assert 0 not in values["x"]
    assert 0 in values["spread x"]
    assert max(map(abs, values["spread x"])) > 1.8 > max(map(abs, values["x"]))
    bench = tt.Bench(system, [{}])
    assert bench.equation("mask squared", tt.chain(c[t] ** 2, c[t]), numeric="no model").verdict == "holds"
    assert not bench.on_instances([tt.chain(c[t] * c[t - 1], c[t])])


NUMBERS = """
import sys
sys.modules |= {"gmpy2": None} if "without" in sys.argv else {}
import throughtime as tt
from throughtime.derivation.evaluating.residues import Residue
net = tt.read("h_t = tanh(W x_t + U h_{t-1})\\nL = sum_t ‖h_t - d_t‖^2")
for number in ({}, {"number": Residue}):
    print(*tt.ExactInstance(net.system, net.sizes, 3, **number).trace.values())
print(net.judge("dL/dh_t = 2 (h_t - d_t) + U^T dL/dnet_{h,t}").counterexample)
"""


def test_the_rationals_of_python_give_the_same_numbers() -> None:
    """Of another library they are the engine's where that is installed, as it is not in the browser."""
    how = {"capture_output": True, "text": True, "check": True}
    ours, theirs = (subprocess.run([sys.executable, "-c", NUMBERS, *more], **how) for more in ([], ["without"]))
    assert ours.stdout == theirs.stdout
    assert "the printed right side is" in ours.stdout


def test_duals_are_those_of_the_complex_step(net) -> None:
    exact = net.unrolled((2, 2, 2), 3, 4)
    given = dict(exact.given)
    weights = [key for key in given if key[0] in {weight.quantity for weight in net.weights}]
    assert weights
    for moved in weights:
        values = {(key[0].name, *key[1:]): complex(float(value)) for key, value in given.items()}
        values[(moved[0].name, *moved[1:])] += 1j * STEP
        functions = {name: _rounded(function) for name, function in exact.activations.items()}
        again = replace(exact, values=values, activations=functions, number=lambda value: complex(float(value)))
        for key, dual in exact.slopes(moved).items():
            assert again.trace[key].imag / STEP == pytest.approx(float(dual.slope), rel=1e-9, abs=1e-9), (key, moved)


def _rounded(function):
    """The floating-point version of a cubic ``function(z, order)``, from its derivatives at 0."""
    at_zero = [float(function(0, order)) for order in range(4)]
    return lambda z, order: sum(at_zero[n] / factorial(n - order) * z ** (n - order) for n in range(order, 4))


t, f = time("t"), Activation("f")
n = tt.Dimension("n")
A = tt.domain("A", n)
i, u, v = tt.Index("i", A), parameter("u", A), variable("v", A)
SYSTEM = tt.System("units")
SYSTEM[v[i, t]] = f(u[i] * v[i, t - 1] + u[i])


def test_table_is_read_at_exact_points_only_and_by_name_order_and_point() -> None:
    read = [tabulated(name)(z, order) for name in "fg" for z in (Fraction(1, 3), Fraction(1, 2)) for order in (0, 1, 2)]
    assert len(set(read)) == len(read)
    assert tabulated("f")(Fraction(2, 6), 1) == read[1]
    assert tabulated("f")(0, 0) == tabulated("f")(Fraction(0), 0)
    with pytest.raises(tt.DerivationError, match=r"read at exact numbers, got 0\.5; give the activation"):
        tabulated("f")(0.5, 0)


def test_stand_in_for_floating_point_is_smooth() -> None:
    """A table of values would give one point, rounded in two ways, two unrelated values."""
    stand_in = tt.ExactInstance(SYSTEM, {n: 1}, 2, number=float).function(f(u[i]), ())
    for order in range(3):
        slope = (stand_in(0.3 + 1e-5, order) - stand_in(0.3 - 1e-5, order)) / 2e-5
        assert slope == pytest.approx(stand_in(0.3, order + 1), rel=1e-6)


@pytest.mark.parametrize("formula", [u[i + 1], v[i + 1, t], d(v[i, t], u[i - 1]), v[i + 1, t + 9]])
def test_element_that_no_domain_has_is_refused(formula) -> None:
    """An index outside its domain is an error at every time, and the comparison must not skip it."""
    with pytest.raises(DomainError, match=r"lies outside A, which is 1\.\.n"):
        tt.holds_on([tt.ExactInstance(SYSTEM, {n: 2}, 2)], [(formula, formula)])
