"""Vanishing and exploding error: bptt-15 to bptt-20, bptt-coth, lstm97-23 to lstm97-28, lstm97-coth, and bounds."""

from pathlib import Path

import numpy as np
import pytest
from sympy import Abs, And, Eq, Gt, Implies, Le, Lt, Not, Rational, coth, exp, ones, oo, zeros
from throughtime.derivation import slips
from throughtime.models.activations import logistic
from throughtime.models.recurrent import FullyRecurrent
from throughtime_book.bptt import networks as ef
from throughtime_book.bptt.vanishing import claims as v
from throughtime_book.bptt.vanishing import unbounded, verdicts, weights

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "vanishing.ipynb"

F, a, d, n, w, w_max = v.F, v.a, v.d, v.n, v.w, v.w_max

TRUE = {
    "one path up": (v.factors, verdicts.up_one),
    "all paths up": (v.factors, verdicts.up_all),
    "one path down": (v.factors, verdicts.down_one),
    "all paths down": (v.factors, verdicts.down_all),
    "explosion": (v.of_one_unit, verdicts.explosion),
    "vanishing": (v.factors, verdicts.vanishing),
    "one factor": (v.weight_and_factor, verdicts.one_factor),
    "bound by weights": (v.weight_and_factor, verdicts.flow_bound),
    "vanishing by weights": (v.weight_and_factor, verdicts.small_weights),
    "terms": (v.factors, verdicts.terms),
    "their sum": (v.factors, verdicts.summed),
    "bound of the sum": (v.factors, verdicts.sum_bound),
    "if the terms, then the sum": (v.limits, verdicts.if_terms_then_sum),
    "largest slope": (v.logistic_facts, Eq(v.PEAK, Rational(1, 4))),
    "slope": (v.logistic_facts, Eq(v.slope(v.x), v.sigma(v.x) * (1 - v.sigma(v.x)))),
    "large weights": (unbounded.large_weights, Le(unbounded.B, Abs(w) * exp(Abs(v.c) - Abs(w * v.y)))),
    "coth": (weights.largest_factor, weights.coth_formula),
}
FALSE = {
    "factors above 1 explode": (v.of_one_unit, verdicts.explosion_said),
    "factors below 1 vanish": (v.factors, verdicts.vanishing_said),
    "weights below 4 vanish": (v.weight_and_factor, Implies(Lt(w_max, 4), Eq(v.lim_flow, 0))),
    "terms vanish below 4": (v.factors, verdicts.terms_said),
    "the sum vanishes below 4": (v.factors, verdicts.sum_said),
    "a bound of the sum as of a term": (v.factors, Le(Abs(v.total), d ** (n - 1) * (w_max / 4) ** n)),
    "factors above 1 vanish": (v.factors, Implies(Gt(a, 1), Eq(v.lim_flow, 0))),
    "positive factors explode": (v.of_one_unit, Implies(Gt(a, 0), Eq(v.lim_flow, oo))),
    "a weaker bound": (v.factors, Le(Abs(F), d**n * v.a_max**n)),
    "a bound without paths": (v.factors, Le(Abs(F), v.a_max**n)),
    "a needless condition": (v.weight_and_factor, Implies(Lt(Abs(w), 3), Lt(Abs(w * v.slope(v.z)), 1))),
    "needlessly large factors": (v.of_one_unit, Implies(Gt(a, Rational(11, 10)), Eq(v.lim_flow, oo))),
    "needlessly small factors": (v.factors, Implies(Lt(Abs(a), 1 / d**2), Eq(v.lim_flow, 0))),
    "needlessly small weights": (v.factors, Implies(Lt(w_max, 3 / d), Eq(v.lim_sum, 0))),
    "net input grows": (unbounded.large_weights, Eq(unbounded.lim_net, oo)),
    "slope falls": (unbounded.large_weights, Eq(unbounded.lim_slope, 0)),
    "product falls": (unbounded.large_weights, Eq(unbounded.lim_product, 0)),
    "coth of the weight that leads out": (weights.largest_factor, weights.with_other_weight),
    "tanh in the place of coth": (
        weights.largest_factor,
        Eq(weights.w_into, 1 / coth(weights.net_m / 2) / weights.sent_in),
    ),
    "coth of the whole net input": (weights.largest_factor, Eq(weights.w_into, coth(weights.net_m) / weights.sent_in)),
    "converse of the sum": (v.limits, Implies(Eq(v.lim_sum, 0), Eq(v.lim_terms, 0))),
    "a premise that nothing meets": (v.limits, Implies(Eq(v.lim_terms, -1), Eq(v.lim_sum, 0))),
    "there is no such weight": (weights.remark, Not(weights.EXISTS)),
    "the formula does not hold of it": (weights.remark, Not(weights.RIGHT)),
    "the formula holds of the other": (weights.remark, weights.RIGHT_OF_THE_OTHER),
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


def test_what_both_notes_print_stands_in_one_box(judged):
    pairs = {name: item.box for name, item in judged.items() if item.box != name}
    numbers = {f"lstm97-{number + 8}": f"bptt-{number}" for number in range(15, 21)}
    assert pairs == numbers | {f"lstm97-coth{end}": f"bptt-coth{end}" for end in ("", "-remark")}


@pytest.mark.parametrize(
    "printed",
    [verdicts.explosion_said, verdicts.vanishing_said, verdicts.terms_said, verdicts.sum_said],
    ids=["explosion", "vanishing", "terms", "sum"],
)
def test_what_the_notes_say_fails_on_a_network_and_not_for_a_condition_too_narrow(printed):
    assert not v.implied(printed)


def test_a_condition_is_the_weakest_for_each_size():
    assert v.limits(verdicts.vanishing)
    assert not v.limits(verdicts.explosion)  # of two units factors above one half are enough
    assert v.implied(Implies(Lt(Abs(a), 1 / d**2), Eq(v.lim_flow, 0)))
    assert v.limits(Implies(Lt(Abs(a), 1 / d**2), Eq(v.lim_flow, 0)), (1,))
    for net in v.EDGES:
        assert set(v.exact_flow(net, 1)) == {Rational(1, len(net.link))} == set(v.exact_flow(net, 7))


def test_the_remark_is_false_in_each_of_its_parts():
    assert [weights.remark(part) for part in weights.said] == [False] * 3
    assert weights.remark(And(weights.EXISTS, weights.RIGHT, Not(weights.RIGHT_OF_THE_OTHER)))
    assert weights.pairs_with_a_weight(2)


@pytest.mark.parametrize(("sent", "rest"), [(0.5, 0.6), (-0.7, 0.2), (0.3, -1.0)])
def test_the_weight_of_the_largest_factor(sent, rest):
    low, high = weights.stationary(sent, rest, into=True)
    for peak in (low, high):
        assert peak == pytest.approx(1 / np.tanh((peak * sent + rest) / 2) / sent, abs=3e-3)
    assert {0.5: (-3.656, 2.674), -0.7: (-2.094, 2.328), 0.3: (-4.129, 6.867)}[sent] == pytest.approx(
        (low, high), abs=2e-3
    )


def test_the_sum_of_two_units_grows_below_four():
    assert np.abs(ef.EQUAL.weights).max() < 4
    assert [v.exact_flow(ef.EQUAL, lag)[:, 0] for lag in (1, 5)] == [
        ones(2, 1) * Rational(9, 5) ** k / 2 for k in (1, 5)
    ]
    assert verdicts.quarter_sums(ef.EQUAL, 20)
    assert ef.EQUAL.measured_flow(20).sum(axis=0) == pytest.approx(1.8**20, rel=1e-10)
    assert "18.9 and 1.275e+05" in verdicts.sum_of_equal(ef.EQUAL)


def test_a_network_without_inputs_grows_below_four():
    net, units = ef.UNFORCED, len(ef.UNFORCED.weights)
    assert 3.9 < net.w_max < 4
    model = FullyRecurrent(1, units, activation=logistic)
    theta = model.layout.flatten({"W": np.hstack([np.zeros((units, 1)), net.weights])})
    z = model.forward(theta, np.zeros((101, 1))).z
    reached = ef.flow(ef.links(net.weights, logistic.derivative(z[100:0:-1])))[-1]
    np.testing.assert_allclose(net.measured_flow(100), reached, rtol=1e-6, atol=1e-6 * np.abs(reached).max())
    assert np.abs(z[1]).max() == 0.0
    assert np.abs(reached.sum(axis=0)).max() > 1e4
    assert ef.norms(net.measured_flow(200)[None])[0] > 1e8


def test_without_inputs_equal_weights_vanish():
    for held in (ef.EQUAL, ef.EQUAL_3):
        assert ef.norms(ef.Free(held.weights).measured_flow(40)[None])[0] < 1e-30


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
