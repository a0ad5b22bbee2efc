"""The page on the quality of the truncated gradient: statements of its prose on the stored runs, and its figures."""

import numpy as np
import pytest
from book.lstm1997.quality import experiment, figures
from book.lstm1997.quality.checks import random_nets, rank_correlation
from book.lstm1997.tasks import SETUPS
from book.shared import figure_style as style
from book.shared.alignment import Quality

RUNS, GRADIENTS = experiment.RUNS.read(), experiment.GRADIENTS.read()
TRAINED = [row for row in experiment.TRAINED.read() if row["solved"] == "1"]


def angles(name):
    rows = [row for row in GRADIENTS if (row["setup"], row["method"]) == (name, "truncated")]
    return figures.degrees(np.array([float(row["hidden_cosine"]) for row in rows]))


def ratios(name):
    rows = [row for row in GRADIENTS if (row["setup"], row["method"]) == (name, "truncated")]
    return np.array([float(row["hidden_ratio"]) for row in rows])


def uneven(name):
    """Numbers of seeds for which the truncated gradient needed fewer, and more, sequences than the exact one."""
    taken = {(row["method"], row["seed"]): int(row["taken"]) for row in RUNS if row["setup"] == name}
    pairs = [(taken["truncated", str(seed)], taken["bptt", str(seed)]) for seed in range(experiment.SEEDS)]
    return sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)


def test_prose_on_the_angle_in_training_is_that_of_the_file():
    for name in ("latch 10", "latch 20", "latch 50", "adding 30"):
        assert angles(name).max() < 21
    assert (np.sum(angles("order 60") > 90), len(angles("order 60"))) == (2, 224)
    assert not any(np.any(angles(setup.name) > 90) for setup in SETUPS[:5])
    for name in ("latch 20", "order 30"):
        assert np.median(angles(f"{name}, scale 1")) > 4 * np.median(angles(name))


def test_prose_on_the_ratio_in_training_is_that_of_the_file():
    shortest = {setup.name: round(ratios(setup.name).min(), 2) for setup in SETUPS}
    assert min(shortest[name] for name in ("latch 10", "latch 20", "latch 50")) == 0.43
    assert (shortest["order 30"], shortest["order 60"]) == (0.22, 0.16)
    harsh = np.concatenate([ratios("latch 20, scale 1"), ratios("order 30, scale 1")])
    assert (round(harsh.min(), 2), round(harsh.max(), 2)) == (0.16, 2.16)


def test_prose_on_training_is_that_of_the_file():
    assert uneven("latch 20") == (2, 14)
    assert uneven("adding 30") == (0, 16)
    for name in ("latch 10", "latch 50", "order 30", "order 60", "latch 20, scale 1", "order 30, scale 1"):
        less, more = uneven(name)
        assert min(less, more) > 0.2 * (less + more) or less + more <= 4  # p > 0.05 by the sign test
    for name, percent in (("latch 20", 2), ("adding 30", 8)):
        middle = [
            np.median([int(row["taken"]) for row in RUNS if (row["setup"], row["method"]) == (name, method)])
            for method in ("truncated", "bptt")
        ]
        assert round(100 * (middle[0] / middle[1] - 1)) == percent
    solved = {(row["setup"], row["method"]) for row in RUNS if row["solved"] == "1"}
    assert len(solved) == 2 * len(SETUPS)


def test_prose_on_pairs_is_that_of_the_file():
    for name, percent in (("latch 20", 3.4), ("adding 30", 5.2)):
        taken = {(row["method"], row["seed"]): int(row["taken"]) for row in RUNS if row["setup"] == name}
        ratios = [taken["truncated", str(seed)] / taken["bptt", str(seed)] for seed in range(experiment.SEEDS)]
        assert round(100 * (np.median(ratios) - 1), 1) == percent
    short, exact = column("latch 20", "end", "sequences"), column("latch 20", "end", "exact_sequences")
    assert (np.sum(short > exact), np.sum(short < exact)) == (68, 2)
    assert round(100 * (np.median(short / exact) - 1), 1) == 3.4


# ---- one hundred trained nets


def column(task, look, key):
    return np.array([float(row[key]) for row in TRAINED if (row["setup"], row["look"]) == (task, look)])


def angle(task, look, shift=""):
    return figures.degrees(column(task, look, f"cosine{shift}"))


def test_prose_on_the_trained_nets_is_that_of_the_file():
    assert [len(angle(setup.name, "end")) for setup in experiment.TASKS] == [100, 99]
    assert round(np.median(angle("latch 20", "end"))) == 9
    assert round(np.median(angle("order 30", "end"))) == 15
    for which, cell, og in ((("latch 20", "half"), 0.99, 0.05), (("latch 20", "end"), 0.56, 0.62)):
        assert round(np.median(column(*which, "share_net_cell")), 2) == cell
        assert round(np.median(column(*which, "share_net_og")), 2) == og
    assert np.median(column("order 30", "end", "share_net_cell")) > 0.9


def test_prose_on_the_intervention_is_that_of_the_file():
    for task, look, angles in (
        ("latch 20", "half", (2.1, 2.3)),
        ("latch 20", "end", (9.2, 9.7)),
        ("order 30", "half", (5.0, 6.1)),
    ):
        assert tuple(round(np.median(angle(task, look, shift)), 1) for shift in ("", "_opened")) == angles
    gates = [np.median(column("latch 20", *which)) for which in (("half", "og"), ("half", "og_opened"), ("end", "og"))]
    assert np.round(gates, 2).tolist() == [0.50, 0.73, 0.75]
    assert round(np.median(angle("latch 20", "end", "_shut")), 1) == 7.8
    assert np.sum(angle("latch 20", "end", "_shut") < angle("latch 20", "end")) == 82
    shut, as_trained = (np.abs(np.log(column("latch 20", "end", f"ratio{shift}"))) for shift in ("_shut", ""))
    assert np.all(shut > as_trained)
    for setup in experiment.TASKS:
        og, cosine = (
            np.concatenate([column(setup.name, look, key) for look in ("half", "end")]) for key in ("og", "cosine")
        )
        assert rank_correlation(og, -cosine) > 0.5


def test_prose_on_section_6_is_that_of_the_file():
    for task, first, returned in (("latch 20", 0.16, 1.9), ("order 30", 0.29, 4.8)):
        assert round(np.median(column(task, "end", "outside_one")), 2) == first
        assert np.median(column(task, "end", "outside_five")) < 1e-5
        assert round(np.median(column(task, "end", "returned")), 1) == returned
    assert round(np.cos(np.radians(15)), 2) == 0.97


# ---- untrained nets


def test_prose_on_random_nets_is_what_they_give():
    for scale, middle, beyond in ((0.1, 3, 0), (8.0, 30, 9)):
        angles = figures.degrees([net.cosine for net in random_nets(20, range(100), scale=scale)])
        assert (round(np.median(angles)), np.sum(angles > 90)) == (middle, beyond)
    ends = [np.percentile([net.ratio for net in random_nets(T, range(100))], [10, 90]) for T in (5, 100)]
    assert np.round(ends, 1).tolist() == [[0.8, 1.1], [0.8, 3.2]]
    assert np.percentile([net.ratio for net in random_nets(100, range(100), og=4.0)], 90) > 9
    shut = [net.ratio for net in random_nets(20, range(100), og=-4.0)]
    assert np.abs(np.percentile(shut, [10, 90]) - 1).max() < 0.075


def test_every_unsolved_run_stands_at_the_cap():
    assert {row["taken"] for row in RUNS if row["solved"] == "0"} == {str(experiment.CAP)}


def test_degrees_are_angles():
    assert figures.degrees(np.array([1.0, 0.0, -1.0, 1.0 + 1e-16])) == pytest.approx([0, 90, 180, 0])


def test_figures_show_what_they_are_given():
    scale = figures.angles_by_scale({0.1: [1.0, 0.9], 8.0: [0.5, -0.5]})
    ax = scale.axes[0]
    dots = np.concatenate([line.get_ydata() for line in ax.lines if line.get_marker() == "o"])
    assert sorted(dots) == pytest.approx(sorted(figures.degrees(np.array([1.0, 0.9, 0.5, -0.5]))))
    lines = {0.0: {5: [Quality(1.0, 0.9)] * 3, 10: [Quality(0.0, 0.8)] * 3}}
    lag = figures.by_lag_and_openness({"input gates": lines})
    middles = [line.get_ydata() for ax in lag.axes for line in ax.lines if line.get_marker() == "o"]
    assert [values.tolist() for values in middles] == [[0.0, 90.0], [0.9, 0.8]]
    moved = figures.gates_moved(TRAINED)
    ends = [line for line in moved.axes[0].lines if line.get_marker() == "o"]
    assert len(ends) == 6  # three shifts at two looks
    assert ends[-2].get_ydata()[0] == pytest.approx(np.median(angle("latch 20", "end")))
    assert [text.get_text() for text in figures.paths().axes[0].texts].count("returns") == 1
    for draw in (figures.angles_in_training, figures.ratios_in_training):
        training = draw(GRADIENTS, [setup.name for setup in SETUPS[:6]])
        assert len(training.axes) == 6
        seeds = [[line for line in ax.lines if line.get_color() == style.GRADIENT] for ax in training.axes]
        assert [len(lines) for lines in seeds] == [2 * experiment.SEEDS] * 6
    ends = [line.get_ydata()[0] for line in training.axes[4].lines if line.get_marker() == "o"]
    assert min(ends) == ratios("order 30").min()
    needed = figures.sequences_needed(RUNS, experiment.CAP)
    shown = sum(len(line.get_xdata()) for line in needed.axes[0].lines if line.get_marker() == "o")
    assert shown == sum(row["solved"] == "1" for row in RUNS)
