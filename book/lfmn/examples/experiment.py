"""The two examples of the LFMN paper as experiments: lfmn-example-1 and lfmn-example-2.

    python -m book.lfmn.examples.experiment

Networks are trained on short sequences and tested on much longer ones, by the sign of each output at the last step.
Training is full-batch iRprop-, which suits vanishing gradients: it uses the signs of the gradient only, so the step of
a weight does not depend on the size of its gradient.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from book.shared.records import Records, begin, missing, versions
from throughtime.learning.optimizers import IRpropMinus
from throughtime.tasks import Labelled
from throughtime.tasks.counting import COUNT, ORDER, marked_noise
from throughtime.tasks.first_input import binary_code, first_input
from throughtime.textbook.lfmn import LFMN

NOISE = 0.2
GOAL = 0.8  # targets are +-GOAL: outputs of +-1 would need infinite weights
ONSET_AND_ABOVE = (2.0, 3.0)  # range of initial self weights: the unit latches and its gradient does not vanish yet

TEST_LENGTH = 300
RUNS = Records("lfmn_examples.csv", ("task", "units", "seed"))
SEEDS = 100
SIGNS = np.array([[1.0], [-1.0]])  # targets of two words


class Outcome(NamedTuple):
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


def learn_first_input(classes: int, units: int, seed: int) -> Outcome:
    """Example 1: a network of ``units`` units with activation feedback learns the class of the first input.

    There is one static output per binary digit of the class. The loss covers the last 6 of 12 steps.
    """
    draw, draw_long = (partial(first_input, classes, *how, NOISE) for how in ((12, 6), (TEST_LENGTH, 24)))
    return _learn(f"{classes} classes", units, seed, draw, draw_long, binary_code(classes), graded=6, epochs=150)


def learn_words(words: Sequence[str], units: int, seed: int) -> Outcome:
    """Example 2: the same kind of network learns to tell two words of marks in noise.

    The loss covers the last 2 of 14 steps, with gaps of 2 between marks; in tests they are 60.
    """
    draw, draw_long = (partial(marked_noise, words, *how, NOISE) for how in ((14, 2, 12), (TEST_LENGTH, 60, 48)))
    return _learn(" or ".join(words), units, seed, draw, draw_long, SIGNS, graded=2, epochs=200)


def share_right(model: LFMN, theta: np.ndarray, sequences: Labelled, code: np.ndarray) -> float:
    """The share of ``sequences`` whose outputs at the last step all have the signs of their row of ``code``."""
    signs = np.sign(model.forward(theta, sequences.x).y[:, -1])
    return float(np.mean(np.all(signs == code[sequences.labels], axis=1)))


def _learn(task, units, seed, draw, draw_long, code, *, graded: int, epochs: int) -> Outcome:
    """Full-batch iRprop- (Igel and Huesken 2003) on the sequences of a seed, then a test on four times as many."""
    random = np.random.default_rng(seed)
    sequences = draw(random)
    _, length, lines = sequences.x.shape
    model = LFMN(lines, hidden=(0, 0, units), output=(code.shape[1], 0, 0))
    theta = model.init(random, scale=0.5)
    model.layout.views(theta)["v_hid"][:] = random.uniform(*ONSET_AND_ABOVE, units)
    targets = np.repeat(GOAL * code[sequences.labels][:, None], length, axis=1)
    mask = np.arange(length) >= length - graded
    optimizer = IRpropMinus(theta.size, first_step=0.1, smallest=1e-4, largest=1.0)
    for _ in range(epochs):
        theta = optimizer.step(theta, model.gradient(theta, sequences.x, targets, mask).gradient)
    shares = (share_right(model, theta, tried, code) for tried in (sequences, draw_long(random)))
    return Outcome(task, units, seed, *shares)


CELLS: dict[tuple[str, int], Callable[[int], Outcome]] = {
    (f"{classes} classes", units): partial(learn_first_input, classes, units)
    for classes in (2, 3, 4, 5)
    for units in (1, 2, 3)
} | {
    (" or ".join(words), units): partial(learn_words, words, units)
    for words, units in ((ORDER, 1), (COUNT, 3), (COUNT, 8))
}
"""The trainings of the chapter, by task and number of units."""


def stored(task: str, units: int) -> list[Outcome]:
    """The stored runs of one task and number of units, in the order of their seeds."""
    rows = RUNS.read(units=int, seed=int, trained=float, tested=float)
    found = [Outcome(*(row[field] for field in Outcome._fields)) for row in rows]
    return sorted(one for one in found if (one.task, one.units) == (task, units))


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the file yet."""
    first = begin(__doc__, arguments, RUNS)
    todo = {(*cell, seed): (learn, seed) for seed in range(SEEDS) for cell, learn in CELLS.items()}
    for _, (learn, seed) in missing(RUNS, todo, first):
        RUNS.add([learn(seed)._asdict() | versions()])


if __name__ == "__main__":
    main(sys.argv[1:])
