"""Each cell as its paper prints it computes what a NumPy program of it computes."""

from __future__ import annotations

from itertools import product

import gated_cells
import normalized_cells
import numpy as np
import pasted_cells
import plain_cells
import pytest
from printed import CELLS, relu, sigma
from throughtime.derivation import DEFINED, INPUT, PARAMETER, Quantity, Unrolled
from throughtime.reading import Reading, read

LENGTH = 4
FUNCTIONS = {"tanh": np.tanh, "sigma": sigma, "positive": relu, "f": np.tanh, "g": np.tanh, "phi": np.tanh}


class Arrays(dict):
    """Arrays by name, as attributes too."""

    __getattr__ = dict.__getitem__


class Numbers:
    """The system of a text on floating-point numbers, its quantities as arrays; no two sizes are the same."""

    def __init__(self, read: Reading):
        self.system = read.system
        self.sizes = {size: number for number, size in enumerate(read.sizes, 2)}
        names = {*FUNCTIONS, *(name for name in read._names if name.startswith("sigma_"))}
        functions = {name: lambda z, order, name=name: float(FUNCTIONS[name.split("_")[0]](z)) for name in names}
        self.net = Unrolled(read.system, self.sizes, LENGTH, seed=1, activations=functions, number=float)
        self.of_role = {
            role: [q for q in read._built.quantities.values() if q.role == role] for role in (DEFINED, INPUT, PARAMETER)
        }

    def array(self, quantity: Quantity, *time: int) -> np.ndarray:
        shape = [over.elements({**self.sizes}) for over in quantity.domains]
        values = [float(self.net.element((quantity, *places, *time))) for places in product(*shape)]
        return np.array(values).reshape([len(places) for places in shape])


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_computes_what_its_program_does(name):
    printed = CELLS[name]
    made = read(printed.text, name=name)
    numbers = Numbers(made)
    assert len(set(numbers.sizes.values())) == len(numbers.sizes)
    learned = Arrays({q.name: numbers.array(q) for q in numbers.of_role[PARAMETER]})
    given = {q.name: q for q in numbers.of_role[INPUT] if q.name != "target"}
    states = {q.name: q for q in numbers.of_role[DEFINED] if q.timed}
    compared = 0
    for t in range(1, LENGTH + 1):

        def past(quantity, lag=1, t=t):
            return numbers.array({**states, **given}[quantity], t - lag)

        now = Arrays({key: numbers.array(q, t) for key, q in given.items() if t in made.system.given_times(q, LENGTH)})
        for key, value in printed.step(learned, now, past).items():
            np.testing.assert_allclose(numbers.array(states[key], t), value, rtol=1e-10, err_msg=f"{key} at {t}")
            compared += 1
    assert compared >= LENGTH


def test_forty_cells_are_read():
    assert len(CELLS) >= 40
    files = gated_cells, normalized_cells, pasted_cells, plain_cells  # an import of one registers its cells
    assert {cell.step.__module__ for cell in CELLS.values()} == {file.__name__ for file in files}
