"""The gradient that the page gives to type, compared with the compiled system and with the complex step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import throughtime as tt
from throughtime_book.beyond.diagonal_recurrence import counting

Arrays = dict[str, np.ndarray]
UNITS, INPUTS, STEPS, NETS, TOLERANCE = 3, 2, 20, 100, 1e-12
PARTS = ("nu", "theta", "gamma", "B_re", "B_im", "C_re", "C_im", "b")
"""The real numbers of a net, in the order of the flat vector of the complex step."""


def draw(seed: int) -> tuple[Arrays, np.ndarray, np.ndarray]:
    """Weights by the names of ``PARTS``, inputs and targets; moduli from 0.5 to 0.99."""
    random = np.random.default_rng(seed)
    shapes = {
        "gamma": (UNITS,),
        "B_re": (UNITS, INPUTS),
        "B_im": (UNITS, INPUTS),
        "C_re": (1, UNITS),
        "C_im": (1, UNITS),
    }
    parts = {name: random.normal(size=shape) for name, shape in (shapes | {"b": (1,)}).items()}
    parts["nu"] = np.log(-np.log(random.uniform(0.5, 0.99, UNITS)))
    parts["theta"] = random.uniform(0, np.pi, UNITS)
    return parts, random.normal(size=(STEPS, INPUTS)), random.normal(size=(STEPS, 1))


def as_typed(parts: Arrays) -> Arrays:
    """The same weights with complex B and C."""
    joined = {name: parts[f"{name}_re"] + 1j * parts[f"{name}_im"] for name in "BC"}
    return {name: parts[name] for name in ("nu", "theta", "gamma", "b")} | joined


def as_parts(gradient: Arrays) -> Arrays:
    """A gradient with complex B and C by the names of ``PARTS``."""
    apart = {f"{name}_re": gradient[name].real for name in "BC"} | {f"{name}_im": gradient[name].imag for name in "BC"}
    return {name: (gradient | apart)[name] for name in PARTS}


def as_compiled(parts: Arrays) -> Arrays:
    """The weights of the compiled net, which has alpha and beta; the parts may be complex, for the complex step."""
    modulus = np.exp(-np.exp(parts["nu"]))
    return {
        "alpha": modulus * np.cos(parts["theta"]),
        "beta": modulus * np.sin(parts["theta"]),
        "gamma": parts["gamma"],
        "W_re": parts["B_re"],
        "W_im": parts["B_im"],
        "W_out": parts["C_re"],
        "W_out_im": -parts["C_im"],
        "b_out": parts["b"],
    }


def by_program(parts: Arrays, x: np.ndarray, target: np.ndarray, method: str) -> Arrays:
    """The gradient of the compiled net with respect to the parts."""
    net = counting.compiled("complex linear", UNITS, INPUTS)
    values = as_compiled(parts)
    G = net.layout.views(net.gradient(net.layout.flatten(values), x, target, np.ones(STEPS), method=method).gradient)
    alpha, beta = values["alpha"], values["beta"]
    return {
        "nu": -np.exp(parts["nu"]) * (alpha * G["alpha"] + beta * G["beta"]),
        "theta": alpha * G["beta"] - beta * G["alpha"],
        "gamma": G["gamma"],
        "B_re": G["W_re"],
        "B_im": G["W_im"],
        "C_re": G["W_out"],
        "C_im": -G["W_out_im"],
        "b": G["b_out"],
    }


def by_steps(parts: Arrays, x: np.ndarray, target: np.ndarray) -> Arrays:
    """The gradient by the complex step through the forward pass of the compiled net."""
    net = counting.compiled("complex linear", UNITS, INPUTS)
    ends = np.cumsum([0, *(parts[name].size for name in PARTS)])
    places = {name: slice(low, high) for name, low, high in zip(PARTS, ends, ends[1:], strict=False)}

    def shaped(flat: np.ndarray) -> Arrays:
        return {name: flat[place].reshape(parts[name].shape) for name, place in places.items()}

    def loss(flat: np.ndarray) -> complex:
        weights = np.concatenate([as_compiled(shaped(flat))[name].ravel() for name in net.layout.shapes])
        return net.loss(weights, x, target, np.ones(STEPS))

    return shaped(tt.complex_step(loss, np.concatenate([parts[name].ravel() for name in PARTS])))


def apart(one: Arrays, other: Arrays) -> float:
    """The largest difference of two gradients, relative to the largest entry."""
    largest = max(np.abs(other[name]).max() for name in PARTS)
    return float(max(np.abs(one[name] - other[name]).max() for name in PARTS) / largest)


def compare(online: Callable[..., Arrays]) -> list[list[str]]:
    """Rows of the page's table: against what, in how many nets, and whether the difference is below the tolerance."""
    nets = [draw(seed) for seed in range(NETS)]
    own = [as_parts(online(as_typed(parts), x, target)) for parts, x, target in nets]
    found = {"complex step": [apart(*both) for both in zip(own, (by_steps(*one) for one in nets), strict=True)]}
    for method in ("rtrl", "bptt"):
        others = [by_program(*one, method) for one in nets]
        found[f"compiled, {method}"] = [apart(*both) for both in zip(own, others, strict=True)]
    found["rtrl against bptt"] = [apart(by_program(*one, "rtrl"), by_program(*one, "bptt")) for one in nets]
    return [
        [name, str(len(worst)), f"below {TOLERANCE:g}" if max(worst) < TOLERANCE else "above"]
        for name, worst in found.items()
    ]
