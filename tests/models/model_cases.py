"""One network of each class, and every method of each: what the tests of the common protocol run over."""

import numpy as np
import pytest
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM

MODELS = {
    "lstm1997": LSTM1997(2, 1, 1, 3, 1, bias=True),
    "peephole": PeepholeLSTM(2, 1, 1, 3, bias=True),
}
METHODS = {name: model.METHODS for name, model in MODELS.items()}


def way(name, method):
    """The method of this model, as arguments of ``gradient``."""
    return {"method": method}


def named(ways):
    return pytest.mark.parametrize(("name", "way"), ways, ids=[f"{name} {way['method']}" for name, way in ways])


WAYS = [(name, way(name, method)) for name in MODELS for method in METHODS[name]]
every_model = pytest.mark.parametrize("name", MODELS)
every_way = named(WAYS)
every_online_way = named([pair for pair in WAYS if pair[1]["method"] != "bptt"])


def problem(model, *shape, seed=0, scale=1.0):
    """theta, x, targets and a mask by output, x and targets of a shape (T,) or (B, T) before their last axis."""
    rng = np.random.default_rng(seed)
    theta, x = model.init(rng, scale), rng.normal(size=(*shape, model.n_in))
    targets = rng.normal(size=(*shape, model.n_out))
    return theta, x, targets, rng.integers(0, 2, targets.shape)
