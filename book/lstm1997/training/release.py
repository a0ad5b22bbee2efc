"""An intervention on abused cells: a fresh block in the place of one that has drifted, and training goes on.

    python -m throughtime_book.lstm1997.training.release
    python -m throughtime_book.lstm1997.training.release --again

The first command makes all missing runs (some minutes), the second removes the stored lines and makes all again.

Every seed of the abuse task with three output gates that start at -2 is trained for 1000 sequences. Then it goes on
twice, with the same further sequences: as it is, and with the parameters of one block as at a fresh start. That block
is the one that gives the output least.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from throughtime_book.lstm1997.training.experiment import CAP, Abuse, use
from throughtime_book.lstm1997.training.tasks import CHUNK, ENOUGH
from throughtime_book.shared.records import Records, begin, missing, versions

SEEDS = 100
SETUP = Abuse(0.5, (-2.0, -2.0, -2.0))
FIRST = 1000  # sequences before the intervention
WAYS = ("as it is", "one block fresh")
RUNS = Records("lstm1997_release.csv", ("seed", "way"))


def refreshed(theta: np.ndarray, seed: int) -> np.ndarray:
    """A copy with the block that gives the output least as at a fresh start, its output weight included."""
    model, theta = SETUP.model(), theta.copy()
    block = int(np.argmin(np.abs(use(SETUP, theta, SETUP.draw(40, np.random.default_rng(10**6)))[0])))
    old, new = model.layout.views(theta), model.layout.views(SETUP.start(seed + 10**6))
    for name in ("w_ig", "w_og", "b_ig", "b_og"):
        old[name][block] = new[name][block]
    for name in ("w_cell", "b_cell"):
        old[name][:, block] = new[name][:, block]
    place = model.output_sources["y_cell"].start + block
    old["w_out"][:, place] = new["w_out"][:, place]
    return theta


def goes_on(seed: int, way: str, cap: int = CAP) -> tuple[bool, int]:
    """Whether the task is solved, and the sequences taken, with one of ``WAYS`` after the first 1000 sequences."""
    random = np.random.default_rng(seed)
    theta, row, taken = SETUP.start(random), 0, 0
    while row < ENOUGH and taken < cap:
        if taken == FIRST and way == WAYS[1]:
            theta = refreshed(theta, seed)
        done, right = SETUP.train(theta, random)
        theta, taken = done.theta, taken + CHUNK
        row = row + CHUNK if right.all() else 0
    return row >= ENOUGH, taken


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: make the runs that are not in the file yet."""
    first = begin(__doc__, arguments, RUNS)
    for (seed, way), _ in missing(RUNS, {(seed, way): None for seed in range(SEEDS) for way in WAYS}, first):
        solved, taken = goes_on(seed, way)
        RUNS.add([{"seed": seed, "way": way, "solved": int(solved), "taken": taken} | versions()])


if __name__ == "__main__":
    main(sys.argv[1:])
