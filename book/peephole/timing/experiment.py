"""A net of 2002 without peepholes that puts out a wave of 25 steps without end (peephole-pfg), fitted by least squares.

    python -m book.peephole.timing.experiment

Gauss and Newton's step with Marquardt's damping moves many nets at once, on 2, 4 and 10 periods in turn; after each the
better half is kept. The wave need not be learnt by the rule of the paper here: the question is whether weights exist.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from book.experiments.timed import TEST, compiled
from book.experiments.timing import TARGET, Wave
from book.shared.records import Records, begin, missing, versions
from throughtime.arrays.activations import logistic

WAVE = Wave("cosine", 25)
NAMES = ("w_fg", "b_fg", "w_ig", "b_ig", "w_og", "b_og", "w_block", "b_block", "w_out", "b_out")
STARTS, STAGES, ROUNDS = 64, (2, 4, 10), 80
EARLY, WEIGHT = 2, 6.0  # an error in the first periods counts more, since a net begins far from its cycle
RECORD = Records("wave_without_peepholes.csv", ("weight",))
Errors = Callable[[np.ndarray], np.ndarray]


def target(periods: int) -> np.ndarray:
    """The wave at t = 1, 2, ..."""
    return WAVE.tape(periods, np.random.default_rng(0))[TARGET]


def outputs(nets: np.ndarray, steps: int) -> np.ndarray:
    """Outputs (n, steps) of nets (n, 10) whose weights are in the order of ``NAMES``; there is no input."""
    w_fg, b_fg, w_ig, b_ig, w_og, b_og, w_block, b_block, w_out, b_out = nets.T
    s = y = np.zeros(len(nets))
    found = np.empty((len(nets), steps))
    for t in range(steps):
        y_fg, y_ig, y_og = logistic(w_fg * y + b_fg), logistic(w_ig * y + b_ig), logistic(w_og * y + b_og)
        s = y_fg * s + y_ig * (w_block * y + b_block)
        y = y_og * s
        found[:, t] = w_out * y + b_out
    return found


def fitted(nets: np.ndarray, errors: Errors, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Nets (n, k) moved to smaller sums of squares of their errors (n, m), and these sums."""
    change, eye, damping = 1e-6, np.eye(nets.shape[1]), np.full((len(nets), 1, 1), 0.01)
    e = errors(nets)
    loss = (e**2).sum(axis=1)
    for _ in range(rounds):
        slopes = np.stack([(errors(nets + change * one) - e) / change for one in eye], axis=2)
        normal = slopes.transpose(0, 2, 1) @ slopes
        damped = normal + damping * eye * (normal + 1e-6)
        step = np.linalg.solve(damped, slopes.transpose(0, 2, 1) @ e[:, :, None])[:, :, 0]
        tried = nets - step.clip(-1.0, 1.0)
        e_tried = errors(tried)
        better = ((e_tried**2).sum(axis=1) < loss)[:, None]
        nets, e = np.where(better, tried, nets), np.where(better, e_tried, e)
        loss = (e**2).sum(axis=1)
        damping = np.where(better[:, :, None], damping / 3.0, damping * 4.0).clip(1e-9, 1e9)
    return nets, loss


def search(seed: int = 0) -> np.ndarray:
    """The net with the least largest error over the periods of a test, of ``STARTS`` drawn ones."""
    nets = np.random.default_rng([2002, seed]).uniform(-1.0, 1.0, (STARTS, len(NAMES)))
    nets[:, NAMES.index("b_fg")] += 2.0
    for periods in STAGES:
        goal = target(periods)
        weight = np.where(np.arange(len(goal)) < EARLY * WAVE.period, WEIGHT, 1.0)
        nets, loss = fitted(nets, lambda some: weight * (outputs(some, len(goal)) - goal), ROUNDS)  # noqa: B023 - at once
        nets = nets[np.argsort(loss)[: len(nets) // 2]]
    goal = target(TEST)
    return nets[np.abs(outputs(nets, len(goal)) - goal).max(axis=1).argmin()]


def stored() -> dict[str, float]:
    """The weights in the file by name."""
    return {line["weight"]: float(line["value"]) for line in RECORD.read()}


def trace(periods: int) -> Any:
    """The compiled net of the timing tasks without peepholes, by these weights, over a number of periods."""
    net, weights = compiled(peepholes=False, squash="identity"), stored()
    theta = np.zeros(net.layout.size)
    for name, view in net.layout.views(theta).items():
        view.reshape(-1)[-1] = weights[name]  # the last is that from the cell output; there is no input
    return net.forward(theta, np.zeros((periods * WAVE.period, 1)))


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: search, and store the net that was found."""
    first = begin(__doc__, arguments, RECORD)
    for _ in missing(RECORD, {("b_out",): 0}, first):
        found = zip(NAMES, search(), strict=True)
        RECORD.add([{"weight": name, "value": repr(float(value))} | versions() for name, value in found])


if __name__ == "__main__":
    main(sys.argv[1:])
