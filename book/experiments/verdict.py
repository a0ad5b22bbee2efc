"""How a row is judged, fixed before it is run.

A row is reproduced if the paper's share of solved trials lies in Wilson's 95 % interval of ours, and its mean number of
sequences in the 95 % interval of means of as many trials as the paper solved, drawn from our solved ones with repeats.
Of a row that the paper never solved, its success is compared alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from book.experiments.rows import Row
from book.shared.intervals import wilson

DRAWS, LEAST, SEED = 10_000, 5, 2002


@dataclass(frozen=True)
class Verdict:
    """Ours beside the paper's.

    solved, trials      of ours
    mean, median        of the sequences of solved trials; nan without one
    means               interval of means of as many trials as the paper solved; None for fewer than 5 solved
    words               "reproduced", "success alone", "mean alone", "not reproduced", or "too few trials"
    """

    solved: int
    trials: int
    mean: float
    median: float
    means: tuple[float, float] | None
    words: str


def judged(row: Row, lines: Sequence[dict[str, str]]) -> Verdict:
    """The verdict on a row from the lines of its trials; all of the row's trials are needed for one in words."""
    counts = np.array([int(line["sequences"]) for line in lines if line["solved"] == "True"], float)
    share = wilson(len(counts), len(lines)) if lines else (0.0, 1.0)
    means = None
    if len(counts) >= LEAST:
        drawn = np.random.default_rng(SEED).choice(counts, (DRAWS, max(1, round(row.share * row.counted)))).mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        means = float(low), float(high)
    mean, median = (float(f(counts)) if len(counts) else float("nan") for f in (np.mean, np.median))
    success = share[0] - 1e-12 <= row.share <= share[1] + 1e-12
    speed = row.share == 0 or (means is not None and means[0] <= row.sequences <= means[1])
    words = {(1, 1): "reproduced", (1, 0): "success alone", (0, 1): "mean alone", (0, 0): "not reproduced"}
    planned = row.planned(lines[0]["reading"]) if lines else row.trials
    found = "too few trials" if len(lines) < planned else words[success, speed]
    return Verdict(len(counts), len(lines), mean, median, means, found)
