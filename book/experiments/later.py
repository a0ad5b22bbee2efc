"""Nets of 1997 with one idea of the years after added alone, on rows of the paper that are run by its letter.

Weights, sequences, learning rate, stopping rule and tests are those of the row's trial of the same number. A forget
gate changes the net and is learnt by the same program. The other ideas change how the weights move after a sequence:
the functions below do that, compiled together with a learner, and for the exact gradient with its adjoint sweep.
"""

from __future__ import annotations

import inspect
import time
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from zlib import crc32

import numpy as np
import throughtime as tt
from book.experiments import net as nets
from book.experiments import reber, sequences, tasks, trial
from book.experiments import system as s
from book.experiments.reading import READINGS as LETTERS
from book.experiments.rows import ROWS, Row
from book.experiments.trial import Trial
from throughtime.programs import CompiledNetwork
from throughtime.programs.build import module
from throughtime.programs.learner import OPTIONS, Learner, Ran

FILE = "experiments_later.csv"
MAGNIFIED = 2.0**40  # a move by this rate is the gradient, without the rounding of the weights


@dataclass(frozen=True)
class Idea:
    """One later idea.

    exact       the gradient is the exact one
    forget      bias of the forget gates at the start; None without them
    clip        the norm that a gradient of a sequence has at most
    adam        the rate of Adam, in place of the row's rate of gradient descent
    """

    exact: bool = False
    forget: float | None = None
    clip: float = np.inf
    adam: float | None = None


SETTINGS = {
    "exact": [Idea(exact=True)],
    "forget": [Idea(forget=bias) for bias in (1.0, 3.0, 5.0)],
    "clip": [Idea(clip=norm) for norm in (0.01, 0.1, 1.0)],
    "adam": [Idea(adam=rate) for rate in (0.001, 0.003, 0.01)],
}
READINGS = {"exact": Idea(exact=True)} | {
    f"{name}-{getattr(idea, name):g}": idea for name, some in SETTINGS.items() if name != "exact" for idea in some
}


@dataclass(frozen=True)
class LaterRow:
    """A row of the paper, by its letter, that one later idea is added to.

    first       of the numbers of its trials in the paper's row: those from 100 on choose the setting of an idea
    """

    row: Row
    first: int = 0
    trials: int = 10

    @property
    def name(self) -> str:
        """What `experiments run` calls it."""
        return f"{self.row.name}-{'choose' if self.first else 'later'}"

    @property
    def cap(self) -> int:
        """Sequences after which a trial has failed."""
        return self.row.cap

    @property
    def steps(self) -> int:
        """Steps of a sequence, about."""
        return self.row.steps

    def planned(self, name: str) -> int:
        """Trials of a reading."""
        return self.trials

    def open_to(self, name: str) -> bool:
        """Whether a reading concerns this row; ValueError for one that is not there."""
        if name not in READINGS:
            raise ValueError(f"reading: expected one of {', '.join(READINGS)}, got {name!r}")
        return True


LATER = {
    row.name: row
    for name in ("3a-100-3", "4-100", "6a")
    for row in (LaterRow(ROWS[name]), LaterRow(ROWS[name], first=100, trials=3))
}


# ---- compiled with a learner's step


def held(length, x, mask, goal, theta, moved):  # type: ignore[no-untyped-def]
    """The truncated gradient of a sequence: what a learner has moved the weights by."""
    return (theta - moved) / MAGNIFIED


def swept(length, x, mask, goal, theta, moved):  # type: ignore[no-untyped-def]
    """The exact gradient of a sequence, by the adjoint sweep of the same net."""
    one = x.reshape(1, length, -1), mask.reshape(1, length), goal.reshape(1, length, -1)
    return batch(1, length, *one, *views(theta))[1]  # noqa: F821 - of the program of "bptt"


def start(lengths, x, mask, goal, seen, memory, moments, rate, clip, adam):  # type: ignore[no-untyped-def]
    """Take sequences, and move the weights after each.

    Memory is that of a learner, weights first; moments are the means and squares of Adam, the
    sequences taken, and those whose gradient was clipped.
    """
    size, first = len(moments) // 2 - 1, 0
    begins, ends = np.zeros(lengths.max()), np.zeros(lengths.max())
    begins[0] = 1.0
    for length in lengths:
        part = slice(first, first + length)
        theta = memory[:size].copy()
        ends[:] = 0.0
        ends[length - 1] = 1.0
        rows = x[part].reshape(-1), mask[part].reshape(-1), goal[part].reshape(-1)
        learn(length, *rows, begins, ends, seen[part].reshape(-1), memory, MAGNIFIED, 0.0)  # noqa: F821 - a learner's
        slope = gradient_of(length, *rows, theta, memory[:size])  # noqa: F821 - one of the two above
        norm = np.sqrt((slope * slope).sum())
        moments[-2] += 1.0
        if norm > clip:
            moments[-1] += 1.0
            slope = slope * (clip / norm)
        if adam:
            mean, square, taken = moments[:size], moments[size:-2], moments[-2]
            mean[:] = 0.9 * mean + 0.1 * slope
            square[:] = 0.999 * square + 0.001 * slope * slope
            slope = mean / (1.0 - 0.9**taken) / (np.sqrt(square / (1.0 - 0.999**taken)) + 1e-8)
        memory[:size] = theta - rate * slope
        first += length


class Moved:
    """A net whose weights move after each sequence as an idea says; it is used as a learner is."""

    def __init__(self, learner: Learner, idea: Idea, rate: float):
        self.learner, self.net, self.idea = learner, learner.net, idea
        self.rate = rate if idea.adam is None else idea.adam
        texts = [learner.source, *map(inspect.getsource, (swept if idea.exact else held, start))]
        if idea.exact:
            texts[0] = f"{self.net.source('bptt')}\n\n{texts[0]}\n\n{self._views()}"
        named = "\n\n".join([*texts[:1], f"MAGNIFIED = {MAGNIFIED}", *texts[1:]])
        self.source = named.replace("def held(", "def gradient_of(").replace("def swept(", "def gradient_of(")
        self._start = module(self.source, compiled=self.net.compiled is not False, **OPTIONS).start
        self._moments = np.zeros(2 * self.net.layout.size + 2)

    def _views(self) -> str:
        """The text of a function that returns the arrays of a flat vector of weights."""
        shapes = self.net.layout.shapes.items()
        places = {name: self.net.layout.slice(name) for name in self.net.layout.names}
        each = (f"theta[{places[name].start}:{places[name].stop}].reshape({shape})" for name, shape in shapes)
        return f"def views(theta):\n    return ({', '.join(each)},)\n"

    @property
    def clipped(self) -> float:
        """The share of sequences whose gradient was clipped."""
        taken, clipped = self._moments[-2:]
        return float(clipped / max(taken, 1.0))

    @property
    def theta(self) -> np.ndarray:
        """The weights now, a copy."""
        return self.learner.theta

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """All that is kept from sequence to sequence, a copy; set it to go on from there."""
        return self.learner.state, self._moments.copy()

    @state.setter
    def state(self, state: tuple[np.ndarray, np.ndarray]) -> None:
        self.learner.state, self._moments[:] = state

    def run(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, starts: np.ndarray) -> Ran:
        """Take whole sequences; returns the outputs of all steps, by the weights as they were at each."""
        x = x if x.ndim == 2 else np.eye(self.net.n_in)[x]
        lengths = np.diff([*np.flatnonzero(starts), len(x)])
        seen, memory = np.zeros_like(targets), self.learner.state.reshape(-1)
        clip, adam = self.idea.clip, self.idea.adam is not None
        self._start(lengths, x, mask, targets, seen, memory, self._moments, self.rate, clip, adam)
        self.learner.state = memory.reshape(1, -1, 1)
        return Ran(float((mask * ((seen - targets) ** 2).sum(axis=1)).sum() / 2), seen)


# ---- trials


@cache
def forgetting(inputs: int, outputs: int, blocks: int, cells: int, biased: tuple[str, ...]) -> CompiledNetwork:
    """A net of the rows with a forget gate in each block."""
    sizes = {s.d_in: inputs, s.d_out: outputs, s.blocks: blocks, s.cells: cells}
    activations = nets.SQUASHED | {"f_out": "logistic"}
    cuts = {"truncated": s.cuts(forget=True)}
    return tt.compile(s.build(biased, forget=True), s.loss, sizes, activations=activations, cuts=cuts)


@dataclass(frozen=True)
class Forgetting:
    """A net of a row with forget gates, as ``Net``: their own weights are drawn after, and do not move the others."""

    net: nets.Net
    bias: float
    method = "truncated"

    def compiled(self, inputs: int, outputs: int, how: object) -> CompiledNetwork:
        """The network, compiled once for its sizes."""
        return forgetting(inputs, outputs, self.net.blocks, self.net.cells, self.net.biased)

    def start(self, net: CompiledNetwork, random: np.random.Generator, how: object) -> np.ndarray:
        """Initial weights, flat."""
        plain = self.net.compiled(net.n_in, net.n_out)
        old = plain.layout.views(self.net.start(plain, random))
        seed = crc32(old["w_c"].tobytes())
        theta = np.random.default_rng(seed).uniform(-self.net.scale, self.net.scale, net.layout.size)
        views = net.layout.views(theta)
        for name, values in old.items():
            views[name][...] = values
        views[f"b_{s.FORGET}"][...] = self.bias
        return theta


class LaterTrial(Trial):
    """A trial of a row by the letter, with one later idea."""

    def __init__(self, row: LaterRow, name: str, number: int):
        row.open_to(name)
        self.idea = READINGS[name]
        super().__init__(row.row, LETTERS["letter"], row.first + number)

    def _begin(self, net: object) -> None:
        idea = self.idea
        super()._begin(net if idea.forget is None else Forgetting(net, idea.forget))
        self.grown = True
        if idea.forget is None:
            by_row = self.learner.net.learner(
                self.learner.theta, net.method, rate=self.row.rate, moved="sequence", watch=s.y
            )
            self.learner = Moved(by_row, idea, self.row.rate)


def measured(row: LaterRow, name: str, number: int) -> dict[str, object]:
    """A trial as a line of the file; ``name`` is that of a reading."""
    one, begun = LaterTrial(row, name, number), time.perf_counter()
    result = one.run()
    seconds = time.perf_counter() - begun
    line = {"row": row.name, "reading": name, "trial": number, "cap": row.cap} | asdict(result)
    line["clipped"] = getattr(one.learner, "clipped", 0.0)
    return line | {"seconds": round(seconds, 2), "steps_per_second": round(result.steps / seconds)}


SOURCES = [nets, reber, sequences, tasks, trial, Moved, forgetting.__wrapped__, Forgetting, LaterTrial]
TEXTS = [inspect.getsource(one) for one in SOURCES]  # read at once, since files may change while rows are run


def program(row: LaterRow, name: str) -> str:
    """Eight digits that are the same for all trials of a row by a reading, and change with what a trial computes."""
    texts = [repr(row), repr(READINGS[name]), LaterTrial(row, name, 0).learner.source, *TEXTS]
    return sha256("\0".join(texts).encode()).hexdigest()[:8]
