"""Truncation of the LSTM of 1997 by hand: its forward pass in plain NumPy, with a `detach` at every cut.

Gradients are computed by the complex step: the imaginary part of a number carries its derivative, and dropping it holds
the number constant. No code is shared with the gradients of the library.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from throughtime.checks import complex_step
from throughtime.models.lstm1997 import HIDDEN_KINDS, LSTM1997

ALL = HIDDEN_KINDS
GATES_AND_CELLS = ("ig", "og", "cell")


def detach(value: np.ndarray) -> np.ndarray:
    """The same number as a constant: what carries its derivative is gone."""
    return value.real.astype(complex)


def outputs(model: LSTM1997, theta: np.ndarray, x: np.ndarray, cut: Collection[str] = ()) -> np.ndarray:
    """y(1), ..., y(T), complex, shape (T, n_out); ``theta`` and ``x`` as for ``LSTM1997.forward``.

    The sources of the net inputs of the kinds in ``cut``, a subset of "hid", "ig", "og" and "cell", are held constant.
    ValueError for any other kind.
    """
    for kind in cut:
        if kind not in ALL:
            raise ValueError(f"cut: expected kinds out of {ALL}, got {kind!r}")
    weights = model.layout.views(np.asarray(theta, dtype=complex))
    hid, gate_in, gate_out = (np.zeros(size, complex) for size in (model.hidden, model.blocks, model.blocks))
    s = np.zeros((model.cells, model.blocks), complex)
    cell, found = np.zeros_like(s), []

    def net(kind: str, read: np.ndarray) -> np.ndarray:
        return weights[f"w_{kind}"] @ read + weights.get(f"b_{kind}", 0.0)

    for given in np.asarray(x, dtype=complex):
        read_by_output = np.concatenate([given, hid, cell.ravel()])
        read = np.concatenate([given, hid, gate_in, gate_out, cell.ravel()])
        of = {kind: net(kind, detach(read) if kind in cut else read) for kind in ALL}
        hid, gate_in, gate_out = model.f_hid(of["hid"]), model.f(of["ig"]), model.f(of["og"])
        s = s + gate_in * model.g(of["cell"])
        cell = gate_out * model.h(s)
        if model.timing == "same":
            read_by_output = np.concatenate([given, hid, cell.ravel()])
        found.append(model.f_out(net("out", read_by_output)))
    return np.array(found)


def gradient(
    model: LSTM1997, theta: np.ndarray, x: np.ndarray, targets: np.ndarray, mask: Any, cut: Collection[str] = ()
) -> np.ndarray:
    """The gradient of ``LSTM1997.loss`` with the cuts of ``outputs``, flat like ``theta``; ``mask`` as there."""
    weight = np.broadcast_to(np.reshape(mask, (len(x), -1)), np.shape(targets))

    def loss(point: np.ndarray) -> complex:
        difference = outputs(model, point, x, cut) - targets
        return complex(np.sum(weight * difference**2) / 2)

    return complex_step(loss, theta, check=False)  # a cut takes the real part
