"""All nets of the timing tasks, and what the note says of the results of 2002, by the nets that were run."""

from functools import cache

import numpy as np
from book.experiments.runner import records
from book.experiments.timed import TEST, TimedRow, TimedTrial
from book.experiments.timed_rows import TIMED, Summary, summary
from book.peephole.timing import experiment as fitted
from book.shared.rendered import Rendered, table
from sympy import Basic, Symbol

HEAD = ("task", "peepholes", "start", "learnt", "thousand streams", "RMSE of a test")
PERIODS = (10, 20)
N_WITHOUT = Symbol("N", nonnegative=True)
NETS = {period: Symbol(f"N_{{{period}}}", nonnegative=True) for period in PERIODS}
STREAMS = {period: Symbol(f"m_{{{period}}}", nonnegative=True) for period in PERIODS}
ERROR, BOUND = Symbol("e", nonnegative=True), Symbol("b", positive=True)


def stored() -> list[Summary]:
    """A summary of each row that has trials."""
    return summary(records(kind=TimedRow).read())


def told() -> Rendered:
    """All rows that have trials; means and standard deviations are those of nets that learnt the task."""
    return table(HEAD, map(_told, stored()))


def _told(one: Summary) -> list[str]:
    row, spread = TIMED[one.row], f" ± {one.deviation / 1e3:.0f}" * (one.solved > 1)
    found = [f"{one.mean / 1e3:.0f}{spread}", f"{one.rms:.3f}"] if one.solved else ["", ""]
    task, peepholes = one.row.removesuffix("-plain"), "yes" if row.peepholes else "no"
    return [task, peepholes, one.reading, f"{one.solved} of {one.trials}", *found]


def found(row: str, start: str) -> Summary:
    """What the stored nets of a row came to from one start; all of them are needed. ValueError for a part."""
    one = next((one for one in stored() if (one.row, one.reading) == (row, start)), None)
    if one is None or one.trials < TIMED[row].trials:
        raise ValueError(f"{row}, {start}: expected {TIMED[row].trials} nets, got {one and one.trials}")
    return one


def measured() -> dict[Symbol, float]:
    """What each letter stands for."""
    values: dict[Symbol, float] = {ERROR: errors().max(), BOUND: fitted.WAVE.tolerance}
    values[N_WITHOUT] = found("gts-10-plain", "swapped").solved
    for period in PERIODS:
        both = [found(f"nmsd-{period}{kind}", "open") for kind in ("", "-plain")]
        values[NETS[period]] = sum(one.solved for one in both)
        values[STREAMS[period]] = sum(one.solved * one.mean for one in both) / values[NETS[period]]
    return values


def is_true(formula: Basic) -> bool:
    """A line on nets or streams, in numbers."""
    return bool(formula.subs(measured()))


def learnt_plain() -> str:
    """The nets without peepholes that learn GTS, as a sentence."""
    row = found("gts-10-plain", "swapped")
    took = f"after {row.mean / 1e3:.0f} thousand streams on average"
    return f"{row.solved} of {row.trials} nets of 14 weights learn GTS with $F = 10$, {took}."


@cache
def errors() -> np.ndarray:
    """Absolute errors of the net that was fitted to a wave, at each step of a test, by its equations in NumPy."""
    weights, goal = fitted.stored(), fitted.target(TEST)
    return np.abs(fitted.outputs(np.array([[weights[name] for name in fitted.NAMES]]), len(goal))[0] - goal)


def goes_on() -> str:
    """The net that puts out the cosine without peepholes, as a sentence."""
    largest, last = errors().argmax(), len(errors())
    return (
        f"A net of 14 weights puts out the cosine with $F = 25$ for {last:,} steps: its error is largest at "
        f"$t = {largest + 1}$, {errors().max():.3f}, and its root mean square is {np.sqrt((errors() ** 2).mean()):.3f}."
    )


def keeps_wave() -> bool:
    """Whether the compiled net of the timing tasks, without peepholes, passes a test on the wave by these weights."""
    return bool(np.abs(fitted.trace(TEST).y[1:, 0] - fitted.target(TEST)).max() < fitted.WAVE.tolerance)


def learns(row: str, start: str) -> bool:
    """Whether the first net of a row, run now, learns its task."""
    return TimedTrial(TIMED[row], start, 0).run().solved
