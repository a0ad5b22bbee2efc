"""The chapter on gated cells: what gates learn from, the normalizer, shut gates, the measured cells."""

from pathlib import Path

import numpy as np
import pytest
from book.beyond import gated as cell
from book.beyond.gated_cells import experiment
from throughtime.derivation import d

PAGE = Path(__file__).parents[3] / "book" / "beyond" / "gated-cells.ipynb"
SHUT = -600.0
"""A bias with which a gate is below 1e-200."""
LOGISTIC = [name for name, one in cell.CELLS.items() if not one.exponential]
GRU = [name for name in cell.CELLS if name.startswith("GRU")]
i, t = cell.i, cell.t
L, state, z = cell.loss[()], cell.state, cell.z


# ---- derivations


@pytest.mark.parametrize("name", LOGISTIC)
def test_the_gate_learns_from_the_difference_and_the_candidate_from_its_share(name):
    S, a = cell.CELLS[name].make_bench(), cell.net["a"]
    through_gate = (state[i, t - 1] - cell.phi(a[i, t])) * cell.sigma.prime(cell.net["z"][i, t]) * d(L, state[i, t])
    share = (1 - z[i, t]) * cell.phi.prime(a[i, t]) * d(L, state[i, t])
    assert S.on_instances([(d(L, a[i, t]), share)]).passed is True
    alone = S.on_instances([(d(L, cell.net["z"][i, t]), through_gate)]).passed
    assert alone is (name != "MGU")  # its gate is a reset gate too


# ---- the normalizer


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


# ---- what a shut gate stops


def jacobian(name, shut, unit=None):
    """Of the next state of one net by the present one, and z; a gate is shut, of one unit or of all.

    In the cells with a gate z no path leads through it: its weights from units are 0.
    """
    one = cell.CELLS[name]
    weights = experiment.start(0.0, 1, seed=7)
    for gate in "zrfio":
        weights[f"V_{gate}"] = np.zeros_like(weights[f"V_{gate}"])
    weights[f"b_{shut}"][:, slice(None) if unit is None else unit] = SHUT
    at = np.random.default_rng(8).normal(size=(1, experiment.UNITS, 1)) + 1j * experiment.STEP * np.eye(
        experiment.UNITS
    )
    norms = np.ones((1, experiment.UNITS, 1))
    x = experiment.inputs(1)[0]
    opened = experiment.logistic(weights["W_o"] @ x + weights["b_o"]) if one.output else None
    after, _, _, share = experiment.step(one, weights, x, at, experiment.output(one, weights, at, opened), norms)
    return after[0].imag / experiment.STEP, share[0, :, 0].real


@pytest.mark.parametrize("name", GRU)
def test_a_shut_reset_gate_stops_what_a_unit_sends_or_what_it_receives(name):
    unit = 3
    found, share = jacobian(name, "r", unit)
    lone = np.eye(experiment.UNITS)[unit] * share[unit]
    sends, receives = np.allclose(found[:, unit], lone, atol=1e-14), np.allclose(found[unit], lone, atol=1e-14)
    assert (sends, receives) == ((True, False) if name.endswith("before") else (False, True))


@pytest.mark.parametrize("name", [name for name, one in cell.CELLS.items() if one.output])
def test_a_shut_output_gate_leaves_the_carousel_alone(name):
    found, share = jacobian(name, "o")
    assert np.allclose(found, np.diag(share), rtol=0, atol=1e-14)


def test_with_all_reset_gates_shut_both_forms_of_the_gru_have_the_same_states():
    weights = experiment.start(0.0, 1)
    weights["b_r"][:] = SHUT
    at = dict.fromkeys(GRU, np.zeros((1, experiment.UNITS, 1)))
    for x in experiment.inputs(1)[:10]:
        at = {name: experiment.step(cell.CELLS[name], weights, x, one, one, one)[0] for name, one in at.items()}
        assert np.array_equal(*at.values())
    assert all(np.allclose(*(jacobian(name, "r")[k] for name in GRU), atol=1e-15) for k in (0, 1))


# ---- programs


@pytest.mark.parametrize("name", cell.CELLS)
def test_the_measured_cells_are_the_compiled_ones(name, monkeypatch):
    monkeypatch.setattr("throughtime.programs.build.COMPILED", False)
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
        h_now = experiment.output(one, weights, at, opened)
        assert np.allclose(seen[time], at[0, :, 0], rtol=1e-12, atol=1e-14)
