"""Random networks: rates in mean field theory and measured, norms, singular values, and paths that cancel."""

from pathlib import Path

import numpy as np
import pytest
from book.bptt import networks as ef
from book.bptt.vanishing import experiment as random_nets
from throughtime.arrays.activations import identity, logistic, tanh

PAGE = Path(__file__).parents[3] / "book" / "bptt" / "random-networks.ipynb"


def test_the_typed_exponent_is_the_growth_of_the_flow(page_cell):
    typed = {"np": np}
    exec(page_cell("def exponent(").split("\n\n\n")[0], typed)
    w = 2.0 * random_nets.gaussian(32, 1, seed=0)
    run = random_nets.slopes(w, tanh, 400)[:, 0]
    size = np.log(ef.norms(ef.flow(ef.links(w[0], run[:200])))[-1]) / 200
    assert typed["exponent"](w[0], run[::-1]) == pytest.approx(size, abs=0.05)
    assert typed["exponent"](np.eye(2), np.full((8, 2), 0.5)) == pytest.approx(np.log(0.5))


def test_mean_field_theory():
    assert random_nets.critical_scale(tanh) == pytest.approx(1.19, abs=5e-3)
    assert random_nets.critical_scale(logistic) == pytest.approx(10.15, abs=5e-3)
    assert random_nets.rate(identity, 0.7) == pytest.approx(np.log(0.7))  # a linear network: the spectral radius
    assert random_nets.variance(identity, 0.7) == pytest.approx(0.01 / (1 - 0.49))
    for scale in (0.8, 1.5, 6.0):
        wide, narrow = (random_nets.exponents(tanh, scale, units).mean() for units in (128, 32))
        assert wide == pytest.approx(random_nets.rate(tanh, scale), abs=0.05)
        assert narrow == pytest.approx(random_nets.rate(tanh, scale), abs=0.21)
    chaotic = random_nets.exponents(tanh, 6.0).mean()  # known to its spread over nets, whatever the rounding
    assert chaotic == pytest.approx(random_nets.rate(tanh, 6.0) - 0.2, abs=0.03)
    assert random_nets.log_norms(logistic, 12.0, (60,)).mean() < 0  # 32 units turn later than the theory


def test_norms_of_random_weights():
    norms = ef.norms(random_nets.gaussian(32, 500, seed=0))
    assert (norms > 2).sum() == 64
    assert [round(float(norms.min()), 2), round(float(norms.max()), 2)] == [1.68, 2.2]
    one = np.random.default_rng(0).normal(size=(32, 32)) / np.sqrt(32)
    assert [round(ef.largest_singular_value(one), 2), round(ef.spectral_radius(one), 2)] == [1.79, 1.07]


def test_orthogonal_weights_keep_the_singular_values_together():
    w = random_nets.orthogonal(32, 20, 0)
    np.testing.assert_allclose(w @ np.swapaxes(w, 1, 2), np.broadcast_to(np.eye(32), w.shape), atol=1e-12)
    linear = np.linalg.svd(random_nets.flows(w, identity, (20,)), compute_uv=False)
    np.testing.assert_allclose(linear, 1, rtol=1e-10)
    middle = {}
    for name, weights_of in (("orthogonal", w), ("Gaussian", random_nets.gaussian(32, 20, 0))):
        values = np.linalg.svd(random_nets.flows(weights_of, tanh, (20, 60)), compute_uv=False)
        middle[name] = np.median(values, axis=1)
    assert middle["orthogonal"][:, 0] == pytest.approx([0.435, 0.0489], rel=2e-3)
    assert middle["orthogonal"][0, 15] / middle["orthogonal"][0, 0] == pytest.approx(0.5, abs=0.06)
    assert middle["Gaussian"][0, 15] / middle["Gaussian"][0, 0] == pytest.approx(1 / 5000, rel=0.2)
    assert (middle["Gaussian"][:, -1] < 1e-16 * middle["Gaussian"][:, 0]).all()


def test_cancellation_of_random_signs():
    typical = random_nets.random_signs(32, 10)
    assert typical == pytest.approx(32.0 ** (np.arange(10) / 2), rel=0.05)
    assert random_nets.random_signs(32, 1, nets=3) == pytest.approx([1.0])
