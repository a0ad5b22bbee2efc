"""Time of one gradient, for every LSTM and method, beside PyTorch and JAX on the same network and loss.

    python benchmarks/gradients.py           about five minutes; needs tests/oracles/requirements.txt
    python benchmarks/gradients.py --second  a second run, to see how far ratios repeat; into gradients_again.csv
    python benchmarks/gradients.py --again   the same from the beginning
    python benchmarks/gradients.py --table   only writes the table again from the stored measurements

Before anything is timed, each gradient is compared with the library's: the script stops where one differs by more than
a relative 1e-9, and stores by how much they do differ. All of it is float64 on one thread. Time is the processor's,
the least of all rounds; a round times everything once, so that what else the machine does hits all alike.
Measurements are stored after each round in gradients.csv, and the script goes on where it was stopped. gradients.md is
made from that file alone.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import measurements
import numpy as np
from book.peephole.libraries.checks import library_lstm
from equivalents import JAX, LAYER, TORCH, Gradient, others
from measurements import Row
from throughtime.arrays.activations import identity
from throughtime.checks import relative_error
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.peephole import PeepholeLSTM

FOLDER = Path(__file__).parent
CSV, AGAIN, SUMMARY = (FOLDER / f"gradients{end}" for end in (".csv", "_again.csv", ".md"))
SEED, N_IN, N_OUT, LENGTH = 0, 2, 2, 200
ROUNDS, LEAST = 4, 0.02  # seconds that one measurement takes at least
TOLERANCE = 1e-9
SIZES = (8, 32)
OURS = "throughtime"

# By size, the number of units below the outputs, gates and cells alike; with five kinds of them it is a fourth more.
MODELS: dict[str, Callable[[int], object]] = {
    "LSTM 1997": lambda n: LSTM1997(N_IN, n // 4, 2, N_OUT, bias=True),
    "LSTM 1997, same step": lambda n: LSTM1997(N_IN, n // 4, 2, N_OUT, n // 4, timing="same", bias=True),
    "LSTM of 2000": lambda n: PeepholeLSTM(N_IN, n // 4, 2, N_OUT, peepholes=False, bias=True),
    "peephole LSTM": lambda n: PeepholeLSTM(N_IN, n // 4, 2, N_OUT, bias=True),
    "peephole LSTM as trained": lambda n: PeepholeLSTM(
        N_IN, n // 4, 2, N_OUT, feedback="cells", direct=False, bias=True, g=identity
    ),
    "LSTM of the libraries": lambda n: library_lstm(N_IN, n // 4, N_OUT),
}
METHODS = dict.fromkeys(MODELS, ("bptt", "rtrl", "truncated", "cuts"))
PROBLEM = ("model", "size", "weights", "sequences", "length", "method", "implementation")


def problem(model: object, method: str) -> tuple[tuple[np.ndarray, ...], Gradient]:
    """theta and what else a loss takes, and the library's gradient of it."""
    random = np.random.default_rng(SEED)
    theta = model.init(random, 0.3)
    shape = LENGTH, model.n_out
    given = theta, random.normal(size=(LENGTH, N_IN)), random.normal(size=shape), np.ones(shape)
    if method == "cuts":
        cuts = model.cuts("truncated")
        return given, lambda: model.gradient_with_cuts(*given, cuts=cuts).gradient
    return given, lambda: model.gradient(*given, method=method).gradient


def problems() -> Iterator[tuple[Row, Gradient]]:
    """The rows of the table with what they measure, each compared with the library."""
    setting = measurements.setting(SEED, "numpy", "numba", "torch", "jax")
    for name, make in MODELS.items():
        for size in SIZES:
            model = make(size)
            for method in METHODS[name]:
                given, ours = problem(model, method)
                expected = ours()
                for implementation, gradient in [(OURS, ours), *others(model, method, given)]:
                    difference = relative_error(gradient(), expected)
                    if not difference <= TOLERANCE:
                        raise AssertionError(f"{name}, {size}, {method}: {implementation} differs by {difference:.1g}")
                    row = (name, size, model.layout.size, 1, LENGTH, method, implementation)
                    yield dict(zip(PROBLEM, row, strict=True)) | {"difference": f"{difference:.1g}"} | setting, gradient


def timed(gradient: Gradient) -> float:
    """Seconds of one gradient, from as many as take ``LEAST``."""
    start, taken, more = time.process_time(), 0, 1
    while True:
        for _ in range(more):
            gradient()
        taken += more
        spent = time.process_time() - start
        if spent >= LEAST:
            return spent / taken
        more = taken


def run(path: Path, rounds: int) -> None:
    """Compare, then measure the rounds that are missing."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before JAX starts
    import torch

    torch.set_num_threads(1)
    torch.Tensor.retain_grad = lambda tensor: None  # the oracles keep all inner gradients; no timing needs them
    start = time.time()
    rows, calls = zip(*problems(), strict=True)
    print(f"{len(rows)} gradients agree, compared in {time.time() - start:.0f} s", flush=True)
    calls = [partial(timed, call) for call in calls]
    measurements.measure(path, measurements.stored(path, rows), calls, rounds)


# ---------------------------------------------------------------- what is written

NOTE = """\
The columns of the others give their time divided by the library's for the same gradient: above 1, the library is
faster. All are float64, one thread, one sequence of {length} steps at a time. PyTorch and JAX run forward passes
written step by step for the same network, JAX compiled as a whole, PyTorch operation by operation; torch.nn is
PyTorch's own layer, which no other model has. PyTorch's times are mostly the cost of starting many small operations:
with many sequences at once, with large layers or on another machine the ratios will differ.

Size is the number of units below the outputs, gates and cells alike, or a fourth more where there are forget gates or
hidden units beside the cells, the libraries' LSTM excepted. LSTM 1997, same step: the outputs read the cells of their
own step, and there are hidden units. LSTM of 2000: no peepholes. Peephole LSTM as trained: the net of the experiments
of 2002, whose gates read no gates and whose outputs read no inputs.

| method | in the library | in PyTorch and JAX |
|---|---|---|
| bptt | adjoint sweep | reverse mode |
| rtrl | sensitivities carried forward | forward mode, all weights at once |
| truncated | online in constant memory | reverse mode, what is cut being detached |
| cuts | adjoint sweep that stops at all cuts of the truncated gradient | as for truncated |

Without a row: training loops, which are no gradient of one loss, and some of the cuts without the others, which take
the sweep of the row of all cuts.

Before they were timed, all gradients were compared: none of the others differs from the library's by more than a
relative {difference}.

These ratios are from gradients.py on {machine} with {cores} cores, {date}. Rounds: {rounds}; each times everything
once, and the least time counts. The library's time includes the check of all its arguments, which at size 8 is a large
part of it; JAX makes none. Python {python}, NumPy {numpy}, Numba {numba}, PyTorch {torch}, JAX {jax}.

"""


def written(ratio: float) -> str:
    """Two digits."""
    return f"{ratio:.2g}" if ratio < 10 else f"{float(f'{ratio:.2g}'):.0f}"


def grouped(rows: list[Row]) -> dict[tuple[str, ...], dict[str, float]]:
    """Seconds by implementation, for each model, size and method."""
    groups: dict[tuple, dict[str, float]] = {}
    for row in rows:
        key = tuple(str(row[name]) for name in ("model", "size", "weights", "method"))
        groups.setdefault(key, {})[str(row["implementation"])] = float(row["seconds"])
    return groups


def repeated(first: list[Row], second: list[Row]) -> str:
    """By how much the ratios of a second run differ."""
    runs = [
        {(key, other): times[other] / times[OURS] for key, times in grouped(rows).items() for other in times}
        for rows in (first, second)
    ]
    changes = [abs(runs[1][key] / ratio - 1) for key, ratio in runs[0].items() if key[1] != OURS]
    return (
        f"In a second run the ratios to the others differed by {np.median(changes):.0%} in the median and by "
        f"{max(changes):.0%} at most.\n"
    )


def table(rows: list[Row]) -> str:
    """Times and ratios as Markdown."""
    first: dict[tuple[str, str], float] = {}
    implementations = (TORCH, JAX, LAYER)
    head = ["model", "size", "weights", "method", "library, µs", "to its first row", *implementations]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (model, size, weights, method), times in grouped(rows).items():
        own = times[OURS]
        ratios = (written(times[other] / own) if other in times else "" for other in implementations)
        to_first = written(own / first.setdefault((model, size), own))
        lines.append(
            f"| {model} | {size} | {weights} | {method} | {written(1e6 * own)} | {to_first} | {' | '.join(ratios)} |"
        )
    largest = max((str(row["difference"]) for row in rows), key=float)
    about = {"difference": largest, "date": max(str(row["date"]) for row in rows)}
    return "\n".join(lines) + "\n\n" + NOTE.format(**rows[0] | about)


def summary(first: list[Row], second: list[Row]) -> str:
    """The whole of the Markdown file; a second run of other problems is none."""
    return table(first) + (repeated(first, second) if grouped(second).keys() == grouped(first).keys() else "")


def main() -> None:
    options = measurements.options(__doc__, ROUNDS, "table", second="measure into gradients_again.csv")
    path = AGAIN if options.second else CSV
    if options.again:
        path.unlink(missing_ok=True)
    if not options.table:
        run(path, options.rounds)
    SUMMARY.write_text(summary(measurements.read(CSV), measurements.read(AGAIN)), encoding="utf-8")
    print(SUMMARY.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
