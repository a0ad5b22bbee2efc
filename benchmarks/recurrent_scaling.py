"""Time and memory of the fully recurrent network's gradients against sequence length T and units n.

    python benchmarks/recurrent_scaling.py          about a minute; writes recurrent_scaling.csv and .md beside it
    python benchmarks/recurrent_scaling.py --fit    only fits the stored measurements again

Every method gets the same random problem, all units with a target at every step. Time is the processor's for one
gradient of the whole sequence, the least of several rounds over all problems, so that what else the machine does at
one moment spoils no single problem. Memory is the highest that Python and NumPy hold at any moment of a gradient,
above what the problem itself takes. The methods that run online are fed in chunks from a generator, as a stream would
be, so that the length of the sequence is nowhere in memory unless the method puts it there.

The exponents are slopes of straight lines through the logarithms. Expected, with n_in fixed:

    bptt        time ~ T n^2             memory ~ T n (beside n^2 for weights and gradient)
    truncated   time ~ T window n^2      memory ~ window n + n^2, independent of T
    rtrl        time ~ T n^4             memory ~ n^3,            independent of T

The time of rtrl grows faster than its operations where 2 n^3 sensitivities outgrow a cache of the processor.
"""

import csv
import os
import platform
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
from throughtime.models._jit import COMPILED
from throughtime.models.activations import tanh
from throughtime.models.recurrent import FullyRecurrent, OnlineGradient

SEED = 0
N_IN = 2
WINDOW = 20
CHUNK = 100  # rows of the stream in memory at a time
ROUNDS = 8

# method: (lengths at fixed n, that n), (units at fixed T, that T)
GRID = {
    "bptt": (([2000, 4000, 8000, 16000, 32000, 64000], 16), ([64, 128, 256, 512], 1000)),
    "truncated": (([2000, 4000, 8000, 16000, 32000, 64000], 16), ([64, 128, 256, 512], 100)),
    "rtrl": (([2000, 4000, 8000, 16000, 32000, 64000], 8), ([32, 48, 64, 96, 128], 20)),
}
SETTING = {
    "seed": SEED,
    "python": platform.python_version(),
    "numpy": version("numpy"),
    "numba": version("numba") if COMPILED else "none",
    "machine": f"{platform.system()} {platform.machine()}",
    "cores": os.cpu_count(),
}


def chunks(model: FullyRecurrent, length: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Inputs and targets of ``length`` steps, a few rows at a time."""
    rng = np.random.default_rng(SEED)
    for start in range(0, length, CHUNK):
        rows = min(CHUNK, length - start)
        yield rng.normal(size=(rows, model.n_in)), rng.normal(size=(rows, model.n_out))


def gradient_of(method: str, n: int, length: int) -> Callable[[], float]:
    """A function that computes one gradient and returns the seconds it took, without making the problem."""
    model = FullyRecurrent(N_IN, n, tanh)
    theta = model.init(SEED, scale=1.0 / np.sqrt(n))
    if method == "bptt":
        x, targets = (np.concatenate(parts) for parts in zip(*chunks(model, length), strict=True))

        def whole() -> float:
            start = time.process_time()
            model.gradient(theta, x, targets)
            return time.process_time() - start

        return whole

    def streamed() -> float:
        start = time.process_time()
        online = OnlineGradient(model, theta, WINDOW if method == "truncated" else None)
        seconds = time.process_time() - start
        for x, targets in chunks(model, length):
            start = time.process_time()
            online.run(x, targets)
            seconds += time.process_time() - start
        return seconds

    return streamed


def peak_memory(call: Callable[[], float]) -> int:
    """Bytes held at the worst moment of ``call`` above what was held before."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def problems() -> Iterator[dict[str, object]]:
    """The rows of the table, without the measured columns."""
    for method, ((lengths, n), (units, length)) in GRID.items():
        points = [("length", n, t) for t in lengths] + [("units", k, length) for k in units]
        for series, k, t in points:
            row = {"series": series, "method": method, "units": k, "inputs": N_IN, "length": t}
            yield row | {"window": WINDOW if method == "truncated" else ""}


def measured(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows with seconds and bytes."""
    calls = [gradient_of(row["method"], row["units"], row["length"]) for row in rows]
    for method in GRID:
        calls[[row["method"] for row in rows].index(method)]()  # compile
    seconds, memory = [np.inf] * len(rows), [peak_memory(call) for call in calls]
    for number in range(1, ROUNDS + 1):
        seconds = [min(least, call()) for least, call in zip(seconds, calls, strict=True)]
        print(f"round {number} of {ROUNDS}", flush=True)
    return [
        row | {"seconds": f"{least:.4g}", "peak_bytes": peak} | SETTING
        for row, least, peak in zip(rows, seconds, memory, strict=True)
    ]


def exponent(rows: list[dict[str, object]], by: str, quantity: str) -> float:
    """Slope of log quantity against log ``by``."""
    x, y = ([np.log(float(row[key])) for row in rows] for key in (by, quantity))
    return float(np.polyfit(x, y, 1)[0])


def fitted(table: list[dict[str, object]]) -> str:
    """The exponents as a Markdown table."""
    lines = ["| method | against | exponent of time | exponent of memory |", "|---|---|---|---|"]
    for method in GRID:
        for series, name in (("length", "T"), ("units", "n")):
            rows = [row for row in table if (row["method"], row["series"]) == (method, series)]
            of_time, of_memory = (exponent(rows, series, quantity) for quantity in ("seconds", "peak_bytes"))
            lines.append(f"| {method} | {name} | {of_time:.2f} | {of_memory:.2f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    target = Path(__file__).with_suffix(".csv")
    if "--fit" in sys.argv[1:]:
        with target.open(newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
    else:
        table = measured(list(problems()))
        with target.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, table[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
    summary = target.with_suffix(".md")
    summary.write_text(fitted(table), encoding="utf-8")
    print(f"{target.name}, {summary.name}\n\n{fitted(table)}")


if __name__ == "__main__":
    main()
