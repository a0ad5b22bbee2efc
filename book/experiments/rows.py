"""The rows of the result tables of 1997 that are run: net, task, learning rate, stopping rule, and what the paper has.

What is fixed before a run stands here: trials, cap, and how a row is judged (`verdict.py`).
"""

from dataclasses import dataclass

from book.experiments.net import Net, SmallNet
from book.experiments.reading import DETAILS, READINGS
from book.experiments.reading import reading as named
from book.experiments.reber import Reber
from book.experiments.system import BIASED
from book.experiments.tasks import FirstAgain, Marked, Order, RandomLag, Task, TwoSequences


@dataclass(frozen=True)
class Recent:
    """Stop as soon as at most ``wrong`` of the ``window`` most recent training sequences were wrong.

    Their mean absolute error, over outputs and sequences, has to be below ``mean``.
    """

    wrong: int = 0
    mean: float = float("inf")
    window: int = 2000


@dataclass(frozen=True)
class OnTest:
    """Stop when at most ``wrong`` of the ``copies`` sequences of a test are wrong; one each ``interval`` sequences.

    The mean absolute error has to be below ``mean``; ``fresh`` draws a new test set each time.
    """

    interval: int
    copies: int = 256
    wrong: int = 0
    mean: float = float("inf")
    fresh: bool = False


@dataclass(frozen=True)
class OnSets:
    """Learn a fixed set of ``size`` sequences in random order, and stop when it and a test set of as many are right.

    A trial belongs to one of the pairs of sets, ``inits`` trials to each; no sequence of the first is in the second.
    """

    interval: int
    size: int = 256
    inits: int = 10


Rule = Recent | OnTest | OnSets


@dataclass(frozen=True)
class Row:
    """One row of a table.

    name        what `experiments run` calls it
    table       of the paper
    sequences   training sequences until the rule holds, the paper's mean
    weights     of the net, as the paper counts them
    counted     trials of the paper behind its mean
    trials      of ours
    cap         sequences after which a trial has failed: five times the paper's mean or more
    wrong       of 2560 test sequences after training, the paper's mean; None where it states none
    share       of the paper's trials that were solved
    grown       whether the hidden units are added when the error no longer falls
    """

    name: str
    table: int
    task: Task
    net: Net | SmallNet
    rate: float
    rule: Rule
    sequences: int
    weights: int
    counted: int
    trials: int
    cap: int
    wrong: float | None = None
    share: float = 1.0
    grown: bool = False

    @property
    def lstm(self) -> bool:
        """Whether the net has memory cells."""
        return self.net != UNIT

    @property
    def steps(self) -> int:
        """Steps of a sequence, about."""
        return getattr(self.task, "shortest", None) or getattr(self.task, "q", getattr(self.task, "p", None)) or 105

    def planned(self, name: str) -> int:
        """Trials of a reading: those of the row by the letter and by the program, else at most 10."""
        return self.trials if name in READINGS else min(self.trials, 10)

    def open_to(self, name: str) -> bool:
        """Whether each part of a reading changes anything of this row. ValueError for an unknown reading."""
        named(name)
        details = [DETAILS[part] for part in name.split("+") if part in DETAILS]
        if not self.lstm and name != "letter":
            return False  # the program is that of LSTM, and its details are doubted
        return all(self._feels(field, value) for detail in details for field, value in detail.items())

    def _feels(self, field: str, value: object) -> bool:
        if value == "step":
            return self.task.judged != "end" or isinstance(self.task, FirstAgain)
        if field == "bias":
            return bool(self.net.input_gates or self.net.output_gates)
        if field == "squared":
            return getattr(self.rule, "mean", float("inf")) < float("inf")
        if field == "interval":
            return not isinstance(self.rule, Recent)
        if field == "patience":
            return self.grown
        return field != "reset" or isinstance(self.net, Net)


NOISY = Net(3, 1, ("gates", "cells"), 0.1, (-1.0, -3.0, -5.0), (-2.0, -4.0, -6.0))
PAIRS = Net(2, 2, BIASED, 0.1, (-3.0, -6.0))
PRODUCTS = Net(2, 2, BIASED, 0.1)
CELL, UNIT = SmallNet("cell"), SmallNet("unit")
LAGS = Net(2, 1, (), 0.2)
THREE_PAIRS, FOUR = (
    Net(3, 2, ("gates",), 0.2, (), (-1.0, -2.0, -3.0)),
    Net(4, 1, ("gates",), 0.2, (), (-1.0, -2.0, -3.0, -4.0)),
)
TWO, THREE = Net(2, 2, BIASED, 0.1, (-2.0, -4.0)), Net(3, 2, BIASED, 0.1, (-2.0, -4.0, -6.0))


def _grammar(net: Net, rate: float, sequences: int, percent: int) -> Row:
    weights = 276 if net is THREE_PAIRS else 264
    name = f"1-{net.blocks}x{net.cells}-{rate}"
    return Row(name, 1, Reber(), net, rate, OnSets(100), sequences, weights, 30, 30, 200_000, share=percent / 100)


def _again(name: str, task: FirstAgain, net: SmallNet, rate: float, sequences: int, percent: int) -> Row:
    """A row of 2a or 2b. A trial has failed after the paper's five million sequences, that of a cell after 100 000."""
    cell, p = net.hidden == "cell", task.p
    weights = 2 * (p + 1) + (p + 1) * (p + 2) if cell else (p + 2) ** 2
    rule = OnTest(20 if cell else 1000, 10_000, fresh=True)
    cap = 100_000 if cell else 5_000_000
    return Row(name, 2, task, net, rate, rule, sequences, weights, 18, 18, cap, share=percent / 100, grown=cell)


def _lag(q: int, p: int, sequences: int) -> Row:
    rule, task, trials = OnTest(500, 10_000, fresh=True), RandomLag(q, p), 30 if q <= 100 else 20
    return Row(f"2c-{q}-{p}", 3, task, LAGS, 0.01, rule, sequences, 6 * (p + 10) + 4, 20, trials, 5 * sequences)


def _noise(part: str, table: int, length: int, first: int, sequences: int, wrong: float) -> Row:
    task = TwoSequences(length, first, everywhere=part == "3b", noisy_targets=part == "3c")
    wrongs, mean = {"3a": (0, 0.01), "3b": (5, 0.04), "3c": (0, 0.015)}[part]
    rate = 0.1 if part == "3c" else 1.0
    trials = 30 if length == 100 else 10
    rule = OnTest(100 if length == 100 else 1000, 256, wrongs, mean)
    name = f"{part}-{length}-{first}"
    return Row(name, table, task, NOISY, rate, rule, sequences, 102, 10, trials, 5 * sequences, 2560 * wrong)


def _sum(length: int, sequences: int, wrong: float) -> Row:
    rule, trials = Recent(0, 0.01), 30 if length == 100 else 10
    return Row(f"4-{length}", 7, Marked(length), PAIRS, 0.5, rule, sequences, 93, 10, trials, 5 * sequences, wrong)


def _product(most: int, sequences: int, wrong: float) -> Row:
    rule = Recent(most - 1)
    return Row(f"5-{most}", 8, Marked(100, True), PRODUCTS, 0.1, rule, sequences, 93, 10, 30, 5 * sequences, wrong)


ROWS = {
    row.name: row
    for row in (
        _grammar(FOUR, 0.1, 39_740, 100),
        _grammar(THREE_PAIRS, 0.1, 21_730, 100),
        _grammar(THREE_PAIRS, 0.2, 14_060, 97),
        _grammar(FOUR, 0.5, 9_500, 97),
        _grammar(THREE_PAIRS, 0.5, 8_440, 100),
        _again("2a-rtrl-4-1", FirstAgain(4), UNIT, 1.0, 1_043_000, 78),
        _again("2a-rtrl-4-4", FirstAgain(4), UNIT, 4.0, 892_000, 56),
        _again("2a-rtrl-4-10", FirstAgain(4), UNIT, 10.0, 254_000, 22),
        _again("2a-rtrl-10-1", FirstAgain(10), UNIT, 1.0, 5_000_000, 0),
        _again("2a-rtrl-10-10", FirstAgain(10), UNIT, 10.0, 5_000_000, 0),
        _again("2a-rtrl-100-1", FirstAgain(100), UNIT, 1.0, 5_000_000, 0),
        _again("2a-100", FirstAgain(100), CELL, 1.0, 5_040, 100),
        _again("2b-100", FirstAgain(100, True), CELL, 1.0, 5_680, 100),
        _lag(50, 50, 30_000),
        _lag(100, 100, 31_000),
        _lag(200, 200, 33_000),
        _lag(500, 500, 38_000),
        _lag(1000, 1000, 49_000),
        _lag(1000, 500, 49_000),
        _lag(1000, 200, 75_000),
        _lag(1000, 100, 135_000),
        _lag(1000, 50, 203_000),
        _noise("3a", 4, 100, 3, 39_850, 0.000195),
        _noise("3a", 4, 100, 1, 64_330, 0.000117),
        _noise("3a", 4, 1000, 3, 452_460, 0.000078),
        _noise("3b", 5, 100, 3, 43_250, 0.00828),
        _noise("3b", 5, 100, 1, 78_430, 0.01500),
        _noise("3b", 5, 1000, 1, 485_080, 0.01207),
        _noise("3c", 6, 100, 3, 269_650, 0.00558),
        _noise("3c", 6, 100, 1, 565_640, 0.00441),
        _sum(100, 74_000, 1),
        _sum(500, 209_000, 0),
        _sum(1000, 853_000, 1),
        _product(140, 482_000, 139),
        _product(13, 1_273_000, 14),
        Row("6a", 9, Order(2), TWO, 0.5, Recent(0, 0.1), 31_390, 156, 20, 30, 156_950, 1),
        Row("6b", 9, Order(3), THREE, 0.1, Recent(0, 0.1), 571_100, 308, 10, 30, 2_855_500, 2),
    )
}

DETAILED = ("1-3x2-0.5", "2a-100", "2b-100", "2c-50-50", "3a-100-3", "4-100", "6a")  # rows whose details are varied


def row(name: str) -> Row:
    """A row by its name; ValueError, which names all, for another."""
    if name not in ROWS:
        raise ValueError(f"row: expected one of {', '.join(ROWS)}, got {name!r}")
    return ROWS[name]
