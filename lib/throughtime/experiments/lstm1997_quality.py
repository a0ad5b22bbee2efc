"""How good is the truncated gradient of the LSTM? Its angle to the exact one, and what training with either reaches.

    python -m throughtime.experiments.lstm1997_quality          train all nets, some minutes; goes on where it stopped
    python -m throughtime.experiments.lstm1997_quality --again  the same from the beginning

The runs of ``SETUPS`` go to two files in ``throughtime/data``: a line a run, and a line for each look at the gradient
on the way. A seed has the same start and the same sequences under both methods.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from throughtime.experiments.lstm1997_tasks import SETUPS, Setup
from throughtime.experiments.records import Records, begin, missing, versions
from throughtime.models.lstm1997 import LSTM1997, Cut
from throughtime.models.lstm1997_descent import DESCENTS
from throughtime.models.peephole import PeepholeLSTM
from throughtime.tasks import AtEnd

SEEDS = 20
CAP = 40_000  # sequences after which a run gives up
LOOKS = (0, 100, 200, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 40_000)
PROBES = 20  # sequences on which the gradients are compared

RUNS = Records("lstm1997_quality_runs.csv", ("setup", "method", "seed"))
GRADIENTS = Records("lstm1997_quality_gradients.csv", ("setup", "method", "seed", "sequences"))


class Quality(NamedTuple):
    """The truncated gradient beside the exact one."""

    cosine: float  # of the angle between both, 1 if they have one direction
    ratio: float  # norm of the truncated one over that of the exact one


def quality(truncated: np.ndarray, exact: np.ndarray) -> Quality:
    """Cosine and ratio of two gradients; ValueError if one of them is zero."""
    norms = np.linalg.norm(truncated), np.linalg.norm(exact)
    if not min(norms) > 0:
        raise ValueError(f"gradients: an angle needs two that are not zero, got the norms {norms[0]} and {norms[1]}")
    return Quality(float(truncated @ exact / norms[0] / norms[1]), float(norms[0] / norms[1]))


def hidden_part(model: LSTM1997 | PeepholeLSTM, gradient: np.ndarray) -> np.ndarray:
    """The gradient by the parameters of gates, cells and hidden units; no cut changes that by those of the outputs."""
    return np.concatenate([part.ravel() for name, part in model.layout.views(gradient).items() if "out" not in name])


def gradients(model: LSTM1997, theta: np.ndarray, sequences: AtEnd, cuts: Iterable[Cut]) -> np.ndarray:
    """The gradient of each sequence, the paths in ``cuts`` held constant, shape (N, parameters)."""
    targets, mask = sequences.by_step()
    cuts = tuple(cuts)
    return np.array(
        [
            model.gradient_with_cuts(theta, x[:end], goal[:end], counts[:end], cuts=cuts).gradient
            for x, end, goal, counts in zip(sequences.x, sequences.lengths, targets, mask, strict=True)
        ]
    )


def compare(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> dict[str, float]:
    """Quality of the gradient by all weights and by the hidden ones: of the mean over sequences, and the worst."""
    truncated = gradients(model, theta, sequences, model.cuts("truncated"))
    exact = gradients(model, theta, sequences, ())
    whole = quality(truncated.mean(axis=0), exact.mean(axis=0))
    inner = [hidden_part(model, each) for each in truncated], [hidden_part(model, each) for each in exact]
    hidden = quality(np.mean(inner[0], axis=0), np.mean(inner[1], axis=0))
    worst = min(quality(a, b).cosine for a, b in zip(*inner, strict=True))
    return {"cosine": whole.cosine, "hidden_cosine": hidden.cosine, "hidden_ratio": hidden.ratio, "worst": worst}


def share_lost(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> dict[str, float]:
    """What opening the way into one kind of net input alone restores, as a share of |exact - truncated|.

    All by the hidden weights, of the mean over sequences. "together" is what the exact gradient has beyond the
    sum of these parts: paths that enter net inputs of more than one kind.
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
    """The cosine of the gradients by the hidden weights for random nets with two blocks on a latch, one for each seed.

    All parameters are uniform on [-scale, scale], ``ig`` is added to the biases of the input gates.
    """
    cosines = []
    for seed in seeds:
        setup = Setup(1.0, "latch", length, ig=(ig, ig), scale=scale)
        random = np.random.default_rng(seed)
        theta = setup.start(random)
        cosines.append(compare(setup.model(), theta, setup.draw(per_net, random))["hidden_cosine"])
    return cosines


def undoing_net(weight: float) -> tuple[LSTM1997, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A net of one cell that works against what it stores: model, theta, inputs, targets and mask.

    One input line, 2 at the first of two steps and 0 at the second; no biases. All weights are 0 but that of the
    output from the cell, 1, and that of the cell's net input from its own output, ``weight``.
    """
    model = LSTM1997(1, 1, 1, 1, timing="same")
    theta = np.zeros(model.layout.size)
    views = model.layout.views(theta)
    views["w_cell"][..., model.sources["y_cell"]] = weight
    views["w_out"][:, model.output_sources["y_cell"]] = 1.0
    return model, theta, np.array([[2.0], [0.0]]), np.ones((2, 1)), np.array([0, 1])


def probes(setup: Setup) -> AtEnd:
    """The sequences on which the gradients of a setup are compared."""
    return setup.draw(PROBES, np.random.default_rng(10**6))


def record(setup: Setup, method: str, seed: int) -> None:
    """One run with its looks, written to both files."""
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
    """All runs that the files do not have yet."""
    first = begin(__doc__, arguments, RUNS, GRADIENTS)
    todo = {(s.name, method, seed): (s, method, seed) for seed in range(SEEDS) for s in SETUPS for method in DESCENTS}
    for _, run in missing(RUNS, todo, first):
        record(*run)


if __name__ == "__main__":
    main(sys.argv[1:])
