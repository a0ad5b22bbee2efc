"""The PyTorch code that the book's page on libraries includes computes what the page says."""

from pathlib import Path

import numpy as np
import pytest
from book.peephole.libraries.checks import ORDER, library_lstm, to_library
from throughtime.arrays.activations import identity, tanh
from throughtime.textbook.peephole import GATES, PeepholeLSTM

SNIPPETS = Path(__file__).parent / "snippets"
TOLERANCE = 1e-12


def snippet(name):
    return (SNIPPETS / f"{name}.py").read_text(encoding="utf-8")


def test_the_truncated_loss_has_the_truncated_gradient_of_the_library(kept):
    model = library_lstm(3, 4, n_out=2)
    theta = model.init(0, scale=0.8, gate_biases={})
    arrays, read, rng = to_library(model, theta), model.layout.views(theta)["w_out"], np.random.default_rng(0)
    x, targets = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    theirs = kept("library_torch.truncated_loss", snippet("truncated_gradient"), arrays, read, x, targets)
    found = {method: model.gradient(theta, x, targets, method=method).gradient for method in ("truncated", "bptt")}
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        cut, exact = (
            to_library(model, found[m])[f"{name.replace('hh', 'ih') if 'bias' in name else name}_l0"] for m in found
        )
        assert theirs.error(name, cut) <= TOLERANCE
        assert theirs.error(name, exact) > 1e-3
    assert theirs.error("readout", model.layout.views(found["bptt"])["w_out"]) <= TOLERANCE


@pytest.mark.parametrize(("truncate", "method"), [(False, "bptt"), (True, "truncated")])
def test_the_cell_with_peepholes_is_that_of_2002_with_its_squashing_function(truncate, method, kept):
    kinds = {"feedback": "cells", "direct": False, "bias": ("fg", "ig", "og", "cell"), "peepholes": GATES}
    model = PeepholeLSTM(2, 3, 1, 3, **kinds, g=tanh, h=tanh, f_out=identity)
    theta = model.init(1, scale=0.8, gate_biases={})
    model.layout.views(theta)["w_out"][:] = np.eye(3)

    def stacked(flat):
        """Weights, biases and peepholes in the order of the cell."""
        parts = model.layout.views(flat)
        rows = np.concatenate([parts[f"w_{kind}"].reshape(3, -1) for kind in ORDER])
        bias = np.concatenate([parts[f"b_{kind}"].ravel() for kind in ORDER])
        return rows, bias, np.stack([parts[f"u_{gate}"].ravel() for gate in ("ig", "fg", "og")])

    x = np.random.default_rng(1).normal(size=(15, 2))
    theirs = kept("library_torch.peephole_cell", snippet("peephole_cell"), *stacked(theta), x, truncate)
    assert theirs.error("outputs", model.forward(theta, x).y_cell[1:, :, 0]) <= TOLERANCE
    ours = stacked(model.gradient(theta, x, np.zeros((15, 3)), method=method).gradient)
    for name, array in zip(("read.weight", "read.bias", "u"), ours, strict=True):
        assert theirs.error(name, array) <= TOLERANCE
