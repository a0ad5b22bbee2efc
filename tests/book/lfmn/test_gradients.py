"""The chapter on the LFMN's gradients: its numbers, what readers type, and arithmetic without the engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from book.lfmn.gradients import checks as lfmn_both
from book.lfmn.gradients.figures import angles, carried, hidden_gradients, sensitivities_to_carry
from book.shared.intervals import wilson
from throughtime.checks import complex_step, relative_error
from throughtime.derivation import CheckError, System, chain, d, refs, sum_over
from throughtime.systems import lfmn
from throughtime.textbook.lfmn import LFMN

PAGE = Path(__file__).parents[3] / "book" / "lfmn" / "gradients.ipynb"


# ---- what a reader types, and the numbers in the text


@pytest.fixture(scope="module")
def typed(run_cell):
    """The function ``gradients`` of the visible cell."""
    return run_cell("def gradients(")["gradients"]


@pytest.mark.parametrize(("net", "act"), [(3, 0), (0, 3), (2, 2)])
def test_the_typed_gradients_are_those_of_the_complex_step(typed, net, act):
    draw = np.random.default_rng(net)
    model = LFMN(2, hidden=(0, net, act), output=(3, 0, 0))
    theta, x, targets = model.init(draw, 1.0), draw.normal(size=(8, 2)), draw.normal(size=(8, 3))
    p = model.layout.views(theta)
    linear = np.arange(net + act) < net
    found = typed(p["w_hid"], np.r_[p["u_hid"], p["v_hid"]], linear, p["w_out"], x, targets)
    truth = model.layout.views(complex_step(lambda weights: model.loss(weights, x, targets), theta))
    wanted = truth["w_hid"], np.r_[truth["u_hid"], truth["v_hid"]], truth["w_out"]
    assert all(relative_error(one.ravel(), other.ravel()) < 1e-12 for one, other in zip(found, wanted, strict=True))


def test_full_recurrence_carries_288_numbers_and_local_feedback_one_for_each_weight():
    full, local = carried().values()
    assert (full.shape, full.sum()) == ((6, 48), 288)
    assert (local.shape, local.sum()) == ((6, 18), 18)
    assert all(local[place // 3, place] for place in range(18))
    assert [ax.get_title(loc="left") for ax in sensitivities_to_carry().axes] == [
        "Full recurrence: 288 numbers for 48 weights",
        "Local feedback: 18 numbers for 18 weights",
    ]


def test_at_scale_8_the_printed_gradient_leads_uphill_in_23_of_100_networks():
    assert (angles(8.0, 100, 12) > 90).sum() == 23
    assert [round(100 * bound) for bound in wilson(23, 100)] == [16, 32]
    assert angles(2.0, 100, 12).max() < 90


# ---- independent arithmetic: NumPy and the complex step, none of the engine


def f(z):
    return np.tanh(z / 2)


def slope(z):
    return (1 - f(z) ** 2) / 2


def run(kind, feedback, w, x):
    """Net inputs and activations of one recurrent unit at the times 1, ..., T."""
    net = state = 0.0 * w[0]
    nets = []
    for now in x:
        net = feedback * state + w @ now
        state = net if kind == "net" else f(net)
        nets.append(net)
    nets = np.array(nets)
    return nets, f(nets)


def sensitivity(kind, feedback, w, x):
    """d net(t) / d w_k by the recursions in lfmn-11, which hold as printed."""
    nets, _ = run(kind, feedback, w, x)
    flow = np.zeros_like(w)
    flows = []
    for t, now in enumerate(x):
        through = feedback * (slope(nets[t - 1]) if kind == "act" else 1.0) if t else 0.0
        flow = through * flow + now
        flows.append(flow)
    return np.array(flows)


@pytest.mark.parametrize("kind", ["net", "act"])
def test_equation_11_is_the_gradient_with_the_term_of_the_unit_and_not_with_a_term_of_each_kind(kind):
    draw = np.random.default_rng(11)
    x, w, targets = draw.normal(size=(5, 2)), draw.normal(size=2), draw.normal(size=5)
    feedback = {"net": 0.7, "act": 1.3}
    truth = complex_step(lambda v: np.sum((run(kind, feedback[kind], v, x)[1] - targets) ** 2).item(), w)
    error = 2 * (run(kind, feedback[kind], w, x)[1] - targets)
    terms = {
        one: (error * slope(run(one, feedback[one], w, x)[0])) @ sensitivity(one, feedback[one], w, x)
        for one in ("net", "act")
    }
    assert relative_error(terms[kind], truth) < 1e-12
    assert relative_error(terms["net"] + terms["act"], truth) > 0.2


@pytest.mark.parametrize("kind", ["net", "act"])
def test_a_second_net_input_that_equals_the_first_doubles_the_gradient(kind):
    """At t = 1, where nothing is fed back yet, a term for each kind is exactly twice the term that the unit has."""
    x, w = np.array([[0.4, -1.1]]), np.array([0.8, 0.3])
    truth = complex_step(lambda v: np.sum((run(kind, 0.9, v, x)[1] - 0.2) ** 2).item(), w)
    terms = [
        2 * (run(one, 0.9, w, x)[1] - 0.2) * slope(run(one, 0.9, w, x)[0]) @ sensitivity(one, 0.9, w, x)
        for one in ("net", "act")
    ]
    assert relative_error(sum(terms), 2 * truth) < 1e-12


def hidden_kind(name):
    return {"u_hid": (0, 1, 0), "v_hid": (0, 0, 1), "w_hid": (1, 1, 1)}[name]


@pytest.mark.parametrize("name", ["u_hid", "v_hid", "w_hid"])
def test_printed_forms_of_12_to_14_lose_a_slope(name):
    draw = np.random.default_rng(12)
    model = LFMN(2, hidden=hidden_kind(name), output=(1, 0, 0))
    theta, x, targets = model.init(draw, 1.0), draw.normal(size=(6, 2)), draw.normal(size=(6, 1))
    truth = complex_step(lambda weights: model.loss(weights, x, targets), theta)
    derived, printed = hidden_gradients(model, theta, x, targets)
    hidden = np.concatenate([truth[model.layout.slice(group)] for group in ("w_hid", "u_hid", "v_hid")])
    assert relative_error(derived, hidden) < 1e-12
    assert relative_error(printed, hidden) > 0.4
    own = model.layout.slice(name)
    assert own.stop > own.start


def test_with_one_output_and_one_step_the_print_is_the_gradient_over_the_slope():
    draw = np.random.default_rng(13)
    model = LFMN(2, hidden=(1, 1, 1), output=(1, 0, 0))
    theta, x, targets = model.init(draw, 1.0), draw.normal(size=(1, 2)), draw.normal(size=(1, 1))
    derived, printed = hidden_gradients(model, theta, x, targets)
    a = model.forward(theta, x).net_out[1, 0]
    np.testing.assert_allclose(printed * slope(a), derived, rtol=1e-12)


def test_small_weights_hide_the_lost_slope():
    draw = np.random.default_rng(14)
    model = LFMN(2, hidden=(1, 1, 1), output=(2, 0, 0))
    theta, x, targets = model.init(draw, 0.01), draw.normal(size=(6, 2)), draw.normal(size=(6, 2))
    derived, printed = hidden_gradients(model, theta, x, targets)
    assert relative_error(printed, 2 * derived) < 1e-3


# ---- the system in which lfmn-11 has a term for each kind


@pytest.fixture(scope="module")
def setting_of_both():
    return lfmn_both.both_kinds()


def equation_11():
    """lfmn-11, in derivatives of net inputs."""
    i, k, t = lfmn.i_r, lfmn.k, lfmn.t
    w, tilde, bar = lfmn.W_out[i, k], lfmn_both.net_out[i, t], lfmn_both.act_out[i, t]
    error = 2 * lfmn.mask[t] * (lfmn.y[i, t] - lfmn.target[i, t])
    own = lfmn.f.prime(tilde) * d(tilde, w) + lfmn.f.prime(bar) * d(bar, w)
    return chain(d(lfmn.mask[t] * lfmn.cost[t], w), error * own)


def test_in_a_unit_with_a_second_net_input_of_its_own_equation_11_is_refused():
    """What the reading keeps out: a net input of the other kind, computed beside the first and read by nothing."""
    both = lfmn_both.both_kinds()
    i, k, t = lfmn.i_a, lfmn.k, lfmn.t
    beside = System("LFMN with a second net input", t)
    for definition in lfmn_both.build().all_definitions():
        if definition.left.quantity is not lfmn_both.net_out or definition.left.indices[0] != i:
            beside[definition.left] = definition.right
    beside[lfmn_both.net_out[i, t]] = sum_over(k, lfmn.W_out[i, k] * lfmn.x[k, t])
    with pytest.raises(CheckError, match="is wrong as printed"):
        replace(both, system=beside, model=None).equation("eleven", equation_11())


def test_the_net_input_that_a_unit_does_not_have_is_zero_and_read_by_nothing():
    net = lfmn_both.build().check()
    absent = {(lfmn_both.net_out, lfmn.Y_act), (lfmn_both.act_out, lfmn.Y_net)}
    found = {
        (one.left.quantity, one.left.indices[0].domain): one.right for one in net.all_definitions() if one.left.indices
    }
    assert all(found[pair] == 0 for pair in absent)
    for definition in net.all_definitions():
        assert not {(ref.quantity, ref.indices[0].domain) for ref in refs(definition.right) if ref.indices} & absent
    assert len(net.all_definitions()) == len(lfmn.build().all_definitions()) + 2
