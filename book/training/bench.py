"""Benches of the chapters on training: Elman's and Jordan's nets on a batch of sequences, and the bit counter."""

import numpy as np
from book.shared.statements import SOURCES
from book.training import counter as c
from throughtime.arrays.activations import logistic
from throughtime.derivation import Bench
from throughtime.evidence.trace import Arrays, ModelTrace, scalar, stacked
from throughtime.systems import elman_jordan as s

SEED, LENGTH, BITS = 1990, 4, 5
SIZES = {s.I: 3, s.N: 2, s.K: 4, s.J: 2}
SMALL = [{s.I: 2, s.N: 1, s.K: 2, s.J: 1}, {s.I: 1, s.N: 1, s.K: 2, s.J: 2}]
FUNCTIONS = {"sigma": scalar(logistic.derivative)}
GIVEN = (r"Inputs and targets are given: no derivative flows into them.", r"The first context is 0.")
GIVEN_BITS = (r"The bits are given: no derivative flows into them.", r"Every state starts from $f_i(0) = 0$.")


def forward(weights: Arrays, given: Arrays) -> Arrays:
    """All quantities as matrices with a row for each sequence, the source's extended ones and weights as well."""
    v_g, steps = weights.get("v_g"), []
    v = np.vstack([weights["v_0"], weights["v_x"], weights["v_f"] if v_g is None else v_g])
    w, one = np.vstack([weights["w_0"], weights["w"]]), np.ones((given["x"].shape[1], 1))
    f, g = 0 * one @ v[:1], 0 * one @ w[:1]
    for x, goal in zip(given["x"], given["d"], strict=True):
        x_bar = np.hstack([one, x, f if v_g is None else g])
        xx = x_bar @ v
        f = logistic(xx)
        f_bar = np.hstack([one, f])
        ff = f_bar @ w
        g = logistic(ff)
        own = {"x_bar": x_bar, "xx": xx, "f": f, "f_bar": f_bar, "ff": ff, "g": g}
        steps.append(own | {"E": ((g - goal) ** 2).sum() / 2})
    trace = stacked(steps)
    return trace | {"L": trace["E"].sum(), "v": v, "w": w}


def elman_jordan(*, jordan: bool) -> Bench:
    """The bench of one of the two nets; every call makes a new one."""
    system = s.build(jordan=jordan)
    model = ModelTrace.drawn(system, SIZES, LENGTH, forward, FUNCTIONS, SEED)
    return Bench(system, SMALL, length=4, model=model, activations=FUNCTIONS, assumptions=GIVEN, sources=SOURCES)


def count(weights: Arrays, given: Arrays) -> Arrays:
    """States, (T + 1, I), answers and counts of all sequences, and half the squared error."""
    f = np.zeros((BITS + 1, given["x"].shape[1]), complex)
    for t, x in enumerate(given["x"], 1):
        f[t] = weights["v_f"] * f[t - 1] + weights["v_x"] * x
    bits = given["x"].sum(axis=0)
    return {"f": f, "yhat": f[-1], "y": bits, "E": ((f[-1] - bits) ** 2).sum() / 2}


def bit_counter() -> Bench:
    """The bench of the chapter; every call makes a new one."""
    bits, system = np.random.default_rng(2020).integers(0, 2, (BITS, 3)), c.build()
    model = ModelTrace.drawn(system, {c.batch: 3}, BITS, count, {}, SEED, v_x=0.75, v_f=-1.25, x=bits)
    return Bench(system, [{c.batch: 2}, {c.batch: 3}], length=4, model=model, assumptions=GIVEN_BITS, sources=SOURCES)
