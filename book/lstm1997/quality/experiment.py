"""Quality of the truncated gradient of the LSTM: its angle to the exact gradient, and training success with either.

    python -m throughtime_book.lstm1997.quality.experiment
    python -m throughtime_book.lstm1997.quality.experiment --again

The first command trains all missing nets (some minutes), the second removes the stored runs and trains all again.

The runs of ``SETUPS`` go to two files in ``book/data``: one line per run, and one line per comparison of the gradients
during a run. A seed has the same start and the same sequences under both methods.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import numpy as np
from throughtime.models.lstm1997 import LSTM1997, Cut
from throughtime.tasks import AtEnd
from throughtime_book.lstm1997.training.descent import DESCENTS
from throughtime_book.lstm1997.training.tasks import SETUPS, Setup
from throughtime_book.shared.alignment import hidden_part, quality
from throughtime_book.shared.records import Records, begin, missing, versions

SEEDS = 20
CAP = 40_000  # sequences after which a run ends unsolved
LOOKS = (0, 100, 200, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 40_000)
PROBES = 20  # sequences on which the gradients are compared

RUNS = Records("lstm1997_quality_runs.csv", ("setup", "method", "seed"))
GRADIENTS = Records("lstm1997_quality_gradients.csv", ("setup", "method", "seed", "sequences"))


def gradients(model: LSTM1997, theta: np.ndarray, sequences: AtEnd, cuts: Iterable[Cut]) -> np.ndarray:
    """The gradient of each of the N sequences with the paths in ``cuts`` held constant, shape (N, parameters)."""
    targets, mask = sequences.by_step()
    cuts = tuple(cuts)
    return np.array(
        [
            model.gradient_with_cuts(theta, x[:end], goal[:end], counts[:end], cuts=cuts).gradient
            for x, end, goal, counts in zip(sequences.x, sequences.lengths, targets, mask, strict=True)
        ]
    )


def compare(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> dict[str, float]:
    """Cosines and norm ratio of the truncated to the exact gradient.

    cosine                          of the means over the sequences, all parameters
    hidden_cosine, hidden_ratio     of the means over the sequences, parameters of gates, cells and hidden units
    worst                           smallest hidden cosine of a single sequence

    ValueError if one of the gradients is zero.
    """
    truncated = gradients(model, theta, sequences, model.cuts("truncated"))
    exact = gradients(model, theta, sequences, ())
    whole = quality(truncated.mean(axis=0), exact.mean(axis=0))
    inner = [hidden_part(model, each) for each in truncated], [hidden_part(model, each) for each in exact]
    hidden = quality(np.mean(inner[0], axis=0), np.mean(inner[1], axis=0))
    worst = min(quality(a, b).cosine for a, b in zip(*inner, strict=True))
    return {"cosine": whole.cosine, "hidden_cosine": hidden.cosine, "hidden_ratio": hidden.ratio, "worst": worst}


def share_lost(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> dict[str, float]:
    """Change of the gradient when the cuts into one kind of net input are removed, relative to |exact - truncated|.

    By kind of net input, such as "net_ig"; gradients are means over the sequences with respect to the hidden
    parameters. "together" is the rest of exact - truncated: paths through net inputs of more than one kind.
    """
    cuts = model.cuts("truncated")
    mean = {"": gradients(model, theta, sequences, cuts).mean(axis=0)}
    kinds = list(dict.fromkeys(cut.net for cut in cuts))
    for kind in kinds:
        mean[kind] = gradients(model, theta, sequences, [cut for cut in cuts if cut.net != kind]).mean(axis=0)
    parts = {kind: hidden_part(model, mean[kind] - mean[""]) for kind in kinds}
    lost = hidden_part(model, gradients(model, theta, sequences, ()).mean(axis=0) - mean[""])
    parts["together"] = lost - sum(parts.values())
    return {name: float(np.linalg.norm(part) / np.linalg.norm(lost)) for name, part in parts.items()}


def random_nets(scale: float, length: int, seeds: Iterable[int], ig: float = 0.0, per_net: int = 2) -> list[float]:
    """``hidden_cosine`` of ``compare`` for one random net per seed: two blocks, the latch task.

    scale      parameters are uniform on [-scale, scale]
    length     steps of a sequence
    ig         added to the biases of the input gates
    per_net    sequences per net
    """
    cosines = []
    for seed in seeds:
        setup = Setup(1.0, "latch", length, ig=(ig, ig), scale=scale)
        random = np.random.default_rng(seed)
        theta = setup.start(random)
        cosines.append(compare(setup.model(), theta, setup.draw(per_net, random))["hidden_cosine"])
    return cosines


def undoing_net(weight: float) -> tuple[LSTM1997, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A net of one cell with a recurrent weight against its state: model, theta, inputs, targets and mask.

    One input line, 2 at the first of two steps and 0 at the second; no biases. All weights are 0 except the output
    weight of the cell, which is 1, and the recurrent weight of the cell, which is ``weight``.
    """
    model = LSTM1997(1, 1, 1, 1, timing="same")
    theta = np.zeros(model.layout.size)
    views = model.layout.views(theta)
    views["w_cell"][..., model.sources["y_cell"]] = weight
    views["w_out"][:, model.output_sources["y_cell"]] = 1.0
    return model, theta, np.array([[2.0], [0.0]]), np.ones((2, 1)), np.array([0, 1])


def probes(setup: Setup) -> AtEnd:
    """The ``PROBES`` sequences on which the gradients of a setup are compared, the same at every call."""
    return setup.draw(PROBES, np.random.default_rng(10**6))


def record(setup: Setup, method: str, seed: int) -> None:
    """Train one net, compare its gradients after each number of sequences in ``LOOKS`` and at the end, store both."""
    key = {"setup": setup.name, "method": method, "seed": seed}
    model, sequences, looks = setup.model(), probes(setup), []

    def look(taken: int, theta: np.ndarray) -> None:
        if taken in LOOKS:
            looks.append(key | {"sequences": taken} | compare(model, theta, sequences))

    result = setup.run(seed, CAP, method, look)
    if result.sequences not in LOOKS:
        looks.append(key | {"sequences": result.sequences} | compare(model, result.theta, sequences))
    settings = {"rate": setup.rate, "ig": setup.ig, "scale": setup.scale, "cap": CAP} | versions()
    GRADIENTS.add(looks)
    RUNS.add([key | {"solved": int(result.solved), "taken": result.sequences} | settings])


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the files yet."""
    first = begin(__doc__, arguments, RUNS, GRADIENTS)
    todo = {(s.name, method, seed): (s, method, seed) for seed in range(SEEDS) for s in SETUPS for method in DESCENTS}
    for _, run in missing(RUNS, todo, first):
        record(*run)


if __name__ == "__main__":
    main(sys.argv[1:])
