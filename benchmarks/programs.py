"""Speed of compiled programs, all in one run: learning on line beside JAX and C, carried derivatives beside the product
of matrices that they cannot avoid, growth with the number of weights, BPTT beside earlier loops by hand and JAX, and
what a program takes to be derived and compiled.

    python benchmarks/programs.py           many minutes; needs tests/oracles/requirements.txt, gcc and the git history
    python benchmarks/programs.py --again   the same from the beginning
    python benchmarks/programs.py --table   only writes the table again from the stored measurements

Before anything is timed, results are compared: the script stops where two differ by more than a relative 1e-9. All is
float64 on one thread. Time is the processor's, the least of all rounds; a round times everything once. programs.md is
made from programs.csv alone.
"""

import os
import sys
from pathlib import Path

import measurements
from measurements import Row, exponent
from peers import FLAGS
from program_runs import GROWING, LENGTH, SEED, STEPS, TOLERANCE, batches, dense, growing, learning, making, ulps

FOLDER = Path(__file__).parent
CSV, SUMMARY = FOLDER / "programs.csv", FOLDER / "programs.md"
ROUNDS = 5
THREADS = "OPENBLAS_NUM_THREADS"
RATIOS = {"learning": "learner", "dense": "product", "batches": "program"}  # what times are over


def run(rounds: int) -> None:
    """Compare, then measure the rounds that are missing."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before JAX starts
    import jax

    jax.config.update("jax_enable_x64", True)
    found = [*learning(), *dense(), *growing(), *batches(), *making()]
    setting = measurements.setting(SEED, "numpy", "scipy", "numba", "jax")
    rows = [one | {"difference": ""} | setting for one, _ in found]
    measurements.measure(CSV, measurements.stored(CSV, rows), [call for _, call in found], rounds)


NOTE = """\
Learning: the net of the experiments of 2002 with one cell and 17 weights, its truncated gradient and momentum at every
of {steps} steps; a step of one net. C is peephole.c by gcc {flags}; JAX one `scan`, or one over `vmap`. The learner's
time includes the check of its arguments and laying nets side by side; of 100 nets 12 lanes are to spare. Dense:
exact RTRL of the fully recurrent network, beside NumPy's product of the weights with all that is carried, which each
step needs. Growth: a step of the gradient, and the exponent of time against the number of weights, by least squares on
logarithms. Batches: a step of all sequences of the fully recurrent network, of {length} steps, forwards and backwards,
without a check of arguments, beside earlier loops by hand; JAX is its derivative of one `scan`. Making: to derive and
write a program, and to compile it for a first gradient; after that both lie on disk. Functions are those of wide
layers, at 2000 points.

Before they were timed, weights learnt and gradients of batches were compared: none differs by more than a relative
{tolerance:.0e} from the program's. float64, one thread. Rounds: {rounds}; each times everything once, and the least
time counts. {machine} with {cores} cores, {date}. Python {python}, NumPy {numpy}, SciPy {scipy}, Numba {numba}, JAX
{jax}.
"""


def written(seconds: float) -> str:
    """Two digits and a unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= scale or unit == "ns":
            return f"{float(f'{seconds / scale:.2g}'):g} {unit}"
    raise AssertionError


def table(rows: list[Row]) -> str:
    """Times and ratios as Markdown."""
    lines = ["| table | problem | weights | implementation | time | ratio |", "|---" * 6 + "|"]
    key = "table", "problem", "weights", "implementation"
    seconds = {tuple(str(one[column]) for column in key): float(one["seconds"]) for one in rows}
    for row, taken in seconds.items():
        first = seconds.get((*row[:3], RATIOS.get(row[0], "")))
        lines.append(f"| {' | '.join([*row, written(taken), f'{taken / first:.2g}' if first else ''])} |")
    lines += ["", "| growth with the number of weights | exponent |", "|---|---|"]
    for name in GROWING:
        sizes = [row for row in rows if (row["table"], row["problem"]) == ("growth", name)]
        lines.append(f"| {name} | {exponent(sizes, 'weights', 'seconds')} |")
    lines += ["", "| function | error in units in the last place |", "|---|---|"]
    lines += [f"| {name} | {error:.1f} |" for name, error in ulps().items()]
    about = {"date": max(str(one["date"]) for one in rows), "flags": " ".join(FLAGS), "tolerance": TOLERANCE}
    return "\n".join(lines) + "\n\n" + NOTE.format(**rows[0] | about, steps=STEPS, length=LENGTH)


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
