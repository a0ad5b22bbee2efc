"""What the note prints of forgetting: the checks tell the true formula from others that no mutant is."""

import numpy as np
import pytest
from book.lfmn.bench import make_bench
from book.lfmn.forgetting import checks, rates
from sympy import Abs, And, Derivative, Eq, Limit, Lt, Rational, oo, tanh
from throughtime.arrays.activations import tanh_half
from throughtime.derivation import chain, d
from throughtime.systems import lfmn as s
from throughtime.textbook.lfmn import LFMN


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
