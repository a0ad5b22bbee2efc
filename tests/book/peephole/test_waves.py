"""The chapter on waves: its verdicts, the waves that a reader types, the numbers of the text."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from throughtime.tasks.waves import cosine, largest_difference, rectangle, triangle

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "waves.ipynb"


@pytest.mark.parametrize(("name", "wave"), [("f_cos", cosine), ("f_tri", triangle), ("f_rect", rectangle)])
def test_the_typed_waves_are_the_librarys_and_what_the_text_says(typed, name, wave):
    mine, times = typed(PAGE, name), np.arange(-30, 90)
    for period in (2, 3, 10, 25):
        assert np.allclose(mine(times, period), wave(times, period))
    found = mine(np.arange(10), 10)
    assert (found[0], found.min(), found.max()) == (0, 0, 1)
    assert np.allclose((found[:5] + found[5:])[1:], 1)


def test_printed_values_of_the_cosine_are_no_differences():
    found = [round(largest_difference(cosine, 10, order), 4) for order in (1, 2)]
    assert [*found, round(np.pi / 10, 4), round(2 * np.pi**2 / 100, 4)] == [0.3090, 0.1910, 0.3142, 0.1974]
    for period in range(3, 200):
        assert largest_difference(cosine, period, 1) < np.pi / period
        assert largest_difference(cosine, period, 2) < 2 * np.pi**2 / period**2


@pytest.mark.parametrize("wave", [cosine, triangle])
def test_a_longer_period_is_easier_from_five_on(wave):
    for order in (1, 2):
        found = [largest_difference(wave, period, order) for period in range(5, 61)]
        assert all(later < before for before, later in pairwise(found))
    assert largest_difference(cosine, 4, 1) < largest_difference(cosine, 5, 1) < largest_difference(cosine, 3, 1)
