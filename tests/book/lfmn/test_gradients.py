"""The chapter on the LFMN's gradients: its statements, and numeric tests that four printed formulas are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from throughtime.checks import complex_step, relative_error
from throughtime.derivation import refs
from throughtime.models.lfmn import LFMN
from throughtime.systems import lfmn
from throughtime_book.lfmn.gradients import system as lfmn_both
from throughtime_book.lfmn.gradients.figures import hidden_gradients

PAGE = Path(__file__).parents[3] / "book" / "lfmn" / "gradients.ipynb"
VERDICTS = {f"lfmn-{n}": "holds" for n in (8, 9, 10)} | {f"lfmn-{n}": "corrected" for n in (11, 12, 13, 14)}
WRONG = [name for name, verdict in VERDICTS.items() if verdict == "corrected"]


def test_verdicts(judged):
    assert {name: item.record["verdict"] for name, item in judged.items()} == VERDICTS


@pytest.mark.parametrize("name", VERDICTS)
def test_every_kind_of_check_was_made_and_passed(judged, name):
    item = judged[name]
    assert item.failed == []
    assert all(check["passed"] is True and check["count"] > 0 for check in item.record["checks"].values())
    assert item.record["mutants"]["rejected"] >= 30


@pytest.mark.parametrize("name", WRONG)
def test_wrong_print_has_a_counterexample_in_numbers(judged, name):
    left, right = map(float, re.findall(r"\bis (-?\d[\d.e-]*\d)", judged[name].record["counterexample"]))
    assert abs(right) > 1.9 * abs(left) > 0


@pytest.mark.parametrize("name", WRONG[1:])
def test_correction_puts_the_slope_of_the_outputs_back(judged, name):
    slope = r"f'\left(a_{i}(t)\right)"
    assert slope in judged[name].record["corrected"]
    assert slope not in judged[name].record["printed"]


def test_correction_of_11_keeps_the_kinds_apart(judged):
    chains = judged["lfmn-11"].record["corrected"].split(r"\\[4pt]")
    assert all((r"\tilde y" in part) != (r"\bar y" in part) for part in chains)


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
def test_print_of_11_adds_a_term(kind):
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


def hidden_kind(name):
    return {"u_hid": (0, 1, 0), "v_hid": (0, 0, 1), "w_hid": (1, 1, 1)}[name]


@pytest.mark.parametrize("name", ["u_hid", "v_hid", "w_hid"])
def test_prints_of_12_to_14_lose_a_slope(name):
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


# ---- the system in which lfmn-11 as printed is defined


def test_second_net_inputs_are_read_by_nothing_else():
    net = lfmn_both.build().check()
    side = {(lfmn_both.net_out, lfmn.Y_act), (lfmn_both.act_out, lfmn.Y_net)}
    for definition in net.all_definitions():
        read = {(ref.quantity, ref.indices[0].domain) for ref in refs(definition.right) if ref.indices}
        own = definition.left.quantity in (lfmn_both.net_out, lfmn_both.act_out, lfmn_both.y_side)
        assert own or not read & side
    assert len(net.all_definitions()) == len(lfmn.build().all_definitions()) + 3
