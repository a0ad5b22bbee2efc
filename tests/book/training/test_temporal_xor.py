"""The chapter on temporal XOR: its nets, its measures on known signals, and the file of nets."""

import numpy as np
import pytest
from book.training.temporal_xor import experiment as xor
from book.training.temporal_xor.checks import least_error
from throughtime.tasks.temporal_xor import as_prediction, temporal_xor


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


BITS = xor.fresh_string(xor.FEW)
NOW, BEFORE = BITS[1:-1], BITS[:-2]
THIRD = (np.arange(2, len(BITS)) % 3 == 2).astype(float)


@pytest.mark.parametrize(
    ("values", "feature"),
    [
        (NOW, "bit"),
        (1 - BEFORE, "bit before"),
        ((NOW != BEFORE).astype(float), "xor"),
        (THIRD, "position"),
        ((2 * THIRD - 1) * (NOW - 0.5), "combined"),
        (np.concatenate([[0.0], BITS[:-3]]), "earlier"),
    ],
)
def test_each_feature_is_found_where_it_is(values, feature):
    shares = xor.shares(values + 0.0, BITS)
    assert sum(shares.values()) == pytest.approx(1.0)
    expected = {"combined": 0.85, "earlier": 0.6}.get(feature, 0.999)
    assert shares[feature] == max(shares.values()) >= expected


def test_means_are_those_of_the_cells():
    table = xor.means(np.array([NOW, BEFORE, THIRD]), BITS)
    assert np.array_equal(table[0], np.broadcast_to([[0.0, 1.0]] * 2, (3, 2, 2)))
    assert np.array_equal(table[1], np.broadcast_to([[0.0, 0.0], [1.0, 1.0]], (3, 2, 2)))
    assert table[2, 2].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert not table[2, :2].any()


def test_a_jordan_net_at_one_half_is_at_a_stationary_point_of_both_gradients():
    model = xor.network("Jordan", 3)
    theta = model.init(0, 1.0)
    model.layout.views(theta)["w"][:] = 0.0
    x, targets = as_prediction(BITS)
    for method in xor.GRADIENTS.values():
        parts = model.layout.views(model.gradient(theta, x, targets, method=method).gradient / targets.size)
        assert not parts["v"].any()
        assert np.abs(parts["w"]).max() < 0.01


def test_the_file_says_how_the_nets_were_made():
    rows = xor.RUNS.read()
    settings = {(r["triples"], r["test_triples"], r["epochs"], r["first_step"], r["largest_step"]) for r in rows}
    assert settings == {("1000", "66667", "600", "0.05", "1")}


def test_stored_differences_from_two_bits_are_those_of_the_stored_nets():
    fresh = xor.fresh_string()
    for run in (each for each in xor.stored() if each["seed"] == 3):  # one of each kind
        net = xor.network(run["net"], run["hidden"])
        assert np.allclose(xor.excess(net, run["theta"], fresh), run["excess"], atol=1e-7)
        assert np.allclose(xor.errors(net, run["theta"], fresh), run["errors"], atol=1e-6)


@pytest.mark.parametrize("gradient", xor.GRADIENTS)
@pytest.mark.parametrize("net", xor.NETS)
def test_training_starts_as_in_the_file(net, gradient):
    stored = [run for run in xor.stored() if (run["net"], run["gradient"], run["hidden"]) == (net, gradient, 4)]
    _, loss = xor.train(net, 4, gradient, 0, (xor.EARLY,))[0]
    assert np.isclose(loss, stored[0]["early"], rtol=1e-6)
