"""The chapter on the two derivatives: the slope of its picture, and the numbers in its prose."""

import numpy as np
import pytest
from book.bptt.two_derivatives import figures


def test_the_printed_slope_points_uphill():
    total, printed = figures.slopes(figures.W)
    by_steps = (figures.error(figures.W + 1e-5) - figures.error(figures.W - 1e-5)) / 2e-5
    assert total == pytest.approx(by_steps, rel=1e-6)
    assert total < 0 < printed


def test_the_numbers_in_the_text_beside_the_picture():
    down, up = (figures.descent(figures.W, which) for which in (0, 1))
    assert [round(float(value), 2) for value in (down[0], down[-1], up[-1])] == [0.19, 0.07, 0.22]
    assert (np.diff(down) < 0).all()
    assert (np.diff(up) > 0).all()
