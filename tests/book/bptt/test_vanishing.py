"""The chapter on vanishing error: steps of its proofs, conditions that no slip of a box tries, numbers of its text."""

import numpy as np
import pytest
from book.bptt import networks as ef
from book.bptt.vanishing import checks as v
from book.bptt.vanishing import experiment as random_nets
from sympy import Abs, Eq, Ge, Gt, Implies, Le, Lt, Rational, coth, oo
from throughtime.arrays.activations import logistic, tanh
from throughtime.checks import complex_step
from throughtime.derivation import slips
from throughtime.textbook.recurrent import FullyRecurrent

F, a, d, n, w, w_max = v.F, v.a, v.d, v.n, v.w, v.w_max
BY_WEIGHTS = Le(Abs(F), d ** (n - 1) * (w_max / 4) ** n)
STEPS = {
    "one path up": (v.holds_for_factors, Ge(v.P, v.p_min**n)),
    "all paths up": (v.holds_for_factors, Implies(Gt(v.a_min, 0), Ge(F, d ** (n - 1) * v.a_min**n))),
    "one path down": (v.holds_for_factors, Le(v.P, v.a_max**n)),
    "all paths down": (v.holds_for_factors, Le(Abs(F), d ** (n - 1) * v.a_max**n)),
    "bound by weights": (v.holds_for_factors, BY_WEIGHTS),
    "bound of the sum": (v.holds_for_factors, Le(Abs(v.total), d**n * (w_max / 4) ** n)),
    "if the terms, then the sum": (v.is_sharp, Implies(Eq(v.lim_terms, 0), Eq(v.lim_sum, 0))),
}
FALSE = {
    "a bound of the sum as of a term": (v.holds_for_factors, BY_WEIGHTS.subs(F, v.total)),
    "needlessly large factors": (v.holds_for_one_unit, Implies(Gt(a, Rational(11, 10)), Eq(v.lim_flow, oo))),
    "needlessly small weights": (v.holds_for_factors, Implies(Lt(w_max, Rational(39, 10) / d), Eq(v.lim_sum, 0))),
    "a needless condition": (v.holds_for_factors, Implies(Lt(Abs(w), Rational(39, 10)), Lt(Abs(w * v.slope(v.z)), 1))),
    "tanh for coth": (v.is_largest_factor, Eq(v.w_into, 1 / coth(v.net_m / 2) / v.sent_in)),
    "coth of the whole net input": (v.is_largest_factor, Eq(v.w_into, coth(v.net_m) / v.sent_in)),
    "converse of the sum": (v.is_sharp, Implies(Eq(v.lim_sum, 0), Eq(v.lim_terms, 0))),
    "a premise that nothing meets": (v.is_sharp, Implies(Eq(v.lim_terms, -1), Eq(v.lim_sum, 0))),
}


@pytest.mark.parametrize(("is_true", "formula"), STEPS.values(), ids=STEPS)
def test_no_slip_of_a_step_is_accepted(is_true, formula):
    assert is_true(formula)
    found = slips(formula)
    assert found
    assert [str(slip) for slip in found if is_true(slip.expr)] == []


@pytest.mark.parametrize(("is_true", "formula"), FALSE.values(), ids=FALSE)
def test_what_is_false_is_refused(is_true, formula):
    assert not is_true(formula)


def test_a_condition_is_the_weakest_for_each_size():
    assert not v.is_sharp(Implies(Gt(a, 1), Eq(v.lim_flow, oo)))  # of two units factors above one half are enough
    narrow = Implies(Lt(Abs(a), 1 / d**2), Eq(v.lim_flow, 0))
    assert v.is_implied(narrow)
    assert v.is_sharp(narrow, (1,))
    for net in v.EDGES:
        assert set(net.exact_flow(1)) == {Rational(1, len(net.link))} == set(net.exact_flow(7))


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


def test_the_last_lags_hold_the_gradient():
    terms = random_nets.contributions_of_one_unit()
    assert terms[:3] == pytest.approx([0.659, 0.148, 0.0333], rel=5e-3)
    assert terms[20] == pytest.approx(7e-14, rel=0.05)
    assert terms.sum() == pytest.approx(0.850, abs=5e-4)
    net = FullyRecurrent(1, 1, activation=logistic)
    theta, x = np.array([0.0, 1.0]), np.zeros((60, 1))
    assert complex_step(lambda at: net.forward(at, x).z[60, 0], theta)[1] == pytest.approx(terms.sum(), rel=1e-12)
    assert net.error_flow(theta, x, 60, 1)[0, 0] < 1e-37


def test_the_flow_of_many_networks_is_the_typed_one_of_each(page_cell):
    names = {"np": np}
    exec(page_cell("def flows(").split("\n\n\n")[0], names)
    w = 1.3 * random_nets.gaussian(5, 3, seed=1)
    slopes = random_nets.slopes(w, tanh, 7)
    for lag, found in zip((2, 7), random_nets.flows(w, tanh, (2, 7)), strict=True):
        for number in range(3):
            np.testing.assert_allclose(found[number], names["flows"](w[number], slopes[:lag, number])[-1], rtol=1e-12)


def test_one_unit_from_a_small_start():
    y, sizes = 0.05, [1.0]
    for _ in range(6):
        sizes.append(sizes[-1] * 3 * float(tanh.derivative(3 * y)))
        y = float(tanh(3 * y))
    assert np.argmax(sizes) == 2
    assert np.diff(np.log(sizes))[-1] < np.log(0.5)


@pytest.mark.parametrize("net", ef.COUNTEREXAMPLES, ids=lambda net: net.words)
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_held_networks_have_the_flow_they_are_said_to_have(net, steps):
    ran = net.model.forward(net.theta, net.inputs(steps + 1))
    np.testing.assert_allclose(ran.z[1:], np.tile(net.at, (steps + 1, 1)), atol=1e-12)
    flow = net.flow(steps)
    np.testing.assert_allclose(net.measured_flow(steps), flow[-1], rtol=1e-11, atol=1e-12 * ef.norms(flow).max())
