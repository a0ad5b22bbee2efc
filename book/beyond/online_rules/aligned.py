"""Random feedback along its own training: the angle of its gradient to the exact one, and of B to the readout.

    python -m book.beyond.online_rules.aligned

The starts, sequences and matrices B are those of the runs of the rule "fed" in the experiment.
"""

import sys
from collections.abc import Sequence

import numpy as np
from book.beyond.online_rules import experiment as runs
from book.shared.alignment import quality
from book.shared.records import Records, begin, missing, versions

OWN = Records("online_rules_aligned.csv", ("seed", "updates"))


def look(theta: np.ndarray, seed: int) -> dict[str, float]:
    """Cosines: of the gradient with the exact one, and of B with the transposed readout."""
    W_out = runs.plain().layout.views(theta)["W_out"]
    pair = quality(runs.given_feedback(seed).ravel(), W_out.T.ravel())
    return {"gradient": runs.angles(theta, seed, ["fed"])["fed"].cosine, "readout": pair.cosine}


def cosines(name: str, updates: int) -> list[float]:
    """The stored cosines after so many updates, of all networks; `name` is "gradient" or "readout"."""
    return [float(row[name]) for row in OWN.read() if int(row["updates"]) == updates]


def record(seed: int) -> None:
    """Train one network by random feedback and store the cosines at the three stages."""
    rows: list[dict[str, float | int | str]] = []

    def at(done: int, theta: np.ndarray) -> None:
        if done in runs.LOOKS:
            rows.append({"seed": seed, "updates": done} | look(theta, seed) | {"rate": rate} | versions())

    rate = runs.best_rate("fed")
    runs.train("fed", rate, seed, look=at)
    OWN.add(rows)


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the file yet."""
    first = begin(__doc__, arguments, OWN)
    todo = {(seed, runs.LOOKS[-1]): seed for seed in range(runs.SEEDS)}
    for _, seed in missing(OWN, todo, first):
        record(seed)


if __name__ == "__main__":
    main(sys.argv[1:])
