"""What scaling benchmarks share: problems fed in chunks, the timing of a gradient, and the whole script."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import measurements
import numpy as np
from measurements import Row, peak_memory

CHUNK = 100  # rows of a stream in memory at a time


def chunks(model: Any, length: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Random inputs and targets of ``length`` steps, a few rows at a time."""
    random = np.random.default_rng(seed)
    for start in range(0, length, CHUNK):
        rows = min(CHUNK, length - start)
        yield random.normal(size=(rows, model.n_in)), random.uniform(size=(rows, model.n_out))


def whole(model: Any, theta: np.ndarray, length: int, seed: int) -> Callable[[], float]:
    """A function that takes one gradient by BPTT and returns its seconds; the sequence is made before."""
    x, targets = (np.concatenate(parts) for parts in zip(*chunks(model, length, seed), strict=True))

    def call() -> float:
        start = time.process_time()
        model.gradient(theta, x, targets, method="bptt")
        return time.process_time() - start

    return call


def streamed(online: Callable[[], Any], length: int, seed: int) -> Callable[[], float]:
    """A function that feeds a stream to a new ``online()`` and returns the seconds, those of making chunks apart."""

    def call() -> float:
        start = time.process_time()
        gradient = online()
        seconds = time.process_time() - start
        for x, targets in chunks(gradient.model, length, seed):
            start = time.process_time()
            gradient.run(x, targets)
            seconds += time.process_time() - start
        return seconds

    return call


def script(
    description: str | None,
    rounds: int,
    target: Path,
    summary: Path,
    problems: Sequence[Row],
    gradient_of: Callable[[Row], Callable[[], float]],
    fitted: Callable[[list[Row]], str],
) -> None:
    """The command line, time and memory of every problem to ``target``, what is fitted to them to ``summary``."""
    options = measurements.options(description, rounds, "fit")
    if options.again:
        target.unlink(missing_ok=True)
    table = measurements.read(target)
    if not options.fit:
        table = measurements.stored(target, problems)
        calls = [gradient_of(row) for row in table]
        methods = [row["method"] for row in table]
        for method in dict.fromkeys(methods):
            calls[methods.index(method)]()  # compile
        for row, call in zip(table, calls, strict=True):
            row["peak_bytes"] = row["peak_bytes"] or peak_memory(call)
        measurements.measure(target, table, calls, options.rounds)
    summary.write_text(fitted(table), encoding="utf-8")
    print(f"{target.name}, {summary.name}\n\n{fitted(table)}")
