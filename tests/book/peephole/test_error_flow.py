"""The chapter on error flow through states: links and their flow, the factor, the stored runs."""

from itertools import islice

import numpy as np
import pytest
from book.peephole.error_flow import checks, experiment, figures
from book.peephole.error_flow.checks import flow, links
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step, relative_error
from throughtime.textbook.peephole import GATES, PeepholeLSTM

TOLERANCE = 1e-12


def problem(seed, peepholes=True, length=6):
    model = PeepholeLSTM(2, 2, 3, 2, peepholes=peepholes)
    random = np.random.default_rng(seed)
    return model, model.init(random, 1.0, gate_biases={}), random.normal(size=(length, 2))


@given(st.integers(0, 999), st.booleans() | st.lists(st.sampled_from(GATES), unique=True))
def test_links_are_the_derivatives_of_one_step(seed, peepholes):
    model, theta, x = problem(seed, peepholes, length=3)
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


@pytest.mark.parametrize("u", figures.WEIGHTS)
def test_the_factor_is_the_derivative_of_one_step(u):
    for state in (-2.0, 0.3, 4.0):
        expected = complex_step(lambda z: complex(logistic(u * z[0] - 0.5) * z[0]), np.array([state]))
        assert relative_error(expected, figures.factor(np.array([state]), u, -0.5)) <= 1e-12


def test_kinds_of_cuts_are_all_of_them_and_both_are_the_truncated_gradient():
    net, data = experiment.model(), experiment.streams(0)
    kinds = experiment.kinds_of_cuts(net)
    assert set(kinds["peepholes"]) | set(kinds["cell outputs"]) == set(kinds["both"]) == set(net.cuts("truncated"))
    assert [len(kind) for kind in kinds.values()] == [7, 3, 4]
    theta = net.init(0, 1.0)
    truncated = net.gradient(theta, *data, method="truncated").gradient
    assert relative_error(experiment.gradient(net, theta, data, kinds["both"]), truncated) <= 1e-12
    exact = net.gradient(theta, *data).gradient
    assert relative_error(experiment.gradient(net, theta, data), exact) <= 1e-12
    assert experiment.inner(net, exact).size == 15


def test_starts_differ_in_the_forget_gate_alone():
    biases = {name: experiment.model().init(0, gate_biases=start) for name, start in experiment.STARTS.items()}
    (place,) = np.flatnonzero(biases["shut"] != biases["open"])
    assert experiment.model().layout.labels()[place] == "b_fg[0]"
    assert [biases[name][place] for name in ("shut", "open")] == [-2.0, 2.0]


def test_a_gradient_whose_square_underflows_still_has_an_angle():
    """The finished net of seed 25: components of 1e-182, with norms that a sum of squares would find to be zero."""
    net, data = experiment.model(), experiment.streams(25)
    theta, exact = next(islice(experiment.training("open", 25), 300, None))
    assert 0 < np.abs(experiment.inner(net, exact)).max() < 1e-170
    found = experiment.compare(net, theta, data)
    assert all(0.9 < quality.cosine <= 1 + 1e-12 for quality in found.values())


ROWS = experiment.RECORD.read()


def at(start, epoch, cut="both", wanted="learning"):
    return checks.looks_at(ROWS, start, cut, epoch, wanted)


@pytest.mark.nightly
def test_the_two_nets_without_a_last_look_had_finished():
    for start, seed in (("shut", "4"), ("open", "24")):
        assert not [row for row in ROWS if (row["start"], row["seed"], row["epoch"]) == (start, seed, "300")]
        net, data = experiment.model(), experiment.streams(int(seed))
        *_, (theta, _) = experiment.training(start, int(seed))
        assert net.loss(theta, *data) < 1e-30


def test_training_by_the_truncated_gradient_comes_out_again():
    recorded = {row["seed"]: row for row in experiment.TRUNCATED.read()}
    assert len(recorded) == experiment.SEEDS
    quickest = min(recorded.values(), key=lambda row: int(row["epoch"]))
    again = experiment.truncated(int(quickest["seed"]))
    assert again["loss"] == pytest.approx(float(quickest["loss"]), rel=1e-5)
    assert (again["epoch"], again["right"]) == (int(quickest["epoch"]), float(quickest["right"]))


def best_constant(seed):
    """The least loss of a constant output over the streams of a seed."""
    _, targets, mask = experiment.streams(seed)
    delays = targets[mask == 1]
    assert len(delays) == experiment.STREAMS * experiment.SPIKES == 100
    return ((delays - delays.mean()) ** 2).sum() / 2


def test_shut_nets_at_rest_give_the_best_constant():
    for row in at("shut", 30, wanted="at rest"):
        assert float(row["loss"]) == pytest.approx(best_constant(int(row["seed"])), abs=5e-5)
    assert all(11 < best_constant(seed) <= 12.5 for seed in range(experiment.SEEDS))
    row = at("open", 300, wanted="at rest")[0]
    assert (row["seed"], float(row["loss"])) == ("4", pytest.approx(best_constant(4)))


def test_the_net_of_the_page_sends_more_error_back_than_it_gets():
    net, (x, _, mask) = experiment.model(), (part[0] for part in experiment.streams(5))
    x = x[: np.flatnonzero(mask)[-1] + 1]
    theta, _ = next(islice(experiment.training("open", 5), 100, None))
    whole, alone = (flow(links(net, theta, x, peepholes=way), len(x)).ravel() for way in (True, False))
    assert 30 <= whole.argmax() <= 35  # it grows over the last thirty steps
    assert whole.max() > 1.3
    assert (np.diff(alone) < 0).all()
    assert 1 - alone[-1] / whole[-1] == pytest.approx(0.9, abs=0.02)  # nine tenths are hidden
