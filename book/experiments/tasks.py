"""The tasks of section 5 of the paper of 1997, each drawn as one stream of sequences.

A task is a frozen record of its settings; ``draw(copies, random)`` returns a ``Stream``. Distractors, windows and
targets are those of the paper; where it leaves something open, the docstring says what was taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from book.experiments.reber import Reber
from book.experiments.sequences import Stream

EARLY = 10  # the first marked pair is one of this many
SYMBOLS = "EBabcdXY"
WINDOWS = {2: ((10, 20), (50, 60)), 3: ((10, 20), (33, 43), (66, 76))}
MORE = 0.1  # probability that a string of 2c ends at a symbol behind its prefix


@dataclass(frozen=True)
class Marked:
    """Experiments 4 and 5: pairs (value, marker), the sum or the product of two marked values at the end.

    Lengths are uniform from T to T + T/10. The marker is 1 at one of the first ten pairs and at one of the first
    T/2 - 1 that is not yet marked, -1 at the first and the last pair, and 0 elsewhere; a first pair that is drawn keeps
    its -1, and its value counts as 0 in the sum and as 1 in the product. Values are uniform on [-1, 1], those of the
    product on [0, 1]; the target of the sum is 0.5 + (X1 + X2) / 4.
    """

    shortest: int
    product: bool = False
    inputs, outputs, tolerance, symbols, judged = 2, 1, 0.04, False, "end"

    def draw(self, copies: int, random: np.random.Generator) -> Stream:
        """``copies`` sequences."""
        half = self.shortest // 2 - 1
        lengths = random.integers(self.shortest, self.shortest + self.shortest // 10 + 1, copies)
        ends = np.cumsum(lengths)
        begins = ends - lengths
        x = np.zeros((ends[-1], 2))
        x[:, 0] = random.uniform(0.0 if self.product else -1.0, 1.0, len(x))
        first = random.integers(0, min(EARLY, half), copies)
        second = random.integers(0, half - 1, copies)
        second += second >= first
        marked = [begins + place for place in (first, second)]
        for place in marked:
            x[place, 1] = 1.0
        x[begins, 1], x[ends - 1, 1] = -1.0, -1.0
        values = [np.where(place == begins, float(self.product), x[place, 0]) for place in marked]
        target = values[0] * values[1] if self.product else 0.5 + (values[0] + values[1]) / 4
        return Stream(x, lengths, target[:, None])


@dataclass(frozen=True)
class Order:
    """Experiment 6: the order of two or three symbols X or Y among distractors a, b, c, d, from E to B.

    Lengths are uniform from 100 to 110, the places of the relevant symbols uniform in their windows, both ends
    included, counted from 0 at E. The target is 1 for the word of X and Y, words in alphabetical order, else 0.
    """

    relevant: int
    inputs, tolerance, symbols, judged = len(SYMBOLS), 0.3, True, "end"

    @property
    def outputs(self) -> int:
        """Classes."""
        return 2**self.relevant

    def draw(self, copies: int, random: np.random.Generator) -> Stream:
        """``copies`` sequences of numbers of symbols."""
        lengths = random.integers(100, 111, copies)
        ends = np.cumsum(lengths)
        x = random.integers(SYMBOLS.index("a"), SYMBOLS.index("d") + 1, ends[-1])
        x[ends - lengths], x[ends - 1] = SYMBOLS.index("E"), SYMBOLS.index("B")
        word = random.integers(0, 2, (copies, self.relevant))
        for letter, (first, last) in zip(word.T, WINDOWS[self.relevant], strict=True):
            x[ends - lengths + random.integers(first, last + 1, copies)] = SYMBOLS.index("X") + letter
        label = word @ 2 ** np.arange(self.relevant)[::-1]
        return Stream(x, lengths, np.eye(self.outputs)[label])


@dataclass(frozen=True)
class TwoSequences:
    """Experiment 3: the first N elements of a real sequence are 1 for class 1 and -1 for class 2, then noise follows.

    The noise is Gaussian with mean 0 and variance 0.2.

    everywhere      3b: it is added to the first N elements too
    noisy_targets   3c: targets 0.2 and 0.8 with Gaussian noise of variance 0.1, in place of 1 and 0

    Lengths are uniform from T to T + T/10. What counts as an error of 3c is measured from the target without noise.
    """

    shortest: int
    informative: int
    everywhere: bool = False
    noisy_targets: bool = False
    inputs, outputs, symbols, judged = 1, 1, False, "end"

    @property
    def tolerance(self) -> float:
        """Above which error a sequence is wrong."""
        return 0.1 if self.noisy_targets else 0.2

    def draw(self, copies: int, random: np.random.Generator, clean: bool = False) -> Stream:
        """``copies`` sequences; ``clean`` leaves the noise of targets out."""
        lengths = random.integers(self.shortest, self.shortest + self.shortest // 10 + 1, copies)
        ends = np.cumsum(lengths)
        second = random.integers(0, 2, copies)
        x = random.normal(0.0, np.sqrt(0.2), ends[-1])
        for place in range(self.informative):
            here = ends - lengths + place
            x[here] = (x[here] if self.everywhere else 0.0) + 1.0 - 2.0 * second
        target = np.where(second, 0.8, 0.2) if self.noisy_targets else 1.0 - second
        if self.noisy_targets and not clean:
            target = target + random.normal(0.0, np.sqrt(0.1), copies)
        return Stream(x[:, None], lengths, target[:, None])


@dataclass(frozen=True)
class RandomLag:
    """Experiment 2c: b, then x or y, then distractors, then e and the same x or y again, which is to be predicted.

    The prefix has the length q + 2 and ``distractors`` = p kinds of distractors. Behind it each further symbol is a
    distractor with probability 9/10 or the e with 1/10. (The paper prints 1/10 twice; its sum for the expected length
    has 9/10 and 1/10.) Strings have q + 4 symbols or more, of which the last is only a target, and q + 13 on average:
    the paper's sum is that, and not the q + 14 that stands beside it. Distractors are all p, though the paper lets
    their indices end at q. Numbers of symbols: 0 to p - 1 the distractors, then b, e, x, y.
    """

    q: int
    distractors: int
    outputs, tolerance, symbols, judged = 2, 0.2, True, "end"

    @property
    def inputs(self) -> int:
        """p + 4."""
        return self.distractors + 4

    def draw(self, copies: int, random: np.random.Generator) -> Stream:
        """``copies`` sequences, each ending with e, and its class as target."""
        p = self.distractors
        lengths = self.q + 3 + random.geometric(MORE, copies) - 1
        ends = np.cumsum(lengths)
        begins = ends - lengths
        label = random.integers(0, 2, copies)
        x = random.integers(0, p, ends[-1])
        x[begins], x[begins + 1], x[ends - 1] = p, p + 2 + label, p + 1
        return Stream(x, lengths, np.eye(2)[label])


@dataclass(frozen=True)
class FirstAgain:
    """Experiments 2a and 2b: x or y, then p - 1 symbols, then the same x or y; each next symbol is to be predicted.

    The symbols between are a_1, ..., a_{p-1} in this order (2a), or drawn from them with repeats (2b, ``scrambled``),
    where only the last prediction is judged. Numbers of symbols: 0 to p - 2 those between, then x, y.
    """

    p: int
    scrambled: bool = False
    tolerance, symbols = 0.25, True

    @property
    def inputs(self) -> int:
        """p + 1."""
        return self.p + 1

    outputs = inputs

    @property
    def judged(self) -> str:
        """At all steps, or the last alone."""
        return "end" if self.scrambled else "steps"

    def draw(self, copies: int, random: np.random.Generator) -> Stream:
        """``copies`` sequences of p steps."""
        p = self.p
        first = p - 1 + random.integers(0, 2, copies)
        shape = copies, p - 1
        between = random.integers(0, p - 1, shape) if self.scrambled else np.broadcast_to(np.arange(p - 1), shape)
        symbols = np.column_stack([first, between, first])
        targets = np.eye(p + 1)[symbols[:, 1:].ravel()]
        return Stream(symbols[:, :-1].ravel(), np.full(copies, p), targets, every=True)


Task = Marked | Order | TwoSequences | RandomLag | FirstAgain | Reber
