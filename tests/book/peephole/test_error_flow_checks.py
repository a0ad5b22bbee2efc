"""Flow through the states agrees with the complex step through one step, and with the truncated error signals."""

import numpy as np
import pytest
from book.peephole.error_flow.checks import flow, links, middle
from hypothesis import given
from hypothesis import strategies as st
from throughtime.checks import complex_step, relative_error
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.peephole import GATES, PeepholeLSTM

TOLERANCE = 1e-12


def problem(seed, peepholes=True, length=6):
    model = PeepholeLSTM(2, 2, 3, 2, peepholes=peepholes)
    random = np.random.default_rng(seed)
    return model, model.init(random, 1.0, gate_biases={}), random.normal(size=(length, 2))


@given(st.integers(0, 999), st.booleans() | st.lists(st.sampled_from(GATES), unique=True))
def test_links_are_the_derivatives_of_one_step(seed, peepholes):
    model, theta, x = problem(seed, peepholes)
    trace, parts, found = model.forward(theta, x), model.layout.views(theta), links(model, theta, x)
    for t in range(1, len(x) + 1):
        acts = [getattr(trace, name)[t - 1].ravel() for name in model.sources if name != "x"]
        read = np.concatenate([trace.x[t], *acts])

        def state(before, read=read):
            net = {gate: parts[f"w_{gate}"] @ read for gate in ("fg", "ig")}
            for gate in set(net) & set(model.peepholes):
                net[gate] = net[gate] + (parts[f"u_{gate}"] * before).sum(axis=1)
            new = model.g(parts["w_cell"] @ read)
            return model.f(net["fg"])[:, None] * before + model.f(net["ig"])[:, None] * new

        assert relative_error(state(trace.s[t - 1]), trace.s[t]) <= TOLERANCE
        for k in range(2):
            for j in range(3):
                expected = complex_step(lambda s, k=k, j=j, state=state: complex(state(s)[k, j]), trace.s[t - 1])
                assert relative_error(expected[k], found[t, k, j]) <= TOLERANCE
                assert not expected[1 - k].any()


def test_flow_multiplies_the_latest_link_first():
    model, theta, x = problem(1)
    found = links(model, theta, x)
    products = flow(found, 4)
    assert products.shape == (5, 2, 3, 3)
    assert np.array_equal(products[0, 0], np.eye(3))
    assert relative_error(products[3, 1], found[4, 1] @ found[3, 1] @ found[2, 1]) <= TOLERANCE
    assert relative_error(products[3, 1], found[2, 1] @ found[3, 1] @ found[4, 1]) > 1e-3


def test_with_the_peepholes_cut_the_flow_is_that_of_the_truncated_error_signals():
    model, theta, x = problem(2, length=9)
    signals = model.error_signals(theta, x, np.ones((9, 2)), np.arange(9) == 8, method="truncated").s
    products = flow(links(model, theta, x, peepholes=False), 9)
    for n in range(10):
        expected = np.einsum("kj,kjc->kc", signals[9], products[n])
        assert relative_error(signals[9 - n], expected) <= TOLERANCE
    assert relative_error(products[9], flow(links(model, theta, x), 9)[9]) > 1e-3


def test_an_end_outside_the_sequence_is_refused():
    model, theta, x = problem(3)
    with pytest.raises(ValueError, match="end: expected 0 to 6, got 7"):
        flow(links(model, theta, x), 7)


def test_links_and_flow_refuse_what_is_no_net_and_no_time():
    model = PeepholeLSTM(2, 1, 1, 3)
    found = links(model, model.init(0), np.ones((3, model.n_in)))
    refused = [
        (
            lambda: links(LSTM1997(1, 1, 1, 1), np.zeros(2), np.ones((3, 1))),
            TypeError,
            "model: expected a PeepholeLSTM",
        ),
        (lambda: links(model, model.init(0) + 0j, np.ones((3, model.n_in))), TypeError, "theta: expected"),
        (lambda: flow(found, 1.5), TypeError, "end: expected an integer"),
        (lambda: flow(found, True), TypeError, "end: expected an integer"),
        (lambda: flow(found, -1), ValueError, "end: expected at least 0"),
        (lambda: flow(found, 4), ValueError, "end: expected 0 to 3, got 4"),
        (lambda: flow(found[0], 1), ValueError, "found: expected shape"),
        (lambda: flow(found * np.nan, 1), ValueError, "found: expected finite numbers"),
    ]
    for call, error, words in refused:
        with pytest.raises(error, match=words):
            call()


def test_a_median_is_shown_with_its_interval_if_there_is_one():
    assert middle(np.ones(5)) == "-"
    assert middle(np.arange(6.0)) == "2.50 (0.00 to 5.00)"
