"""The Rprop family and gradient descent on the mean error of the bit counter and on temporal XOR.

    python -m book.training.rprop.experiment

Every run is one line of the file in ``book/data``. A seed has the same start under every method.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from book.shared.records import Records, begin, missing, versions
from book.training.counter import mean_error_and_gradient
from throughtime.learning import optimizers as o
from throughtime.learning.optimizers import Optimizer
from throughtime.tasks.temporal_xor import as_prediction, temporal_xor
from throughtime.textbook.simple_recurrent import Elman

LENGTH = 8  # bits of a sequence, as in the note
STEPS, SEEDS = 1000, 100
ROUGH, FINE = 1e-3, 1e-8  # mean errors of a rough and of a fine solution
FIRST_STEPS = (0.001, 0.1, 1.0, 10.0)
RATE, MOMENTUM = 0.003, 0.9
SPREAD = 1.5  # largest modulus of an initial weight
TRIPLES, PASSES, HIDDEN, SCALE, NETS = 200, 200, 4, 1.0, 10

FAMILY: dict[str, type[Optimizer]] = {"Rprop+": o.RpropPlus, "Rprop-": o.RpropMinus, "iRprop+": o.IRpropPlus}
FAMILY |= {"iRprop-": o.IRpropMinus, "as printed": o.PrintedRprop}
RUNS = Records("rprop.csv", ("task", "method", "first_step", "seed"))


def error_and_gradient(theta: np.ndarray, length: int = LENGTH) -> tuple[float, np.ndarray]:
    """The mean error at ``theta`` = (v_x, v_f) over all sequences of ``length`` bits, and its gradient (2,)."""
    error, slopes = mean_error_and_gradient(*map(float, theta), length)
    return error, np.array(slopes)


def path(optimizer: Optimizer, start: Iterable[float], steps: int, until: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """[v_x, v_f] before the first and after every step, (n + 1, 2), and the mean errors there, (n + 1,).

    n is ``steps``, or less if the error reaches ``until`` or if error or gradient are not finite.
    """
    theta, places, errors = np.array(start, float), [], []
    for _ in range(steps + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            error, slope = error_and_gradient(theta)
        if not (np.isfinite(error) and np.isfinite(slope).all()):
            break
        places.append(theta)
        errors.append(error)
        if error <= until:
            break
        theta = optimizer.step(theta, slope, error)
    return np.array(places), np.array(errors)


def steps_until(errors: np.ndarray, bound: float) -> int | None:
    """The first index at which ``errors`` (n + 1,) are at most ``bound``, or None."""
    reached = np.flatnonzero(errors <= bound)
    return int(reached[0]) if len(reached) else None


def start(seed: int) -> np.ndarray:
    """Initial weights (v_x, v_f), uniform on [-1.5, 1.5], shape (2,)."""
    return np.random.default_rng(seed).uniform(-SPREAD, SPREAD, 2)


def descents() -> list[tuple[str, float, Callable[[int], Optimizer]]]:
    """All methods as (name, first step or rate, factory); the factory takes the number of weights."""
    return [
        *((name, step, partial(kind, first_step=step)) for step in FIRST_STEPS for name, kind in FAMILY.items()),
        ("gradient descent", RATE, partial(o.GradientDescent, rate=RATE)),
        ("momentum", RATE, partial(o.Momentum, rate=RATE, momentum=MOMENTUM)),
    ]


def count_bits(make: Callable[[int], Optimizer], seed: int) -> dict[str, Any]:
    """One run on the bit counter: steps to a rough and a fine solution (or None), and the smallest error."""
    _, errors = path(make(2), start(seed), STEPS, until=FINE)
    return {"rough": steps_until(errors, ROUGH), "fine": steps_until(errors, FINE), "error": errors.min()}


def predict_xor(make: Callable[[int], Optimizer], seed: int) -> dict[str, Any]:
    """One Elman net on temporal XOR with the exact gradient; "error" is the smallest mean squared error in training."""
    model = Elman(1, HIDDEN, 1, start=0.5).compile()
    x, targets = as_prediction(temporal_xor(TRIPLES, seed=0))
    theta, errors = model.init(seed, SCALE), []
    optimizer = make(theta.size)
    for _ in range(PASSES):
        result = model.gradient(theta, x, targets)
        errors.append(2 * result.loss / targets.size)
        theta = optimizer.step(theta, result.gradient, result.loss)
    return {"rough": None, "fine": None, "error": min(errors)}


def least_error_of_two_bits() -> float:
    """The smallest mean squared error on the training string of temporal XOR of any answers from the last two bits."""
    bits = temporal_xor(TRIPLES, seed=0).astype(int)
    seen, following = 2 * bits[:-2] + bits[1:-1], bits[2:]
    answers = np.array([following[seen == pair].mean() for pair in range(4)])
    return float(np.mean((answers[seen] - following) ** 2))


TASKS = {"bit counter": (count_bits, SEEDS), "temporal XOR": (predict_xor, NETS)}
SETTINGS: dict[str, dict[str, Any]] = {
    "bit counter": {"steps": STEPS, "spread": SPREAD, "length": LENGTH, "bounds": (ROUGH, FINE), "net": None},
    "temporal XOR": {"steps": PASSES, "spread": SCALE, "length": 3 * TRIPLES, "bounds": None, "net": f"Elman {HIDDEN}"},
}


def rules(optimizer: Optimizer) -> dict[str, Any]:
    """The hyperparameters of an optimizer by name; None for those that it does not have."""
    return {name: getattr(optimizer, name, None) for name in ("grow", "shrink", "smallest", "largest", "momentum")}


def stored() -> list[dict]:
    """The rows of the file with numeric columns converted; "rough" and "fine" are None if not reached."""

    def steps(text: str) -> int | None:
        return None if text == "None" else int(text)

    return RUNS.read(first_step=float, seed=int, error=float, rough=steps, fine=steps)


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the file yet."""
    first = begin(__doc__, arguments, RUNS)
    todo = {
        (task, method, first_step, seed): make
        for task, (_, seeds) in TASKS.items()
        for method, first_step, make in descents()
        for seed in range(seeds)
    }
    for key, make in missing(RUNS, todo, first):
        task, *_, seed = key
        measured = TASKS[task][0](make, seed) | SETTINGS[task] | rules(make(1)) | versions()
        RUNS.add([dict(zip(RUNS.key, key, strict=True)) | measured])


if __name__ == "__main__":
    main(sys.argv[1:])
