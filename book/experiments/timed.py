"""Nets of 2002 on the timing tasks: one block of one cell, trained on line, step by step, until a test stream is right.

A stream ends at its first output that is off by the tolerance or more, so where the next one begins depends on the net:
the functions below follow the tape with the compiled step of a learner. They are compiled together with it.
"""

from __future__ import annotations

import inspect
import time
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import numpy as np
import throughtime as tt
from book.experiments.net import drawn
from book.experiments.timing import Timing, Wave
from book.experiments.trial import Result
from throughtime.programs import CompiledNetwork
from throughtime.programs.build import module
from throughtime.programs.learner import OPTIONS
from throughtime.systems import lstm_family as s
from throughtime.tasks import spike_delays, waves

FILE = "experiments_2002.csv"
READINGS = {  # biases of forget, input and output gate at the start
    "letter": (-2.0, 0.0, 2.0),
    "open": (2.0, 0.0, 2.0),
    "swapped": (2.0, 0.0, -2.0),
}
SCALE, RATE, TRAIN, TEST = 0.1, 1e-5, 100, 1000  # of weights; of learning; intervals of a stream
TAPE, STREAMS = 4 * TEST, 100  # intervals drawn at a time; streams tested at the end


@dataclass(frozen=True)
class TimedRow:
    """A task, and a net with or without peepholes.

    cap     training streams after which a trial has failed; the paper allows 10^7, and 10^8 for MSD and NMSD
    """

    name: str
    task: Timing
    peepholes: bool
    cap: int = 1_000_000
    trials: int = 10

    @property
    def steps(self) -> int:
        """Steps of an interval, about."""
        return self.task.period

    def planned(self, name: str) -> int:
        """Trials of a reading."""
        return self.trials

    def open_to(self, name: str) -> bool:
        """Whether a reading concerns this row; ValueError for one that is not there."""
        if name not in READINGS:
            raise ValueError(f"reading: expected one of {', '.join(READINGS)}, got {name!r}")
        return True


# ---- compiled with a learner's step


def start(tape, place, intervals, anew, memory, rate, momentum, tolerance, found):  # type: ignore[no-untyped-def]
    """Follow a tape from a place on, for a number of intervals or up to the first error of the tolerance or more.

    Returns the place where the next interval begins, and the intervals and steps followed. With ``anew`` the net begins
    anew with each interval. Sums of absolute and squared errors and their number are added to ``found``.
    """
    x, goal, counted, begins, seen = np.zeros(1), np.zeros(1), np.zeros(1), np.ones(1), np.zeros(1)
    done, first, wrong = 0, place, False
    while done < intervals and not wrong:
        x[0], goal[0] = tape[0, place], tape[1, place]
        counted[0] = tape[2, place] if rate > 0.0 else 0.0  # without errors nothing is sent back
        learn(1, x, goal, counted, begins, seen, memory, rate, momentum)  # noqa: F821 - of the learner's program
        end = tape[3, place] > 0.0
        begins[0] = 1.0 if end and anew else 0.0
        if tape[2, place] > 0.0:
            error = abs(seen[0] - goal[0])
            found[0] += error
            found[1] += error * error
            found[2] += 1.0
            wrong = not error < tolerance
        done += int(end and not wrong)
        place += 1
    steps = place - first
    while tape[3, place - 1] == 0.0:
        place += 1
    return place, done, steps


def batch(learnt, tested, most, train, test, anew, memory, rate, momentum, tolerance):  # type: ignore[no-untyped-def]
    """Train on a stream of one tape, test on one of the other, and so on, until a test is right or a tape runs out.

    Returns the streams and steps of training, at most ``most`` streams, and whether the last test was right.
    """
    place, at, streams, steps, found = 0, 0, 0, 0, np.zeros(3)
    longest = (learnt[3].sum() - train, tested[3].sum() - test)  # intervals that are gone where no stream fits
    gone, lost = 0, 0
    while streams < most and gone <= longest[0] and lost <= longest[1]:
        place, done, taken = start(learnt, place, train, anew, memory, rate, momentum, tolerance, found)
        gone += done + int(done < train)
        streams, steps = streams + 1, steps + taken
        at, done, _ = start(tested, at, test, anew, memory.copy(), 0.0, 0.0, tolerance, found)
        lost += done + int(done < test)
        if done == test:
            return streams, steps, True
    return streams, steps, False


# ---- trials


@cache
def compiled(peepholes: bool, squash: str) -> CompiledNetwork:
    """The net of 17 weights, or of 14 without peepholes: gates and cell read the input, the cell output and a bias."""
    member = replace(s.EXPERIMENTS, peepholes=peepholes)
    sizes = {s.d_in: 1, s.d_out: 1, s.n_blk: 1, s.d_blk: 1, s.n_src: 2}
    activations = {"g": "identity", "f_out": squash} | dict.fromkeys((f"f_{name}" for name in s.GATES), "logistic")
    given = {"S_x": [[1.0], [0.0]], "S_block": [[[0.0]], [[1.0]]]}
    cuts = {"truncated": member.cuts()}
    return tt.compile(member.trained(), s.loss, sizes, activations=activations, given=given, cuts=cuts)


class TimedTrial:
    """One net in training; the number of the trial, from 0, and the row's name are the seed of all that is drawn."""

    def __init__(self, row: TimedRow, name: str, number: int):
        row.open_to(name)
        self.row, task = row, row.task
        self.random = np.random.default_rng([2002, crc32(row.name.removesuffix("-plain").encode()), number])
        self.net = compiled(row.peepholes, task.squash)
        theta = drawn(self.net, self.random, SCALE, grid=False)
        for gate, bias in zip(s.GATES, READINGS[name], strict=True):
            self.net.layout.views(theta)[f"b_{gate}"][...] = bias
        self.learner = self.net.learner(theta, "truncated", rate=RATE, momentum=task.momentum, watch=s.y)
        self.source = "\n\n".join([self.learner.source, *map(inspect.getsource, (start, batch))])
        self.program = module(self.source, compiled=self.net.compiled is not False, **OPTIONS)
        self.memory = self.learner.state.reshape(-1)
        self.taken = self.steps = 0

    @property
    def theta(self) -> np.ndarray:
        """The weights now, flat."""
        self.learner.state = self.memory.reshape(1, -1, 1)
        return self.learner.theta

    def run(self, cap: int | None = None) -> Result:
        """Train until a test stream is right, or ``cap`` streams are taken."""
        task, cap, solved = self.row.task, cap or self.row.cap, False
        anew, train = not task.continual, TRAIN if task.continual else 1
        while self.taken < cap and not solved:
            tapes = [task.tape(TAPE, self.random) for _ in range(2)]
            how = train, TEST, anew, self.memory, RATE, task.momentum, task.tolerance
            streams, steps, solved = self.program.batch(*tapes, cap - self.taken, *how)
            self.taken, self.steps = self.taken + streams, self.steps + steps
        wrong, found = 0, np.zeros(3)
        for _ in range(STREAMS):
            tape, copy = task.tape(TEST, self.random), self.memory.copy()
            wrong += self.program.start(tape, 0, TEST, anew, copy, 0.0, 0.0, task.tolerance, found)[1] < TEST
        error, squared, _ = found / found[2]
        return Result(bool(solved), self.taken, int(wrong), float(error), float(squared), self.steps)


def measured(row: TimedRow, name: str, number: int) -> dict[str, object]:
    """A trial as a line of the file; ``name`` is that of a reading."""
    trial, begun = TimedTrial(row, name, number), time.perf_counter()
    result = trial.run()
    seconds = time.perf_counter() - begun
    line = {"row": row.name, "reading": name, "trial": number, "cap": row.cap} | asdict(result)
    return line | {"seconds": round(seconds, 2), "steps_per_second": round(result.steps / seconds)}


SOURCES = [Path(__file__).read_text(encoding="utf-8"), *map(inspect.getsource, (spike_delays, waves))]
SOURCES.append(inspect.getsource(inspect.getmodule(Wave)))


def program(row: TimedRow, name: str) -> str:
    """Eight digits that are the same for all trials of a row by a reading, and change with what a trial computes."""
    texts = [repr(row), repr(READINGS[name]), TimedTrial(row, name, 0).source, *SOURCES]
    return sha256("\0".join(texts).encode()).hexdigest()[:8]
