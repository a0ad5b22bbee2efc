"""Each cell as its paper prints it computes what a NumPy program of it computes."""

from __future__ import annotations

import gated_cells
import normalized_cells
import numpy as np
import pasted_cells
import plain_cells
import pytest
from numbers_of import LENGTH, Arrays, Numbers
from printed import CELLS
from throughtime.derivation import DEFINED, INPUT, PARAMETER
from throughtime.reading import read


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
