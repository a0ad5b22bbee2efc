"""What gradient descent learns through a latch: the gradients, and the counts in the text."""

from __future__ import annotations

import numpy as np
import pytest
from book.lfmn.latching import experiment as learning
from book.lfmn.latching import figures
from book.shared.intervals import wilson
from throughtime.checks import complex_step, relative_error


@pytest.mark.parametrize(("v", "w"), [(1.2, 0.0), (2.1, 0.4), (4.0, -1.0)])
def test_the_gradients_are_those_of_the_complex_step(v, w):
    noise = np.random.default_rng(1).uniform(-0.3, 0.3, (6, 10))
    exact = complex_step(lambda at: complex(learning.loss(at[:1], at[1:], noise)), np.array([v, w]))
    found = np.concatenate(learning.gradients(np.array([v]), np.array([w]), noise))
    assert relative_error(found, exact) < 1e-12


def test_counts_in_the_text():
    at = {length: dict(zip(learning.STARTS, learning.learnt(length, False).stored, strict=True)) for length in (8, 32)}
    assert [at[32][v] for v in (1.0, 1.5, 1.8, 2.0, 2.2, 2.5, 3.0, 3.5, 4.0)] == [0, 0, 0, 0, 100, 95, 18, 0, 0]
    assert [at[8][v] for v in learning.STARTS] == [0] * 4 + [100] * 5
    free = learning.learnt(32, True)
    assert free.stored == (19, 46, 63, 80, 59, 88, 89, 82, 88)
    assert learning.learnt(8, True).stored == (73,) + (100,) * 8
    assert round(free.weight[-1], 2) == 2.25
    assert [[round(100 * end) for end in wilson(count, 100)] for count in (100, 18, 0)] == [[96, 100], [12, 27], [0, 4]]


def test_the_figure_shows_the_counts():
    left, right = figures.learnt_by_start().axes
    heights = [[float(y) for y in bars.lines[0].get_ydata()] for bars in left.containers]
    assert heights == [[count / 100 for count in learning.learnt(length, False).stored] for length in (8, 32)]
    assert right.get_title(loc="left") == "Self weight trained as well"


def test_the_table_takes_the_self_weight_where_the_input_weight_exceeds_twice_the_noise():
    assert learning.REACHED == 2 * learning.NOISE == 0.2
