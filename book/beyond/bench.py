"""Benches of the chapter on online rules: three systems, small instances, forward passes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from book.beyond import leaky as s
from book.shared.statements import SOURCES
from throughtime.arrays.activations import tanh
from throughtime.derivation import Bench, System
from throughtime.evidence.trace import Arrays, Forward, ModelTrace, scalar, stacked

LENGTH, SEED = 4, 2019
SIZES = {s.n: 3, s.m: 2, s.r: 2}
SMALL = [{s.n: 2, s.m: 1, s.r: 1}, {s.n: 3, s.m: 1, s.r: 2}]
FUNCTIONS = dict.fromkeys(("phi", "H"), scalar(tanh.derivative))
GIVEN = "Inputs, targets and constants are given; states are 0 at time 0."


def leaky(weights: Arrays, given: Arrays) -> Arrays:
    """The leaky network, with or without feedback, with a row for each time 0 to T, and the loss."""
    W, tau, h, steps = weights["W"], given["tau"], np.zeros(SIZES[s.n]), []
    for x in given["x"]:
        own = np.diag(W) * h
        o = W @ h - own
        u = weights["W_in"] @ x + own + o
        h = (1 - 1 / tau) * h + tanh(u) / tau
        steps.append({"o": o, "u": u, "h": h, "f": h, "y": weights["W_out"] @ h})
    return _with_costs(stacked(steps), given)


def spiking(weights: Arrays, given: Arrays) -> Arrays:
    """The units of e-prop with tanh for the spike."""
    alpha, rho, beta, theta = (given[name] for name in ("alpha", "rho", "beta", "theta"))
    (p, b, z), steps = np.zeros((3, SIZES[s.n])), []
    for x in given["x"]:
        p = alpha * p + weights["w"] @ z + weights["w_in"] @ x - theta * z
        b = rho * b + z
        z = tanh(p - beta * b)
        steps.append({"p": p, "b": b, "z": z, "zeta": z, "y": weights["W_out"] @ z})
    return _with_costs(stacked(steps), given)


def _with_costs(trace: Arrays, given: Arrays) -> Arrays:
    e = np.vstack([0 * given["d"][:1], given["d"] - trace["y"][1:]])
    E = (e**2).sum(axis=1) / 2
    return trace | {"e": e, "E": E, "L": E[1:].mean()}


def _bench(build: Callable[[], System], forward: Forward, **given: Any) -> Bench:
    model = ModelTrace.drawn(build(), SIZES, LENGTH, forward, FUNCTIONS, SEED, **given)
    return Bench(build(), SMALL, model=model, activations=FUNCTIONS, assumptions=(GIVEN,), sources=SOURCES)


of_leaky = partial(_bench, s.leaky, leaky, tau=2.5)
of_feedback = partial(_bench, s.feedback, leaky, tau=2.5)
of_spiking = partial(_bench, s.spiking, spiking, alpha=0.8, rho=0.9, beta=0.3, theta=0.6)
