"""What was read, on floating-point numbers: its quantities as arrays."""

from __future__ import annotations

from itertools import product

import numpy as np
from printed import relu, sigma
from throughtime.derivation import DEFINED, INPUT, PARAMETER, ExactInstance, Quantity
from throughtime.reading import Reading

LENGTH = 4
FUNCTIONS = {"tanh": np.tanh, "sigma": sigma, "relu": relu, "f": np.tanh, "g": np.tanh, "phi": np.tanh}


class Arrays(dict):
    """Arrays by name, as attributes too."""

    __getattr__ = dict.__getitem__


class Numbers:
    """The system of a text on floating-point numbers, its quantities as arrays; no two sizes are the same."""

    def __init__(self, read: Reading):
        self.system = read.system
        self.sizes = {size: number for number, size in enumerate(read.sizes, 2)}
        names = {*FUNCTIONS, *(name for name in read._built.elements.functions if name.split("_")[0] in FUNCTIONS)}
        functions = {name: lambda z, order, name=name: float(FUNCTIONS[name.split("_")[0]](z)) for name in names}
        self.net = ExactInstance(read.system, self.sizes, LENGTH, seed=1, activations=functions, number=float)
        self.of_role = {
            role: [q for q in read._built.quantities.values() if q.role == role] for role in (DEFINED, INPUT, PARAMETER)
        }
        self.named = {**read._built.quantities}

    def array(self, quantity: Quantity, *time: int) -> np.ndarray:
        shape = [over.elements({**self.sizes}) for over in quantity.domains]
        values = [float(self.net.element((quantity, *places, *time))) for places in product(*shape)]
        return np.array(values).reshape([len(places) for places in shape])
