"""Equations: corrections and lines that are not true, names that a system lacks, ids, settings that are too small."""

from math import tanh
from time import process_time

import one_unit as one
import pytest
import throughtime as tt
from one_layer import U, f, h, i, j, k, m, n, p, q, t, units, w, x
from sympy import Integer, Rational
from throughtime.derivation.deriving.steps import Derivation, Line
from throughtime.derivation.formulas.errors import UndefinedQuantityError
from throughtime.derivation.formulas.nodes import Modulus, d, sum_over, variable
from throughtime.derivation.publishing.render import ranges_said


def vanilla(**setting) -> tt.Bench:
    """h(t) = f(U h(t-1) + W x(t))."""
    system = tt.System("vanilla")
    system[h[i, t]] = f(sum_over(j, w[i, j] * x[j, t]) + sum_over(k, U[i, k] * h[k, t - 1]))
    return tt.Bench(system, sizes=[{n: 2, m: 2}], **setting)


SETTING = vanilla()
DERIVATION = SETTING.derive(h[i, t], w[p, q])
LEFT, TRUE = DERIVATION.left, DERIVATION.result
SLIP = (LEFT, -TRUE)
NO_MODEL = {"numeric": "no model"}


def test_wrong_correction_is_refused_before_a_proof_is_tried() -> None:
    start = process_time()
    with pytest.raises(tt.CheckError, match=r"corrected form is not true: .* at .*t=1; the sides are"):
        SETTING.equation("wrong twice", SLIP, corrected=[(LEFT, 2 * TRUE)], **NO_MODEL)
    assert process_time() - start < 2


def test_wrong_line_of_a_derivation_is_refused_with_its_place() -> None:
    wrong = Derivation(LEFT, (*DERIVATION.lines, Line(-TRUE, "the same")))
    with pytest.raises(tt.CheckError, match=r"instance check failed: .* at .*t=1; the sides are"):
        SETTING.equation("wrong line", (LEFT, TRUE), derivations=[wrong], **NO_MODEL)


def test_refused_statement_leaves_its_id_free() -> None:
    with pytest.raises(tt.CheckError):
        SETTING.equation("tried", SLIP, **NO_MODEL)
    assert SETTING.equation("tried", (LEFT, TRUE), **NO_MODEL).verdict == "holds"


def test_quantity_that_the_system_does_not_define_is_refused() -> None:
    forgotten = variable("forgotten", units)
    for left in (d(h[i, t], forgotten[i, t]), forgotten[i, t]):
        for printed, more in ((SLIP, {"corrected": [(left, 0 * t)]}), ((left, 0 * t), {})):
            with pytest.raises(UndefinedQuantityError, match=r"^x: .* does not define forgotten, read in "):
                SETTING.equation("x", printed, **more)
    with pytest.raises(UndefinedQuantityError):
        SETTING.equation("x", (Modulus(h[i, t]), tt.AtMost(Modulus(forgotten[i, t]))))


def test_correction_is_put_to_the_instances_even_where_only_a_bound_was_wrong() -> None:
    """h(t-1) = f(z(t-1)) is provable for generic t and false at t = 1, where h(0) = 0; only the instances refuse it."""
    orders = (tanh, lambda z: 1 - tanh(z) ** 2, lambda z: -2 * tanh(z) * (1 - tanh(z) ** 2))
    bench = tt.Bench(one.unit(), [{}], activations={"f": lambda z, order: orders[order](z)})
    sharp = {"slopes": {"f": Integer(1)}, "zeros": ["x"], **NO_MODEL}
    left, exact = Modulus(d(one.h[t], one.z[t])), Modulus(f.prime(one.z[t]))
    printed, better = (left, exact, tt.AtMost(Rational(1, 2))), (left, exact, tt.AtMost(Integer(1)))
    assert bench.equation("bound", printed, corrected=[better], **sharp).verdict == "corrected"
    with pytest.raises(tt.CheckError, match=r"corrected form is not true: f\(z\(t-1\)\) is not h\(t-1\) at t=1"):
        bench.equation("bound", printed, corrected=[better, (one.h[t - 1], f(one.z[t - 1]))], **sharp)


def test_ranges_of_one_letter_stand_in_an_order_that_no_hash_decides() -> None:
    letters = [tt.Index("i", tt.domain(name, tt.Dimension(f"n_{name}"))) for name in ("B", "A")]
    chains = [[variable(f"v_{letter.domain.name}", letter.domain)[letter, t]] for letter in letters]
    assert ranges_said(chains) == [r"$i = 1, \dots, n_A$, $i = 1, \dots, n_B$"]


def test_net_of_default_length_is_shown_and_judged_like_a_longer_one() -> None:
    counts = []
    for bench in (SETTING, vanilla(length=5)):
        shown = tt.show(bench, DERIVATION).mutants
        assert shown == bench.equation("vanilla", (LEFT, TRUE), **NO_MODEL).mutants
        assert shown.passed
        counts.append((shown.tried, shown.rejected, shown.equal))
    assert counts[0] == counts[1]


def test_one_unit_is_enough_since_mutants_are_put_to_more() -> None:
    v, system = variable("v", units), tt.System("one layer")
    system[v[i, t]] = sum_over(j, w[i, j] * x[j, t])
    bench = tt.Bench(system, [{n: 1, m: 1}])
    assert bench.equation("small", (v[i, t], sum_over(j, w[i, j] * x[j, t])), **NO_MODEL).mutants.passed
    assert tt.show(bench, bench.derive(v[i, t], x[j, t])).mutants.passed
