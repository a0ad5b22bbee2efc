"""torch.nn.LSTM is the LSTM of 2000 with one cell in a block, weight for weight."""

import numpy as np
import pytest
from book.peephole.libraries.checks import from_library, library_lstm, to_library
from throughtime.checks import relative_error

TOLERANCE = 1e-12


def problem(n_in, units, length):
    """A model, its parameters, the layer's weights with two biases, the read-out's, inputs and targets."""
    rng = np.random.default_rng(length)
    shapes = {"weight_ih_l0": (4 * units, n_in), "weight_hh_l0": (4 * units, units)}
    shapes |= {"bias_ih_l0": (4 * units,), "bias_hh_l0": (4 * units,)}
    weights = {name: rng.normal(scale=0.7, size=shape) for name, shape in shapes.items()}
    model, read = library_lstm(n_in, units, n_out=2), rng.normal(size=(2, units))
    x, targets = rng.normal(size=(length, n_in)), rng.normal(size=(length, 2))
    return model, from_library(model, weights, read), weights, read, x, targets


@pytest.mark.parametrize(("n_in", "units"), [(1, 1), (3, 2), (2, 5)])
@pytest.mark.parametrize("length", [1, 2, 30])
def test_outputs_states_and_exact_gradients_are_those_of_the_layer(n_in, units, length, kept):
    model, theta, weights, read, x, targets = problem(n_in, units, length)
    theirs = kept("library_torch.layer", weights, read, x, targets)
    trace = model.forward(theta, x)
    assert theirs.error("outputs", trace.y_cell[1:, :, 0]) <= TOLERANCE
    assert theirs.error("h", trace.y_cell[-1, :, 0]) <= TOLERANCE
    assert theirs.error("c", trace.s[-1, :, 0]) <= TOLERANCE
    mapped = to_library(model, model.gradient(theta, x, targets).gradient)
    for name in weights:
        ours = mapped["bias_ih_l0" if name == "bias_hh_l0" else name]  # both biases are added: one derivative
        assert theirs.error(name, ours) <= TOLERANCE, name


@pytest.mark.parametrize("length", [1, 2, 30])
def test_a_cell_that_is_given_its_outputs_detached_has_the_truncated_gradient(length, kept):
    model, theta, weights, read, x, targets = problem(3, 4, length)
    theirs = kept("library_torch.detached", weights, read, x, targets)
    ours, exact = (model.gradient(theta, x, targets, method=method).gradient for method in ("truncated", "bptt"))
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        mapped = to_library(model, ours)["bias_ih_l0" if name == "bias_hh" else f"{name}_l0"]
        assert theirs.error(name, mapped) <= TOLERANCE, name
    assert (relative_error(ours, exact) > 1e-3) == (length > 1)
