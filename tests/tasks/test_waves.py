"""The target waves: their values, their largest differences by formula, and what they refuse."""

import numpy as np
import pytest
from throughtime.tasks.waves import WAVES, cosine, largest_difference, rectangle, triangle

TIMES = np.arange(-30, 60)


@pytest.mark.parametrize("period", [2, 3, 5, 10, 25])
@pytest.mark.parametrize("wave", WAVES.values(), ids=WAVES)
def test_a_wave_runs_between_0_and_1_with_its_period(wave, period):
    found = wave(TIMES, period)
    assert found.shape == TIMES.shape
    assert found.min() == pytest.approx(0.0, abs=1e-12)
    assert found.max() <= 1.0
    np.testing.assert_allclose(wave(TIMES + period, period), found, atol=1e-12)


def test_values_by_hand():
    np.testing.assert_allclose(triangle(np.arange(5), 4), [0, 0.5, 1, 0.5, 0])
    np.testing.assert_allclose(triangle(np.arange(6), 5), [0, 0.4, 0.8, 0.8, 0.4, 0])
    np.testing.assert_allclose(rectangle(np.arange(6), 5), [0, 0, 0, 1, 1, 0])
    np.testing.assert_allclose(cosine(np.arange(5), 4), [0, 0.5, 1, 0.5, 0], atol=1e-15)


@pytest.mark.parametrize("period", range(3, 80))
def test_largest_differences_by_formula(period):
    near = {0: np.cos(np.pi / period), 2: 1.0}.get(period % 4, np.cos(np.pi / (2 * period)))
    assert largest_difference(cosine, period, 1) == pytest.approx(np.sin(np.pi / period) * near, abs=1e-12)
    assert largest_difference(cosine, period, 2) == pytest.approx(2 * np.sin(np.pi / period) ** 2, abs=1e-12)
    assert largest_difference(triangle, period, 1) == pytest.approx(2 / period, abs=1e-12)
    assert largest_difference(triangle, period, 2) == pytest.approx(4 / period, abs=1e-12)
    assert largest_difference(rectangle, period, 1) == 1.0
    assert largest_difference(rectangle, period, 2) == (2.0 if period < 5 else 1.0)


@pytest.mark.parametrize("wave", WAVES.values(), ids=WAVES)
def test_a_period_is_a_whole_number_from_1(wave):
    for period in (0, -3):
        with pytest.raises(ValueError, match="period"):
            wave(TIMES, period)
    with pytest.raises(TypeError, match="period"):
        wave(TIMES, 2.5)


def test_an_order_is_at_least_1():
    with pytest.raises(ValueError, match="order"):
        largest_difference(cosine, 10, 0)
    with pytest.raises(TypeError, match="wave: expected a function of times and period, got 'cosine'"):
        largest_difference("cosine", 10, 1)


@pytest.mark.parametrize("wave", WAVES.values(), ids=WAVES)
def test_times_are_numbers(wave):
    with pytest.raises(TypeError, match="t: expected real numbers, got dtype <U1"):
        wave(["1", "2"], 3)
    with pytest.raises(ValueError, match="t: expected finite numbers, got nan"):
        wave(np.nan, 3)
