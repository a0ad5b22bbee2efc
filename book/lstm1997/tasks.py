"""Small long-lag tasks for the LSTM of 1997, each with its net, initial parameters and learning rate.

The tasks are close to those of the paper, with shorter lags. As in the paper, the outputs depend on the cells of the
same step, the gates have biases, training is online and the error counts at the end of a sequence only.

>>> setup = LATCH_20
>>> model, theta = setup.model(), setup.start(seed=0)
>>> sequences = setup.draw(3, np.random.default_rng(0))
>>> sequences.x.shape, model.layout.size == len(theta)
((3, 20, 2), True)
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from throughtime.programs import CompiledNetwork
from throughtime.programs.learner import Learner, Ran
from throughtime.systems.lstm1997 import y
from throughtime.tasks import AtEnd
from throughtime.tasks.adding import adding
from throughtime.tasks.first_input import first_input
from throughtime.tasks.temporal_order import temporal_order
from throughtime.textbook.lstm1997 import LSTM1997

NOISE = 0.2
SHAPES = {"latch": (2, 2, 1, 1), "adding": (2, 2, 2, 1), "order": (8, 2, 2, 4)}  # inputs, blocks, cells, outputs
METHODS = ("truncated", "bptt")  # of gradients: the paper's, and the exact one
CHUNK = 100  # sequences between two checks of the results
ENOUGH = 1000  # sequences in a row that have to be right


class Ended(NamedTuple):
    """Result of a run of training: whether the task was solved, number of sequences taken, final parameters."""

    solved: bool
    sequences: int
    theta: np.ndarray


_compiled = cache(LSTM1997.compile)


@dataclass
class Backwards:
    """On-line descent as by a ``Learner``, with the exact gradient through time; carried forward it compiles long."""

    net: CompiledNetwork
    theta: np.ndarray
    rate: float

    def run(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, starts: np.ndarray) -> Ran:
        """Take sequences one behind the other, (T, ...) in all; ``starts`` is true where one begins."""
        loss, watched = 0.0, []
        for first, end in pairwise([*np.flatnonzero(starts), len(x)]):
            watched.append(self.net.forward(self.theta, x[first:end]).y[1:])
            found = self.net.gradient(self.theta, x[first:end], targets[first:end], mask[first:end], "bptt")
            loss += found.loss
            self.theta = self.theta - self.rate * found.gradient
        return Ran(loss, np.concatenate(watched))


def descent(model: LSTM1997, theta: np.ndarray, method: str, rate: float) -> Learner | Backwards:
    """On-line descent in which the weights move at the end of each sequence, by one of ``METHODS``."""
    net = _compiled(model)
    if method == "bptt":
        return Backwards(net, theta, rate)
    return net.learner(theta, method, rate=rate, moved="sequence", watch=y)


@dataclass(frozen=True)
class Trial:
    """Base of the trainable setups; a subclass defines ``model()``, ``biases`` and ``draw(copies, random)``.

    ``rate`` is the learning rate, ``tolerance`` how far a last output has to be from its target to be wrong.
    """

    rate: float
    tolerance, scale = 0.3, 0.1

    def start(self, seed: int | np.random.Generator) -> np.ndarray:
        """Initial parameters, uniform on [-scale, scale], with ``biases`` added, (parameters,)."""
        model = self.model()
        theta = model.init(seed, self.scale)
        for name, bias in self.biases.items():
            model.layout.views(theta)[name] += bias
        return theta

    def goals(self, sequences: AtEnd) -> tuple[np.ndarray, np.ndarray]:
        """Targets and mask of every step, (N, T, outputs) each: the error counts at the last step only."""
        return sequences.by_step()

    def run(
        self, seed: int, cap: int, method: str = "truncated", look: Callable[[int, np.ndarray], Any] | None = None
    ) -> Ended:
        """Train on line until ``ENOUGH`` sequences in a row were right or at least ``cap`` sequences are taken.

        A sequence is right if all its last outputs, before its update, are less than ``tolerance`` from their targets.
        The method is one of ``METHODS``. ``look(taken, theta)`` is called before every chunk of ``CHUNK`` sequences
        and at the end; training goes on from parameters that it returns, if any.
        """
        random = np.random.default_rng(seed)
        learner, row, taken = descent(self.model(), self.start(random), method, self.rate), 0, 0
        while row < ENOUGH and taken < cap:
            if look and (other := look(taken, learner.theta)) is not None:
                learner.theta = other
            sequences = self.draw(CHUNK, random)
            outputs, taken = last_outputs(learner, sequences, *self.goals(sequences)), taken + CHUNK
            row = row + CHUNK if np.all(np.abs(outputs - sequences.targets) < self.tolerance) else 0
        if look:
            look(taken, learner.theta)
        return Ended(row >= ENOUGH, taken, learner.theta)


def last_outputs(learner: Learner | Backwards, sequences: AtEnd, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Learn the sequences one after another; their outputs at the last step, before their update, (N, outputs)."""
    steps = np.arange(sequences.x.shape[1])
    taken = steps < sequences.lengths[:, None]
    starts = np.broadcast_to(steps == 0, taken.shape)
    ran = learner.run(sequences.x[taken], targets[taken], mask[..., 0][taken], starts[taken])
    if not np.isfinite(ran.loss):
        raise FloatingPointError("loss: a sequence has none that is finite")
    return ran.watched[np.cumsum(sequences.lengths) - 1]


@dataclass(frozen=True)
class Setup(Trial):
    """A task with its net and initial parameters.

    task        ``"latch"``: the first input codes one of two classes, noise follows; ``"adding"``: sum of two marked
                values; ``"order"``: two distant symbols X or Y, to be classified as XX, XY, YX or YY
    length      steps of a sequence, of the shortest one where lengths vary
    ig, og      added to the biases of the input and output gates, one value per block
    scale       initial parameters are uniform on [-scale, scale], before ``ig`` and ``og`` are added
    """

    task: str
    length: int
    ig: tuple[float, float]
    og: tuple[float, float] = (0.0, 0.0)
    scale: float = 0.1

    @property
    def tolerance(self) -> float:
        """That of the task."""
        return 0.15 if self.task == "adding" else 0.3

    @property
    def name(self) -> str:
        """Key of the setup in the files: task, length, and the scale if it is not 0.1."""
        return f"{self.task} {self.length}" + (f", scale {self.scale:g}" if self.scale != 0.1 else "")

    def model(self) -> LSTM1997:
        """Two blocks, biases everywhere, no hidden units besides the cells."""
        return LSTM1997(*SHAPES[self.task], timing="same", bias=True)

    @property
    def biases(self) -> dict[str, tuple[float, float]]:
        """What is added to the biases of the gates."""
        return {"b_ig": self.ig, "b_og": self.og}

    def draw(self, copies: int, random: np.random.Generator) -> AtEnd:
        """``copies`` sequences in random order; with an even number both classes of the latch are equally frequent."""
        if self.task == "adding":
            return adding(self.length, copies, random)
        if self.task == "order":
            tenth = self.length // 10
            windows = ((tenth, 2 * tenth), (5 * tenth, 6 * tenth))
            return temporal_order(windows, (self.length, self.length + tenth), copies, random)
        x, labels = first_input(2, self.length, (copies + 1) // 2, NOISE, random)
        order = random.permutation(len(labels))[:copies]
        return AtEnd(x[order], np.full(copies, self.length), labels[order, None].astype(float))


LATCH_20 = Setup(1.0, "latch", 20, ig=(-1.0, -2.0))
SETUPS = (
    Setup(1.0, "latch", 10, ig=(-1.0, -2.0)),
    LATCH_20,
    Setup(1.0, "latch", 50, ig=(-1.0, -2.0)),
    Setup(0.5, "adding", 30, ig=(-3.0, -6.0)),
    Setup(0.5, "order", 30, ig=(-2.0, -4.0)),
    Setup(0.5, "order", 60, ig=(-2.0, -4.0)),
    Setup(1.0, "latch", 20, ig=(0.0, 0.0), scale=1.0),
    Setup(0.5, "order", 30, ig=(0.0, 0.0), scale=1.0),
)
