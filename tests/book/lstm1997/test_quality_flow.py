"""Error flow outside the carousels and back into them; the file of trained nets."""

import numpy as np
import pytest
from throughtime.models.lstm1997 import LSTM1997
from throughtime_book.lstm1997.quality import flow as f
from throughtime_book.lstm1997.quality import trained
from throughtime_book.lstm1997.quality.experiment import undoing_net
from throughtime_book.lstm1997.training.tasks import LATCH_20, SETUPS
from throughtime_book.shared.records import Records


def test_jacobians_carry_the_exact_error_signals():
    setup, random = SETUPS[4], np.random.default_rng(0)
    model = setup.model()
    theta, x = model.init(random, 1.5), setup.draw(1, random).x[0]
    last = np.arange(len(x)) == len(x) - 1
    signals = model.error_signals(theta, x, np.zeros((len(x), model.n_out)), last, method="bptt")
    trace = model.forward(theta, x)
    found = f.jacobians(model, theta, trace)
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
    model, theta, x, *_ = undoing_net(-16.0)
    assert f.state_to_state(model, theta, model.forward(theta, x)) == pytest.approx(1 - 16 / 8, abs=1e-14)


def test_without_recurrent_weights_nothing_flows_outside_and_nothing_returns():
    model, sequences = LATCH_20.model(), LATCH_20.draw(3, np.random.default_rng(0))
    theta = model.init(0, 1.0)
    for name in ("w_ig", "w_og", "w_cell"):
        model.layout.views(theta)[name][..., model.n_in :] = 0.0
    assert f.flow(model, theta, sequences) == ((0.0,) * len(f.LAGS), 0.0)


def test_hidden_units_are_refused():
    model = LSTM1997(1, 1, 1, 1, hidden=1)
    theta = model.init(0)
    with pytest.raises(ValueError, match="model: expected no hidden units, got 1"):
        f.jacobians(model, theta, model.forward(theta, np.ones((2, 1))))


def test_the_file_is_complete_and_one_net_can_be_trained_again(tmp_path, monkeypatch):
    stored = {tuple(row[name] for name in trained.NETS.key): row for row in trained.NETS.read()}
    seeds = map(str, range(trained.SEEDS))
    assert stored.keys() == {(s.name, seed, look) for seed in seeds for s in trained.TASKS for look in ("half", "end")}
    monkeypatch.setattr(trained, "NETS", Records("nets.csv", trained.NETS.key, tmp_path))
    monkeypatch.setattr(trained, "TASKS", (LATCH_20,))
    monkeypatch.setattr(trained, "SEEDS", 1)
    trained.main()
    for again in trained.NETS.read():
        before = stored[again["setup"], again["seed"], again["look"]]
        assert again["sequences"] == before["sequences"]
        for name in ("og_opened", "cosine", "ratio_shut", "share_net_og", "outside_one", "returned"):
            assert float(again[name]) == pytest.approx(float(before[name]), rel=1e-6)
    monkeypatch.setattr(trained, "record", None)
    trained.main()  # nothing is left to do
