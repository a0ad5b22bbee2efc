"""The chapter on gated cells: what gates learn from, and what a shut gate stops."""

import numpy as np
import pytest
from book.beyond import gated as cell
from book.beyond.gated_cells import experiment
from throughtime.derivation import d

SHUT = -600.0
"""A bias with which a gate is below 1e-200."""
LOGISTIC = [name for name, one in cell.CELLS.items() if not one.exponential]
GRU = [name for name in cell.CELLS if name.startswith("GRU")]
i, t = cell.i, cell.t
L, state, z = cell.loss[()], cell.state, cell.z


@pytest.mark.parametrize("name", LOGISTIC)
def test_the_gate_learns_from_the_difference_and_the_candidate_from_its_share(name):
    S, a = cell.CELLS[name].make_bench(), cell.net["a"]
    through_gate = (state[i, t - 1] - cell.phi(a[i, t])) * cell.sigma.prime(cell.net["z"][i, t]) * d(L, state[i, t])
    share = (1 - z[i, t]) * cell.phi.prime(a[i, t]) * d(L, state[i, t])
    assert S.on_instances([(d(L, a[i, t]), share)]).passed is True
    alone = S.on_instances([(d(L, cell.net["z"][i, t]), through_gate)]).passed
    assert alone is (name != "MGU")  # its gate is a reset gate too


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
    after, _, _, share = experiment.step(one, weights, x, at, experiment.output(one, at, opened), norms)
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
