"""What the statements of the part are checked against: three systems, small instances, programs that hold values.

The programs are written by hand in NumPy. A truncated derivative is a complex step through them in which the held
values lose their imaginary part, so that no rule of the engine takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from book.beyond import leaky as s
from book.shared.statements import SOURCES
from throughtime.arrays.activations import tanh
from throughtime.derivation import Bench, DerivativeSymbol, Env, System, Truncated, d
from throughtime.evidence.trace import Arrays, ModelTrace, by_units

LENGTH, SEED = 4, 2019
GIVEN = "Inputs, targets and constants are given; states are 0 at time 0."
WAYS = {"snap": ("others",), "rflo": ("others", "self"), "one": ("others", "self", "leak"), "e": ("sent",)}
"""Where each set of cuts holds the states of the previous step."""
WAYS["fed"] = (*WAYS["rflo"], "readout")


def detach(values: np.ndarray) -> np.ndarray:
    """The same numbers as constants: what carries their derivative is gone."""
    return values.real.astype(complex)


def leaky(parameters: Arrays, given: Arrays, held: tuple[str, ...] = (), fed: bool = False) -> Arrays:
    """The leaky network in complex numbers, with the previous states constant in the places `held`.

    Arrays by name with a row for each time 0 to T, and the loss. With `fed` the readout is that of `feedback`.
    """
    W, W_in, W_out = (parameters[name] for name in ("W", "W_in", "W_out"))
    tau, own = given["tau"], np.diag(W)
    trace = {name: np.zeros((len(given["x"]) + 1, len(W)), complex) for name in ("o", "u", "h", "f")}
    trace |= {name: np.zeros((len(given["x"]) + 1, len(W_out)), complex) for name in ("y", "e")}
    for now, (x, goal) in enumerate(zip(given["x"], given["d"], strict=True), 1):
        before = trace["h"][now - 1]
        others, self, leak = (detach(before) if place in held else before for place in ("others", "self", "leak"))
        trace["o"][now] = v = W @ others - own * others
        trace["u"][now] = u = W_in @ x + own * self + v
        trace["h"][now] = h = (1 - 1 / tau) * leak + np.tanh(u) / tau
        trace["f"][now] = shown = detach(h) if "readout" in held else h
        trace["y"][now] = y = W_out @ (shown if fed else h) + (given["B"].T @ (h - shown) if fed else 0)
        trace["e"][now] = goal - y
    return _costs(trace)


def spiking(parameters: Arrays, given: Arrays, held: tuple[str, ...] = (), kick: np.ndarray | None = None) -> Arrays:
    """The units of e-prop with tanh for the spike, with the spikes of the previous step constant if "sent" is held.

    `kick`, (T, n), is added to the spikes that are sent and read out.
    """
    w, w_in, W_out = (parameters[name] for name in ("w", "w_in", "W_out"))
    alpha, rho, beta, threshold = (given[name] for name in ("alpha", "rho", "beta", "theta"))
    trace = {name: np.zeros((len(given["x"]) + 1, len(w)), complex) for name in ("p", "b", "z", "zeta")}
    trace |= {name: np.zeros((len(given["x"]) + 1, len(W_out)), complex) for name in ("y", "e")}
    for now, (x, goal) in enumerate(zip(given["x"], given["d"], strict=True), 1):
        sent = detach(trace["z"][now - 1]) if "sent" in held else trace["z"][now - 1]
        trace["p"][now] = p = alpha * trace["p"][now - 1] + w @ sent + w_in @ x - threshold * sent
        trace["b"][now] = b = rho * trace["b"][now - 1] + trace["zeta"][now - 1]
        trace["z"][now] = trace["zeta"][now] = np.tanh(p - beta * b)
        trace["z"][now] += 0 if kick is None else kick[now - 1]
        trace["y"][now] = y = W_out @ trace["z"][now]
        trace["e"][now] = goal - y
    return _costs(trace)


def _costs(trace: Arrays) -> Arrays:
    costs = (trace["e"] ** 2).sum(axis=1) / 2
    return trace | {"E": costs, "L": costs[1:].mean()}


@dataclass
class Programs(ModelTrace):
    """A program as a witness, and for each set of cuts the same program with values held."""

    held: Mapping[str, ModelTrace] = field(default_factory=dict)

    def derivative(self, node: DerivativeSymbol, env: Env) -> float:
        """Truncated derivatives from the program that holds what their cuts name, all others from the program."""
        if isinstance(node, Truncated):
            return self.held[node.args[2].label].derivative(d(node.target, node.wrt), env)
        return super().derivative(node, env)


def _witness(run: Callable[..., Arrays], parameters: Arrays, given: Arrays, labels: tuple[str, ...]) -> Programs:
    sizes = {s.n: 3, s.m: 2, s.r: 2}
    names = ("o", "u", "h", "f", "y", "e", "p", "b", "z", "zeta")
    read = {name: by_units(name) for name in names} | {"E": lambda trace, _, t: trace["E"][t]}
    read["L"] = lambda trace, _, t: trace["L"]
    functions = {name: lambda z, order: (np.tanh, tanh.derivative)[order](z) for name in ("phi", "H")}
    about = sizes, LENGTH, parameters, given
    held = {label: ModelTrace(*about, partial(run, held=WAYS[label]), read, functions) for label in labels}
    return Programs(*about, run, read, functions, held=held)


def _numbers(recurrent: str, inputs: str, **constants: float) -> tuple[Arrays, Arrays]:
    """Parameters and what is given, of three units, two inputs and two outputs."""
    random = np.random.default_rng(SEED)
    shapes = {recurrent: (3, 3), inputs: (3, 2), "W_out": (2, 3)}
    parameters = {name: random.normal(size=shape) for name, shape in shapes.items()}
    given = {"x": random.normal(size=(LENGTH, 2)), "d": random.normal(size=(LENGTH, 2))}
    given |= {name: np.array(value) for name, value in constants.items()} | {"B": random.normal(size=(3, 2))}
    return parameters, given


SMALL = [{s.n: 2, s.m: 1, s.r: 1}, {s.n: 3, s.m: 1, s.r: 2}]
ACTIVATIONS: dict[str, Callable] = {
    name: lambda z, order: float((np.tanh, tanh.derivative)[order](float(z))) for name in ("phi", "H")
}


def _bench(system: System, model: Programs) -> Bench:
    return Bench(system, SMALL, model=model, activations=ACTIVATIONS, assumptions=(GIVEN,), sources=SOURCES)


def of_leaky() -> Bench:
    """The leaky network of RFLO."""
    program = _witness(leaky, *_numbers("W", "W_in", tau=2.5), ("snap", "rflo", "one"))
    return _bench(s.leaky(), program)


def of_feedback() -> Bench:
    """The same network, read out from a copy of its states."""
    program = _witness(partial(leaky, fed=True), *_numbers("W", "W_in", tau=2.5), ("fed",))
    return _bench(s.feedback(), program)


def of_spiking() -> Bench:
    """The units of e-prop."""
    constants = {"alpha": 0.8, "rho": 0.9, "beta": 0.3, "theta": 0.6}
    program = _witness(spiking, *_numbers("w", "w_in", **constants), ("e",))
    return _bench(s.spiking(), program)


def spikes_moved(parameters: Arrays, given: Arrays) -> np.ndarray:
    """dL/dz_j(t), (T, n): of the mean loss with respect to each spike that is sent, total, by the complex step."""
    found = np.zeros((len(given["x"]), len(parameters["w"])))
    for place in np.ndindex(found.shape):
        kick = np.zeros(found.shape, complex)
        kick[place] = 1e-30j
        found[place] = spiking(parameters, given, kick=kick)["L"].imag / 1e-30
    return found
