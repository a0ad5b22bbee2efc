"""Layers of torch.nn, weight for weight: LSTM is the net of 2000 with one cell in a block, GRU a gated cell."""

import numpy as np
import pytest
from book.beyond.gated_cells import experiment as training
from book.peephole.libraries.checks import from_library, library_lstm, to_library

TOLERANCE = 1e-12


@pytest.mark.parametrize(("n_in", "units"), [(1, 1), (3, 2), (2, 5)])
@pytest.mark.parametrize("length", [1, 2, 30])
def test_outputs_states_and_exact_gradients_are_those_of_the_layer(n_in, units, length, kept):
    rng, model = np.random.default_rng(length), library_lstm(n_in, units, n_out=2)
    shapes = {"weight_ih_l0": (4 * units, n_in), "weight_hh_l0": (4 * units, units)}
    shapes |= {"bias_ih_l0": (4 * units,), "bias_hh_l0": (4 * units,)}
    weights = {name: rng.normal(scale=0.7, size=shape) for name, shape in shapes.items()}
    read, x, targets = (rng.normal(size=shape) for shape in ((2, units), (length, n_in), (length, 2)))
    theta = from_library(model, weights, read)
    theirs, ours = kept("library_torch.layer", "LSTM", weights, read, x, targets), model.gradient(theta, x, targets)
    trace = model.forward(theta, x)
    assert theirs.error("loss", ours.loss) <= TOLERANCE
    assert theirs.error("outputs", trace.y_cell[1:, :, 0]) <= TOLERANCE
    assert theirs.error("c", trace.s[-1, :, 0]) <= TOLERANCE
    mapped = to_library(model, ours.gradient)
    for name in weights:
        # Both biases are added: one derivative.
        assert theirs.error(name, mapped[name.replace("bias_hh", "bias_ih")]) <= TOLERANCE, name


@pytest.mark.parametrize(("name", "same"), [("GRU, reset after", True), ("GRU, reset before", False)])
def test_the_reset_gate_of_torch_stands_after_the_product(name, same, plain, kept):
    """With the second bias of the candidate at 0; z keeps the state in both."""
    training.network.cache_clear()
    net, rng = training.network(name, 3, 2), np.random.default_rng(2)
    theta, x, targets = net.init(rng, scale=1.0), rng.normal(size=(6, 2)), rng.normal(size=(6, 1))

    def stacked(flat, letter):
        views = net.layout.views(flat)
        return np.concatenate([views[f"{letter}_{gate}"] for gate in "rza"])

    places = {"weight_ih_l0": "W", "weight_hh_l0": "V", "bias_ih_l0": "b"}
    weights = {there: stacked(theta, here) for there, here in places.items()} | {"bias_hh_l0": np.zeros(9)}
    views, ours = net.layout.views(theta), net.gradient(theta, x, targets)
    theirs = kept("library_torch.layer", "GRU", weights, views["W_out"], x, targets - views["b_out"])
    assert (theirs.error("loss", ours.loss) <= TOLERANCE) == same
    assert (theirs.error("outputs", net.forward(theta, x).h[1:]) <= TOLERANCE) == same
    for there, here in places.items():
        assert (theirs.error(there, stacked(ours.gradient, here)) <= TOLERANCE) == same
    gates = stacked(ours.gradient, "b")[:6]  # of which each has two biases, in the same place
    assert np.allclose(theirs["bias_hh_l0"][:6], gates, rtol=1e-11) == same
