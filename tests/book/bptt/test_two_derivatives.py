"""The chapter on the two derivatives: its system, and the numbers in its prose."""

import numpy as np
import pytest
from book.bptt.bench import make_bench
from book.bptt.two_derivatives import figures


def test_the_system_of_the_page_is_that_of_the_part(run_page):
    page = run_page("import formulas", "import throughtime", "unit_cost as E_i", "system = tt.System")
    both = page["system"], make_bench(masked=False).system
    shown, ours = ([(line.left, line.right) for line in system.all_definitions()] for system in both)
    assert shown == ours


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
