"""Which of the numbers that an online gradient keeps enter which: a test of locality by disturbing them."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from ..models.lstm1997 import LSTM1997, OnlineGradient

NET = LSTM1997(n_in=1, blocks=1, cells=2, n_out=1, bias=True)


def dependence(model: LSTM1997, method: str, seed: int = 0) -> np.ndarray:
    """Entry [a, b]: whether the kept derivative a depends, one step later, on the kept derivative b.

    Derivatives by the same weight stand side by side, sorted by unit or state. Each is disturbed by 1 after three
    random steps, all else being equal; a difference in any bit counts. Weights and activations are left alone, so
    that what shows is the recursion of the derivatives. ValueError if ``method`` is none of the online methods.
    """
    random = np.random.default_rng(seed)
    online = OnlineGradient(model, model.init(random, 1.0), method)
    online.run(random.normal(size=(3, model.n_in)), random.normal(size=(3, model.n_out)))
    x = random.normal(size=model.n_in)
    order = np.argsort(weight_of_each(online), kind="stable")

    def stepped(disturbed: int | None = None) -> np.ndarray:
        later = deepcopy(online)
        for part in later.derivatives.values():
            if disturbed is not None and 0 <= disturbed < part.size:
                part.flat[disturbed] += 1.0
            disturbed = None if disturbed is None else disturbed - part.size
        later.step(x)
        return np.concatenate([part.ravel() for part in later.derivatives.values()])[order]

    undisturbed = stepped()
    return np.array([stepped(place) != undisturbed for place in order]).T


def weight_of_each(online: OnlineGradient) -> np.ndarray:
    """For each kept derivative, as stored, the number of the weight by which it derives: row times columns + column."""
    first, second = online.derivatives.values()
    columns, model = first.shape[-1], online.model
    if online.method == "rtrl":  # dact_u/dW_vq and ds_c/dW_vq
        return np.concatenate([np.tile(np.arange(part[0].size), len(part)) for part in (first, second)])
    cells = np.arange(len(first))
    gates, own = model.hidden + cells % model.blocks, model.hidden + 2 * model.blocks + cells
    rows = np.concatenate([gates, own])  # ds_c/dW of the row of its input gate and of its own row
    return (rows[:, None] * columns + np.arange(columns)).ravel()
