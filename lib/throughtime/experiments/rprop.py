"""The Rprop family on the mean error of the bit counter and on temporal XOR, beside gradient descent.

    python -m throughtime.experiments.rprop          all runs, some minutes; goes on where it stopped
    python -m throughtime.experiments.rprop --again  the same from the beginning

One line a run goes to ``throughtime/data``. A seed has the same start under every method.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from throughtime.experiments.records import Records, begin, missing, versions
from throughtime.models.recurrent import Elman
from throughtime.optimizers import (
    GradientDescent,
    IRpropMinus,
    IRpropPlus,
    Momentum,
    Optimizer,
    PrintedRprop,
    RpropMinus,
    RpropPlus,
)  # fmt: skip
from throughtime.tasks.temporal_xor import as_prediction, temporal_xor

LENGTH = 8  # bits of a sequence, as in the note
STEPS, SEEDS = 1000, 100
ROUGH, FINE = 1e-3, 1e-8  # mean errors that count as near and as solved
FIRST_STEPS = (0.001, 0.1, 1.0, 10.0)
RATE, MOMENTUM = 0.003, 0.9
SPREAD = 1.5  # of the weights at the start
TRIPLES, PASSES, HIDDEN, SCALE, NETS = 200, 200, 4, 1.0, 10

FAMILY: dict[str, type[Optimizer]] = {
    "Rprop+": RpropPlus,
    "Rprop-": RpropMinus,
    "iRprop+": IRpropPlus,
    "iRprop-": IRpropMinus,
    "as printed": PrintedRprop,
}
RUNS = Records("rprop.csv", ("task", "method", "first_step", "seed"))


def error_and_gradient(theta: np.ndarray, length: int = LENGTH) -> tuple[float, np.ndarray]:
    """The mean error over all sequences of that many bits, as ``counting_error`` has it, and its gradient.

    One number after another: some starts of gradient descent are chaotic, and sums and powers of NumPy, whose last bits
    depend on the processor, would lead them elsewhere on another machine.
    """
    v_x, v_f = map(float, theta)
    total = squares = by_v_x = by_v_f = sum_x = sum_f = 0.0
    power, slope = 1.0, 0.0  # v_f^k and its derivative
    for _ in range(length):
        c, d = v_x * power - 1.0, v_x * slope
        squares, by_v_x, by_v_f = squares + c * c, by_v_x + c * power, by_v_f + c * d
        total, sum_x, sum_f = total + c, sum_x + power, sum_f + d
        power, slope = power * v_f, slope * v_f + power
    error = (squares + total * total) / 8
    return error, np.array([by_v_x + total * sum_x, by_v_f + total * sum_f]) / 4


def path(
    optimizer: Optimizer, start: Iterable[float], steps: int, *, length: int = LENGTH, until: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """[v_x, v_f] before and after each step, (n + 1, 2), and the mean error there; n is ``steps``.

    Or less: it ends where the error is at most ``until``, and where the numbers leave float64.
    """
    theta, places, errors = np.array(start, float), [], []
    for _ in range(steps + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            error, slope = error_and_gradient(theta, length)
        if not (np.isfinite(error) and np.isfinite(slope).all()):
            break
        places.append(theta)
        errors.append(error)
        if error <= until:
            break
        theta = optimizer.step(theta, slope, error)
    return np.array(places), np.array(errors)


def steps_until(errors: np.ndarray, bound: float) -> int | None:
    """After how many steps an error is at most ``bound`` for the first time; None if it never is."""
    reached = np.flatnonzero(errors <= bound)
    return int(reached[0]) if len(reached) else None


def start(seed: int) -> np.ndarray:
    """Weights drawn uniformly from [-1.5, 1.5], (2,)."""
    return np.random.default_rng(seed).uniform(-SPREAD, SPREAD, 2)


def descents() -> list[tuple[str, float, Callable[[int], Optimizer]]]:
    """Method, first step or rate, and what makes a fresh optimizer for so many weights."""
    family = [
        (name, step, lambda size, kind=kind, step=step: kind(size, step))
        for step in FIRST_STEPS
        for name, kind in FAMILY.items()
    ]
    return [
        *family,
        ("gradient descent", RATE, lambda size: GradientDescent(size, RATE)),
        ("momentum", RATE, lambda size: Momentum(size, RATE, MOMENTUM)),
    ]


def count_bits(make: Callable[[int], Optimizer], seed: int) -> dict[str, Any]:
    """One run on the bit counter."""
    _, errors = path(make(2), start(seed), STEPS, until=FINE)
    return {"rough": steps_until(errors, ROUGH), "fine": steps_until(errors, FINE), "error": errors.min()}


def predict_xor(make: Callable[[int], Optimizer], seed: int) -> dict[str, Any]:
    """One Elman net on temporal XOR, with the exact gradient; the error is the least squared one a prediction."""
    model = Elman(1, HIDDEN, 1, start=0.5)
    x, targets = as_prediction(temporal_xor(TRIPLES, seed=0))
    theta, errors = model.init(seed, SCALE), []
    optimizer = make(theta.size)
    for _ in range(PASSES):
        result = model.gradient(theta, x, targets)
        errors.append(2 * result.loss / targets.size)
        theta = optimizer.step(theta, result.gradient, result.loss)
    return {"rough": None, "fine": None, "error": min(errors)}


TASKS = {"bit counter": (count_bits, SEEDS), "temporal XOR": (predict_xor, NETS)}
SETTINGS: dict[str, dict[str, Any]] = {
    "bit counter": {"steps": STEPS, "spread": SPREAD, "length": LENGTH, "bounds": (ROUGH, FINE), "net": None},
    "temporal XOR": {"steps": PASSES, "spread": SCALE, "length": 3 * TRIPLES, "bounds": None, "net": f"Elman {HIDDEN}"},
}


def rules(optimizer: Optimizer) -> dict[str, Any]:
    """The numbers that the optimizer goes by, None for those that it has not."""
    names = ("grow", "shrink", "smallest", "largest", "momentum")
    return {name: getattr(optimizer, name, None) for name in names}


def stored() -> list[dict]:
    """The lines of the file with numbers for numbers, None for a bound that was not reached."""
    rows = RUNS.read()
    for row in rows:
        row |= {name: None if row[name] == "None" else int(row[name]) for name in ("rough", "fine")}
        row |= {"first_step": float(row["first_step"]), "seed": int(row["seed"]), "error": float(row["error"])}
    return rows


def main(arguments: Sequence[str] = ()) -> None:
    """All runs that the file does not have yet."""
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
