"""The chapter on diagonal recurrence: its members, what a gradient costs, its programs."""

import numpy as np
import pytest
import throughtime as tt
from book.beyond import costs
from book.beyond import diagonal as unit
from book.beyond.diagonal_recurrence import checks


@pytest.mark.parametrize(("hidden", "name"), [((0, 2, 0), "real linear"), ((0, 0, 2), "IndRNN")])
def test_the_units_of_the_local_feedback_network_are_members(hidden, name, interpreted):
    lfmn, random = tt.LFMN(n_in=2, hidden=hidden, output=(1, 0, 0)), np.random.default_rng(1)
    theta, x = random.normal(size=lfmn.layout.size), random.normal(size=(8, 2))
    parts = lfmn.layout.views(theta)
    sizes = {unit.n: 2, unit.m: 2, unit.r: 1}
    activations = {"phi": "tanh_half"} if name == "IndRNN" else {}
    net = tt.compile(unit.UNITS[name].build(), unit.loss, sizes, activations=activations)
    own = np.zeros(net.layout.size)
    views = net.layout.views(own)
    views["W_c"][:], views["u"][:] = parts["w_hid"], parts["u_hid" if name == "real linear" else "v_hid"]
    assert np.allclose(net.forward(own, x).s, lfmn.forward(theta, x).net_hid, rtol=1e-13)


def test_the_counter_counts_a_program_by_hand():
    """s = u s + W x + b takes 2 n m + 3 n, y = W h + b takes 2 n + 1, the loss 6 with its sums."""
    text, n, m = checks.loops("real linear", "bptt"), costs.n, costs.m
    assert costs.operations(text, costs.FORWARD) == (2 * n * m + 3 * n + 2 * n + 7).expand()
    assert costs.handed_on(checks.loops("real linear", "rtrl")) == n * m + 2 * n


def test_a_program_of_other_sizes_has_the_same_loops(monkeypatch):
    monkeypatch.setattr("throughtime.programs.build.CACHE", None)  # of another order, maybe
    made = checks.compiled.__wrapped__
    small, large = (made("fully recurrent", size, size).source("rtrl", "loops") for size in (2, 40))
    assert large.replace("\nn = 40\nm = 40\n", "\nn = 2\nm = 2\n") == small


@pytest.mark.parametrize("name", ["polar", *unit.UNITS])
def test_gradients_are_those_of_the_complex_step(name, interpreted):
    net = checks.compiled(name, 2, 2)
    random = np.random.default_rng(5)
    theta, data = net.init(random, scale=0.6), (random.normal(size=(5, 2)), random.normal(size=(5, 1)), np.ones(5))
    exact = tt.complex_step(lambda point: net.loss(point, *data), theta)
    for method in ("rtrl", "bptt"):
        assert np.allclose(net.gradient(theta, *data, method=method).gradient, exact, rtol=1e-11, atol=1e-13)


def test_the_cut_gradient_of_two_layers_has_no_path_through_the_past_of_the_upper_one(interpreted):
    net, random = checks.compiled("two layers", 2, 2), np.random.default_rng(5)
    theta, data = net.init(random, scale=0.9), (random.normal(size=(5, 2)), random.normal(size=(5, 1)), np.ones(5))
    parts, missed = net.layout.views(theta), net.forward(theta, data[0]).y[1:] - data[1]
    cut = net.gradient(theta, *data, method="layers").gradient
    for place in (place for name in checks.LOWER for place in range(theta.size)[net.layout.slice(name)]):
        lower = tt.trace_by_parameter(net, theta, data[0], place)["h"][1:]
        expected = np.einsum("tl,li,ik,tk->", missed, parts["W_out"], parts["W_up"], lower)
        assert cut[place] == pytest.approx(expected, rel=1e-11)
