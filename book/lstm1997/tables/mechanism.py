"""Where nets that miss the paper's rule are wrong: which letters of a string, and which sums."""

from collections.abc import Iterable

import numpy as np
from book.experiments.reading import reading
from book.experiments.rows import ROWS
from book.experiments.sequences import Stream
from book.experiments.trial import Trial
from book.shared.rendered import Rendered, table

PLACES = ("T or P", "inside", "T or P again", "E")
EDGES = (0.0, 0.5, 1.0, 1.5, 2.0)  # of |X1 + X2|


def trained(name: str, how: str, number: int, sequences: int) -> Trial:
    """A trial of a row by a reading, stopped after so many sequences, or when its rule holds."""
    trial = Trial(ROWS[name], reading(how), number)
    trial.run(sequences)
    return trial


def outputs(trial: Trial, stream: Stream) -> np.ndarray:
    """Outputs at all steps of a net that learns nothing from them, (steps, d_out)."""
    targets, mask, starts = stream.by_step()
    trial.observer.theta = trial.learner.theta
    return trial.observer.run(stream.x, targets, 0.0 * mask, starts).watched


def wrong_places(stream: Stream, y: np.ndarray) -> list[int]:
    """Strings of the embedded Reber grammar with a letter predicted wrongly at each of ``PLACES``."""
    others = np.where(stream.possible, -np.inf, y).max(axis=1)
    wrong = others >= np.where(stream.possible, y, np.inf).min(axis=1)
    place = np.ones(len(y), int)
    place[stream.begins], place[stream.ends - 1], place[stream.ends] = 0, 2, 3
    return [int(np.logical_or.reduceat(wrong & (place == one), stream.begins).sum()) for one in range(len(PLACES))]


def letters(name: str, how: str, numbers: Iterable[int], sequences: int, copies: int) -> Rendered:
    """Wrong strings of new ones by the place of the wrong letter, a line for each trial."""
    rows = []
    for number in numbers:
        trial = trained(name, how, number, sequences)
        stream = trial.row.task.draw(copies, np.random.default_rng(0))
        rows.append((number, *wrong_places(stream, outputs(trial, stream))))
    return table(["trial", *PLACES], rows)


def wrong_sums(trial: Trial, copies: int) -> list[tuple[int, int, float]]:
    """New sequences, how many of them are wrong, and the mean of output less target towards 1/2, by |X1 + X2|."""
    stream = trial.row.task.draw(copies, np.random.default_rng(0))
    target = stream.targets[:, 0]
    error = outputs(trial, stream)[stream.ends, 0] - target
    where = np.digitize(4 * np.abs(target - 0.5), EDGES) - 1
    inwards = -error * np.sign(target - 0.5)
    wrong = np.abs(error) >= trial.row.task.tolerance
    parts = [where == part for part in range(len(EDGES) - 1)]
    return [(int(one.sum()), int(wrong[one].sum()), float(inwards[one].mean())) for one in parts]


def sums(name: str, hows: Iterable[str], number: int, sequences: int, copies: int) -> Rendered:
    """Wrong sums of new ones by their size, a line for each reading and size."""
    rows = []
    for how in hows:
        found = zip(EDGES, EDGES[1:], wrong_sums(trained(name, how, number, sequences), copies), strict=False)
        rows += [(how, f"{low} to {high}", of, wrong, f"{mean:.3f}") for low, high, (of, wrong, mean) in found]
    return table(["reading", "size of $X_1 + X_2$", "sequences", "wrong", "mean error towards 1/2"], rows)
