"""Which nets of complex linear units learn to keep one bit: moduli near 0.5 and near 1, with and without a bound.

    python -m book.beyond.diagonal_recurrence.experiment

The self weights are weights as they are ("direct", alpha and beta) or modulus and phase ("polar", exp(-exp(nu)) and
2 arctan(chi)). Every way of starting is first trained with each rate of ``RATES`` from ``TUNING`` starts, then with its
best one from 100 others. A seed has the same start and the same sequences with both kinds of self weights.
"""

import math
import sys
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from book.beyond.diagonal_recurrence.checks import compiled
from book.shared.records import Records, begin, missing, versions
from throughtime.learning.optimizers import Adam
from throughtime.programs import CompiledNetwork
from throughtime.tasks.adding import adding
from throughtime.tasks.first_input import first_input

UNITS, SEEDS, TUNING = 8, 100, 3
COPIES, UPDATES, NOISE, PROBES = 10, 300, 0.01, 100
RATES = (0.003, 0.01, 0.03)
LAGS = (10, 30, 100)
MODULI = {"0.5": (0.4, 0.6), "1": (0.99, 0.999)}
"""Ranges of the moduli at the start, by what they are near to."""
WEIGHTS = {"direct": "complex linear", "polar": "polar"}
"""Names of the nets, by how their self weights are given."""
PHASES = np.pi / 4
"""The largest phase at the start."""

RUNS = Records("diagonal_bit.csv", ("weights", "moduli", "lag", "rate", "seed"))


class Result(NamedTuple):
    """Share of right signs; mean squared error with twice the lag; largest modulus of a self weight."""

    right: float
    double: float
    largest: float


def network(weights: str) -> CompiledNetwork:
    """Eight complex units with two inputs and one output."""
    return compiled(WEIGHTS[weights], UNITS, 2)


def start(weights: str, moduli: str, random: np.random.Generator) -> np.ndarray:
    """Moduli and phases uniform, normal weights; gamma makes the variance of a state under white input that of e."""
    modulus, phase = random.uniform(*MODULI[moduli], UNITS), random.uniform(0, PHASES, UNITS)
    drawn = {name: random.normal(size=(UNITS, 2)) / np.sqrt(2) for name in ("W_re", "W_im")}
    drawn |= {name: random.normal(size=(1, UNITS)) / np.sqrt(UNITS) for name in ("W_out", "W_out_im")}
    drawn |= {"b_out": np.zeros(1), "gamma": np.sqrt(1 - modulus**2)}
    if weights == "direct":
        drawn |= {"alpha": modulus * np.cos(phase), "beta": modulus * np.sin(phase)}
    else:
        drawn |= {"nu": np.log(-np.log(modulus)), "chi": np.tan(phase / 2)}
    return network(weights).layout.flatten(drawn)


def problem(lag: int, copies: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, targets and mask: the class of the first input, -1 or 1, is asked for `lag` steps later."""
    drawn = first_input(2, lag + 1, copies, NOISE, random)
    targets, mask = np.zeros((len(drawn.x), lag + 1, 1)), np.zeros((len(drawn.x), lag + 1))
    targets[:, -1, 0], mask[:, -1] = 2 * drawn.labels - 1, 1
    return drawn.x, targets, mask


def largest_modulus(weights: str, theta: np.ndarray) -> float:
    """Of the self weights."""
    parts = network(weights).layout.views(theta)
    if weights == "direct":
        return float(np.hypot(parts["alpha"], parts["beta"]).max())
    return float(np.exp(-np.exp(parts["nu"])).max())


def train(weights: str, moduli: str, lag: int, rate: float, seed: int, updates: int = UPDATES) -> Result:
    """A net after training by Adam; one that overflows has nothing right."""
    net, random = network(weights), np.random.default_rng(seed)
    theta = start(weights, moduli, random)
    optimizer = Adam(len(theta), rate)
    try:
        for _ in range(updates):
            found = net.gradient(theta, *problem(lag, COPIES, random), method="bptt")
            theta = optimizer.step(theta, found.gradient / COPIES)
        answers = [answer(net, theta, length) for length in (lag, 2 * lag)]
    except (ArithmeticError, ValueError):
        return Result(0.0, math.inf, math.nan)
    right = float(np.mean(np.sign(answers[0][0]) == answers[0][1]))
    return Result(right, float(np.mean((answers[1][0] - answers[1][1]) ** 2)), largest_modulus(weights, theta))


def answer(net: CompiledNetwork, theta: np.ndarray, lag: int) -> tuple[np.ndarray, np.ndarray]:
    """Last outputs on the probes with a lag, and the bits."""
    x, targets, _ = problem(lag, PROBES, np.random.default_rng(10**6))
    return net.forward(theta, x).y[:, -1, 0], targets[:, -1, 0]


def record(weights: str, moduli: str, lag: int, rate: float, seed: int) -> None:
    """Train one net and store it."""
    found = train(weights, moduli, lag, rate, seed)._asdict()
    row = {"weights": weights, "moduli": moduli, "lag": lag, "rate": rate, "seed": seed}
    settings = {"units": UNITS, "copies": COPIES, "updates": UPDATES, "noise": NOISE}
    RUNS.add([row | found | settings | versions()])


def best_rate(weights: str, moduli: str, lag: int) -> float:
    """The rate with the largest mean share of right signs over the starts for tuning, the smaller one if equal."""
    by_rate: dict[float, list[float]] = {rate: [] for rate in RATES}
    for row in RUNS.read():
        if (row["weights"], row["moduli"], row["lag"]) == (weights, moduli, str(lag)) and int(row["seed"]) >= SEEDS:
            by_rate[float(row["rate"])].append(float(row["right"]))
    if any(len(shares) < TUNING for shares in by_rate.values()):
        raise ValueError(f"{weights}, {moduli}, {lag}: expected {TUNING} starts with each of {RATES}")
    return max(RATES, key=lambda rate: float(np.mean(by_rate[rate])))


def shares(weights: str, moduli: str, lag: int) -> list[dict[str, str]]:
    """The rows of the 100 nets that are compared."""
    chosen = weights, moduli, str(lag)
    rows = (row for row in RUNS.read() if (row["weights"], row["moduli"], row["lag"]) == chosen)
    return [row for row in rows if int(row["seed"]) < SEEDS]


# ---- minGRU units that learn the adding problem on line

STEPS, NETS, SEQUENCES, NEW, STEP_SIZE = 20, 100, 40_000, 500, 0.3
BIASES = (0.0, -2.0)
SOLVED = 0.002


def on_line() -> CompiledNetwork:
    """A layer of minGRU units with two inputs and one output."""
    return compiled("minGRU", 2, 2)


def starts(bias: float, nets: int = NETS) -> np.ndarray:
    """Weights of the nets, (nets, size), uniform on [-0.5, 0.5] but for the biases of the gates."""
    net = on_line()
    weights = np.stack([net.init(seed, 0.5) for seed in range(nets)])
    for one in weights:
        net.layout.views(one)["b_z"][:] = bias
    return weights


@cache
def stream(copies: int, seed: int) -> tuple[np.ndarray, ...]:
    """Sequences of the adding problem one after the other: inputs, targets, mask of last steps, first steps."""
    drawn = adding(STEPS, copies, seed)
    targets, mask = drawn.by_step()
    inside = np.arange(drawn.x.shape[1]) < drawn.lengths[:, None]
    first = np.broadcast_to(np.arange(drawn.x.shape[1]) == 0, inside.shape)
    return drawn.x[inside], targets[inside], mask[inside][:, 0], first[inside].astype(float)


def errors(weights: np.ndarray) -> np.ndarray:
    """Mean squared error of each net on new sequences."""
    *problem, first = stream(NEW, 10**6)
    return 2 * on_line().learner(weights, rate=0.0).run(*problem, starts=first).loss / NEW


# ---- the command line


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the file yet."""
    first = begin(__doc__, arguments, RUNS)
    cells = [(weights, moduli, lag) for lag in LAGS for weights in WEIGHTS for moduli in MODULI]
    seeds = range(SEEDS, SEEDS + TUNING)
    tuning = {(*cell, rate, seed): (*cell, rate, seed) for cell in cells for rate in RATES for seed in seeds}
    for _, run in missing(RUNS, tuning, first):
        record(*run)
    if first is None:
        best = {cell: best_rate(*cell) for cell in cells}
        todo = {(*cell, best[cell], seed): (*cell, best[cell], seed) for cell in cells for seed in range(SEEDS)}
        for _, run in missing(RUNS, todo):
            record(*run)


if __name__ == "__main__":
    main(sys.argv[1:])
