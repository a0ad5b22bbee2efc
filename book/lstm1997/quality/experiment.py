"""Quality of the truncated gradient of the LSTM: its angle to the exact gradient, and training success with either.

    python -m book.lstm1997.quality.experiment

The runs of ``SETUPS`` go to two files in ``book/data``: one line per run, and one line per comparison of the gradients
during a run. A seed has the same start and the same sequences under both methods.

One hundred nets for each of two tasks go to a third file: each is trained by the truncated gradient until it solves its
task, and looked at after half of its sequences and at the end, with its output gates moved by hand, for the shares of
what is lost, and for the error flow. The latch is trained by the exact gradient as well. A line is a look.
"""

import sys
from collections.abc import Sequence

import numpy as np
from book.lstm1997.quality.checks import LAGS, between, compare, flow, openness, share_lost
from book.lstm1997.tasks import CHUNK, LATCH_20, METHODS, SETUPS, Setup
from book.shared.records import Records, begin, missing, versions
from throughtime.tasks import AtEnd

SEEDS = 20
CAP = 40_000  # sequences after which a run ends unsolved
LOOKS = (0, 100, 200, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 40_000)
PROBES = 20  # sequences on which the gradients are compared

RUNS = Records("lstm1997_quality_runs.csv", ("setup", "method", "seed"))
GRADIENTS = Records("lstm1997_quality_gradients.csv", ("setup", "method", "seed", "sequences"))


def probes(setup: Setup) -> AtEnd:
    """The ``PROBES`` sequences on which the gradients of a setup are compared, the same at every call."""
    return setup.draw(PROBES, np.random.default_rng(10**6))


def record(setup: Setup, method: str, seed: int) -> None:
    """Train one net, compare its gradients after each number of sequences in ``LOOKS`` and at the end, store both."""
    key = {"setup": setup.name, "method": method, "seed": seed}
    model, sequences, kept = setup.model(), probes(setup), dict[int, np.ndarray]()
    result = setup.run(seed, CAP, method, kept.__setitem__)
    looks = [taken for taken in kept if taken in (*LOOKS, result.sequences)]
    settings = {"rate": setup.rate, "ig": setup.ig, "scale": setup.scale, "cap": CAP} | versions()
    GRADIENTS.add(key | {"sequences": taken} | compare(model, kept[taken], sequences) for taken in looks)
    RUNS.add([key | {"solved": int(result.solved), "taken": result.sequences} | settings])


# ---- one hundred trained nets for each of two tasks

TRAINED_SEEDS = 100
ORDER_30 = SETUPS[4]
TASKS = (LATCH_20, ORDER_30)
SHIFTS = {"_shut": -1.0, "": 0.0, "_opened": 1.0}  # added to the biases of the output gates of a trained net
WORDS = dict(zip(LAGS, ("one", "two", "five", "ten"), strict=True))
TRAINED = Records("lstm1997_quality_trained.csv", ("setup", "seed", "look"))


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
    outside, returned = flow(model, theta, sequences)
    found |= {f"outside_{WORDS[lag]}": norm for lag, norm in zip(LAGS, outside, strict=True)}
    return found | {"returned": returned}


def record_trained(setup: Setup, seed: int) -> None:
    """Train one net and write its two lines."""
    kept: dict[int, np.ndarray] = {}
    ended = setup.run(seed, CAP, look=kept.__setitem__)
    exact = setup.run(seed, CAP, "bptt").sequences if setup is LATCH_20 else ""
    key = {"setup": setup.name, "seed": seed}
    looks = {"half": ended.sequences // 2 // CHUNK * CHUNK, "end": ended.sequences}
    TRAINED.add(
        key | {"look": look, "solved": int(ended.solved), "sequences": taken, "exact_sequences": exact}
        | measured(setup, kept[taken]) | versions()
        for look, taken in looks.items()
    )  # fmt: skip


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the files yet."""
    first = begin(__doc__, arguments, RUNS, GRADIENTS, TRAINED)
    todo = {(s.name, method, seed): (s, method, seed) for seed in range(SEEDS) for s in SETUPS for method in METHODS}
    for _, run in missing(RUNS, todo, first):
        record(*run)
    nets = {(setup.name, seed): (setup, seed) for seed in range(TRAINED_SEEDS) for setup in TASKS}
    for _, run in missing(TRAINED, nets, first):
        record_trained(*run)


if __name__ == "__main__":
    main(sys.argv[1:])
