"""Time and memory of the fully recurrent network's gradients against sequence length T and units n.

    python benchmarks/recurrent_scaling.py          about a minute; writes recurrent_scaling.csv and .md beside it
    python benchmarks/recurrent_scaling.py --again  the same from the beginning
    python benchmarks/recurrent_scaling.py --fit    only fits the stored measurements again

Every method gets the same random problem, all units with a target at every step. Time is the processor's for one
gradient of the whole sequence, the least of several rounds over all problems, so that what else the machine does at
one moment spoils no single problem; the script goes on where it was stopped, and starts again where settings have
changed. Memory is the highest that Python and NumPy hold at any moment of a gradient,
above what the problem itself takes. The methods that run online are fed in chunks from a generator, as a stream would
be, so that the length of the sequence is nowhere in memory unless the method puts it there.

The exponents are slopes of straight lines through the logarithms. Expected, with n_in fixed:

    bptt        time ~ T n^2             memory ~ T n (beside n^2 for weights and gradient)
    truncated   time ~ T window n^2      memory ~ window n + n^2, independent of T
    rtrl        time ~ T n^4             memory ~ n^3,            independent of T

The time of rtrl grows faster than its operations where 2 n^3 sensitivities outgrow a cache of the processor.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import measurements
import numpy as np
import scaling
from measurements import Row, exponent
from throughtime.arrays.activations import tanh
from throughtime.textbook.recurrent import FullyRecurrent

SEED = 0
N_IN = 2
WINDOW = 20
ROUNDS = 8

# method: (lengths at fixed n, that n), (units at fixed T, that T)
GRID = {
    "bptt": (([2000, 4000, 8000, 16000, 32000, 64000], 16), ([64, 128, 256, 512], 1000)),
    "truncated": (([2000, 4000, 8000, 16000, 32000, 64000], 16), ([64, 128, 256, 512], 100)),
    "rtrl": (([2000, 4000, 8000, 16000, 32000, 64000], 8), ([32, 48, 64, 96, 128], 20)),
}


def gradient_of(row: Row) -> Callable[[], float]:
    """A function that computes one gradient and returns the seconds it took, without making the problem."""
    units, length = int(row["units"]), int(row["length"])
    model = FullyRecurrent(N_IN, units, tanh)
    theta = model.init(SEED, scale=1.0 / np.sqrt(units))
    if row["method"] == "bptt":
        return scaling.whole(model, theta, length, SEED)
    window = WINDOW if row["method"] == "truncated" else None
    return scaling.streamed(partial(model.online, theta, row["method"], window), length, SEED)


def problems() -> Iterator[Row]:
    """The rows of the table, nothing measured yet."""
    setting = measurements.setting(SEED, "numpy", "numba")
    for method, ((lengths, n), (units, length)) in GRID.items():
        points = [("length", n, t) for t in lengths] + [("units", k, length) for k in units]
        for series, k, t in points:
            row = {"series": series, "method": method, "units": k, "inputs": N_IN, "length": t}
            yield row | {"window": WINDOW if method == "truncated" else "", "peak_bytes": ""} | setting


def fitted(table: list[Row]) -> str:
    """The exponents as a Markdown table."""
    lines = ["| method | against | exponent of time | exponent of memory |", "|---|---|---|---|"]
    for method in GRID:
        for series, name in (("length", "T"), ("units", "n")):
            rows = [row for row in table if (row["method"], row["series"]) == (method, series)]
            of_time, of_memory = (exponent(rows, series, quantity) for quantity in ("seconds", "peak_bytes"))
            lines.append(f"| {method} | {name} | {of_time:.2f} | {of_memory:.2f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    target, summary = (Path(__file__).with_suffix(ending) for ending in (".csv", ".md"))
    scaling.script(__doc__, ROUNDS, target, summary, [*problems()], gradient_of, fitted)


if __name__ == "__main__":
    main()
