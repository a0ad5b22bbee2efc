"""The chapter on forgetting: the rate of its bound, and formulas that no mutant is."""

import numpy as np
import pytest
from book.lfmn.bench import make_bench
from book.lfmn.forgetting import checks, rates
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, And, Derivative, Eq, Limit, Lt, Rational, oo, tanh
from throughtime.arrays.activations import tanh_half
from throughtime.derivation import chain, d
from throughtime.systems import lfmn as s
from throughtime.textbook.lfmn import LFMN


@pytest.mark.parametrize("kind", rates.KINDS)
@pytest.mark.parametrize("weight", [-1.3, -0.4, 0.0, 0.7, 1.0, 2.5])
def test_sensitivities_are_products_of_slopes(kind, weight):
    x = np.random.default_rng(1).normal(size=(7, 1))
    states = rates.unit(kind).forward(rates.unit_parameters(kind, weight, 0.8), x).net_out[:, 0]
    factors = np.full(8, weight) if kind == "net" else weight * tanh_half.derivative(states)
    last = tanh_half.derivative(states[7])
    expected = [abs(0.8 * last * np.prod(factors[7 - lags : 7])) for lags in range(7)]
    found = rates.sensitivities(rates.unit(kind), rates.unit_parameters(kind, weight, 0.8), x)[:, 0, 0]
    assert found == pytest.approx(expected, rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), tolerance=st.floats(1e-6, 0.5))
def test_window_keeps_its_promise(seed, tolerance):
    draw = np.random.default_rng(seed)
    net = LFMN(n_in=2, hidden=(1, 1, 1), output=(1, 1, 1))
    theta = net.init(draw, scale=0.8)
    enough = rates.window(net, theta, tolerance, spread=2.0)
    one, other = draw.uniform(-1, 1, size=(2, enough + 10, 2))
    mixed = np.concatenate([other[:10], one[10:]])
    apart = net.forward(theta, one).y[-1] - net.forward(theta, mixed).y[-1]
    assert np.abs(apart).max() <= tolerance


def test_units_that_no_output_reads_do_not_count():
    net = LFMN(n_in=1, hidden=(0, 1, 0), output=(0, 0, 1))
    named = {name: np.zeros(shape) for name, shape in net.layout.shapes.items()}
    theta = net.layout.flatten(named | {"u_hid": np.array([3.0]), "v_out": np.array([1.0])})
    assert rates.rate(net, theta) == 0.5


def test_bound_check_notices_a_wrong_rate(monkeypatch):
    rate = rates.rate
    monkeypatch.setattr(rates, "rate", lambda net, theta: 0.6 * rate(net, theta))
    assert not rates.bound_holds_in_the_library()


def test_late_loss_check_notices_a_wrong_gain(monkeypatch):
    gain = rates.gain
    monkeypatch.setattr(rates, "gain", lambda net, theta: 0.1 * gain(net, theta))
    assert not rates.late_loss_is_bounded()


def test_contraction_check_notices_a_steeper_function(monkeypatch):
    monkeypatch.setattr(rates, "tanh_half", np.tanh)
    assert not rates.contracts()


def less(weight, border):
    return Lt(Abs(weight), border, evaluate=False)


def test_condition_is_judged():
    hidden = [less(checks.u_hid, 1), less(checks.v_hid, 1 / checks.M)]
    output = [less(checks.u_out, 1), less(checks.v_out, 1 / checks.M)]
    assert checks.is_the_condition(And(*hidden, *output))
    for lost in range(4):
        assert not checks.is_the_condition(And(*(part for n, part in enumerate(hidden + output) if n != lost)))


SENSITIVITY = checks.Sensitivity(checks.t, checks.q)


@pytest.mark.parametrize(("place", "value"), [(oo, Rational(1, 2)), (0, 0)])
def test_definition_with_another_limit_is_refused(place, value):
    assert not checks.tells_forgetting(Eq(Limit(SENSITIVITY, checks.q, place), value, evaluate=False))


def test_a_unit_forgets_in_the_sense_of_the_definition_if_runs_from_two_first_inputs_end_alike():
    assert [checks.loses_its_input(u) for u in checks.RATES] == [abs(u) < 1 for u in checks.RATES]


def test_with_the_time_held_fixed_every_unit_would_forget():
    assert all(checks.sensitivity(u, 20, checks.LONG) == 0 for u in checks.RATES)
    assert not all(checks.sensitivity(u, checks.LONG + 1, checks.LONG) < 1e-6 for u in checks.RATES)


def test_the_line_with_moduli_fails_at_lag_zero():
    """There a static hidden unit passes the input on, and the bound has no term for it."""
    j, k, t = s.j_s, s.k, s.t
    now = chain(d(s.h[j, t], s.x[k, t]), s.f.prime(s.current[j, t]) * s.w_hid[j, k])
    assert make_bench().equation("now", now, title="lag zero").verdict == "holds"
    net = LFMN(n_in=1, hidden=(1, 0, 0), output=(1, 0, 0))
    assert rates.sensitivities(net, np.ones(2), np.zeros((3, 1)))[0, 0, 0] == pytest.approx(0.25)
    assert rates.rate(net, np.ones(2)) == 0


def test_a_largest_slope_that_is_nearly_right_is_refused():
    slope = checks.Largest(Derivative(tanh(checks.z / 2), checks.z))
    assert not checks.is_largest(Eq(slope, Rational(1, 2) + Rational(1, 10**8), evaluate=False))


def test_decay_follows_the_sensitivities_and_does_not_underflow():
    x = np.random.default_rng(2).normal(size=9)
    for kind in rates.KINDS:
        found = rates.sensitivities(rates.unit(kind), rates.unit_parameters(kind, 0.6), x[:, None])[-1, 0, 0]
        last = rates.unit(kind).forward(rates.unit_parameters(kind, 0.6), x[:, None]).net_out[-1, 0]
        decay = checks.unforced_decay(kind, np.array([0.6]), x)[0]
        assert np.exp(decay) * tanh_half.derivative(last) == pytest.approx(found, rel=1e-12)
    assert checks.unforced_decay("net", np.array([0.1]), np.zeros(1001))[0] == pytest.approx(
        1000 * np.log(0.1), rel=1e-12
    )
