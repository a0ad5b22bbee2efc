"""The page on the quality of the truncated gradient: statements of its prose on the stored runs, and its figures."""

import numpy as np
import pytest
from throughtime_book.lstm1997.quality import experiment, figures
from throughtime_book.lstm1997.quality.claims import Look
from throughtime_book.lstm1997.training.tasks import SETUPS
from throughtime_book.shared.alignment import Quality
from throughtime_book.shared.figure_style import to_png

RUNS, GRADIENTS = experiment.RUNS.read(), experiment.GRADIENTS.read()


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


def test_every_unsolved_run_stands_at_the_cap():
    assert {row["taken"] for row in RUNS if row["solved"] == "0"} == {str(experiment.CAP)}


def test_degrees_are_angles():
    assert figures.degrees(np.array([1.0, 0.0, -1.0, 1.0 + 1e-16])) == pytest.approx([0, 90, 180, 0])


def test_figures_show_what_they_are_given():
    scale = figures.angles_by_scale({0.1: [1.0, 0.9], 8.0: [0.5, -0.5]})
    ax = scale.axes[0]
    dots = np.concatenate([line.get_ydata() for line in ax.lines if line.get_marker() == "o"])
    assert sorted(dots) == pytest.approx(sorted(figures.degrees(np.array([1.0, 0.9, 0.5, -0.5]))))
    lines = {0.0: {5: (1.0, 0.9), 10: (2.0, 0.8)}, 2.0: {5: (3.0, 1.1), 10: (4.0, 1.2)}}
    lag = figures.by_lag_and_openness({"input gates": lines})
    assert [[line.get_ydata()[1] for line in ax.lines[:2]] for ax in lag.axes] == [[2.0, 4.0], [0.8, 1.2]]
    looks = {"a": [Look(0, 0.1, 0.4, Quality(0.0, 1.5))], "b": [Look(0, 0.2, 0.6, Quality(1.0, 0.5))]}
    angle, ratio = figures.by_open_output_gates(looks).axes
    assert [(*line.get_xdata(), *line.get_ydata()) for line in angle.lines] == [(0.4, 90.0), (0.6, 0.0)]
    assert [(*line.get_xdata(), *line.get_ydata()) for line in ratio.lines[:2]] == [(0.4, 1.5), (0.6, 0.5)]
    for draw in (figures.angles_in_training, figures.ratios_in_training):
        training = draw(GRADIENTS, [setup.name for setup in SETUPS[:6]])
        assert len(training.axes) == 6
        assert all(len(ax.lines) == 2 * experiment.SEEDS + 1 for ax in training.axes)
    ends = [line.get_ydata()[0] for line in training.axes[4].lines if line.get_marker() == "o"]
    assert min(ends) == ratios("order 30").min()
    needed = figures.sequences_needed(RUNS, experiment.CAP)
    shown = sum(len(line.get_xdata()) for line in needed.axes[0].lines if line.get_marker() == "o")
    assert shown == sum(row["solved"] == "1" for row in RUNS)
    for figure in (scale, lag, needed):
        assert to_png(figure) == to_png(figure)
