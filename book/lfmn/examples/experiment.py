"""The two examples of the LFMN paper as experiments: lfmn-example-1 and lfmn-example-2.

    python -m book.lfmn.examples.experiment
    python -m book.lfmn.examples.experiment --again

The first command trains all missing networks (some minutes), the second removes the stored runs and trains all again.

Networks are trained on short sequences and tested on much longer ones, by the sign of each output at the last step.
Training is full-batch iRprop-, which suits vanishing gradients: it uses the signs of the gradient only, so the step of
a weight does not depend on the size of its gradient.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from book.shared.records import Records, begin, missing, versions
from throughtime.arrays.parameters import LossGradient
from throughtime.learning.optimizers import IRpropMinus
from throughtime.tasks import Labelled
from throughtime.tasks.counting import COUNT, ORDER, marked_noise
from throughtime.tasks.first_input import binary_code, first_input
from throughtime.textbook.lfmn import LFMN

NOISE = 0.2
GOAL = 0.8  # targets are +-GOAL: outputs of +-1 would need infinite weights
ONSET_AND_ABOVE = (2.0, 3.0)  # range of initial self weights: the unit latches and its gradient does not vanish yet

GROW, SHRINK = 1.2, 0.5
FIRST_STEP, SMALLEST_STEP, LARGEST_STEP = 0.1, 1e-4, 1.0

RUNS = Records("lfmn_examples.csv", ("task", "units", "seed"))
SEEDS = 100
SIGNS = ((1.0,), (-1.0,))


@dataclass(frozen=True)
class Outcome:
    """One trained network and the shares, from 0 to 1, of sequences that it classifies correctly."""

    task: str
    units: int
    seed: int
    trained: float  # share of the training sequences
    tested: float  # share of the long test sequences

    @property
    def success(self) -> bool:
        """Whether every long sequence is classified correctly."""
        return self.tested == 1.0


def success_rate(outcomes: Iterable[Outcome]) -> float:
    """The share of networks with ``success``, from 0 to 1."""
    return float(np.mean([outcome.success for outcome in outcomes]))


def learn_first_input(
    classes: int,
    units: int,
    seeds: Iterable[int],
    *,
    length: int = 12,
    test_length: int = 300,
    copies: int = 6,
    graded: int = 6,
    epochs: int = 150,
    self_weights: tuple[float, float] = ONSET_AND_ABOVE,
) -> list[Outcome]:
    """Example 1: networks of ``units`` units with activation feedback learn the class of the first input; one per seed.

    There is one static output per binary digit of the class. The loss covers the last ``graded`` steps.

    classes, length, copies    of the training sequences, as for ``first_input``; four times as many test sequences
    test_length                length of the test sequences
    self_weights               range of the initial self weights v

    Errors as for ``first_input`` and ``LFMN``.
    """
    draw = partial(first_input, classes, length, copies, NOISE)
    draw_long = partial(first_input, classes, test_length, 4 * copies, NOISE)
    learn = partial(_learn, f"{classes} classes", units, draw, draw_long, binary_code(classes))
    return [learn(graded, epochs, self_weights, seed) for seed in seeds]


def learn_words(
    words: Sequence[str],
    code: Sequence[Sequence[float]],
    units: int,
    seeds: Iterable[int],
    *,
    length: int = 14,
    gap: int = 2,
    test_length: int = 300,
    test_gap: int = 60,
    copies: int = 12,
    graded: int = 2,
    epochs: int = 200,
    self_weights: tuple[float, float] = ONSET_AND_ABOVE,
) -> list[Outcome]:
    """Example 2: the same kind of network learns to classify words of marks in noise; one network per seed.

    words, length, gap, copies    of the training sequences, as for ``marked_noise``; four times as many test sequences
    code                          (words, outputs), the target signs +-1 of each word
    test_length, test_gap         of the test sequences

    The other arguments as for ``learn_first_input``, errors as for ``marked_noise`` and ``LFMN``.
    """
    draw = partial(marked_noise, words, length, gap, copies, NOISE)
    draw_long = partial(marked_noise, words, test_length, test_gap, 4 * copies, NOISE)
    learn = partial(_learn, " or ".join(words), units, draw, draw_long, np.asarray(code, float))
    return [learn(graded, epochs, self_weights, seed) for seed in seeds]


def share_right(model: LFMN, theta: np.ndarray, sequences: Labelled, code: np.ndarray) -> float:
    """The share of ``sequences`` whose outputs at the last step all have the signs of their row of ``code``."""
    signs = np.sign(model.forward(theta, sequences.x).y[:, -1])
    return float(np.mean(np.all(signs == code[sequences.labels], axis=1)))


def train(gradient: Callable[[np.ndarray], LossGradient], theta: np.ndarray, epochs: int) -> np.ndarray:
    """The parameters after ``epochs`` steps of iRprop- (Igel and Huesken 2003); ``theta`` is not changed."""
    theta = theta.copy()
    bounds = {"smallest": SMALLEST_STEP, "largest": LARGEST_STEP}
    optimizer = IRpropMinus(theta.size, FIRST_STEP, grow=GROW, shrink=SHRINK, **bounds)
    for _ in range(epochs):
        theta = optimizer.step(theta, gradient(theta).gradient)
    return theta


def _learn(task, units, draw, draw_long, code, graded, epochs, self_weights, seed) -> Outcome:
    random = np.random.default_rng(seed)
    sequences = draw(random)
    _, length, lines = sequences.x.shape
    model = LFMN(lines, hidden=(0, 0, units), output=(code.shape[1], 0, 0))
    theta = model.init(random, scale=0.5)
    model.layout.views(theta)["v_hid"][:] = random.uniform(*self_weights, units)
    targets = np.repeat(GOAL * code[sequences.labels][:, None], length, axis=1)
    mask = np.arange(length) >= length - graded
    theta = train(lambda at: model.gradient(at, sequences.x, targets, mask), theta, epochs)
    shares = (share_right(model, theta, tried, code) for tried in (sequences, draw_long(random)))
    return Outcome(task, units, seed, *shares)


# --- many runs, stored --------------------------------------------------------------------------------------


CELLS: dict[tuple[str, int], Callable[[Iterable[int]], list[Outcome]]] = {
    (f"{classes} classes", units): partial(learn_first_input, classes, units)
    for classes in (2, 3, 4, 5)
    for units in (1, 2, 3)
} | {
    (" or ".join(words), units): partial(learn_words, words, SIGNS, units)
    for words, units in ((ORDER, 1), (COUNT, 3), (COUNT, 8))
}
"""The trainings of the chapter, by task and number of units."""


def record(outcome: Outcome) -> None:
    """Write the line of one run to ``RUNS``."""
    row = {"task": outcome.task, "units": outcome.units, "seed": outcome.seed}
    RUNS.add([row | {"trained": outcome.trained, "tested": outcome.tested} | versions()])


def stored(task: str, units: int) -> list[Outcome]:
    """The stored runs of one task and number of units, in the order of their seeds."""
    rows = (row for row in RUNS.read() if (row["task"], row["units"]) == (task, str(units)))
    found = [Outcome(task, units, int(row["seed"]), float(row["trained"]), float(row["tested"])) for row in rows]
    return sorted(found, key=lambda outcome: outcome.seed)


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the file yet."""
    first = begin(__doc__, arguments, RUNS)
    todo = {(*cell, seed): (learn, seed) for seed in range(SEEDS) for cell, learn in CELLS.items()}
    for _, (learn, seed) in missing(RUNS, todo, first):
        record(*learn([seed]))


if __name__ == "__main__":
    main(sys.argv[1:])
