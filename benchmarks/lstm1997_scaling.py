"""Time and memory of the gradients of the LSTM of 1997 against the number of weights W and the sequence length T.

    python benchmarks/lstm1997_scaling.py          about a minute
    python benchmarks/lstm1997_scaling.py --again  the same from the beginning
    python benchmarks/lstm1997_scaling.py --fit    only fits the stored measurements again

The measurements go to lib/throughtime/data/lstm1997_scaling.csv, where the book finds them, the exponents to
lstm1997_scaling.md beside this file.

Each round takes one measurement of every problem and stores it; the script goes on where it was stopped, and starts
again where settings have changed. Time is the processor's for one gradient of the whole sequence, the least of all
rounds. Memory is the highest that Python and NumPy hold at any moment of a gradient, above what the problem itself
takes. The methods that run online are fed in chunks, as a stream would be. The columns ``operations`` and ``kept``
are the exact counts of ``throughtime.bridge.lstm1997_complexity``, for comparison.

The exponents are slopes of straight lines through the logarithms. Expected:

    truncated   time ~ T W      memory ~ W,             independent of T
    bptt        time ~ T W      memory ~ T units + W
    rtrl        time ~ T W^2    memory ~ W^(3/2),       independent of T
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import measurements
import numpy as np
import throughtime
from measurements import Row, exponent, peak_memory
from throughtime.bridge import lstm1997_complexity as cost
from throughtime.models.lstm1997 import OnlineGradient

SEED = 0
CHUNK = 100  # rows of the stream in memory at a time
ROUNDS = 8
CELLS, N_IN, N_OUT = 2, 2, 1
LENGTHS = [1000, 2000, 4000, 8000, 16000, 32000]

# method: (lengths, at so many blocks), (blocks, at that length)
GRID = {
    "truncated": ((LENGTHS, 4), ([16, 32, 64, 128, 256], 50)),
    "bptt": ((LENGTHS, 4), ([16, 32, 64, 128, 256], 50)),
    "rtrl": ((LENGTHS, 4), ([4, 6, 8, 12, 16, 24], 10)),
}
PROBLEM = ("series", "method", "inputs", "blocks", "cells", "outputs", "weights", "length", "operations", "kept")


def problems() -> Iterator[Row]:
    """The rows of the table, nothing measured yet."""
    setting = measurements.setting(SEED, "numpy", "numba")
    for method, ((lengths, few), (many, length)) in GRID.items():
        points = [("length", few, t) for t in lengths] + [("weights", b, length) for b in many]
        for series, blocks, t in points:
            sizes = (N_IN, 0, blocks, CELLS, N_OUT)
            counted = t * cost.value(cost.operations(method), sizes), cost.value(cost.KEPT[method], sizes, t)
            weights = cost.network(sizes).layout.size
            row = (series, method, N_IN, blocks, CELLS, N_OUT, weights, t, *counted)
            yield dict(zip(PROBLEM, row, strict=True)) | {"peak_bytes": ""} | setting


def chunks(length: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Inputs and targets of ``length`` steps, a few rows at a time."""
    random = np.random.default_rng(SEED)
    for start in range(0, length, CHUNK):
        rows = min(CHUNK, length - start)
        yield random.normal(size=(rows, N_IN)), random.uniform(size=(rows, N_OUT))


def gradient_of(method: str, blocks: int, length: int) -> Callable[[], float]:
    """A function that computes one gradient and returns the seconds it took, without making the problem."""
    model = cost.network((N_IN, 0, blocks, CELLS, N_OUT))
    theta = model.init(SEED, scale=0.1)
    if method == "bptt":
        x, targets = (np.concatenate(parts) for parts in zip(*chunks(length), strict=True))

        def whole() -> float:
            start = time.process_time()
            model.gradient(theta, x, targets, method=method)
            return time.process_time() - start

        return whole

    def streamed() -> float:
        start = time.process_time()
        online = OnlineGradient(model, theta, method)
        seconds = time.process_time() - start
        for x, targets in chunks(length):
            start = time.process_time()
            online.run(x, targets)
            seconds += time.process_time() - start
        return seconds

    return streamed


def measure(path: Path, rounds: int) -> list[Row]:
    """Add the rounds that are missing."""
    rows = measurements.stored(path, list(problems()))
    calls = [gradient_of(row["method"], int(row["blocks"]), int(row["length"])) for row in rows]
    for method in GRID:
        calls[[row["method"] for row in rows].index(method)]()  # compile
    for row, call in zip(rows, calls, strict=True):
        row["peak_bytes"] = row["peak_bytes"] or peak_memory(call)
    return measurements.measure(path, rows, calls, rounds)


def fitted(table: list[Row]) -> str:
    """The exponents as a Markdown table, those of the counts beside those of the measurements."""
    columns = {"operations": "operations", "seconds": "time", "kept": "numbers kept", "peak_bytes": "memory"}
    lines = ["| method | against | " + " | ".join(columns.values()) + " |", "|---" * (2 + len(columns)) + "|"]
    for method in GRID:
        for series, name in (("weights", "W"), ("length", "T")):
            rows = [row for row in table if (row["method"], row["series"]) == (method, series)]
            found = (f"{exponent(rows, series, quantity):.2f}" for quantity in columns)
            lines.append(f"| {method} | {name} | " + " | ".join(found) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    target = Path(throughtime.__file__).parent / "data" / "lstm1997_scaling.csv"
    options = measurements.options(__doc__, ROUNDS, "fit")
    if options.again:
        target.unlink(missing_ok=True)
    table = measurements.read(target) if options.fit else measure(target, options.rounds)
    summary = Path(__file__).with_suffix(".md")
    summary.write_text(fitted(table), encoding="utf-8")
    print(f"{target.name}, {summary.name}\n\n{fitted(table)}")


if __name__ == "__main__":
    main()
