"""BPTT of compiled programs beside the loops by hand of an earlier commit and beside JAX: one sequence and a batch,
small layers and large ones, all in one run; and how exact the activations of programs are.

    python benchmarks/batches.py           a minute or two; needs tests/oracles/requirements.txt and the git history
    python benchmarks/batches.py --again   the same from the beginning
    python benchmarks/batches.py --table   only writes the table again from the stored measurements

Before anything is timed, gradients are compared: the script stops where two differ by more than a relative 1e-9. All is
float64 on one thread, and no function checks its arguments. Time is the processor's, the least of all rounds; a round
times everything once. batches.md is made from batches.csv alone.
"""

import math
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import compiled
import measurements
import numpy as np
from earlier import COMMIT, by_kernels
from measurements import Row
from mpmath import mp
from peers import bptt_by_jax
from programs import LENGTH, SEED, THREADS, TOLERANCE, Call, agree, problem, row, timed, written
from throughtime.programs import fast

FOLDER = Path(__file__).parent
CSV, SUMMARY = FOLDER / "batches.csv", FOLDER / "batches.md"
ROUNDS = 5
PROBLEMS = [(8, 1), (8, 32), (64, 1), (64, 32)]  # units and sequences
PROGRAM, EARLIER = "program", f"loops of {COMMIT}"


def batches() -> Iterator[tuple[Row, Call]]:
    """BPTT of the fully recurrent network."""
    for units, count in PROBLEMS:
        net = compiled.recurrent(units)
        theta, x, targets = problem(net, count)
        views, weights = net.layout.views(theta[0]), net.unpack(theta[0])
        both = np.concatenate([views["w_in"], views["w"]], axis=1)
        given = count, LENGTH, *net._shared(weights, x, targets, np.ones((count, LENGTH, 1)))
        runs = {PROGRAM: partial(net._module("bptt").batch, *given)}
        runs[EARLIER], runs["JAX"] = by_kernels(both, x, targets), bptt_by_jax(both, x, targets)
        found = net.layout.views(runs[PROGRAM]()[1])
        for name in (EARLIER, "JAX"):
            agree(name, runs[name](), np.concatenate([found["w_in"], found["w"]], axis=1))
        for name, run in runs.items():
            what = f"{units} units, {count} sequence{'s' * (count > 1)}"
            yield row("batches", what, name, net.layout.size), partial(timed, run, LENGTH)


def ulps() -> dict[str, float]:
    """The largest error of each activation of ``fast``, in units in the last place of the true value."""
    random = np.random.default_rng(SEED)
    wide, near, tiny = random.uniform(-700, 700, 500), random.uniform(-3, 3, 1000), 10.0 ** random.uniform(-12, 0, 500)
    points = [float(z) for z in (*wide, *near, *tiny)]
    true = {
        "exp": (fast._exp, mp.exp),
        "tanh": (fast._tanh, mp.tanh),
        "logistic function": (fast._logistic, lambda z: 1 / (1 + mp.exp(-z))),
        "its slope": (fast._logistic_slope, lambda z: mp.exp(-abs(z)) / (1 + mp.exp(-abs(z))) ** 2),
    }

    def error(found: float, exact: object) -> float:
        return float(abs(found - exact) / math.ulp(float(exact)))

    with mp.workprec(200):
        return {name: max(error(f(z), exact(mp.mpf(z))) for z in points) for name, (f, exact) in true.items()}


def run(rounds: int) -> None:
    """Compare, then measure the rounds that are missing."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before JAX starts
    import jax

    jax.config.update("jax_enable_x64", True)
    found = [*batches()]
    setting = measurements.setting(SEED, "numpy", "scipy", "numba", "jax")
    rows = [one | {"difference": ""} | setting for one, _ in found]
    measurements.measure(CSV, measurements.stored(CSV, rows), [call for _, call in found], rounds)


NOTE = """\
A step of all sequences of the fully recurrent network, forwards and backwards, of {length} steps in all; the program is
what `tt.compile` makes of the system. The ratio is the time beside that of the program. JAX is its derivative of one
`scan` over a batch. Gradients differ by less than a relative {tolerance:.0e}. Functions are those of large layers, at
2000 points. float64, one thread. Rounds: {rounds}; each times everything once, and the least time counts. {machine}
with {cores} cores, {date}. Python {python}, NumPy {numpy}, SciPy {scipy}, Numba {numba}, JAX {jax}.
"""


def table(rows: list[Row]) -> str:
    """Times and ratios as Markdown."""
    lines = ["| problem | weights | implementation | time | ratio |", "|---" * 5 + "|"]
    first = {one["problem"]: float(one["seconds"]) for one in rows if one["implementation"] == PROGRAM}
    for one in rows:
        taken, key = float(one["seconds"]), ("problem", "weights", "implementation")
        ratio = f"{taken / first[one['problem']]:.2g}"
        lines.append(f"| {' | '.join([*(str(one[name]) for name in key), written(taken), ratio])} |")
    lines += ["", "| function | error in units in the last place |", "|---|---|"]
    lines += [f"| {name} | {error:.1f} |" for name, error in ulps().items()]
    about = {"date": max(str(one["date"]) for one in rows), "tolerance": TOLERANCE}
    return "\n".join(lines) + "\n\n" + NOTE.format(**rows[0] | about, length=LENGTH)


def main() -> None:
    options = measurements.options(__doc__, ROUNDS, "table")
    if not options.table and os.environ.get(THREADS) != "1":  # read where NumPy and SciPy are imported: begin again
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {THREADS: "1"})
    if options.again:
        CSV.unlink(missing_ok=True)
    if not options.table:
        run(options.rounds)
    SUMMARY.write_text(table(measurements.read(CSV)), encoding="utf-8")
    print(SUMMARY.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
