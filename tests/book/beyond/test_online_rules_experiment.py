"""The measurements on online rules: small parts of the stored runs again, and every number in the page's prose."""

import numpy as np
import pytest
from book.beyond.online_rules import aligned, figures
from book.beyond.online_rules import experiment as runs

CUTS = ("snap", "rflo", "one")


def test_files_hold_every_run():
    best = {rule: runs.best_rate(rule) for rule in runs.RULES}
    assert best == {"exact": 0.03, "snap": 0.03, "rflo": 0.03, "one": 0.01, "fed": 0.03}
    assert len(runs.RUNS.keys()) == 5 * (4 * runs.TUNING + runs.SEEDS) == 700
    assert len(runs.ANGLES.keys()) == 100 * 3 * 4
    assert len(aligned.OWN.keys()) == 300
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


@pytest.mark.parametrize("rule", ["snap", "one"])
def test_the_first_updates_of_a_run_again(rule):
    rate, states = runs.best_rate(rule), {}
    runs.train(rule, rate, 1, 50, look=states.__setitem__)
    (row,) = (row for row in figures.final(rule) if row["seed"] == "1")
    stored = [float(value) for value in row["losses"].split()[:2]]
    assert [runs.mean_loss(states[done]) for done in (0, 50)] == pytest.approx(stored, rel=1e-3)


def test_angles_at_a_start_and_of_the_readout_again():
    theta = runs.start(np.random.default_rng(0))
    again = runs.angles(theta, 0)
    stored = {row["rule"]: row for row in runs.ANGLES.read() if (row["seed"], row["updates"]) == ("0", "0")}
    assert again.keys() == stored.keys() == {*CUTS, "fed"}
    for rule, found in again.items():
        assert found.cosine == pytest.approx(float(stored[rule]["cosine"]), abs=1e-6)
        assert found.ratio == pytest.approx(float(stored[rule]["ratio"]), abs=1e-6)
    look = aligned.look(theta, 0)
    assert look["gradient"] == pytest.approx(aligned.cosines("gradient", 0)[0], abs=1e-6)
    assert look["readout"] == pytest.approx(aligned.cosines("readout", 0)[0], abs=1e-6)


def medians(name, updates):
    return {rule: float(np.median(figures.found(rule, updates, name))) for rule in (*CUTS, "fed")}


def test_angles_of_the_prose():
    cosines = {updates: medians("cosine", updates) for updates in runs.LOOKS}
    assert [round(cosines[0][rule], 2) for rule in CUTS] == [0.87, 0.87, 0.81]
    lengths = medians("ratio", 0)
    assert 0.5 < lengths["one"] < 0.56
    assert min(lengths["snap"], lengths["rflo"]) > 0.85
    for rule in CUTS:
        assert cosines[100][rule] < min(cosines[0][rule], cosines[800][rule])
        assert min(min(figures.found(rule, updates, "cosine")) for updates in runs.LOOKS) > 0
    for at in cosines.values():
        assert at["snap"] > at["rflo"] > at["one"]
    pairs = zip(figures.found("rflo", 800, "cosine"), figures.found("one", 800, "cosine"), strict=True)
    assert sum(rflo > one for rflo, one in pairs) == 58
    for updates in runs.LOOKS:
        assert 40 <= sum(cosine < 0 for cosine in figures.found("fed", updates, "cosine")) <= 60


def test_learning_of_the_prose():
    solved = {rule: sum(float(row["right"]) >= 0.99 for row in figures.final(rule)) for rule in runs.RULES}
    assert solved == {"exact": 100, "snap": 81, "rflo": 64, "one": 0, "fed": 39}
    losses = [np.median(figures.curve(rule)[0][:, -1]) for rule in ("exact", "snap", "rflo", "fed", "one")]
    assert losses == sorted(losses)


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


def test_the_readout_grows_towards_the_feedback():
    below = {
        name: [sum(cosine < 0 for cosine in aligned.cosines(name, updates)) for updates in runs.LOOKS]
        for name in ("readout", "gradient")
    }
    assert below["readout"][-1] == 0
    assert 100 - below["gradient"][-1] == 81
    assert np.median(aligned.cosines("readout", 800)) > 0.3
    assert abs(np.median(aligned.cosines("readout", 100))) < 0.1
    assert abs(np.median(aligned.cosines("gradient", 100))) < 0.1


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
