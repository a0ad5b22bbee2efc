"""One hundred trained nets for each of two tasks: output gates moved by hand, shares of what is lost, error flow.

    python -m throughtime_book.lstm1997.quality.trained
    python -m throughtime_book.lstm1997.quality.trained --again

The first command trains all missing nets (some ten minutes), the second removes the stored lines and trains all again.

Every net is trained by the truncated gradient until it solves its task, and looked at twice: after half of its
sequences and at the end. The latch is trained by the exact gradient as well. One line of the file is one look.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from throughtime.models.lstm1997 import Cut
from throughtime_book.lstm1997.quality.claims import between, openness, share_restored
from throughtime_book.lstm1997.quality.experiment import CAP, probes, share_lost
from throughtime_book.lstm1997.quality.flow import LAGS, flow
from throughtime_book.lstm1997.training.tasks import CHUNK, LATCH_20, SETUPS, Setup
from throughtime_book.shared.records import Records, begin, missing, versions

SEEDS = 100
ORDER_30 = SETUPS[4]
TASKS = (LATCH_20, ORDER_30)
SHIFTS = {"_shut": -1.0, "": 0.0, "_opened": 1.0}  # added to the biases of the output gates of a trained net
WORDS = dict(zip(LAGS, ("one", "two", "five", "ten"), strict=True))
NETS = Records("lstm1997_quality_trained.csv", ("setup", "seed", "look"))


def measured(setup: Setup, theta: np.ndarray) -> dict[str, float]:
    """One look: gates, angle and ratio at each of ``SHIFTS``, shares of what is lost, error flow."""
    model, sequences, found = setup.model(), probes(setup), {}
    for name, shift in SHIFTS.items():
        moved = theta.copy()
        model.layout.views(moved)["b_og"] += shift
        og = openness(model, moved, sequences)[1]
        cosine, ratio = between(model, moved, sequences)
        found |= {f"og{name}": og, f"cosine{name}": cosine, f"ratio{name}": ratio}
    found |= {f"share_{name}": share for name, share in share_lost(model, theta, sequences).items()}
    found["share_y_cell"] = share_restored(model, theta, sequences, Cut("net_cell", "y_cell"))
    outside, returned = flow(model, theta, sequences)
    return (
        found
        | {f"outside_{WORDS[lag]}": norm for lag, norm in zip(LAGS, outside, strict=True)}
        | {"returned": returned}
    )


def record(setup: Setup, seed: int) -> None:
    """Train one net and write its two lines."""
    kept: dict[int, np.ndarray] = {}
    ended = setup.run(seed, CAP, look=lambda taken, theta: kept.__setitem__(taken, theta))
    exact = setup.run(seed, CAP, "bptt").sequences if setup is LATCH_20 else ""
    key = {"setup": setup.name, "seed": seed}
    looks = {"half": ended.sequences // 2 // CHUNK * CHUNK, "end": ended.sequences}
    NETS.add(
        key | {"look": look, "solved": int(ended.solved), "sequences": taken, "exact_sequences": exact}
        | measured(setup, kept[taken]) | versions()
        for look, taken in looks.items()
    )  # fmt: skip


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: train the nets that are not in the file yet."""
    first = begin(__doc__, arguments, NETS)
    todo = {(setup.name, seed): (setup, seed) for seed in range(SEEDS) for setup in TASKS}
    for _, run in missing(NETS, todo, first):
        record(*run)


if __name__ == "__main__":
    main(sys.argv[1:])
