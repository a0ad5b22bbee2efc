"""Test of locality (lstm97-locality): which stored derivatives of an online gradient depend on which others."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.lstm_online import LSTMOnlineGradient

NET = LSTM1997(n_in=1, blocks=1, cells=2, n_out=1, bias=True)


def dependence(model: LSTM1997, method: str, seed: int = 0) -> np.ndarray:
    """Boolean matrix over the stored derivatives: [a, b] is True if a, one step later, depends on b.

    Each derivative in turn is changed by 1 after three random steps; any difference after the next step counts as
    dependence. Weights and activations stay the same, so only the recursion of the derivatives is tested. Rows and
    columns are sorted by weight, then by unit or state. ValueError if ``method`` is not an online method.
    """
    random = np.random.default_rng(seed)
    online = model.online(model.init(random, 1.0), method)
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


def weight_of_each(online: LSTMOnlineGradient) -> np.ndarray:
    """The weight of each stored derivative, in the order of storage, as row * columns + column; shape (n,)."""
    first, second = online.derivatives.values()
    columns, model = first.shape[-1], online.model
    if online.method == "rtrl":  # dact_u/dW_vq and ds_c/dW_vq
        return np.concatenate([np.tile(np.arange(part[0].size), len(part)) for part in (first, second)])
    cells = np.arange(len(first))
    gates, own = model.hidden + cells % model.blocks, model.hidden + 2 * model.blocks + cells
    rows = np.concatenate([gates, own])  # ds_c/dW of the row of its input gate and of its own row
    return (rows[:, None] * columns + np.arange(columns)).ravel()
