"""Speed of compiled programs, all in one run: learning on line beside JAX and C, carried derivatives beside the product
of matrices that they cannot avoid, growth with the number of weights, BPTT beside the loops by hand, and what a program
takes to be derived and compiled.

    python benchmarks/programs.py           some minutes; needs tests/oracles/requirements.txt and gcc
    python benchmarks/programs.py --again   the same from the beginning
    python benchmarks/programs.py --table   only writes the table again from the stored measurements

Before anything is timed, results are compared: the script stops where two differ by more than a relative 1e-9. All is
float64 on one thread. Time is the processor's, the least of all rounds; a round times everything once. programs.md is
made from programs.csv alone.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import compiled
import measurements
import numpy as np
import throughtime as tt
from measurements import Row, exponent
from peers import FLAGS, MOMENTUM, RATE, by_c, by_jax, in_order
from throughtime.checks import relative_error
from throughtime.programs import CompiledNetwork, build

FOLDER = Path(__file__).parent
CSV, SUMMARY = FOLDER / "programs.csv", FOLDER / "programs.md"
SEED, ROUNDS, LEAST, TOLERANCE = 0, 5, 0.1, 1e-9
STEPS, NETS = 20_000, (16, 100)  # of the net that learns on line
LENGTH = 100  # of the sequences of everything else
DENSE = (32, 64)
UNITS = (8, 32)
GROWING = {
    "LFMN, RTRL": ("rtrl", lambda n: compiled.lfmn((n, n, n), (2, 1, 1)), (32, 64, 128, 256, 512)),
    "independent units, RTRL": ("rtrl", compiled.independent, (32, 64, 128, 256, 512)),
    "LSTM 1997, truncated": ("truncated", compiled.lstm1997, (16, 32, 64, 128)),
}
THREADS = "OPENBLAS_NUM_THREADS"
Call = Callable[[], float]


def timed(run: Callable[[], object], units: int) -> float:
    """Processor seconds for one of so many units of work, from as many runs as take `LEAST`."""
    start, taken = time.process_time(), 0
    while (spent := time.process_time() - start) < LEAST or not taken:
        run()
        taken += 1
    return spent / taken / units


def agree(what: str, found: np.ndarray, expected: np.ndarray) -> None:
    if not (difference := relative_error(found, expected)) <= TOLERANCE:
        raise AssertionError(f"{what} differs by {difference:.1g}")


def problem(net: CompiledNetwork, *lead: int, length: int = LENGTH) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, inputs and targets; as many of each as `lead` says."""
    random = np.random.default_rng(SEED)
    theta = random.uniform(-0.3, 0.3, (*lead, net.layout.size))
    return theta, random.uniform(-1, 1, (*lead, length, net.n_in)), random.uniform(0, 1, (*lead, length, net.n_out))


def row(table: str, problem: str, implementation: str, weights: int) -> Row:
    """What is measured."""
    return {"table": table, "problem": problem, "implementation": implementation, "weights": weights}


def learning() -> Iterator[tuple[Row, Call]]:
    """(a) The 17-weight net."""
    net = compiled.peephole()
    theta, x, targets = problem(net, max(NETS), length=STEPS)
    ordered = np.stack([in_order(net.layout.views(one)) for one in theta])
    options = {"rate": RATE, "momentum": MOMENTUM}

    def run(learner: tt.programs.learner.Learner, *given: np.ndarray) -> Callable[[], object]:
        return lambda: learner.run(*given)

    alone = net.learner(theta[0], "truncated", **options)
    alone.run(x[0], targets[0])
    expected = in_order(net.layout.views(alone.theta))
    peers = {"C": (1, by_c(ordered[0], x[0], targets[0])), "JAX scan": (1, by_jax(ordered[0], x[0], targets[0]))}
    peers[f"JAX vmap, {NETS[-1]} nets"] = NETS[-1], by_jax(ordered, x, targets)
    for name, (_, learn) in peers.items():
        agree(name, learn().reshape(-1, net.layout.size)[0], expected)
    runs = {name: (nets, learn) for name, (nets, learn) in peers.items()}
    runs["learner"] = 1, run(alone, x[0], targets[0])
    for nets in NETS:
        many = net.learner(theta[:nets], "truncated", **options)
        many.run(x[:nets], targets[:nets])
        agree(f"{nets} nets", in_order(net.layout.views(many.theta[0])), expected)
        runs[f"learner, {nets} nets"] = nets, run(many, x[:nets], targets[:nets])
    for name, (nets, learn) in runs.items():
        yield row("learning", "a step of one net", name, net.layout.size), partial(timed, learn, nets * STEPS)


def dense() -> Iterator[tuple[Row, Call]]:
    """(b) Carried derivatives of the fully recurrent network."""
    for units in DENSE:
        net = compiled.recurrent(units)
        theta, x, targets = problem(net)
        net.gradient(theta, x, targets, method="rtrl")
        left, right = np.ones((units, units)), np.ones((units, net.layout.size))
        into = np.empty_like(right)
        runs = {"product": (partial(np.dot, left, right, into), 1)}
        runs["program"] = partial(net.gradient, theta, x, targets, method="rtrl"), LENGTH
        for name, (run, steps) in runs.items():
            yield row("dense", f"a step of {units} units", name, net.layout.size), partial(timed, run, steps)


def growing() -> Iterator[tuple[Row, Call]]:
    """(c) Sparse recursions of more and more weights."""
    for name, (method, make, sizes) in GROWING.items():
        for size in sizes:
            net = make(size)
            run = partial(net.gradient, *problem(net), method=method)
            run()
            yield row("growth", name, "program", net.layout.size), partial(timed, run, LENGTH)


def backwards() -> Iterator[tuple[Row, Call]]:
    """(d) BPTT beside the loops by hand."""
    for units in UNITS:
        part = units // 4
        pairs = {
            "LFMN": (compiled.lfmn((part, part, 2 * part), (2, 1, 1)), tt.LFMN(2, (part, part, 2 * part), (2, 1, 1))),
            "fully recurrent": (compiled.recurrent(units), tt.FullyRecurrent(2, units)),
            "Elman": (compiled.simple(False, units), tt.Elman(2, units, 2)),
            "Jordan": (compiled.simple(True, units), tt.Jordan(2, units, 2)),
            "LSTM 1997": (compiled.lstm1997(part), tt.LSTM1997(2, part, 2, 2, 1)),
        }
        for name, (net, model) in pairs.items():
            assert net.layout.size == model.layout.size
            _, x, targets = problem(net)
            x, targets = (x[None], targets[None]) if isinstance(model, tt.Elman | tt.Jordan) else (x, targets)
            for kind, one in (("by hand", model), ("program", net)):
                run = partial(one.gradient, one.init(SEED, 0.3), x, targets)
                run()
                yield row("bptt", f"{name}, {units} units", kind, net.layout.size), partial(timed, run, LENGTH)


def making() -> Iterator[tuple[Row, Call]]:
    """What it takes to derive and write a program, and to compile it."""
    for name, make, method in (
        ("peephole cell", compiled.peephole, "truncated"),
        ("fully recurrent", compiled.recurrent, "rtrl"),
        ("Elman", partial(compiled.simple, False), "bptt"),
        ("LFMN", compiled.lfmn, "rtrl"),
        ("LSTM 1997", compiled.lstm1997, "truncated"),
    ):
        weights = make().layout.size
        yield row("making", f"{name}, {method}", "derived", weights), partial(derived, make, method)
        yield row("making", f"{name}, {method}", "compiled", weights), partial(compilation, make, method)


def derived(make: Callable[[], CompiledNetwork], method: str) -> float:
    start = time.process_time()
    make().source(method)
    return time.process_time() - start


def compilation(make: Callable[[], CompiledNetwork], method: str) -> float:
    """Of a first gradient, where nothing lies on disk."""
    net, kept = make(), build.CACHE
    net.source(method), net.source("bptt")
    build.CACHE = None
    try:
        start = time.process_time()
        net.gradient(*problem(net), method=method)
        return time.process_time() - start
    finally:
        build.CACHE = kept


def run(rounds: int) -> None:
    """Compare, then measure the rounds that are missing."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before JAX starts
    import jax

    jax.config.update("jax_enable_x64", True)
    found = [*learning(), *dense(), *growing(), *backwards(), *making()]
    setting = measurements.setting(SEED, "numpy", "scipy", "numba", "jax")
    rows = [one | {"difference": ""} | setting for one, _ in found]
    measurements.measure(CSV, measurements.stored(CSV, rows), [call for _, call in found], rounds)


# ---------------------------------------------------------------- what is written

NOTE = """\
Learning: the net of the experiments of 2002 with one cell and 17 weights, its truncated gradient and momentum at every
of {steps} steps; a step of one net. C is peephole.c by gcc {flags}; JAX one `scan`, or one over `vmap`. The learner's
time includes the check of its arguments and laying nets side by side; of 100 nets 12 lanes are to spare. Dense:
exact RTRL of the fully recurrent network, beside NumPy's product of the weights with all that is carried, which each
step needs. Growth: a step of the gradient, and the exponent of time against the number of weights, by least squares on
logarithms. BPTT: a step of the gradient of sequences of {length}, beside the loops by hand. Making: seconds of the
first time; after that the text lies compiled on disk, under a digest of itself.

Before they were timed, the weights learnt were compared: none differs by more than a relative {tolerance:.0e} from the
learner's. float64, one thread. Rounds: {rounds}; each times everything once, and the least time counts. {machine} with
{cores} cores, {date}. Python {python}, NumPy {numpy}, SciPy {scipy}, Numba {numba}, JAX {jax}.
"""
RATIOS = {  # per table: what each time is divided by
    "learning": "learner",
    "dense": "product",
    "bptt": "by hand",
}


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
