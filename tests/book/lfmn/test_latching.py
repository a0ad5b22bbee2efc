"""The chapter on information latching: its numbers, the checks of its statements, the cell that a reader types."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from book.lfmn import one_unit as lt
from book.lfmn.latching import checks
from book.lfmn.latching.checks import (
    KEPT,
    PRINTED_WEIGHTS,
    STANDS,
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
    disturbances,
    f,
    keeps_sign,
    states_of_rest,
    t,
    t0,
    through_the_model,
    u,
    v,
    w,
    withstood,
    xi,
)
from book.shared.words import Among, ForSome, Throughout, Where
from sympy import And, Eq, Equivalent, Ge, Gt, Implies, Le, Lt, Min, acosh, sign, sqrt

PAGE = Path(__file__).parents[3] / "book" / "lfmn" / "latching.ipynb"
WITHIN = Throughout(Le(abs(I(t)), b), t > t0)

# ---- numbers of the prose, in plain arithmetic


def run(weight, state, forcing):
    for push in forcing:
        state = weight * math.tanh(state / 2) + push
    return state


def test_a_unit_that_fades_keeps_its_sign_and_flips_under_a_small_forcing():
    assert 0 < run(1.0, 1.0, [0.0] * 20) < 1e-6
    assert run(1.0, 1.0, [-0.01] * 5) > 0 > run(1.0, 1.0, [-0.01] * 6)


def test_printed_bound_is_neither_the_largest_nor_safe_from_everywhere():
    level = 1 - math.sqrt(2 / 4)
    printed = 4 * level - 2 * math.atanh(level)
    assert 4 / 2 * (1 - level) ** 2 == pytest.approx(1)
    assert 0.5 < printed < 0.9
    assert run(4.0, math.acosh(3), [-0.9] * 5000) > 2
    assert run(4.0, 0.1, [-0.5]) < 0


# ---- the checks tell true formulas from wrong ones


@pytest.mark.parametrize(
    "wrong",
    [
        Throughout(Eq(sign(a(t)), sign(a(t0))), t < t0),
        Throughout(Eq(a(t), a(t0)), t > t0),
        Throughout(Ge(abs(a(t)), abs(a(t0))), t > t0),
        Throughout(Gt(a(t), 0), t > t0),
        ForSome(Implies(WITHIN, STANDS), b > 0),
    ],
)
def test_a_wrong_definition_is_refused(wrong):
    assert defines_latching(STANDS)
    assert not defines_latching(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        STANDS,
        ForSome(Implies(WITHIN, STANDS), b > -1),
        ForSome(Implies(Throughout(Ge(abs(I(t)), b), t > t0), STANDS), b > 0),
    ],
)
def test_a_wrong_sharper_definition_is_refused(wrong):
    assert defines_robust_latching(ForSome(Implies(WITHIN, STANDS), b > 0))
    assert not defines_robust_latching(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        Implies(Throughout(Gt(abs(w), 2), Among(w, *PRINTED_WEIGHTS)), KEPT),
        Equivalent(KEPT, v >= 2),
        Equivalent(KEPT, abs(v) > 2),
        Equivalent(KEPT, Lt(u, 1)),
    ],
)
def test_a_wrong_condition_is_refused(wrong):
    assert condition_on_weights(Equivalent(KEPT, v > 2))
    assert not condition_on_weights(wrong)


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        (Where(Eq(B, v * f(xi) - xi), And(Eq(v / 2 * (1 - f(xi) ** 2) - 1, 0), xi > 0)), True),
        (Where(Eq(B, v * f(xi) - xi), Eq(v / 2 * (1 - f(xi) ** 2) - 1, 0)), False),  # two solutions, one is -B
        (Where(Eq(B, w * f(xi) - xi), Eq(w / 2 * (1 - f(xi)) ** 2 - 1, 0)), False),
        (Where(Eq(B, v * f(xi) - xi), Eq(f(xi), 2)), False),  # no solution
        (Eq(B, sqrt(v * (v - 2)) - acosh(v - 1)), True),
        (Eq(B, v - 2), False),
        (Implies(Throughout(Le(abs(I(t)), B), t > t0), STANDS), False),
        (Implies(And(abs(a(t0)) >= xi, Throughout(Le(abs(I(t)), B), t > t0)), STANDS), True),
        (Equivalent(KEPT, Le(b, v * f(Min(abs(a0), xi)) - Min(abs(a0), xi))), True),
        (Equivalent(KEPT, Le(b, v * f(abs(a0)) - abs(a0))), False),
    ],
)
def test_the_check_of_the_bound(formula, true):
    assert bound_on_forcing(formula) is true


@pytest.mark.parametrize("steps", [396, 397])
def test_a_sign_that_alternates_is_not_kept_whether_the_reader_comes_at_an_even_step_or_an_odd_one(steps, monkeypatch):
    monkeypatch.setattr(checks, "disturbances", lambda: disturbances(steps))
    assert not keeps_sign.__wrapped__(Unit("activation", -3.0, 1.0))


def test_units_keep_their_sign_as_the_theorem_says():
    assert [keeps_sign(unit) for unit in UNITS] == [
        unit.weight > (2 if unit.kind == "activation" else 1) for unit in UNITS
    ]


@pytest.mark.parametrize("weight", [2.5, 4.0, 7.0])
def test_measured_bound_is_the_closed_form(weight):
    assert withstood(weight) == pytest.approx(float(lt.largest_disturbance(weight)), abs=5e-4)


def test_a_unit_is_set_at_its_time_and_runs_like_the_map():
    forcing = np.random.default_rng(0).uniform(-1, 1, (3, 20))
    states, given = Unit("activation", 3.0, -0.7).run(forcing)
    for row, push, whole in zip(states, forcing, given, strict=True):
        np.testing.assert_allclose(row[3:], lt.trajectory(3.0, -0.7, push), rtol=1e-13)
        np.testing.assert_array_equal(whole[4:], push)


@pytest.mark.parametrize(("weight", "rests"), [(-3.0, 1), (2.0, 1), (2.001, 3), (4.0, 3)])
def test_the_unit_of_the_library_is_this_one(weight, rests):
    forcing = np.random.default_rng(0).normal(size=50)
    states = lt.trajectory(weight, 0.0, forcing)[1:]
    np.testing.assert_allclose(through_the_model(weight, forcing), states, atol=1e-12)
    assert states_of_rest(weight) == rests


# ---- what a reader types


def test_the_typed_bound_and_run_are_those_of_the_library(run_cell):
    names = run_cell("def stands(")
    assert [row[2:] for row in names["rows"]] == [[True, False]] * 3
    for at in (2.1, 4.0, 9.0):
        assert names["bound"](at) == pytest.approx(float(lt.largest_disturbance(at)), rel=1e-9)
        flips = lt.steps_to_flip(at, 3.0, -1.2 * names["bound"](at))
        assert names["stands"](at, 3.0, 1.2 * names["bound"](at), steps=flips - 1)
        assert not names["stands"](at, 3.0, 1.2 * names["bound"](at), steps=flips)
