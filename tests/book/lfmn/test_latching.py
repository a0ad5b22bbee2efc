"""The chapter on latching: what no slip of its formulas tries."""

import numpy as np
import pytest
from book.lfmn import one_unit as lt
from book.lfmn.latching import checks
from book.shared.words import ForSome, Throughout, Where
from sympy import Eq, Equivalent, Ge, Gt, Implies, Le, Lt

KEPT, STANDS, B, I, a, a0, b = checks.KEPT, checks.STANDS, checks.B, checks.I, checks.a, checks.a0, checks.b
f, t, t0, u, v, xi = checks.f, checks.t, checks.t0, checks.u, checks.v, checks.xi
WITHIN = Throughout(Le(abs(I(t)), b), t > t0)
ROBUST = ForSome(Implies(WITHIN, STANDS), b > 0)


@pytest.mark.parametrize(
    ("is_true", "wrong"),
    [
        (checks.defines_latching, Throughout(Eq(a(t), a(t0)), t > t0)),
        (checks.defines_latching, Throughout(Ge(abs(a(t)), abs(a(t0))), t > t0)),
        (checks.defines_latching, Throughout(Gt(a(t), 0), t > t0)),
        (checks.defines_latching, ROBUST),
        (checks.defines_robust_latching, STANDS),
        (checks.defines_robust_latching, ForSome(Implies(WITHIN, STANDS), b > -1)),
        (checks.defines_robust_latching, ForSome(Implies(Throughout(Ge(abs(I(t)), b), t > t0), STANDS), b > 0)),
        (checks.condition_on_weights, Equivalent(KEPT, abs(v) > 2)),
        (checks.condition_on_weights, Equivalent(KEPT, Lt(u, 1))),
        # two solutions, one is -B; no solution
        (checks.bound_on_forcing, Where(Eq(B, v * f(xi) - xi), Eq(v / 2 * (1 - f(xi) ** 2) - 1, 0))),
        (checks.bound_on_forcing, Where(Eq(B, v * f(xi) - xi), Eq(f(xi), 2))),
        (checks.bound_on_forcing, Eq(B, v - 2)),
        (checks.bound_on_forcing, Equivalent(KEPT, Le(b, v * f(abs(a0)) - abs(a0)))),
    ],
)
def test_what_is_false_is_refused(is_true, wrong):
    assert not is_true(wrong)


@pytest.mark.parametrize("steps", [396, 397])
def test_a_sign_that_alternates_is_not_kept_whether_the_reader_comes_at_an_even_step_or_an_odd_one(steps, monkeypatch):
    every = checks.disturbances
    monkeypatch.setattr(checks, "disturbances", lambda: every(steps))
    assert not checks.keeps_sign.__wrapped__(checks.Unit("activation", -3.0, 1.0))


def test_a_unit_is_set_at_its_time_and_runs_like_the_map():
    forcing = np.random.default_rng(0).uniform(-1, 1, (3, 20))
    states, given = checks.Unit("activation", 3.0, -0.7).run(forcing)
    for row, push, whole in zip(states, forcing, given, strict=True):
        np.testing.assert_allclose(row[3:], lt.trajectory(3.0, -0.7, push), rtol=1e-13)
        np.testing.assert_array_equal(whole[4:], push)


@pytest.mark.parametrize("weight", [-3.0, 2.0, 4.0])
def test_the_unit_of_the_library_is_this_one(weight):
    forcing = np.random.default_rng(0).normal(size=50)
    states = lt.trajectory(weight, 0.0, forcing)[1:]
    np.testing.assert_allclose(checks.through_the_model(weight, forcing), states, atol=1e-12)
