"""The page of the paper's tables: what it makes of lines of trials, and where it finds nets wrong."""

import numpy as np
import pytest
from book.experiments.reading import READINGS
from book.experiments.reber import as_stream, embedded
from book.experiments.rows import ROWS
from book.experiments.trial import Trial
from book.lstm1997.tables import figures, lag, mechanism, results


def line(trial: int, solved: bool, sequences: int, wrong: int) -> dict[str, str]:
    return {"row": "4-100", "reading": "letter", "trial": str(trial), "solved": str(solved), "steps": str(trial)} | {
        "sequences": str(sequences), "wrong": str(wrong), "error": "0.01"
    }  # fmt: skip


def test_row_is_shown_with_its_verdict_and_what_is_not_run() -> None:
    stored = {
        ("4-100", "letter"): [line(k, k < 15, 74_000 if k < 15 else 370_000, 0 if k < 15 else 5) for k in range(30)]
    }
    first, second, *others = results.beside(stored, 7).text.splitlines()[1:]
    assert first.split("  ")[2:] == [
        *("10 of 10 (72 to 100 %)", "74,000", "15 of 30 (33 to 67 %)", "74,000", "74,000 to 74,000", "74,000"),
        "mean alone",
    ]  # fmt: skip
    assert all(words.endswith("not run") for words in (second, *others))
    assert results.ended(stored, 7).text.endswith("1.0  15  0.0  0.0100  15  5 (5 to 5)  0.0100")
    assert results.likely(stored, 7).text.endswith("15  0.20%  2e-02")
    counts = np.array([row.split("  ")[1:] for row in results.summary(stored).text.splitlines()[1:]], int)
    assert counts.sum(axis=1).tolist() == [sum(row.open_to(how) for row in ROWS.values()) for how in READINGS]
    assert counts[0, results.VERDICTS.index("mean alone")] == 1


@pytest.mark.parametrize("number", sorted({row.table for row in ROWS.values()}))
def test_every_trial_is_seen(number: int) -> None:
    """Some are over by a tenth of the paper's mean."""
    (axes,) = figures.trials(results.trials(), number).axes
    low, high = axes.get_xlim()
    assert all(low < x < high for line in axes.lines for x in line.get_xdata())


def test_letters_are_told_apart_by_their_place() -> None:
    stream = as_stream([embedded(np.random.default_rng(seed)) for seed in range(50)])
    assert mechanism.wrong_places(stream, stream.possible.astype(float)) == [0, 0, 0, 0]
    for place, steps in enumerate((stream.begins, stream.begins + 3, stream.ends - 1, stream.ends)):
        y = stream.possible.astype(float)
        y[steps] = 1.0 - y[steps]
        assert mechanism.wrong_places(stream, y) == [50 * (place == each) for each in range(4)]


def test_sums_are_told_apart_by_their_size() -> None:
    trial = Trial(ROWS["4-100"], READINGS["letter"], 0)
    views = trial.learner.net.layout.views(theta := np.zeros_like(trial.learner.theta))
    views["b_k"][...] = 0.0  # the output is 1/2 for all
    trial.learner.theta = theta
    found = mechanism.wrong_sums(trial, 500)
    assert sum(of for of, _, _ in found) == 500
    assert [of == wrong for of, wrong, _ in found] == [False, True, True, True]
    assert all(low / 4 <= mean <= low / 4 + 1 / 8 for low, (_, _, mean) in zip(mechanism.EDGES, found, strict=False))


def test_an_answer_is_wrong_from_two_tenths(monkeypatch: pytest.MonkeyPatch) -> None:
    off = iter([0.199, 0.201])

    def forward(w: dict, x: np.ndarray) -> tuple[np.ndarray, None, None]:
        _, _, targets = lag.sequences(lag.TESTED)
        return np.repeat(np.abs(targets - next(off))[:, None], x.shape[1], axis=1), None, None

    monkeypatch.setattr(lag, "forward", forward)
    assert [lag.answers()[0] for _ in range(2)] == [0, lag.TESTED]
