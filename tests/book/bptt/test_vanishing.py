"""The chapter on vanishing error: the bound, the gaps between the conditions, gradients by lag, and figures."""

from pathlib import Path

import numpy as np
import pytest
from book.bptt import networks as ef
from book.bptt.vanishing import checks as v
from book.bptt.vanishing import experiment as random_nets
from book.bptt.vanishing import figures
from hypothesis import given
from hypothesis import strategies as st
from throughtime.arrays.activations import logistic, tanh
from throughtime.checks import complex_step
from throughtime.textbook.recurrent import FullyRecurrent

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "vanishing.ipynb"

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
    assert all(v.norm_is_bounded(lag) for lag in (1, 2, 8))
    assert v.norm_bound_is_attained(6)
    assert v.norm_is_below_count()


def test_the_largest_factor_of_one_link():
    peaks = v.peaks(1.0, 0.0, into=True)
    assert peaks == pytest.approx([-1.5434, 1.5434], abs=1e-3)
    assert 1.5434 * logistic.derivative(1.5434) == pytest.approx(0.2239, abs=1e-4)
    assert v.peaks(1.0, 0.6, into=False) == []


def test_exact_flow_needs_logistic_units_at_rest():
    with pytest.raises(ValueError, match="exact_flow: expected logistic units held at 0"):
        ef.SATURATED.exact_flow(2)


# ---- the numbers of the page


@pytest.fixture(scope="module")
def flows(page_cell):
    """The function of the visible cell, as a reader types it."""
    names = {"np": np}
    exec(page_cell("def flows(").split("\n\n\n")[0], names)
    return names["flows"]


def test_the_typed_flow_is_that_of_the_complex_step(flows):
    random = np.random.default_rng(3)
    net, x = FullyRecurrent(3, 3, activation=tanh), random.normal(size=(6, 3))
    theta = net.layout.flatten({"W": np.hstack([np.eye(3), random.normal(size=(3, 3))])})
    z = net.forward(theta, x).z
    found = flows(net.recurrent_weights(theta), tanh.derivative(z[5:0:-1]))
    for lag in range(1, 6):
        np.testing.assert_allclose(found[lag - 1], net.error_flow(theta, x, 6, 6 - lag), rtol=1e-12)

    def last_net(first):
        """z(6) where the input of the first step is moved, which moves z(1) alone."""
        moved = x.astype(first.dtype)
        moved[0] = first
        return net.forward(theta, moved).z[6]

    by_steps = np.array([complex_step(lambda at, row=row: last_net(at)[row], x[0].copy()) for row in range(3)])
    np.testing.assert_allclose(found[-1], by_steps, rtol=1e-10)


def test_the_figure_of_the_bound_says_what_the_text_says():
    for reach in (figures.BELOW, figures.ABOVE):
        sizes = figures.under_the_bound(reach)
        assert np.all(sizes <= reach ** np.arange(figures.LAG + 1)[:, None] * (1 + 1e-12))
    assert sizes.shape[1] == 20
    assert sizes[-1].max() < 10


def test_the_last_lags_hold_the_gradient():
    terms = random_nets.contributions_of_one_unit()
    assert terms[:3] == pytest.approx([0.659, 0.148, 0.0333], rel=5e-3)
    assert terms[20] == pytest.approx(7e-14, rel=0.05)
    assert terms.sum() == pytest.approx(0.850, abs=5e-4)
    net = FullyRecurrent(1, 1, activation=logistic)
    theta, x = np.array([0.0, 1.0]), np.zeros((60, 1))
    assert complex_step(lambda at: net.forward(at, x).z[60, 0], theta)[1] == pytest.approx(terms.sum(), rel=1e-12)
    assert net.error_flow(theta, x, 60, 1)[0, 0] < 1e-37
    for scale, (low, middle, high) in {0.8: (0.815, 0.919, 0.960), 2.0: (0.001, 0.010, 0.212)}.items():
        first = random_nets.share(random_nets.contributions(scale), 10)
        assert np.quantile(first, [0.1, 0.5, 0.9]) == pytest.approx([low, middle, high], abs=5e-4)


def test_the_contributions_of_the_lags_add_up_to_the_gradient():
    net, random = FullyRecurrent(2, 3, activation=tanh), np.random.default_rng(8)
    theta, x, targets = net.init(random, scale=1.5), random.normal(size=(5, 2)), random.normal(size=(5, 3))
    trace, last = net.forward(theta, x), np.eye(1, 5, 4)[0]
    signal, total = tanh.derivative(trace.z[5]) * (trace.y[5] - targets[4]), 0.0
    for lag in range(5):
        carried = (net.error_flow(theta, x, 5, 5 - lag) if lag else np.eye(3)).T @ signal
        total = total + np.outer(carried, np.concatenate([x[4 - lag], trace.y[4 - lag]]))
    np.testing.assert_allclose(net.gradient(theta, x, targets, last).gradient, total.ravel(), rtol=1e-10)


def test_the_flow_of_many_networks_is_the_typed_one_of_each(flows):
    w = 1.3 * random_nets.gaussian(5, 3, seed=1)
    slopes = random_nets.slopes(w, tanh, 7)
    for lag, found in zip((2, 7), random_nets.flows(w, tanh, (2, 7)), strict=True):
        for number in range(3):
            np.testing.assert_allclose(found[number], flows(w[number], slopes[:lag, number])[-1], rtol=1e-12)


def test_half_of_the_networks_without_inputs_grow():
    sizes = [ef.norms(ef.free(seed).measured_flow(100)[None])[0] for seed in range(200)]
    above = int(np.sum(np.array(sizes) > 1))
    assert above == 110
    assert [round(bound) for bound in random_nets.wilson(above, 200)] == [48, 62]


def test_variances_of_a_linear_unit_and_of_its_derivative():
    n = np.arange(100_000)
    for u in (0.9, 0.99):
        assert (u ** (2 * n)).sum() == pytest.approx(1 / (1 - u**2))
        assert (n[1:] ** 2 * u ** (2.0 * n[1:] - 2)).sum() == pytest.approx((1 + u**2) / (1 - u**2) ** 3)


def test_one_unit_from_a_small_start():
    y, sizes = 0.05, [1.0]
    for _ in range(6):
        sizes.append(sizes[-1] * 3 * float(tanh.derivative(3 * y)))
        y = float(tanh(3 * y))
    assert np.argmax(sizes) == 2
    assert np.diff(np.log(sizes))[-1] < np.log(0.5)
