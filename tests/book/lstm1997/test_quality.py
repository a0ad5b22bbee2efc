"""Truncated and exact gradients: parts of what is lost, error flow, gates, the files of the runs."""

import numpy as np
import pytest
from book.lstm1997.quality import checks as q
from book.lstm1997.quality import experiment
from book.lstm1997.tasks import LATCH_20, SETUPS, Setup
from book.shared.records import Records
from throughtime.textbook.lstm1997 import LSTM1997Cut

SHORT = Setup(1.0, "latch", 6, ig=(0.0, 0.0), scale=1.0)


@pytest.mark.parametrize("setup", [SHORT, Setup(0.5, "order", 20, ig=(0.0, 0.0), scale=1.0)], ids=lambda s: s.name)
def test_comparison_is_that_of_the_models_own_gradients(setup):
    model, sequences = setup.model(), setup.draw(4, np.random.default_rng(1))
    theta = setup.start(1)
    found = q.compare(model, theta, sequences)
    by_method = {}
    for method in ("truncated", "bptt"):
        total = np.zeros_like(theta)
        for x, end, target in zip(sequences.x, sequences.lengths, sequences.targets, strict=True):
            goals = np.zeros((end, model.n_out))
            goals[-1] = target
            total += model.gradient(theta, x[:end], goals, np.arange(end) == end - 1, method=method).gradient / 4
        by_method[method] = total
    assert found["cosine"] == pytest.approx(q.quality(*by_method.values()).cosine, abs=1e-12)
    hidden = [q.hidden_part(model, total) for total in by_method.values()]
    assert (found["hidden_cosine"], found["hidden_ratio"]) == pytest.approx(q.quality(*hidden), abs=1e-12)
    assert found["worst"] <= found["hidden_cosine"] + 0.2
    outputs = [model.layout.views(total)["w_out"] for total in by_method.values()]
    np.testing.assert_allclose(*outputs, rtol=1e-12)  # never truncated
    assert found["hidden_cosine"] < 0.9999


def test_parts_of_what_is_lost_are_those_of_their_cuts():
    model, theta = SHORT.model(), SHORT.start(3)
    sequences = SHORT.draw(2, np.random.default_rng(3))
    shares = q.share_lost(model, theta, sequences)
    assert list(shares) == ["net_ig", "net_og", "net_cell", "together", "y_cell"]
    no_gates = theta.copy()  # without weights to the gates and from them the cuts there lose nothing
    views = model.layout.views(no_gates)
    for name in ("w_ig", "w_og"):
        views[name][..., model.n_in :] = 0.0
    views["w_cell"][..., model.sources["y_ig"]] = views["w_cell"][..., model.sources["y_og"]] = 0.0
    shares = q.share_lost(model, no_gates, sequences)
    assert shares["y_cell"] == shares["net_cell"] == pytest.approx(1.0, abs=1e-12)
    assert max(shares["net_ig"], shares["net_og"], shares["together"]) < 1e-12
    assert LSTM1997Cut("net_ig", "y_cell") in model.cuts("truncated")


def test_openness_is_the_mean_gate():
    model, sequences = LATCH_20.model(), experiment.probes(LATCH_20)
    theta = np.zeros(model.layout.size)
    views = model.layout.views(theta)
    views["b_ig"][:], views["b_og"][:] = (0.0, np.log(3.0)), -np.log(4.0)
    assert q.openness(model, theta, sequences) == pytest.approx(((0.5 + 0.75) / 2, 0.2))


def test_jacobians_carry_the_exact_error_signals():
    setup, random = SETUPS[4], np.random.default_rng(0)
    model = setup.model()
    theta, x = model.init(random, 1.5), setup.draw(1, random).x[0]
    last = np.arange(len(x)) == len(x) - 1
    signals = model.error_signals(theta, x, np.zeros((len(x), model.n_out)), last, method="bptt")
    trace = model.forward(theta, x)
    found = q.jacobians(model, theta, trace)
    states, first = model.blocks * model.cells, 2 * model.blocks
    units, block = first + states, np.tile(np.arange(model.blocks), model.cells)
    error = np.zeros(units + states)
    w_out = model.layout.views(theta)["w_out"][:, model.output_sources["y_cell"]]
    error[first:units] = w_out.T @ signals.net_out[-1]
    for t in range(len(x), 0, -1):
        read_out = trace.y_og[t][block] * model.h.derivative(trace.s[t].ravel())
        np.testing.assert_allclose(error[units:] + error[first:units] * read_out, signals.s[t].ravel(), atol=1e-13)
        error = found[t - 1].T @ error


def test_what_returns_is_the_factor_of_the_undoing_net():
    model, theta, x, *_ = q.undoing_net(-16.0)
    assert q.state_to_state(model, theta, model.forward(theta, x)) == pytest.approx(1 - 16 / 8, abs=1e-14)


def test_without_recurrent_weights_nothing_flows_outside_and_nothing_returns():
    model, sequences = LATCH_20.model(), LATCH_20.draw(3, np.random.default_rng(0))
    theta = model.init(0, 1.0)
    for name in ("w_ig", "w_og", "w_cell"):
        model.layout.views(theta)[name][..., model.n_in :] = 0.0
    assert q.flow(model, theta, sequences) == ((0.0,) * len(q.LAGS), 0.0)


@pytest.mark.nightly
def test_one_stored_net_can_be_trained_again(tmp_path, monkeypatch):
    rows = experiment.TRAINED.read()
    quickest = min((row for row in rows if row["setup"] == LATCH_20.name), key=lambda row: int(row["sequences"]))
    stored = [row for row in rows if (row["setup"], row["seed"]) == (LATCH_20.name, quickest["seed"])]
    monkeypatch.setattr(experiment, "TRAINED", Records("nets.csv", experiment.TRAINED.key, tmp_path))
    experiment.record_trained(LATCH_20, int(quickest["seed"]))
    for again, before in zip(experiment.TRAINED.read(), stored, strict=True):
        assert (again["look"], again["sequences"]) == (before["look"], before["sequences"])
        for name in ("og_opened", "cosine", "ratio_shut", "share_net_og", "outside_one", "returned"):
            assert float(again[name]) == pytest.approx(float(before[name]), rel=1e-6)
