"""One trial: a net trained on line, with the truncated gradient applied after each sequence, until its rule holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from zlib import crc32

import numpy as np
from book.experiments import system as s
from book.experiments.net import SmallNet
from book.experiments.reading import Reading, reading
from book.experiments.reber import words
from book.experiments.rows import OnSets, OnTest, Recent, Row
from book.experiments.sequences import Stream, errors
from throughtime.programs.learner import Learner

STEPS = 100_000  # of one chunk of training
TESTED = 2560
FIRST = 4  # sequences of the first block of a test
NUMBERS = 4_000_000  # inputs and outputs of a block at most
COMPARED = 100  # sequences whose error is compared with that of as many before, where a net grows


@dataclass(frozen=True)
class Result:
    """How a trial ended.

    solved      whether the rule held within the cap
    sequences   taken until then, or until the cap
    wrong       of 2560 new sequences, error on the mean of outputs and sequences, and mean squared error
    steps       taken in training
    """

    solved: bool
    sequences: int
    wrong: int
    error: float
    squared: float
    steps: int


class Trial:
    """One net in training.

    row, how    what is run, and how the paper is read
    number      of the trial, from 0; with the row's name it is the seed of what is learnt, and that of what is tested
    """

    def __init__(self, row: Row, how: Reading, number: int):
        self.row, self.how, self.number = row, how, number
        self.seed = [1997, crc32(row.name.encode())]
        self.random = np.random.default_rng([*self.seed, number])
        self.tested = np.random.default_rng([*self.seed, number, 1])  # tests do not change what is learnt after them
        self._begin(SmallNet("none") if row.grown and how.patience is not None else row.net)
        self.taken = self.steps = 0
        self._before, self._recent = np.inf, []

    def run(self, cap: int | None = None, look: Callable[[int], None] = lambda taken: None) -> Result:
        """Train until the rule holds, or ``cap`` sequences are taken; ``look`` is called after each chunk."""
        cap = cap or self.row.cap
        solve = {Recent: self._by_recent, OnTest: self._by_test, OnSets: self._by_sets}[type(self.row.rule)]
        solved = solve(cap, look)
        wrong, error, squared = self.test(TESTED)
        return Result(solved, self.taken, wrong, error, squared, self.steps)

    def test(self, copies: int) -> tuple[int, float, float]:
        """Wrong sequences, mean error and mean squared error on new sequences, without noise of targets."""
        found = np.concatenate([*self._observed(self._fresh(copies))])
        return int(self._wrong(found).sum()), float(found.mean()), float((found**2).mean())

    def _begin(self, net: object) -> None:
        """Start a net, or go on with one more hidden unit: weights that it shares with the net before are kept."""
        row, how = self.row, self.how
        compiled = net.compiled(row.task.inputs, row.task.outputs, how)
        theta = net.start(compiled, self.random, how)
        if hasattr(self, "learner"):
            views, old = compiled.layout.views(theta), self.learner.net.layout.views(self.learner.theta)
            for name in old:
                views[name][...] = old[name]
        given = {"moved": how.moved, "watch": s.y, "symbols": row.task.symbols}
        self.learner = compiled.learner(theta, net.method, rate=row.rate, **given)
        self.observer = compiled.learner(theta, net.method, rate=0.0, **given)
        self.grown = net is row.net

    # ---- stopping

    def _by_recent(self, cap: int, look: Callable[[int], None]) -> bool:
        rule: Recent = self.row.rule
        wrong, measured = np.ones(rule.window), np.full(rule.window, np.inf)
        while self.taken < cap:
            before, stream = self.learner.state, self._draw(cap - self.taken)
            found = self._errors(self.learner, stream)
            wrong = np.concatenate([wrong[-rule.window :], self._wrong(found)])
            measured = np.concatenate([measured[-rule.window :], self._measured(found).mean(axis=1)])
            if len(held := np.flatnonzero(_held(wrong, measured, rule))):
                count = int(held[0]) + 1
                self.learner.state = before
                self._errors(self.learner, stream.part(0, count))  # the same steps again, up to the one that counts
                self._took(stream.part(0, count))
                return True
            self._took(stream)
            look(self.taken)
        return False

    def _by_test(self, cap: int, look: Callable[[int], None]) -> bool:
        rule: OnTest = self.row.rule
        fixed = [] if rule.fresh else [*self._blocks(self._clean(rule.copies))]
        while self.taken < cap:
            stream = self.row.task.draw(min(self._interval(rule), cap - self.taken), self.random)
            self._learned(self._errors(self.learner, stream))
            self._took(stream)
            if self.grown and self._passes(rule, fixed or self._fresh(rule.copies)):
                return True
            look(self.taken)
        return False

    def _by_sets(self, cap: int, look: Callable[[int], None]) -> bool:
        rule: OnSets = self.row.rule
        learnt, tested = self.sets()
        blocks = [*self._blocks(learnt), *self._blocks(tested)]
        while self.taken < cap:
            count = min(self._interval(rule), cap - self.taken)
            stream = learnt.pick(self.random.integers(0, rule.size, count))
            self._errors(self.learner, stream)
            self._took(stream)
            if self._passes(rule, blocks):
                return True
            look(self.taken)
        return False

    def sets(self) -> tuple[Stream, Stream]:
        """The training set and the test set of this trial's pair."""
        rule, draw = self.row.rule, self.row.task.draw
        random = np.random.default_rng([*self.seed, self.number // rule.inits, 0])
        learnt = draw(rule.size, random)
        return learnt, draw(rule.size, random, words(learnt))

    def _passes(self, rule: OnTest | OnSets, blocks: Iterable[Stream]) -> bool:
        """Whether a test is passed: its first sequences already tell that of most nets it is not."""
        most, mean = getattr(rule, "wrong", 0), getattr(rule, "mean", float("inf"))
        below = mean * getattr(rule, "copies", 1) * self.row.task.outputs
        wrong, total = 0, 0.0
        for found in self._observed(blocks):
            wrong += self._wrong(found).sum()
            total += self._measured(found).sum()
            if wrong > most or not total < below:  # errors with a mean are absolute ones: none lowers their sum
                return False
        return True

    def _interval(self, rule: OnTest | OnSets) -> int:
        return max(1, round(rule.interval * self.how.interval))

    def _learned(self, found: np.ndarray) -> None:
        """Add the hidden units as soon as the error no longer falls."""
        if self.grown:
            return
        self._recent += found.mean(axis=1).tolist()
        while len(self._recent) >= COMPARED and not self.grown:
            now, self._recent = float(np.mean(self._recent[:COMPARED])), self._recent[COMPARED:]
            if now > (1 - self.how.patience) * self._before:
                self._begin(self.row.net)
            self._before = now

    # ---- sequences

    def _draw(self, most: int) -> Stream:
        return self.row.task.draw(max(1, min(most, STEPS // self.row.steps)), self.random)

    def _clean(self, copies: int) -> Stream:
        noisy = getattr(self.row.task, "noisy_targets", False)
        return self.row.task.draw(copies, self.tested, **({"clean": True} if noisy else {}))

    def _sizes(self, copies: int) -> Iterator[int]:
        """Sizes of the blocks of a test, each four times the one before while memory allows."""
        width = self.row.task.outputs * 2 + self.row.task.inputs
        size, most = FIRST, max(FIRST, NUMBERS // (self.row.steps * width))
        while copies > 0:
            yield min(size, copies)
            copies, size = copies - size, min(4 * size, most)

    def _fresh(self, copies: int) -> Iterator[Stream]:
        """New sequences, block by block."""
        return (self._clean(size) for size in self._sizes(copies))

    def _blocks(self, stream: Stream) -> Iterator[Stream]:
        """A stream, block by block."""
        first = 0
        for size in self._sizes(len(stream.lengths)):
            yield stream.part(first, first + size)
            first += size

    def _observed(self, blocks: Iterable[Stream]) -> Iterator[np.ndarray]:
        """Errors of the net as it is, which learns nothing from them."""
        self.observer.theta = self.learner.theta
        return (self._errors(self.observer, block) for block in blocks)

    def _errors(self, learner: Learner, stream: Stream) -> np.ndarray:
        """Errors of sequences as their task judges them, before the weights move by them."""
        targets, mask, starts = stream.by_step()
        if learner is self.observer:
            mask[:] = 0.0  # outputs do not depend on it, and without errors nothing is sent back
        outputs = learner.run(stream.x, targets, mask, starts).watched
        return errors(stream, outputs, self.row.task.judged)

    def _measured(self, found: np.ndarray) -> np.ndarray:
        """Errors as the stopping rule averages them."""
        return found**2 if self.how.squared else found

    def _wrong(self, found: np.ndarray) -> np.ndarray:
        return (~(found < self.row.task.tolerance)).any(axis=1)

    def _took(self, stream: Stream) -> None:
        self.taken, self.steps = self.taken + len(stream.lengths), self.steps + len(stream.x)


def _held(wrong: np.ndarray, measured: np.ndarray, rule: Recent) -> np.ndarray:
    """Whether the rule holds after each of the new sequences; the window before them comes first."""
    counts = np.lib.stride_tricks.sliding_window_view(wrong, rule.window)[1:].sum(axis=1)
    means = np.lib.stride_tricks.sliding_window_view(measured, rule.window)[1:].mean(axis=1)
    return (counts <= rule.wrong) & (means < rule.mean)


def measured(row: Row, name: str, number: int) -> dict[str, object]:
    """A trial as a line of the file: how it ended and how fast it ran; ``name`` is that of a reading."""
    trial, begun = Trial(row, reading(name), number), time.perf_counter()
    result = trial.run()
    seconds = time.perf_counter() - begun
    line = {"row": row.name, "reading": name, "trial": number, "cap": row.cap} | asdict(result)
    return line | {"seconds": round(seconds, 2), "steps_per_second": round(result.steps / seconds)}
