"""The chapter on information latching: its statements, and numeric tests that the printed formulas are wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import And, Eq, Equivalent, Ge, Gt, Implies, Le, Lt, Min, acosh, latex, sign, sqrt
from throughtime.derivation import CheckError, Step, prove, slips
from throughtime_book.lfmn.latching import definitions
from throughtime_book.lfmn.latching import numbers as lt
from throughtime_book.lfmn.latching.claims import (
    KEPT,
    PRINTED_WEIGHTS,
    UNITS,
    B,
    I,
    Unit,
    a,
    a0,
    b,
    bound_on_forcing,
    condition_on_weights,
    defines_latching,
    defines_robust_latching,
    f,
    keeps_sign,
    never_turns,
    t,
    t0,
    u,
    v,
    w,
    withstood,
    xi,
)
from throughtime_book.lfmn.latching.definitions import ROBUST, STANDS
from throughtime_book.shared.words import Among, ForSome, Throughout, Where

# ---- the printed formulas are wrong: plain arithmetic without the library


def run(weight, state, forcing):
    for push in forcing:
        state = weight * math.tanh(state / 2) + push
    return state


def test_a_unit_that_fades_meets_the_definition_and_flips_under_a_small_forcing():
    left_alone, pushed = definitions.fading_unit()
    sizes = [float(row[1].strip("$").replace(r" \cdot 10^{", "e").replace("}", "")) for row in (left_alone, pushed)]
    assert 0 < sizes[0] < 1e-6 < -sizes[1]
    assert (left_alone[2], pushed[2]) == ("never", "after 6 steps")
    assert 0 < run(1.0, 1.0, [0.0] * 20) < 1e-6
    assert run(1.0, 1.0, [-0.01] * 5) > 0 > run(1.0, 1.0, [-0.01] * 6)


def test_weights_of_modulus_three_turn_the_sign_at_every_step():
    assert [run(-3.0, 1.0, [0.0] * n) > 0 for n in range(6)] == [True, False] * 3


def test_printed_bound_is_neither_the_largest_nor_safe_from_everywhere():
    level = 1 - math.sqrt(2 / 4)
    printed = 4 * level - 2 * math.atanh(level)
    assert 4 / 2 * (1 - level) ** 2 == pytest.approx(1)
    assert printed < 0.9
    assert run(4.0, math.acosh(3), [-0.9] * 5000) > 2
    assert printed > 0.5
    assert run(4.0, 0.1, [-0.5]) < 0


# ---- the judges accept the true formula and refuse wrong ones


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (STANDS, True),
        (Throughout(Eq(sign(a(t)), sign(a(t0))), t < t0), False),
        (Throughout(Eq(sign(a(t)), -sign(a(t0))), t > t0), False),
        (Throughout(Eq(a(t), a(t0)), t > t0), False),
        (Throughout(Ge(abs(a(t)), abs(a(t0))), t > t0), False),
        (Throughout(Gt(a(t), 0), t > t0), False),
        (ROBUST, False),
    ],
)
def test_judge_of_the_definition(formula, true):
    assert defines_latching(formula) is true


@pytest.mark.parametrize("mutant", slips(STANDS), ids=str)
def test_slips_in_the_definition_are_refused(mutant):
    assert not defines_latching(mutant.expr)


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (STANDS, False),
        (ROBUST, True),
        (ForSome(Implies(Throughout(Le(abs(I(t)), b), t > t0), STANDS), b > -1), False),
        (ForSome(Implies(Throughout(Ge(abs(I(t)), b), t > t0), STANDS), b > 0), False),
    ],
)
def test_judge_of_the_sharper_definition(formula, true):
    assert defines_robust_latching(formula) is true


@pytest.mark.parametrize("mutant", slips(ROBUST), ids=str)
def test_slips_in_the_sharper_definition_are_refused(mutant):
    assert not defines_robust_latching(mutant.expr)


def test_sharper_definition_is_shown_with_its_proof():
    assert [step.formula for step in definitions.sharper_definition().steps].count(ROBUST) == 1


def test_left_alone_the_sign_of_a_self_weight_decides():
    assert [never_turns(unit) for unit in UNITS] == [unit.weight > 0 for unit in UNITS]


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (Implies(Throughout(Gt(abs(w), 2), Among(w, *PRINTED_WEIGHTS)), KEPT), False),
        (Equivalent(KEPT, v > 2), True),
        (Equivalent(KEPT, v >= 2), False),
        (Equivalent(KEPT, abs(v) > 2), False),
        (Equivalent(KEPT, u > 1), True),
        (Equivalent(KEPT, Lt(u, 1)), False),
    ],
)
def test_judge_of_the_condition(formula, true):
    assert condition_on_weights(formula) is true


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (Where(Eq(B, v * f(xi) - xi), And(Eq(v / 2 * (1 - f(xi) ** 2) - 1, 0), xi > 0)), True),
        (Where(Eq(B, v * f(xi) - xi), Eq(v / 2 * (1 - f(xi) ** 2) - 1, 0)), False),  # two solutions, one is -B
        (Where(Eq(B, w * f(xi) - xi), Eq(w / 2 * (1 - f(xi)) ** 2 - 1, 0)), False),
        (Eq(B, sqrt(v * (v - 2)) - acosh(v - 1)), True),
        (Eq(B, v - 2), False),
        (Implies(Throughout(Le(abs(I(t)), B), t > t0), STANDS), False),
        (Implies(And(abs(a(t0)) >= xi, Throughout(Le(abs(I(t)), B), t > t0)), STANDS), True),
        (Equivalent(KEPT, Le(b, v * f(Min(abs(a0), xi)) - Min(abs(a0), xi))), True),
        (Equivalent(KEPT, Le(b, v * f(abs(a0)) - abs(a0))), False),
    ],
)
def test_judge_of_the_bound(formula, true):
    assert bound_on_forcing(formula) is true


@given(st.sampled_from(UNITS))
@settings(deadline=None)
def test_runs_agree_with_the_theorem_on_every_unit(unit):
    assert keeps_sign(unit) == (unit.weight > (2 if unit.kind == "activation" else 1))


@pytest.mark.parametrize("weight", [2.5, 4.0, 7.0])
def test_measured_bound_is_the_closed_form(weight):
    assert withstood(weight) == pytest.approx(float(lt.largest_disturbance(weight)), abs=5e-4)


def test_a_unit_is_set_at_its_time_and_runs_like_the_map():
    forcing = np.random.default_rng(0).uniform(-1, 1, (3, 20))
    states, given_ = Unit("activation", 3.0, -0.7).run(forcing)
    for row, push, whole in zip(states, forcing, given_, strict=True):
        np.testing.assert_array_equal(row[3:], lt.trajectory(3.0, -0.7, push))
        np.testing.assert_array_equal(whole[4:], push)


def test_f_knows_its_rules():
    assert f(-xi) == -f(xi)
    assert f(0) == 0
    assert f(xi).diff(xi).subs(f(xi), sqrt(1 - 2 / v)).equals(1 / v)


# ---- the words of a claim


def test_quantified_formulas_print_in_order_and_in_brackets_only_inside():
    assert str(STANDS) == "(Eq(sign(a(t)), sign(a(t_0))) for all t > t_0)"
    assert not latex(STANDS).startswith(r"\left(")
    inner = latex(Implies(STANDS, KEPT))
    assert inner.startswith(r"\left(")
    assert inner.endswith(r"\text{the sign is kept}")
    assert str(Among(w, u, v)) == "w in {u, v}"


def test_negations_are_slips_too():
    changed = {str(mutant.expr) for mutant in slips(~KEPT)}
    assert changed == {"the sign is kept"}


def test_a_proof_with_a_step_that_fails_is_refused():
    good, bad = Step("good", None, lambda: True), Step("bad", None, lambda: False)
    assert prove(good).steps == (good,)
    with pytest.raises(CheckError, match="bad"):
        prove(good, bad)
    with pytest.raises(CheckError, match="no step"):
        prove()
