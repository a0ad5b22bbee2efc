"""Vanishing and exploding error: bptt-15 to bptt-20, bptt-coth, lstm97-23 to lstm97-28, lstm97-coth."""

from pathlib import Path

import numpy as np
import pytest
from book.bptt import networks as ef
from book.bptt.vanishing import checks as v
from sympy import Abs, Eq, Ge, Gt, Implies, Le, Lt, Rational, coth, ones, oo, zeros
from throughtime.arrays.activations import logistic
from throughtime.derivation import slips
from throughtime.textbook.recurrent import FullyRecurrent

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "vanishing-in-print.ipynb"

F, a, d, n, w, w_max = v.F, v.a, v.d, v.n, v.w, v.w_max

IF_TERMS_THEN_SUM = Implies(Eq(v.lim_terms, 0), Eq(v.lim_sum, 0))
EXPLOSION, VANISHING = Implies(Gt(Abs(a), 1), Eq(v.lim_flow, oo)), Implies(Lt(Abs(a), 1), Eq(v.lim_flow, 0))
BELOW_4, SUM_BELOW_4 = (Implies(Lt(w_max, 4), Eq(limit, 0)) for limit in (v.lim_terms, v.lim_sum))
COTH = Eq(v.w_into, coth(v.net_m / 2) / v.sent_in)
# Steps of proofs: that no slip in a statement passes stands in its box.
TRUE = {
    "one path up": (v.holds_for_factors, Ge(v.P, v.p_min**n)),
    "all paths up": (v.holds_for_factors, Implies(Gt(v.a_min, 0), Ge(F, d ** (n - 1) * v.a_min**n))),
    "one path down": (v.holds_for_factors, Le(v.P, v.a_max**n)),
    "all paths down": (v.holds_for_factors, Le(Abs(F), d ** (n - 1) * v.a_max**n)),
    "bound by weights": (v.holds_for_weights, Le(Abs(F), d ** (n - 1) * (w_max / 4) ** n)),
    "bound of the sum": (v.holds_for_factors, Le(Abs(v.total), d**n * (w_max / 4) ** n)),
    "if the terms, then the sum": (v.is_sharp, IF_TERMS_THEN_SUM),
}
FALSE = {
    "factors above 1 explode": (v.holds_for_one_unit, EXPLOSION),
    "factors below 1 vanish": (v.holds_for_factors, VANISHING),
    "weights below 4 vanish": (v.holds_for_weights, Implies(Lt(w_max, 4), Eq(v.lim_flow, 0))),
    "terms vanish below 4": (v.holds_for_factors, BELOW_4),
    "the sum vanishes below 4": (v.holds_for_factors, SUM_BELOW_4),
    "a bound of the sum as of a term": (v.holds_for_factors, Le(Abs(v.total), d ** (n - 1) * (w_max / 4) ** n)),
    "factors above 1 vanish": (v.holds_for_factors, Implies(Gt(a, 1), Eq(v.lim_flow, 0))),
    "positive factors explode": (v.holds_for_one_unit, Implies(Gt(a, 0), Eq(v.lim_flow, oo))),
    "a weaker bound": (v.holds_for_factors, Le(Abs(F), d**n * v.a_max**n)),
    "a bound without paths": (v.holds_for_factors, Le(Abs(F), v.a_max**n)),
    "a needless condition": (v.holds_for_weights, Implies(Lt(Abs(w), 3), Lt(Abs(w * v.slope(v.z)), 1))),
    "needlessly large factors": (v.holds_for_one_unit, Implies(Gt(a, Rational(11, 10)), Eq(v.lim_flow, oo))),
    "needlessly small factors": (v.holds_for_factors, Implies(Lt(Abs(a), 1 / d**2), Eq(v.lim_flow, 0))),
    "needlessly small weights": (v.holds_for_factors, Implies(Lt(w_max, 3 / d), Eq(v.lim_sum, 0))),
    "net input grows": (v.holds_for_large_weights, Eq(v.lim_net, oo)),
    "slope falls": (v.holds_for_large_weights, Eq(v.lim_slope, 0)),
    "product falls": (v.holds_for_large_weights, Eq(v.lim_product, 0)),
    "coth of the weight that leads out": (v.is_largest_factor, COTH.subs(v.w_into, v.w_out)),
    "tanh in the place of coth": (
        v.is_largest_factor,
        Eq(v.w_into, 1 / coth(v.net_m / 2) / v.sent_in),
    ),
    "coth of the whole net input": (v.is_largest_factor, Eq(v.w_into, coth(v.net_m) / v.sent_in)),
    "converse of the sum": (v.is_sharp, Implies(Eq(v.lim_sum, 0), Eq(v.lim_terms, 0))),
    "a premise that nothing meets": (v.is_sharp, Implies(Eq(v.lim_terms, -1), Eq(v.lim_sum, 0))),
}


@pytest.mark.parametrize(("is_true", "formula"), TRUE.values(), ids=TRUE)
def test_what_is_true_is_accepted_and_no_slip_of_it(is_true, formula):
    assert is_true(formula)
    found = slips(formula)
    assert found
    assert [str(slip) for slip in found if is_true(slip.expr)] == []


@pytest.mark.parametrize(("is_true", "formula"), FALSE.values(), ids=FALSE)
def test_what_is_false_is_refused(is_true, formula):
    assert not is_true(formula)


def test_what_both_notes_print_stands_in_one_box(judged):
    pairs = {name: item.box for name, item in judged.items() if item.box != name}
    numbers = {f"lstm97-{number + 8}": f"bptt-{number}" for number in range(15, 21)}
    assert pairs == numbers | {f"lstm97-coth{end}": f"bptt-coth{end}" for end in ("", "-remark")}


@pytest.mark.parametrize(
    "printed",
    [EXPLOSION, VANISHING, BELOW_4, SUM_BELOW_4],
    ids=["explosion", "vanishing", "terms", "sum"],
)
def test_what_the_notes_say_fails_on_a_network_and_not_for_a_condition_too_narrow(printed):
    assert not v.is_implied(printed)


def test_a_condition_is_the_weakest_for_each_size():
    assert v.is_sharp(Implies(Lt(Abs(a), 1 / d), Eq(v.lim_flow, 0)))
    assert not v.is_sharp(Implies(Gt(a, 1), Eq(v.lim_flow, oo)))  # of two units factors above one half are enough
    assert v.is_implied(Implies(Lt(Abs(a), 1 / d**2), Eq(v.lim_flow, 0)))
    assert v.is_sharp(Implies(Lt(Abs(a), 1 / d**2), Eq(v.lim_flow, 0)), (1,))
    for net in v.EDGES:
        assert set(net.exact_flow(1)) == {Rational(1, len(net.link))} == set(net.exact_flow(7))


def test_every_pair_of_units_has_a_weight():
    assert v.every_pair_has_a_weight(2)


@pytest.mark.parametrize(("sent", "rest"), [(0.5, 0.6), (-0.7, 0.2), (0.3, -1.0)])
def test_the_weight_of_the_largest_factor(sent, rest):
    low, high = v.peaks(sent, rest, into=True)
    for peak in (low, high):
        assert peak == pytest.approx(1 / np.tanh((peak * sent + rest) / 2) / sent, abs=3e-3)
    assert {0.5: (-3.656, 2.674), -0.7: (-2.094, 2.328), 0.3: (-4.129, 6.867)}[sent] == pytest.approx(
        (low, high), abs=2e-3
    )


def test_the_sum_of_two_units_grows_below_four(judged):
    assert np.abs(ef.EQUAL.weights).max() < 4
    assert [ef.EQUAL.exact_flow(lag)[:, 0] for lag in (1, 5)] == [ones(2, 1) * Rational(9, 5) ** k / 2 for k in (1, 5)]
    assert set(ones(1, 2) * ef.EQUAL.exact_flow(20)) == {Rational(9, 5) ** 20}
    assert ef.EQUAL.measured_flow(20).sum(axis=0) == pytest.approx(1.8**20, rel=1e-10)
    assert "18.9 and 1.275e+05" in judged["bptt-20"].record["counterexample"]


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
        assert set(net.exact_flow(1)) == {factor}
        assert net.exact_flow(6) == units**5 * factor**6 * ones(units)
        assert np.abs(net.measured_flow(60)).min() > 1e9


def test_factors_above_one_can_cancel():
    for net in (ef.CANCELLING, ef.CANCELLING_COLUMNS):
        assert min(map(abs, net.exact_flow(1))) > 1
        assert net.exact_flow(2) == zeros(2)
        assert not net.measured_flow(5).any()
