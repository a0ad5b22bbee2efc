"""One self-connected unit in numbers, against closed forms, brute force and adversarial forcings."""

import numpy as np
import pytest
import sympy as sp
from book.lfmn import one_unit as lt
from hypothesis import given
from hypothesis import strategies as st

WEIGHTS = st.floats(2.01, 12.0)
SHARES = st.floats(0.02, 0.98)


def settle(v, start, forcing=0.0, steps=4000):
    return lt.trajectory(v, start, np.full(steps, forcing))[-1]


@given(WEIGHTS)
def test_at_the_critical_point_the_slope_is_one_and_the_drift_is_the_bound(v):
    xi, grid = lt.critical_point(v), np.linspace(0, v, 2001)
    assert lt.slope(v, xi) == pytest.approx(1, rel=1e-9)
    assert lt.drift(v, xi) == pytest.approx(float(lt.largest_disturbance(v)), abs=1e-13)
    assert np.max(lt.drift(v, grid)) <= lt.largest_disturbance(v) + 1e-13


@pytest.mark.parametrize("v", [sp.Rational(5, 2), sp.Integer(4), sp.Integer(8)])
def test_both_bounds_to_twelve_digits(v):
    level = 1 - sp.sqrt(2 / v)
    exact = [sp.sqrt(v * (v - 2)) - sp.acosh(v - 1), v * level - 2 * sp.atanh(level)]
    found = [lt.largest_disturbance(float(v)), lt.printed_disturbance(float(v))]
    assert found == [pytest.approx(float(e.evalf(30)), rel=1e-12) for e in exact]


def test_up_to_the_onset_nothing_is_withstood():
    assert np.all(lt.largest_disturbance([0.0, 1.0, 2.0]) == 0)
    assert np.all(lt.margin(1.7, np.array([-3.0, 0.5])) == 0)
    assert lt.steps_to_flip(1.7, 0.5, -0.01) is not None
    assert lt.steps_to_flip(1.7, 0.5, 0.0) is None


@given(WEIGHTS, SHARES, st.integers(0, 2**32 - 1))
def test_no_forcing_within_the_margin_flips_a_sign_and_one_beyond_it_does(v, share, seed):
    start = share * 2 * lt.critical_point(v)
    most, random = 0.9999 * float(lt.margin(v, start)), np.random.default_rng(seed)  # at it, rounding decides
    for forcing in (np.full(300, -most), random.uniform(-most, most, 300), random.choice([-most, most], 300)):
        assert np.all(lt.trajectory(v, start, forcing) > 0)
    beyond = float(lt.margin(v, start)) + 0.01 * float(lt.largest_disturbance(v))
    steps = lt.steps_to_flip(v, start, -beyond)
    states = lt.trajectory(v, start, np.full(steps, -beyond))
    assert states[-2] >= 0 > states[-1]


@given(WEIGHTS, SHARES)
def test_states_from_the_smallest_safe_one_on_end_at_the_latched_state(v, share):
    b = share * float(lt.largest_disturbance(v))
    edge, rest = lt.smallest_safe_state(v, b), lt.latched_state(v, b)
    assert 0 < edge < lt.critical_point(v) < rest < v
    assert [lt.drift(v, edge), lt.drift(v, rest)] == pytest.approx([b, b], abs=1e-12)
    assert settle(v, edge * 0.95, -b, steps=12_000) < 0
    assert settle(v, edge * 1.05, -b, steps=12_000) == pytest.approx(rest, rel=1e-6)


@given(st.floats(-6, 6), st.floats(-3, 3), st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_complex_step_derivative(v, start, seed):
    forcing, h = np.random.default_rng(seed).uniform(-1, 1, 12), 1e-30
    a = complex(start, h)
    for push in forcing:
        a = v * np.tanh(a / 2) + push
    exact = lt.gradient(v, lt.trajectory(v, start, forcing))[-1]
    assert exact == pytest.approx(a.imag / h, rel=1e-11, abs=1e-277)  # a.imag below 1e-307 has fewer digits


def test_at_the_bound_the_gradient_falls_like_an_inverse_square():
    """The curve 1 of the figure on the gradient of a latch."""
    v, bound = 4.0, float(lt.largest_disturbance(4.0))
    states = lt.trajectory(v, lt.critical_point(v) + 1, np.full(10**5, -bound))
    gradient = lt.gradient(v, states)
    assert gradient[10**5] * 1e10 == pytest.approx(gradient[10**4] * 1e8, rel=2e-3)


@pytest.mark.parametrize("v", [0.0, 1.0, 1.9, 2.1, 3.0, 6.0])
def test_at_rest_the_slope_is_that_of_the_state_a_unit_settles_in(v):
    assert float(lt.resting_slope(v)) == pytest.approx(float(lt.slope(v, settle(v, 5.0))), abs=1e-4)
    assert lt.resting_slope(v) < lt.resting_slope(2.0) == 1
