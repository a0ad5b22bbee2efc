"""The numeric side of information latching, against closed forms, brute force and adversarial forcings."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from throughtime_book.lfmn.latching import numbers as lt

WEIGHTS = st.floats(2.01, 12.0)
SHARES = st.floats(0.02, 0.98)


def settle(v, start, forcing=0.0, steps=4000):
    return lt.trajectory(v, start, np.full(steps, forcing))[-1]


# --- equilibria -------------------------------------------------------------------------------------------


@given(st.floats(-8.0, 8.0), st.floats(-3.0, 3.0))
def test_every_equilibrium_is_a_fixed_point(v, forcing):
    for point in lt.equilibria(v, forcing):
        assert v * math.tanh(point.state / 2) + forcing == pytest.approx(point.state, abs=1e-12)


@given(st.floats(-8.0, 2.0), st.floats(-3.0, 3.0))
def test_a_small_weight_has_one_equilibrium(v, forcing):
    assert len(lt.equilibria(v, forcing)) == 1


@given(WEIGHTS, st.floats(0.0, 0.999), st.sampled_from([-1, 1]))
def test_below_the_bound_two_stable_states_and_an_unstable_one_between(v, share, side):
    points = lt.equilibria(v, side * share * float(lt.largest_disturbance(v)))
    assert [p.stability for p in points] == ["stable", "unstable", "stable"]
    assert points[0].state < -lt.critical_point(v) < points[1].state < lt.critical_point(v) < points[2].state


@given(WEIGHTS, st.sampled_from([-1, 1]))
def test_at_the_bound_two_equilibria_meet_and_beyond_it_they_are_gone(v, side):
    bound = float(lt.largest_disturbance(v))
    at, beyond = lt.equilibria(v, side * bound), lt.equilibria(v, side * bound * 1.001)
    assert len(at) == 2
    assert min(at, key=lambda p: side * p.state).state == -side * lt.critical_point(v)
    assert [p.stability for p in beyond] == ["stable"]
    assert np.sign(beyond[0].state) == side


@given(WEIGHTS)
def test_slopes_at_the_equilibria(v):
    low, zero, high = lt.equilibria(v)
    assert zero.state == 0
    assert zero.slope == v / 2 > 1
    assert low.state == pytest.approx(-high.state, rel=1e-12)
    assert 0 < high.slope < 1
    assert high.state == pytest.approx(lt.latched_state(v), rel=1e-12)


def test_at_the_onset_the_slope_is_one_and_says_nothing():
    (point,) = lt.equilibria(2.0)
    assert point.stability == "neutral"
    states = lt.trajectory(2.0, 1.0, np.zeros(10**5))
    assert states[-1] == pytest.approx(math.sqrt(6 / 10**5), rel=1e-3)  # slow: a ~ sqrt(6 / t)


@given(st.floats(-9.0, -2.05))
def test_a_weight_below_minus_two_ends_in_its_period_two_orbit(v):
    states = lt.trajectory(v, 0.3, np.zeros(6000))
    amplitude = lt.period_two(v)
    np.testing.assert_allclose(np.abs(states[-2:]), amplitude, rtol=1e-8)
    assert np.all(np.sign(states[1:]) == -np.sign(states[:-1]))


# --- tolerated disturbances ---------------------------------------------------------------------------------


@given(WEIGHTS)
def test_the_critical_point_has_slope_one_and_the_drift_is_largest_there(v):
    xi, grid = lt.critical_point(v), np.linspace(0, v, 2001)
    assert lt.slope(v, xi) == pytest.approx(1, rel=1e-9)
    assert lt.activation(xi) == pytest.approx(math.sqrt(1 - 2 / v), rel=1e-9)
    assert lt.drift(v, xi) == pytest.approx(float(lt.largest_disturbance(v)), abs=1e-13)
    assert np.max(lt.drift(v, grid)) <= lt.largest_disturbance(v) + 1e-13


def test_the_bound_to_twelve_digits():
    v, exact = sp.Symbol("v"), lambda e, at: float(e.subs(v, at).evalf(30))
    bound = sp.sqrt(v * (v - 2)) - sp.acosh(v - 1)
    level = 1 - sp.sqrt(2 / v)
    printed = v * level - 2 * sp.atanh(level)
    for at in (sp.Rational(5, 2), 4, 8):
        assert lt.largest_disturbance(float(at)) == pytest.approx(exact(bound, at), rel=1e-12)
        assert lt.printed_disturbance(float(at)) == pytest.approx(exact(printed, at), rel=1e-12)


def test_the_bound_grows_with_the_weight_at_the_rate_f_of_xi():
    v = np.linspace(2.1, 10, 50)
    numeric = (lt.largest_disturbance(v + 1e-5) - lt.largest_disturbance(v - 1e-5)) / 2e-5
    np.testing.assert_allclose(numeric, np.sqrt(1 - 2 / v), rtol=1e-7)
    assert np.all(lt.largest_disturbance(np.array([0.0, 1.0, 2.0])) == 0)


@given(WEIGHTS)
def test_the_printed_bound_is_safe_but_never_the_largest(v):
    printed = float(lt.printed_disturbance(v))
    assert 0 < printed < lt.largest_disturbance(v)
    assert lt.steps_to_flip(v, lt.critical_point(v), -printed) is None


def test_the_printed_bound_needs_an_initial_condition():
    assert lt.printed_disturbance(4.0) > 0.5
    assert lt.steps_to_flip(4.0, 0.1, -0.5) == 1


@given(WEIGHTS, SHARES, st.integers(0, 2**32 - 1))
def test_no_forcing_within_the_margin_flips_a_sign(v, share, seed):
    start = share * 2 * lt.critical_point(v)
    most, random = 0.9999 * float(lt.margin(v, start)), np.random.default_rng(seed)  # at it, rounding decides
    for forcing in (np.full(300, -most), random.uniform(-most, most, 300), random.choice([-most, most], 300)):
        assert np.all(lt.trajectory(v, start, forcing) > 0)


@given(WEIGHTS, SHARES)
def test_a_forcing_just_above_the_margin_flips_the_sign_in_time(v, share):
    start = share * 2 * lt.critical_point(v)
    most = float(lt.margin(v, start))
    excess = 0.01 * float(lt.largest_disturbance(v))
    steps = lt.steps_to_flip(v, start, -(most + excess))
    assert steps is not None
    assert steps <= start / excess + 1  # the lemma's count
    assert lt.trajectory(v, start, np.full(steps, -(most + excess)))[-1] < 0


@given(st.floats(0.0, 2.0), st.floats(0.01, 5.0))
def test_up_to_two_a_unit_withstands_nothing(v, start):
    assert lt.margin(v, start) == 0
    assert lt.steps_to_flip(v, start, -0.01) is not None
    assert lt.steps_to_flip(v, start, 0.0) is None


@given(WEIGHTS, SHARES)
def test_the_basin_ends_at_the_smallest_safe_state(v, share):
    b = share * float(lt.largest_disturbance(v))
    edge, rest = lt.smallest_safe_state(v, b), lt.latched_state(v, b)
    assert 0 < edge < lt.critical_point(v) < rest < v
    assert lt.steps_to_flip(v, edge * 1.001, -b) is None
    assert lt.steps_to_flip(v, edge * 0.999, -b) is not None
    assert settle(v, edge * 1.05, -b, steps=12_000) == pytest.approx(rest, rel=1e-6)


def test_the_two_sides_of_the_bound():
    v, xi, bound = 4.0, lt.critical_point(4.0), float(lt.largest_disturbance(4.0))
    assert lt.steps_to_flip(v, xi, -bound) is None  # the bound itself is tolerated
    assert lt.steps_to_flip(v, xi, -0.999 * bound) is None
    assert lt.steps_to_flip(v, xi, -1.001 * bound) == pytest.approx(
        lt.passage_steps(v, 0.001 * bound) / 2,
        rel=0.06,  # from xi only half of the gate is left to cross
    )


@pytest.mark.parametrize("v", [2.5, 4.0, 8.0])
def test_passing_the_bound_takes_one_over_the_root_of_the_excess(v):
    bound = float(lt.largest_disturbance(v))
    ratios = [
        lt.steps_to_flip(v, 30.0, -(bound + excess)) / lt.passage_steps(v, excess) for excess in (1e-3, 1e-5, 1e-7)
    ]
    assert ratios == sorted(ratios)  # tends to 1 from below
    assert ratios[-1] == pytest.approx(1, abs=1e-3)


# --- gradient ---------------------------------------------------------------------------------------------


@given(st.floats(-6, 6), st.floats(-3, 3), st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_complex_step_derivative(v, start, seed):
    forcing, h = np.random.default_rng(seed).uniform(-1, 1, 12), 1e-30
    a = complex(start, h)
    for push in forcing:
        a = v * np.tanh(a / 2) + push
    exact = lt.gradient(v, lt.trajectory(v, start, forcing))[-1]
    assert exact == pytest.approx(a.imag / h, rel=1e-11, abs=1e-300)


@given(WEIGHTS, SHARES, st.integers(0, 2**32 - 1))
def test_a_robustly_latched_unit_loses_its_gradient_at_the_proved_rate(v, share, seed):
    xi, bound = lt.critical_point(v), float(lt.largest_disturbance(v))
    b = share * bound
    forcing = np.random.default_rng(seed).uniform(-b, b, 60)
    states = lt.trajectory(v, xi, forcing)
    rate = float(lt.slope(v, xi + bound - b))
    assert np.all(states[1:] >= xi + bound - b - 1e-12)
    proved = np.concatenate([[1.0], rate ** np.arange(60)])
    assert np.all(lt.gradient(v, states) <= proved * (1 + 1e-9))


@given(WEIGHTS, SHARES)
def test_the_margin_grows_with_the_state_where_and_as_the_slope_exceeds_one(v, share):
    a = share * 2 * lt.critical_point(v)
    numeric = (lt.margin(v, a + 1e-6) - lt.margin(v, a - 1e-6)) / 2e-6
    assert numeric == pytest.approx(max(float(lt.slope(v, a)) - 1, 0), abs=1e-5)


def test_at_the_bound_the_gradient_falls_like_an_inverse_square():
    v, bound = 4.0, float(lt.largest_disturbance(4.0))
    states = lt.trajectory(v, lt.critical_point(v) + 1, np.full(10**5, -bound))
    gradient = lt.gradient(v, states)
    assert gradient[10**5] * 1e10 == pytest.approx(gradient[10**4] * 1e8, rel=2e-3)


def test_at_rest_the_gradient_stays_only_where_nothing_is_stored():
    v = np.array([0.0, 1.0, 1.9, 2.0, 2.1, 3.0, 6.0])
    rate, most = lt.resting_slope(v), lt.largest_disturbance(v)
    assert np.argmax(rate) == 3
    assert rate[3] == 1
    assert np.all((most > 0) == (v > 2))
    assert np.all(rate[most > 0] < 1)
    for weight, value in zip(v, rate, strict=True):
        assert lt.slope(weight, settle(weight, 5.0, steps=200_000 if weight == 2 else 4000)) == pytest.approx(
            value, abs=1e-4
        )


# --- energy -----------------------------------------------------------------------------------------------


@given(st.floats(-2.0, 8.0), st.floats(-10, 10), st.floats(-3, 3))
def test_the_energy_falls_by_at_least_the_proved_amount(v, start, forcing):
    before, after = lt.trajectory(v, start, [forcing])
    fall = lt.energy(v, before, forcing) - lt.energy(v, after, forcing)
    moved = lt.activation(after) - lt.activation(before)
    assert fall >= (1 + v / 2) * moved**2 - 1e-12


def test_below_minus_two_the_energy_rises_somewhere():
    a, b = lt.trajectory(-4.0, 0.1, [0.0])
    assert lt.energy(-4.0, b) > lt.energy(-4.0, a)


@given(WEIGHTS)
def test_the_energy_has_two_wells_and_a_hill_between(v):
    rest = lt.latched_state(v)
    e = lt.energy(v, np.array([0.0, rest, rest * 0.9, rest * 1.1, 0.1 * rest]))
    assert np.all(e[1] < e[[0, 2, 3, 4]])
    assert e[0] == 0 > e[4]


# --- the ends of float64 ----------------------------------------------------------------------------------

V = sp.Symbol("v")
BOUND = sp.sqrt(V * (V - 2)) - sp.acosh(V - 1)


@pytest.mark.parametrize("gap", [1e-14, 1e-10, 1e-6, 1e-3, 0.1, 0.19999, 0.2, 0.20001, 0.5])
def test_the_bound_keeps_its_digits_near_the_onset(gap):
    v = 2.0 + gap
    exact = float(BOUND.subs(V, sp.Float(sp.Rational(v), 80)).evalf(60))
    assert lt.largest_disturbance(v) == pytest.approx(exact, rel=5e-15)


@pytest.mark.parametrize("v", [1e10, 1e155, 1e200, 1e307])
def test_the_bound_of_a_huge_weight_is_finite_and_decides(v):
    assert lt.largest_disturbance(v) == pytest.approx(v, rel=1e-8)
    assert lt.printed_disturbance(v) == pytest.approx(v, rel=1e-4)
    with pytest.raises(ValueError, match="disturbance: expected 0 <= b"):
        lt.latched_state(v, 1.0001 * v)
    assert lt.latched_state(v, 0.5 * v) == pytest.approx(0.5 * v, rel=1e-8)


@pytest.mark.parametrize("a", [30.0, 37.0, 40.0, 800.0, 1e300])
def test_the_energy_is_finite_in_saturation(a):
    for state in (a, -a):
        assert lt.energy(40.0, state, 0.5) == pytest.approx(2 * math.log(2) - 20 - math.copysign(0.5, state), rel=1e-10)
    assert np.isfinite(lt.energy(40.0, lt.latched_state(40.0)))


def test_slopes_do_not_cancel_in_saturation():
    """f'(z) = 2 exp(-z) / (1 + exp(-z))^2, where 1 - f(z)^2 has no digits left."""
    assert lt.slope(40.0, 39.0) == pytest.approx(80.0 * math.exp(-39.0), rel=1e-14)
    assert lt.resting_slope(40.0) == pytest.approx(80.0 * math.exp(-40.0), rel=1e-13)
    assert lt.slope(1.0, 700.0) == pytest.approx(2.0 * math.exp(-700.0), rel=1e-12)


def test_equilibria_near_the_end_of_float64():
    assert [p.state for p in lt.equilibria(1e300, 2e300)] == [pytest.approx(3e300)]
    for v, forcing in ((1e308, 1e308), (-1e308, 1e308)):
        with pytest.raises(ValueError, match=r"v, forcing: expected \|v\| \+ \|forcing\| up to 8.9e\+307"):
            lt.equilibria(v, forcing)
    with pytest.raises(ValueError, match="v: only a self weight above 2 latches, expected one up to"):
        lt.latched_state(1.5e308)


@pytest.mark.parametrize(
    "call",
    [
        lambda bad: lt.largest_disturbance(bad),
        lambda bad: lt.printed_disturbance(bad),
        lambda bad: lt.resting_slope(bad),
        lambda bad: lt.slope(bad, 1.0),
        lambda bad: lt.drift(bad, 1.0),
    ],
)
def test_self_weights_are_numbers(call):
    with pytest.raises(TypeError, match="v: expected real numbers, got dtype <U1"):
        call(["3", "4"])
    with pytest.raises(ValueError, match="v: expected finite numbers, got nan"):
        call([3.0, math.nan])


# --- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: lt.critical_point(2.0), ValueError, "v: only a self weight above 2"),
        (lambda: lt.latched_state(4.0, 1.2), ValueError, "disturbance: expected 0 <= b"),
        (lambda: lt.smallest_safe_state(4.0, -0.1), ValueError, "disturbance: expected 0 <= b"),
        (lambda: lt.largest_disturbance([3.0, -3.0]), ValueError, "flips the sign at every step"),
        (lambda: lt.printed_disturbance([3.0, 2.0]), ValueError, "v: the printed equation"),
        (lambda: lt.resting_slope(-1.0), ValueError, "v: expected self weights of at least 0"),
        (lambda: lt.period_two(-1.0), ValueError, "v: a period-2 orbit"),
        (lambda: lt.equilibria(math.nan), ValueError, r"v: expected a number in \(-inf, inf\), got nan"),
        (lambda: lt.equilibria([1.0, 2.0]), TypeError, "v: expected a number"),
        (lambda: lt.margin(3.0, 1j), TypeError, "a: expected real numbers"),
        (lambda: lt.trajectory(3.0, 1.0, [[0.0]]), ValueError, r"forcing: .*shape \(T,\)"),
        (lambda: lt.trajectory(3.0, math.inf, [0.0]), ValueError, "start: expected finite"),
        (lambda: lt.gradient(3.0, []), ValueError, "states: expected at least one state"),
        (lambda: lt.steps_to_flip(3.0, 0.0, -1.0), ValueError, "start: the state 0"),
        (lambda: lt.steps_to_flip(-3.0, 1.0, -1.0), ValueError, "flips the sign at every step"),
        (lambda: lt.steps_to_flip(4.0, 9.0, -1.06567996, limit=50), RuntimeError, "limit = 50"),
        (lambda: lt.steps_to_flip(4.0, 1.0, -2.0, limit="x"), TypeError, "limit: expected an integer, got 'x'"),
        (lambda: lt.gradient([3.0], [1.0]), TypeError, "v: expected a number"),
        (lambda: lt.trajectory(3.0, "1", [0.0]), TypeError, "start: expected real numbers, got dtype <U1"),
        (lambda: lt.margin(3.0, [[1.0], [1.0, 2.0]]), TypeError, "a: expected real numbers of shape"),
        (lambda: lt.passage_steps(4.0, 0.0), ValueError, "excess: expected values above 0"),
    ],
)
def test_bad_input_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()
