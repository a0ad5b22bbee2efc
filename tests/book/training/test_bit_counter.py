"""The chapter on the bit counter: its checks, what readers type, the numbers of its surface, and its figures."""

from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from book.shared.words import Iff
from book.training import counter as s
from book.training.bench import bit_counter
from book.training.bit_counter import checks, figures
from book.training.bit_counter.checks import lim_answer, lim_error, lim_signed, v
from book.training.counter import curvature, mean_error
from sympy import Abs, Eq, Gt, Implies, Lt, nan, oo
from throughtime.checks import complex_step
from throughtime.derivation import Bench, chain, d, holds_on, lag, sum_over

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "training" / "bit-counter.ipynb"
i, k, t, T, f, x = s.i, s.k, s.t, s.T, s.f, s.x
E, v_x, v_f, q = s.error[()], s.v_x[()], s.v_f[()], lag("q")
MISS = s.answer[i] - s.count[i]
EVERYONE = sum_over(k, s.answer[k] - s.count[k])


@pytest.fixture(scope="module")
def bench():
    return bit_counter()


def test_the_prints_are_true_of_a_single_sequence(bench):
    """So the only slip is the sum over the batch."""
    single = Bench(bench.system, [{s.batch: 1}], length=4).witnesses
    assert holds_on(single, [chain(d(E, f[i, t]), EVERYONE * v_f ** (T - t))]).passed is True


# --- long sequences


def test_the_check_of_long_sequences_wants_all_that_is_true():
    assert checks.long_sequences(Implies(Gt(Abs(v), 1), Eq(lim_answer, oo)))
    assert not checks.long_sequences(Implies(Lt(v, 1), Eq(lim_signed, 0)))
    assert not checks.long_sequences(Implies(Gt(Abs(v), 1), Eq(lim_error, oo)))  # zeros: the error is 0
    assert not checks.long_sequences(Implies(Gt(Abs(v), 2), Eq(lim_answer, oo)))  # true, and not all that is true
    assert not checks.long_sequences(Implies(Gt(Abs(v), 100), Eq(lim_answer, 7)))  # of no weight that was run
    assert checks.long_sequences(Iff(Eq(Abs(v), 1), Eq(lim_answer, 1)))  # what the page says of the border


def test_reading_a_limit():
    assert checks.limit([0, 0, 0]) == 0
    assert checks.limit([5, 5, 5]) == 5
    assert checks.limit([200, 201, 400]) == oo
    assert checks.limit([-200, -201, -400]) == -oo
    assert checks.limit([200, -201, 400]) is nan


# --- the mean error and the figures


def test_the_mean_error_is_that_of_the_library_over_all_sequences():
    for length, weights in product((1, 2, 5), ((0.7, -1.2), (1.0, 1.1), (1.0, 1.0))):
        bits = np.array(list(product((0.0, 1.0), repeat=length)))
        mean = s.loss(*weights, bits) / len(bits)
        assert np.isclose(mean_error(*weights, length), mean, rtol=1e-12, atol=1e-14)


def test_the_curvature_is_the_derivative_of_the_gradient():
    step = 1e-5
    for length in (2, 8):

        def slope(weights, length=length):
            return complex_step(lambda p: mean_error(*p, length), weights)

        rows = [(slope(1 + step * side) - slope(1 - step * side)) / (2 * step) for side in np.eye(2)]
        assert np.allclose(rows, curvature(length), rtol=1e-6)


# --- the page


def test_the_listing_of_the_page_computes_both_gradients(run_cell):
    both_gradients = run_cell("def both_gradients(")["both_gradients"]
    bits = np.random.default_rng(0).integers(0, 2, (7, 6)).astype(float)
    for weights in ((0.8, 1.5), (-0.5, -0.9)):
        by_steps = complex_step(lambda point: s.loss(*point, bits), np.array(weights))
        assert np.allclose(both_gradients(*weights, bits), by_steps, rtol=1e-12)


def test_numbers_of_the_surface():
    plain = mean_error(1.0, np.linspace(-0.95, 0.5, 300), 32)
    assert plain.max() < 1.125 * plain.min()
    assert 8.5e8 < mean_error(1.0, 1.5, 32) / plain.max() < mean_error(1.0, 1.5, 32) / plain.min() < 9.7e8
    rates = [2 / np.linalg.eigvalsh(curvature(length))[1] for length in (16, 64)]
    assert rates[0] / rates[1] == pytest.approx(261, abs=0.5)


def test_beyond_minus_one_the_error_falls_towards_its_limit():
    for length in (2, 3, 8):
        least = []
        for feedback in (-Fraction(9, 8), -Fraction(3, 2), -2, -3, -10, -1000, -(10**6)):
            one, zero, other = (mean_error(Fraction(v_x), Fraction(feedback), length) for v_x in (1, 0, -1))
            bent, slope = (one + other) / 2 - zero, (one - other) / 2  # the error is a square in v_x
            least.append(zero - slope**2 / (4 * bent))
        assert all(later < earlier for earlier, later in pairwise(least))
        assert float(least[-1]) == pytest.approx((length**2 - 1) / 16, rel=1e-5)


def test_figures_draw_lines_of_equal_error_and_sections():
    (panel,) = figures.surfaces((2, 8)).axes[:1]
    (lines,) = panel.collections
    assert list(lines.levels) == list(figures.LEVELS)
    curve = figures.cuts().axes[0].lines[0]
    assert np.allclose(curve.get_ydata(), np.maximum(mean_error(1.0, curve.get_xdata(), 4), 1e-6))


@pytest.mark.parametrize("name", ["x", "f"])
def test_descent(name):
    new, old, rate, slope = checks.RULES[name]
    assert checks.descends(Eq(new, old - rate * slope))
    for wrong in (old + rate * slope, old - slope, old - rate, old - 2 * rate * slope, -rate * slope):
        assert not checks.descends(Eq(new, wrong)), wrong
    assert not checks.descends(Eq(old, old - rate * slope, evaluate=False))
