"""The statements of the chapter on temporal XOR about its nets hold for the stored nets."""

import numpy as np
import pytest
from throughtime.tasks.temporal_xor import least_error
from throughtime_book.training.temporal_xor import experiment as xor
from throughtime_book.training.temporal_xor import figures
from throughtime_book.training.temporal_xor.claims import UNITS, jordan_by_hand

TWO_BITS = float(sum(least_error(2)) / 3)


def errors(net, gradient, hidden):
    rows = [r for r in xor.stored() if (r["net"], r["gradient"], r["hidden"]) == (net, gradient, hidden)]
    return np.array([r["errors"] for r in rows])


def best(net, gradient, hidden):
    rows = [r for r in xor.stored() if (r["net"], r["gradient"], r["hidden"]) == (net, gradient, hidden)]
    run, bits = min(rows, key=lambda r: r["errors"].mean()), xor.fresh_string()
    return xor.hidden_and_output(xor.network(net, hidden), run["theta"], bits), bits


def test_elman_finds_the_position_with_the_exact_gradient():
    reached = errors("Elman", "exact", 8)
    assert (reached.mean(axis=1) < TWO_BITS).all()
    assert (reached[:, 2] < 1 / 9).all()
    assert reached.mean(axis=1).min() < 1 / 6 + 0.006


def test_elman_truncated_comes_to_two_bits_and_with_more_units_a_little_beyond():
    assert abs(np.median(errors("Elman", "truncated", 4).mean(axis=1)) - TWO_BITS) < 0.005
    assert np.median(errors("Elman", "truncated", 8).mean(axis=1)) < TWO_BITS - 0.008
    for hidden in xor.HIDDEN:
        exact, truncated = (np.median(errors("Elman", g, hidden).mean(axis=1)) for g in xor.GRADIENTS)
        assert exact <= truncated + 0.002


def test_jordan_truncated_learns_next_to_nothing_and_exact_a_little():
    for hidden in xor.HIDDEN:
        assert errors("Jordan", "truncated", hidden).mean(axis=1).min() > 0.246
        assert 0.236 < np.median(errors("Jordan", "exact", hidden).mean(axis=1)) < 0.246


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
    bits = xor.fresh_string()
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
        assert abs(second - 0.25 - epsilon**2) < 3 * epsilon / 2000**0.5  # three standard deviations of the string
        assert third < 1e-5
    net, theta = jordan_by_hand(0.3)
    trained = [r for r in xor.stored() if (r["net"], r["gradient"], r["hidden"]) == ("Jordan", "exact", 8)]
    assert np.mean(xor.errors(net, theta, bits)) < min(r["errors"].mean() for r in trained) - 0.04
    assert np.abs(theta).max() < max(np.abs(r["theta"]).max() for r in trained)
    for wrong in (0.0, 0.4, np.nan):
        with pytest.raises(ValueError, match="epsilon: expected a number in"):
            jordan_by_hand(wrong)


def test_figures_show_the_errors_and_the_means():
    cells = {"a": errors("Elman", "exact", 8), "b": errors("Jordan", "exact", 8)}
    figure = figures.errors_by_position(cells)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert np.array_equal([line.get_ydata() for line in dots], cells["a"].T)
    values, bits = best("Elman", "exact", 4)
    shown = figures.mean_activations(xor.means(values, bits), [str(i) for i in range(5)])
    assert np.array_equal(shown.axes[0].images[0].get_array(), xor.means(values, bits).reshape(5, 12))
