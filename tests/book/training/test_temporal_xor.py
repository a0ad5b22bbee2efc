"""The statements of the chapter on temporal XOR about its nets hold for the stored nets."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from book.training.temporal_xor import experiment as xor
from book.training.temporal_xor import figures
from book.training.temporal_xor.checks import UNITS, jordan_by_hand, least_error
from throughtime.tasks.temporal_xor import temporal_xor

TWO_BITS = float(sum(least_error(2)) / 3)
PAGE = Path(__file__).parents[3] / "book" / "training" / "temporal-xor.ipynb"
FEW = xor.fresh_string(xor.FEW)


def errors(net, gradient, hidden):
    rows = [r for r in xor.stored() if (r["net"], r["gradient"], r["hidden"]) == (net, gradient, hidden)]
    return np.array([r["errors"] for r in rows])


def best(net, gradient, hidden):
    rows = [r for r in xor.stored() if (r["net"], r["gradient"], r["hidden"]) == (net, gradient, hidden)]
    run, bits = min(rows, key=lambda r: r["errors"].mean()), FEW
    return xor.hidden_and_output(xor.network(net, hidden), run["theta"], bits), bits


def more_than_two_bits(net, gradient, hidden):
    rows = [r for r in xor.stored() if (r["net"], r["gradient"], r["hidden"]) == (net, gradient, hidden)]
    return sum(mean < -2 * error for mean, error in (r["excess"] for r in rows))


def test_elman_finds_the_position_with_the_exact_gradient():
    assert [more_than_two_bits("Elman", "exact", hidden) for hidden in xor.HIDDEN] == [4, 10, 10]
    assert (errors("Elman", "exact", 8)[:, 2] < 1 / 9).all()
    assert errors("Elman", "exact", 8).mean(axis=1).min() == pytest.approx(0.172, abs=5e-4)


def test_elman_truncated_comes_to_two_bits_and_with_more_units_a_little_beyond():
    assert [more_than_two_bits("Elman", "truncated", hidden) for hidden in xor.HIDDEN] == [1, 4, 8]
    assert np.median(errors("Elman", "truncated", 4).mean(axis=1)) == pytest.approx(0.223, abs=5e-4)
    assert np.median(errors("Elman", "truncated", 8).mean(axis=1)) == pytest.approx(0.215, abs=5e-4)


def test_no_jordan_net_reaches_two_bits_and_the_truncated_gradient_teaches_them_next_to_nothing():
    exact, truncated = (
        np.array([errors("Jordan", gradient, hidden).mean(axis=1) for hidden in xor.HIDDEN])
        for gradient in ("exact", "truncated")
    )
    assert not any(more_than_two_bits("Jordan", g, hidden) for g in xor.GRADIENTS for hidden in xor.HIDDEN)
    assert exact.min() > TWO_BITS + 0.01
    assert np.round([np.median(exact, axis=1).min(), np.median(exact, axis=1).max()], 3).tolist() == [0.242, 0.245]
    assert truncated.min() == pytest.approx(0.247, abs=5e-4)
    assert np.round(np.median(truncated, axis=1), 3).tolist() == [0.25] * 3


def test_standard_errors_are_as_small_as_the_page_says():
    assert len(xor.fresh_string()) == 200_001
    assert max(r["excess"][1] for r in xor.stored()) < 0.0009


def test_the_listing_of_the_page_computes_the_least_errors(run_cell):
    names = run_cell("def errors_from(")
    for m in range(6):
        assert tuple(names["errors_from"](m)) == least_error(m)


def test_the_small_net_computes_or_and_a_blurred_and():
    values, bits = best("Elman", "truncated", 2)
    blurred, either, output = xor.means(values, bits).mean(axis=1).reshape(3, 4)
    assert either[0] < 0.15
    assert either[1:].min() > 0.7
    assert blurred[0] < min(blurred[1:3]) <= max(blurred[1:3]) < blurred[3]
    assert max(output[0], output[3]) < 0.5 < min(output[1:3])
    assert all(xor.shares(v, bits)["position"] < 0.02 for v in values)


def test_no_unit_of_the_net_that_knows_the_position_is_a_counter():
    values, bits = best("Elman", "exact", 4)
    rows = [xor.shares(v, bits) for v in values]
    assert all(row["position"] < 0.1 for row in rows)
    assert all(row["combined"] > 0.3 for row in rows)


def test_no_net_has_a_unit_that_is_the_exclusive_or_or_the_position():
    bits = FEW
    for run in xor.stored()[::5]:
        if (run["net"], run["gradient"]) != ("Jordan", "truncated"):
            units = xor.hidden_and_output(xor.network(run["net"], run["hidden"]), run["theta"], bits)[:-1]
            assert all(
                max(shares["xor"], shares["position"]) < 0.5
                for shares in (xor.shares(u, bits) for u in units if np.ptp(u) > 1e-9)
            )


def test_a_jordan_net_set_by_hand_beats_the_trained_ones_of_its_size():
    bits = xor.fresh_string()
    for epsilon in (0.3, 0.1, 0.03):
        net, theta = jordan_by_hand(epsilon)
        first, second, third = xor.errors(net, theta, bits)
        assert (net.hidden, net.n_out, net.start) == (UNITS, 1, 0.5)
        assert abs(first - 0.25) < 1e-3
        assert (
            abs(second - 0.25 - epsilon**2) < 3 * epsilon / xor.TEST_TRIPLES**0.5
        )  # three standard deviations of the string
        assert third < 1e-5
    net, theta = jordan_by_hand(0.3)
    trained = [r for r in xor.stored() if (r["net"], r["gradient"], r["hidden"]) == ("Jordan", "exact", 8)]
    assert np.mean(xor.errors(net, theta, bits)) < min(r["errors"].mean() for r in trained) - 0.04
    assert np.abs(theta).max() < max(np.abs(r["theta"]).max() for r in trained)


def test_figures_show_the_errors_and_the_means():
    cells = {"a": errors("Elman", "exact", 8), "b": errors("Jordan", "exact", 8)}
    figure = figures.errors_by_position(cells)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert np.array_equal([line.get_ydata() for line in dots], cells["a"].T)
    values, bits = best("Elman", "exact", 4)
    shown = figures.mean_activations(xor.means(values, bits), [str(i) for i in range(5)])
    assert np.array_equal(shown.axes[0].images[0].get_array(), xor.means(values, bits).reshape(5, 12))


def test_least_errors_in_closed_form():
    quarter = Fraction(1, 4)
    assert least_error(0) == least_error(1) == (quarter, quarter, quarter)
    assert least_error(2) == (Fraction(5, 18), Fraction(5, 18), Fraction(1, 9))
    assert least_error(2, knows_position=True) == (quarter, quarter, 0)
    means = [sum(least_error(m)) / 3 for m in range(8)]
    assert means == sorted(means, reverse=True)
    assert means[-1] > Fraction(1, 6)


@pytest.mark.parametrize("memory", [1, 2, 4])
def test_least_error_is_that_of_the_frequencies_in_a_long_string(memory):
    """Fitting one answer to each word of that many bits is the regression that no predictor of them can beat."""
    bits = temporal_xor(60_000, seed=2).astype(int)
    words = sum(bits[lag : len(bits) - memory + lag] << lag for lag in range(memory))
    following = bits[memory:]
    answer = np.array([following[words == word].mean() for word in range(2**memory)])
    squares = (answer[words] - following) ** 2
    position = np.arange(memory, len(bits)) % 3
    measured = [squares[position == p].mean() for p in range(3)]
    assert np.allclose(measured, [float(e) for e in least_error(memory)], atol=0.005)
