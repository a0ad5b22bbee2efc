"""What `programs.py` measures: for each row of a table its words, and a call that returns processor seconds.

All is float64 on one thread. Results are compared as soon as there are two, and AssertionError says which differ by
more than a relative `TOLERANCE`.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import compiled
import numpy as np
from earlier import COMMIT, by_kernels
from measurements import Row
from mpmath import mp
from peers import MOMENTUM, RATE, bptt_by_jax, by_c, by_jax, in_order
from throughtime.checks import relative_error
from throughtime.programs import CompiledNetwork, build, fast
from throughtime.programs.learner import Learner

SEED, LEAST, TOLERANCE = 0, 0.1, 1e-9
STEPS, NETS = 20_000, (16, 100)  # of the net that learns on line
LENGTH = 100  # of the sequences of everything else
DENSE = (32, 64)
BATCHES = [(8, 1), (8, 32), (64, 1), (64, 32)]  # units and sequences
PROGRAM, EARLIER = "program", f"loops of {COMMIT}"
GROWING = {
    "LFMN, RTRL": ("rtrl", lambda n: compiled.lfmn((n, n, n), (2, 1, 1)), (32, 64, 128, 256, 512)),
    "independent units, RTRL": ("rtrl", compiled.independent, (32, 64, 128, 256, 512)),
    "LSTM 1997, truncated": ("truncated", compiled.lstm1997, (16, 32, 64, 128)),
}
MADE = {
    "peephole cell, truncated": ("peephole", (), "truncated"),
    "fully recurrent, rtrl": ("recurrent", (), "rtrl"),
    "Elman, bptt": ("simple", (False,), "bptt"),
    "LFMN, rtrl": ("lfmn", (), "rtrl"),
    "LSTM 1997, truncated": ("lstm1997", (), "truncated"),
}
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

    def run(learner: Learner, *given: np.ndarray) -> Callable[[], object]:
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
        runs[PROGRAM] = partial(net.gradient, theta, x, targets, method="rtrl"), LENGTH
        for name, (run, steps) in runs.items():
            yield row("dense", f"a step of {units} units", name, net.layout.size), partial(timed, run, steps)


def growing() -> Iterator[tuple[Row, Call]]:
    """(c) Sparse recursions of more and more weights."""
    for name, (method, make, sizes) in GROWING.items():
        for size in sizes:
            net = make(size)
            run = partial(net.gradient, *problem(net), method=method)
            run()
            yield row("growth", name, PROGRAM, net.layout.size), partial(timed, run, LENGTH)


def batches() -> Iterator[tuple[Row, Call]]:
    """(d) BPTT of the fully recurrent network, one sequence and a batch, without a check of arguments."""
    for units, count in BATCHES:
        net = compiled.recurrent(units)
        theta, x, targets = problem(net, count)
        both = theta[0].reshape(units, -1)
        given = count, LENGTH, *net._shared(net.unpack(theta[0]), x, targets, np.ones((count, LENGTH, 1)))
        runs = {PROGRAM: partial(net._module("bptt", 0).batch, *given), EARLIER: by_kernels(both, x, targets)}
        runs["JAX"] = bptt_by_jax(both, x, targets)
        found = net._outward(runs[PROGRAM]()[1]).reshape(both.shape)
        for name, run in runs.items():
            if name != PROGRAM:
                agree(name, run(), found)
            what = f"{units} units, {count} sequence{'s' * (count > 1)}"
            yield row("batches", what, name, net.layout.size), partial(timed, run, LENGTH)


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Nothing lies on disk, and nothing is left there."""
    kept, build.CACHE = build.CACHE, None
    try:
        yield
    finally:
        build.CACHE = kept


def making() -> Iterator[tuple[Row, Call]]:
    """What it takes to derive and write a program, and to compile it for a first gradient."""
    for name, (net, options, method) in MADE.items():
        make = partial(getattr(compiled, net), *options)
        weights = make().layout.size
        for kind, call in (("derived", derived), ("compiled", compilation)):
            yield row("making", name, kind, weights), partial(call, make, method)


def derived(make: Callable[[], CompiledNetwork], method: str) -> float:
    with nothing_kept():
        start = time.process_time()
        make().source(method)
        return time.process_time() - start


def compilation(make: Callable[[], CompiledNetwork], method: str) -> float:
    """Of a first gradient."""
    with nothing_kept():
        net = make()
        net.source(method), net.source("bptt")
        start = time.process_time()
        net.gradient(*problem(net), method=method)
        return time.process_time() - start


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
