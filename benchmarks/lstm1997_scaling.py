"""Time and memory of the gradients of the LSTM of 1997 against the number of weights W and the sequence length T.

    python benchmarks/lstm1997_scaling.py          about a minute
    python benchmarks/lstm1997_scaling.py --again  the same from the beginning
    python benchmarks/lstm1997_scaling.py --fit    only fits the stored measurements again

The measurements go to book/data/lstm1997_scaling.csv, where the book finds them, the exponents to
lstm1997_scaling.md beside this file.

Each round takes one measurement of every problem and stores it; the script goes on where it was stopped, and starts
again where settings have changed. Time is the processor's for one gradient of the whole sequence, the least of all
rounds. Memory is the highest that Python and NumPy hold at any moment of a gradient, above what the problem itself
takes. The methods that run online are fed in chunks, as a stream would be. The columns ``operations`` and ``kept``
are the exact counts of ``book.lstm1997.complexity.checks``, for comparison.

The exponents are slopes of straight lines through the logarithms. Expected:

    truncated   time ~ T W      memory ~ W,             independent of T
    bptt        time ~ T W      memory ~ T units + W
    rtrl        time ~ T W^2    memory ~ W^(3/2),       independent of T
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import measurements
import scaling
from book.lstm1997.complexity import checks as cost
from measurements import Row, exponent

SEED = 0
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


def gradient_of(row: Row) -> Callable[[], float]:
    """A function that computes one gradient and returns the seconds it took, without making the problem."""
    model, length = cost.network((N_IN, 0, int(row["blocks"]), CELLS, N_OUT)), int(row["length"])
    theta = model.init(SEED, scale=0.1)
    if row["method"] == "bptt":
        return scaling.whole(model, theta, length, SEED)
    return scaling.streamed(partial(model.online, theta, row["method"]), length, SEED)


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
    target = Path(__file__).parents[1] / "book" / "data" / "lstm1997_scaling.csv"
    summary = Path(__file__).with_suffix(".md")
    scaling.script(__doc__, ROUNDS, target, summary, [*problems()], gradient_of, fitted)


if __name__ == "__main__":
    main()
