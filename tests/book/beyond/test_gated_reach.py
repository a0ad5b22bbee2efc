"""The reach of the error in gated cells: the normalizer, and the measured cells."""

import numpy as np
import pytest
from book.beyond import gated as cell
from book.beyond.gated_cells import experiment


def test_what_a_bias_keeps_by_hand():
    np.testing.assert_allclose(experiment.logistic(np.array([0.0, 2.0])) ** 40, [9e-13, 0.006], rtol=0.05)


def test_the_share_is_a_logistic_gate_whose_bias_is_the_logarithm_of_the_normalizer_and_shares_multiply():
    random = np.random.default_rng(5)
    f, new = random.normal(size=(2, 30))
    kept, shares = [0.7], []
    for one, other in zip(f, new, strict=True):
        kept.append(np.exp(one) * kept[-1] + np.exp(other))
        shares.append(np.exp(one) * kept[-2] / kept[-1])
    assert np.allclose(shares, experiment.logistic(f - new + np.log(kept[:-1])), rtol=1e-13, atol=0)
    for low, high in ((0, 30), (4, 17)):
        product = np.exp(f[low:high].sum()) * kept[low] / kept[high]
        assert np.isclose(np.prod(shares[low:high]), product, rtol=1e-12, atol=0)


def test_with_all_net_inputs_0_the_slstm_is_the_plain_mean():
    weights = {name: np.zeros_like(one) for name, one in experiment.start(0.0, 1).items()}
    weights["W_a"] = experiment.start(0.0, 1)["W_a"]
    now, candidates = np.zeros((1, experiment.UNITS, 1)), []
    at, norms = now, now
    for time, x in enumerate(experiment.inputs(1)[:12], start=1):
        candidates.append(np.tanh(weights["W_a"] @ x))
        at, _, norms, share = experiment.step(cell.CELLS["sLSTM"], weights, x, at, now, norms)
        assert np.allclose(share, (time - 1) / time, rtol=1e-14, atol=0)
        assert np.allclose(at, np.mean(candidates, axis=0), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", cell.CELLS)
def test_the_measured_cells_are_the_compiled_ones(name, interpreted):
    one = cell.CELLS[name]
    net = experiment.network(name, units=experiment.UNITS, inputs=experiment.INPUTS)
    weights = experiment.start(1.0, 1)
    theta = net.layout.views(np.zeros(net.layout.size))
    for key, value in weights.items():
        if key in theta:
            theta[key] = value[0, :, 0] if key.startswith("b_") else value[0]
    x = experiment.inputs(1)[:6]
    seen = net.forward(net.layout.flatten(theta), x[:, 0, :, 0]).s
    at = h_now = norms = np.zeros((1, experiment.UNITS, 1))
    for time, now in enumerate(x, start=1):
        at, opened, norms, _ = experiment.step(one, weights, now, at, h_now, norms)
        h_now = experiment.output(one, at, opened)
        assert np.allclose(seen[time], at[0, :, 0], rtol=1e-12, atol=1e-14)
