"""Bench of the chapters on back-propagation through time: system, small instances, a forward pass."""

from functools import partial
from typing import Any

import numpy as np
from book.shared.statements import SOURCES
from throughtime.arrays.activations import logistic, tanh
from throughtime.derivation import Bench, ExactInstance
from throughtime.evidence.trace import Arrays, ModelTrace, scalar
from throughtime.systems import recurrent as s

SEED, LENGTH = 1989, 5
UNITS = (logistic, tanh, logistic)
COUNTED = [1.0, 0.0, 1.0, 1.0, 0.0]
SMALL = [{s.d_in: 2, s.d_out: 2}, {s.d_in: 1, s.d_out: 3}]
ACTIVATIONS = dict.fromkeys(("f", "sigma"), scalar(logistic.derivative))
GIVEN = (
    r"The inputs $x(t)$ and the targets $\hat y(t)$ are given: they depend on no weight and no unit.",
    r"The units start from the constant $y(0) = 0$.",
)
MASKED = r"The mask $\sigma(t)$, which says what steps count, is given."
UNMASKED = r"Every step counts in the loss."
EVERY_STEP_COUNTS = {("sigma", t): 1.0 for t in range(1, 10)}
"""The mask of counterexamples."""


def forward(weights: Arrays, given: Arrays) -> Arrays:
    """Net inputs, activations and costs, with a row for each time 0 to T, and the loss."""
    steps, units = given["d"].shape
    z, y, E_unit = np.zeros((3, steps + 1, units), complex)
    for t in range(1, steps + 1):
        z[t] = weights["w_in"] @ given["x"][t - 1] + weights["w"] @ y[t - 1]
        y[t] = [f(net) for f, net in zip(UNITS, z[t], strict=True)]
        E_unit[t] = (y[t] - given["d"][t - 1]) ** 2 / 2
    E = E_unit.sum(axis=1)
    return {"z": z, "y": y, "E_unit": E_unit, "E": E, "L": given.get("sigma", np.ones(steps)) @ E[1:]}


def model(*, masked: bool = False, **given: Any) -> ModelTrace:
    """A network of three units, each with an activation of its own."""
    functions = {"f": tuple(scalar(f.derivative) for f in UNITS)}
    sizes, given = {s.d_in: 2, s.d_out: len(UNITS)}, given | ({"sigma": COUNTED} if masked else {})
    return ModelTrace.drawn(s.build(masked=masked), sizes, LENGTH, forward, functions, SEED, **given)


def make_bench(*, masked: bool = True) -> Bench:
    """The bench of these chapters; every call makes a new one. `masked=False` is the notes' loss over all steps."""
    return Bench(
        s.build(masked=masked), SMALL, length=4, model=model(masked=masked),
        real=partial(ExactInstance, values=EVERY_STEP_COUNTS), activations=ACTIVATIONS,
        assumptions=(*GIVEN, MASKED if masked else UNMASKED), sources=SOURCES,
    )  # fmt: skip
