"""The measurements on online rules: small parts of the stored runs again, and what the text says beside the tables."""

import numpy as np
import pytest
from book.beyond.online_rules import experiment as runs
from book.beyond.online_rules import figures

CUTS = ("snap", "rflo", "one")


def test_every_seed_is_drawn():
    for rule in runs.RULES:
        assert {int(row["seed"]) for row in figures.final(rule)} == set(range(100))


def test_the_largest_rate_is_worse_for_every_rule_as_the_prose_says():
    for rule in runs.RULES:
        losses = {rate: [] for rate in runs.RATES}
        for row in runs.RUNS.read():
            if row["rule"] == rule and int(row["seed"]) >= runs.SEEDS:
                losses[float(row["rate"])].append(float(row["losses"].split()[-1]))
        times_more = np.median(losses[0.1]) / np.median(losses[0.03])
        assert times_more > (1 if rule == "one" else 8)


def test_angles_at_a_start_and_of_the_readout_again():
    theta = runs.start(np.random.default_rng(0))
    again = runs.angles(theta, 0)
    stored = {row["rule"]: row for row in runs.ANGLES.read() if (row["seed"], row["updates"]) == ("0", "0")}
    assert again.keys() == stored.keys() == {*CUTS, "fed"}
    for rule, found in again.items():
        assert found.cosine == pytest.approx(float(stored[rule]["cosine"]), abs=1e-6)
        assert found.ratio == pytest.approx(float(stored[rule]["ratio"]), abs=1e-6)
    look = runs.alignment(theta, 0)
    assert look["gradient"] == pytest.approx(runs.aligned("gradient", 0)[0], abs=1e-6)
    assert look["readout"] == pytest.approx(runs.aligned("readout", 0)[0], abs=1e-6)


def test_one_step_has_no_derivative_with_respect_to_the_weights_from_the_two_symbols():
    sequences, symbols = runs.draw(200, np.random.default_rng(5)), [runs.SYMBOLS.index(one) for one in "XY"]
    times = range(sequences.x.shape[1])
    rows = zip(sequences.x, sequences.lengths, strict=True)
    before = [[end - 1 - t for t in times if row[t, symbols].any()] for row, end in rows]
    assert all(len(steps) == 2 and min(steps) >= 4 for steps in before)
    assert min(min(steps) for steps in before) == 4
    ends = sequences.x[np.arange(200), sequences.lengths - 1]
    assert (ends == np.eye(len(runs.SYMBOLS))[runs.SYMBOLS.index("B")]).all()
    theta = runs.start(np.random.default_rng(0))
    found = {}
    for method in ("one", "bptt"):
        gradient = runs.plain().gradient(theta, *runs.problem(sequences), method=method).gradient
        found[method] = runs.plain().layout.views(gradient)["W_in"][:, symbols]
    assert not found["one"].any()
    assert np.abs(found["bptt"]).min() > 0


def test_gradients_of_the_printed_and_the_right_trace():
    found = {name: float(np.median(values)) for name, values in runs.late_cosines(20).items()}
    assert found["printed trace and right trace"] < 0.5
    assert found["printed trace and exact gradient"] < 0.5 < 0.8 < found["right trace and exact gradient"]
    theta = runs.start(np.random.default_rng(0))
    compiled = runs.plain().gradient(theta, *runs.problem(runs.probes()), method="rflo").gradient
    by_hand = runs.input_gradients(theta)["right"]
    assert by_hand == pytest.approx(runs.plain().layout.views(compiled)["W_in"], rel=1e-9, abs=1e-12)


def test_a_missing_tuning_run_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(runs, "RUNS", type(runs.RUNS)("none.csv", runs.RUNS.key, folder=tmp_path))
    with pytest.raises(ValueError, match="snap: expected 10 starts"):
        runs.best_rate("snap")


def test_after_800_updates_the_cut_of_rflo_is_closer_than_one_step_in_58_of_100():
    rflo, one = (figures.found(rule, 800, "cosine") for rule in ("rflo", "one"))
    assert sum(a > b for a, b in zip(rflo, one, strict=True)) == 58
