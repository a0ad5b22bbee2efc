"""Vanishing and exploding error: bptt-15 to bptt-20, bptt-coth, lstm97-23 to lstm97-28, lstm97-coth, and bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Abs, Eq, Ge, Gt, Implies, Le, Lt, Rational, coth, exp, ones, oo, zeros
from throughtime.derivation import slips
from throughtime.models.activations import logistic, tanh
from throughtime_book.bptt.error_flow import numbers as ef
from throughtime_book.bptt.vanishing import claims as v

F, P, a, d, n, w = v.F, v.P, v.a, v.d, v.n, v.w
ONE_FACTOR = Implies(Lt(Abs(w), 4), Lt(Abs(w * v.slope(v.z)), 1))
SUM = Implies(Eq(v.lim_terms, 0), Eq(v.lim_sum, 0))
PAIRED = Eq(v.w_in, coth(v.net_m / 2) / v.y_before)

TRUE = {
    "one path up": (v.factors, Ge(P, v.p_min**n)),
    "all paths up": (v.factors, Implies(Gt(v.a_min, 0), Ge(F, d ** (n - 1) * v.a_min**n))),
    "one path down": (v.factors, Le(P, v.a_max**n)),
    "all paths down": (v.factors, Le(Abs(F), d ** (n - 1) * v.a_max**n)),
    "one factor": (v.weight_and_factor, ONE_FACTOR),
    "weights": (v.weight_and_factor, Le(Abs(F), d ** (n - 1) * (v.w_max / 4) ** n)),
    "largest slope": (v.logistic_facts, Eq(v.PEAK, Rational(1, 4))),
    "slope": (v.logistic_facts, Eq(v.slope(v.x), v.sigma(v.x) * (1 - v.sigma(v.x)))),
    "large weights": (v.large_weights, Le(v.B, Abs(w) * exp(Abs(v.c) - Abs(w * v.y)))),
    "coth": (v.largest_factor, PAIRED),
    "sum": (v.limits, SUM),
}
FALSE = {
    "factors above 1 explode": (v.factors, Implies(Gt(Abs(a), 1), Eq(v.lim_flow, oo))),
    "factors below 1 vanish": (v.factors, Implies(Lt(Abs(a), 1), Eq(v.lim_flow, 0))),
    "weights below 4 vanish": (v.weight_and_factor, Implies(Lt(v.w_max, 4), Eq(v.lim_flow, 0))),
    "a weaker bound": (v.factors, Le(Abs(F), d**n * v.a_max**n)),
    "a bound without paths": (v.factors, Le(Abs(F), v.a_max**n)),
    "a needless condition": (v.weight_and_factor, Implies(Lt(Abs(w), 3), Lt(Abs(w * v.slope(v.z)), 1))),
    "net input grows": (v.large_weights, Eq(v.lim_net, oo)),
    "slope falls": (v.large_weights, Eq(v.lim_slope, 0)),
    "product falls": (v.large_weights, Eq(v.lim_product, 0)),
    "coth of the weight that leads out": (v.largest_factor, Eq(v.w_out, coth(v.net_m / 2) / v.y_print)),
    "converse of the sum": (v.limits, Implies(Eq(v.lim_sum, 0), Eq(v.lim_terms, 0))),
    "a premise that nothing meets": (v.limits, Implies(Eq(v.lim_terms, -1), Eq(v.lim_sum, 0))),
}


@pytest.mark.parametrize(("decide", "formula"), TRUE.values(), ids=TRUE)
def test_what_is_true_is_accepted_and_no_slip_of_it(decide, formula):
    assert decide(formula)
    found = slips(formula)
    assert found
    assert [str(slip) for slip in found if decide(slip.expr)] == []


@pytest.mark.parametrize(("decide", "formula"), FALSE.values(), ids=FALSE)
def test_what_is_false_is_refused(decide, formula):
    assert not decide(formula)


def test_factors_below_one_can_explode():
    for net, factor in ((ef.EQUAL, Rational(9, 10)), (ef.EQUAL_3, Rational(1, 2))):
        units = len(net.link)
        assert set(v.exact_flow(net, 1)) == {factor}
        assert v.exact_flow(net, 6) == units**5 * factor**6 * ones(units)
        assert np.abs(net.measured_flow(60)).min() > 1e9


def test_factors_above_one_can_cancel():
    for net in (ef.CANCELLING, ef.CANCELLING_COLUMNS):
        assert min(map(abs, v.exact_flow(net, 1))) > 1
        assert v.exact_flow(net, 2) == zeros(2)
        assert not net.measured_flow(5).any()


GAPS = {  # gamma |W| above 1, gamma rho(W) above 1, explodes
    "chain": (ef.CHAIN, True, False, False),
    "transient": (ef.TRANSIENT, True, False, False),
    "saturated": (ef.SATURATED, True, True, False),
    "uneven": (ef.UNEVEN, True, False, True),
}


@pytest.mark.parametrize(("net", "norm", "radius", "explodes"), GAPS.values(), ids=GAPS)
def test_every_gap_has_a_network(net, norm, radius, explodes):
    assert (net.gamma * ef.largest_singular_value(net.weights) > 1) is norm
    assert (net.gamma * ef.spectral_radius(net.weights) > 1) is radius
    late = ef.norms(net.measured_flow(300)[None])[0]
    assert late > 1e20 if explodes else late < 1e-9


def test_growth_before_vanishing():
    assert ef.norms(ef.TRANSIENT.flow(60)).argmax() == pytest.approx(10, abs=2)
    assert ef.norms(ef.TRANSIENT.flow(60)).max() > 10


@given(
    units=st.integers(1, 6), lag=st.integers(1, 12), scale=st.floats(0.05, 8), seed=st.integers(0, 10**6),
    activation=st.sampled_from([logistic, tanh]),
)  # fmt: skip
def test_no_network_breaks_the_bound(units, lag, scale, seed, activation):
    random = np.random.default_rng(seed)
    weights = scale * random.normal(size=(units, units))
    slopes = activation.derivative(random.normal(0, 2, (lag, units)))
    sizes = ef.norms(ef.flow(ef.links(weights, slopes)))
    bound = (activation.max_slope * ef.largest_singular_value(weights)) ** np.arange(lag + 1)
    assert np.all(sizes <= bound * (1 + 1e-10))
    assert np.abs(ef.flow(ef.links(weights, slopes))[-1]).max() <= (
        units ** (lag - 1) * (activation.max_slope * np.abs(weights).max()) ** lag * (1 + 1e-10)
    )


def test_the_bound_is_attained_and_a_smaller_one_is_broken():
    assert all(v.norm_bound(lag) for lag in (1, 2, 8))
    assert v.norm_bound_attained(6)
    assert v.norm_against_count()


def test_the_largest_factor_of_one_link():
    peaks = v.stationary(1.0, 0.0, into=True)
    assert peaks == pytest.approx([-1.5434, 1.5434], abs=1e-3)
    assert 1.5434 * logistic.derivative(1.5434) == pytest.approx(0.2239, abs=1e-4)
    assert v.stationary(1.0, 0.6, into=False) == []


def test_exact_flow_needs_logistic_units_at_rest():
    with pytest.raises(ValueError, match="net: expected logistic units held at 0"):
        v.exact_flow(ef.SATURATED, 2)
