"""The chapter on later ideas: its data are those of the plan, the rule that chooses, and what the page says of them."""

from math import comb, log

import numpy as np
import pytest
from book.experiments.later import LATER, READINGS, LaterTrial
from book.experiments.reading import READINGS as LETTERS
from book.experiments.rows import ROWS
from book.experiments.tasks import WINDOWS
from book.experiments.trial import Trial
from book.lstm1997.later import results
from book.lstm1997.later.experiment import TRIED, chosen, tried
from book.lstm1997.tables.results import again, trials

FOUND = results.groups()
LINES = results.stored()
ALONE = ("exact", "forget", "clip", "adam")


def line(reading: str, solved: bool, sequences: int) -> dict[str, str]:
    return {"row": "some", "reading": reading, "solved": str(solved), "sequences": str(sequences)}


def test_the_setting_is_that_which_solved_most_then_that_with_the_fewest_sequences() -> None:
    lines = [line("adam-1", True, 9), line("adam-1", True, 9), line("adam-2", True, 1), line("adam-2", False, 2)]
    assert chosen(lines, "some") == {"adam": "adam-1"}
    assert chosen([*lines, line("adam-3", True, 8), line("adam-3", True, 9)], "some") == {"adam": "adam-3"}
    assert chosen([line("clip-1", False, 5), line("clip-2", False, 5)], "some") == {"clip": "clip-1"}
    assert chosen(lines, "other") == {}


def test_a_failed_trial_is_longer_than_all_and_pairs_are_those_of_one_number() -> None:
    def group(*taken: int) -> results.Group:
        lines = [line("exact", bool(one), one or 50) | {"trial": str(k)} for k, one in enumerate(taken)]
        return results.Group("6a", "exact", "exact", lines[::-1])

    one, other = group(1, 2, 3, 4, 0, 0), group(2, 2, 9, 3, 7, 0)
    assert one.solved == 4
    assert one.median == (3.5, 1.0, np.inf)
    assert (one.sooner(other), other.sooner(one)) == (2, 2)


def test_every_trial_of_the_page_was_planned_and_none_of_its_rows_is_left_out() -> None:
    stored = {(one["row"], one["reading"], int(one["trial"])) for one in LINES if "torch" not in one}
    planned = set()
    for task in results.TASKS:
        best = chosen(LINES, f"{task}-choose")
        planned |= {(f"{task}-choose", name, k) for name in READINGS if name != "exact" for k in range(3)}
        later = ["exact", *(best[idea] for idea in ALONE[1:])]
        planned |= {(f"{task}-later", name, k) for name in later for k in range(10)}
    assert {one for one in stored if one[0].rpartition("-")[0] in results.TASKS} == planned
    assert [*FOUND] == [(task, idea) for task in results.TASKS for idea in ("letter", *ALONE)] + [("6a", "modern")]
    assert all(len(one.lines) == 10 for one in FOUND.values())


def test_a_trial_begins_with_the_weights_of_1997_and_takes_its_sequences() -> None:
    plain = Trial(ROWS["6a"], LETTERS["letter"], 7)
    for idea in ALONE:
        one = LaterTrial(LATER["6a-later"], FOUND["6a", idea].reading, 7)
        views, old = (each.learner.net.layout.views(each.learner.theta) for each in (one, plain))
        assert all(np.array_equal(views[name], old[name]) for name in old)
        again_, first = one._draw(3), Trial(ROWS["6a"], LETTERS["letter"], 7)._draw(3)
        assert np.array_equal(again_.x, first.x)
    assert TRIED["modern-0.01"][1] == READINGS[FOUND["6a", "forget"].reading].forget


@pytest.mark.parametrize(
    "idea", ["clip", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("adam", "forget"))]
)
def test_the_cheapest_trial_with_an_idea_ends_as_it_is_stored(idea: str) -> None:
    cheapest = min(FOUND["6a", idea].lines, key=lambda one: int(one["steps"]))
    trial = LaterTrial(LATER["6a-later"], cheapest["reading"], int(cheapest["trial"]))
    assert again(cheapest, trial.run())
    if idea == "clip":
        assert trial.learner.clipped == pytest.approx(float(cheapest["clipped"]), rel=1e-6)


def test_the_exact_gradient_solves_no_more_trials_and_is_lost_on_noisy_classes() -> None:
    for task in results.TASKS:
        exact, letter = FOUND[task, "exact"], FOUND[task, "letter"]
        assert exact.solved <= letter.solved
        assert exact.sooner(letter) < 9  # as the exercise has it
    lost = [one["wrong"] for one in FOUND["3a-100-3", "exact"].lines if one["solved"] == "False"]
    assert lost == ["2560"] * 6


def test_clipping_and_adam_solve_the_two_trials_of_noisy_classes_that_fail_by_the_letter() -> None:
    unsolved = np.isinf(FOUND["3a-100-3", "letter"].taken)
    for idea in ("clip", "adam"):
        assert np.isfinite(FOUND["3a-100-3", idea].taken[unsolved]).all()


def test_by_the_letter_no_trial_of_adding_is_solved_and_clipping_leaves_more_wrong() -> None:
    assert [one["solved"] for one in trials()["4-100", "letter"]] == ["False"] * 30
    assert ROWS["4-100"].cap == 370_000
    assert FOUND["4-100", "letter"].fewer(FOUND["4-100", "clip"]) == 10


def test_with_the_smallest_norm_nearly_all_gradients_of_temporal_order_are_clipped() -> None:
    some = [one for one in LINES if (one["row"], one["reading"]) == ("6a-choose", "clip-0.01")]
    assert min(float(one["clipped"]) for one in some) > 0.99


def test_with_a_forget_gate_each_trial_of_temporal_order_is_later() -> None:
    assert (FOUND["6a", "forget"].taken > FOUND["6a", "letter"].taken).all()


def test_six_trials_by_adam_are_quick_and_two_of_temporal_order_lost() -> None:
    assert (FOUND["3a-100-3", "adam"].taken <= 2000).sum() == 6
    lost = [one["wrong"] for one in FOUND["6a", "adam"].lines if one["solved"] == "False"]
    assert lost == ["2560", "2560"]


def test_the_lost_trials_of_the_cell_of_pytorch_have_all_or_half_of_the_sequences_wrong() -> None:
    wrong = sorted(one["wrong"] for one in FOUND["6a", "modern"].lines if one["solved"] == "False")
    assert wrong == ["1277", *["2560"] * 5]
    assert FOUND["6a", "modern"].reading == "modern-0.001"
    counts = tried(LINES, "6a-choose")
    assert [counts[f"modern-{rate}"][0] for rate in (0.001, 0.003, 0.01)] == [3, 1, 1]


def test_which_chosen_settings_lie_at_an_end_of_those_tried() -> None:
    at_an_end = {
        ("6a", "forget"): "forget-5",
        ("6a", "clip"): "clip-1",
        ("6a", "adam"): "adam-0.01",
        ("6a", "modern"): "modern-0.001",
        ("3a-100-3", "forget"): "forget-5",
        ("4-100", "adam"): "adam-0.001",
    }
    assert {key: FOUND[key].reading for key in at_an_end} == at_an_end
    for (task, idea), reading in at_an_end.items():
        rates = sorted(float(name.split("-")[1]) for name in tried(LINES, f"{task}-choose") if name.startswith(idea))
        assert float(reading.split("-")[1]) in (rates[0], rates[-1])


def test_the_net_of_pytorch_has_as_many_units_as_that_of_1997_has_cells() -> None:
    units = ROWS["6a"].net.blocks * ROWS["6a"].net.cells
    weights = {int(one["weights"]) for one in LINES if "torch" in one}
    assert weights == {4 * units * (8 + units + 2) + 4 * (units + 1)}


def test_lag_of_temporal_order_and_what_is_kept_over_it(run_cell) -> None:
    stream = ROWS["6a"].task.draw(4000, np.random.default_rng(0))
    symbols = np.isin(stream.x, (6, 7))
    lags = [
        end - begin - symbols[begin : end + 1].argmax() for begin, end in zip(stream.begins, stream.ends, strict=True)
    ]
    (low, high), *_ = WINDOWS[2]
    assert (min(lags), max(lags)) == (99 - high, 109 - low) == (79, 99)
    kept = run_cell("def kept(")["kept"]
    assert kept(0, 79) < kept(1, 79) < 1e-10
    assert kept(3, 79) < 0.03
    assert kept(5, 99) > 0.5


def test_exercises(run_cell) -> None:
    def chance(most: int) -> float:
        return 2 * sum(comb(10, k) for k in range(most + 1)) / 2**10

    assert [round(100 * chance(most), 1) for most in range(3)] == [0.2, 2.1, 10.9]
    kept = run_cell("def kept(")["kept"]
    for steps, bias in ((100, 4.97), (1000, 7.27)):
        exact = -log(2 ** (1 / steps) - 1)
        assert exact == pytest.approx(bias, abs=0.005)
        assert kept(exact, steps) == pytest.approx(0.5)
