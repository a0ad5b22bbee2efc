"""The weights of a cell as the libraries of today hold them: between ``PeepholeLSTM`` and ``torch.nn.LSTM``.

A library's LSTM is the LSTM of 2000 with one cell in each block, gates that read inputs and cell outputs, both
squashing functions tanh, no peepholes and no outputs: the output of a layer is y_cell. PyTorch stacks its gates
in the order input, forget, cell, output, and adds two biases of which one would do. Nothing is imported from it:
arrays come in and go out, under the names of ``torch.nn.LSTM.state_dict()``.
"""

from collections.abc import Mapping

import numpy as np
from throughtime.models import validate
from throughtime.models.activations import identity, logistic, tanh
from throughtime.models.peephole import PeepholeLSTM

ORDER = ("ig", "fg", "cell", "og")  # of the stacked gates: PyTorch's i, f, g, o


def library_lstm(n_in: int, units: int, n_out: int = 1) -> PeepholeLSTM:
    """The model whose y_cell is the output of a library's layer of ``units``; its own outputs are linear.

    >>> library_lstm(3, 4).layout.shapes["w_ig"]
    (4, 7)
    """
    kinds = {"feedback": "cells", "direct": False, "peepholes": False, "bias": ("fg", "ig", "og", "cell")}
    return PeepholeLSTM(n_in, units, 1, n_out, **kinds, f=logistic, g=tanh, h=tanh, f_out=identity)


def to_library(model: PeepholeLSTM, theta: np.ndarray) -> dict[str, np.ndarray]:
    """Weights of ``model``, or a gradient by them, as a library's layer of H units holds them.

    ``weight_ih_l0`` (4 H, n_in), ``weight_hh_l0`` (4 H, H), ``bias_ih_l0`` (4 H,); ``bias_hh_l0`` is zero.
    ``w_out`` has no counterpart. ValueError for a model that is not that of ``library_lstm``.
    """
    _require_library(model)
    parts = model.layout.views(theta)
    units = model.blocks
    rows = np.concatenate([parts[f"w_{kind}"].reshape(units, -1) for kind in ORDER])
    bias = np.concatenate([parts[f"b_{kind}"].ravel() for kind in ORDER])
    read = model.sources
    weights = {"weight_ih_l0": rows[:, read["x"]], "weight_hh_l0": rows[:, read["y_cell"]]}
    return weights | {"bias_ih_l0": bias, "bias_hh_l0": np.zeros_like(bias)}


def from_library(model: PeepholeLSTM, arrays: Mapping[str, np.ndarray], w_out: np.ndarray) -> np.ndarray:
    """The parameters of ``model`` that make its y_cell the layer's output; the two biases are added.

    ``arrays`` has the four names of ``to_library``; ``w_out``, of shape (n_out, H), are the weights of the
    outputs. ValueError or TypeError for a wrong name or shape, or for another model.
    """
    _require_library(model)
    units = model.blocks
    shapes = {"weight_ih_l0": (4 * units, model.n_in), "weight_hh_l0": (4 * units, units)}
    shapes |= {"bias_ih_l0": (4 * units,), "bias_hh_l0": (4 * units,)}
    if not isinstance(arrays, Mapping) or set(arrays) != set(shapes):
        raise ValueError(f"arrays: expected a mapping with the names {list(shapes)}, got {arrays!r}")
    given = {name: validate.array(name, arrays[name], shape) for name, shape in shapes.items()}
    rows = np.split(np.hstack([given["weight_ih_l0"], given["weight_hh_l0"]]), 4)
    biases = np.split(given["bias_ih_l0"] + given["bias_hh_l0"], 4)
    by_kind = {"w_out": validate.array("w_out", w_out, (model.n_out, units))}
    for kind, row, bias in zip(ORDER, rows, biases, strict=True):
        by_kind[f"w_{kind}"] = row[:, None] if kind == "cell" else row
        by_kind[f"b_{kind}"] = bias[:, None] if kind == "cell" else bias
    return model.layout.flatten(by_kind)


def _require_library(model: PeepholeLSTM) -> None:
    if not isinstance(model, PeepholeLSTM):
        raise TypeError(f"model: expected a PeepholeLSTM, got {type(model).__name__}")
    expected = library_lstm(model.n_in, model.blocks, model.n_out)
    if model != expected:
        raise ValueError(f"model: expected that of library_lstm, {expected}, got {model}")
