"""How far an error reaches at the start, in many networks at once; and a compiled GRU on the adding problem."""

from functools import cache

import numpy as np
import throughtime as tt
from book.beyond import gated as c
from book.beyond.gated import CELLS, Cell
from throughtime.arrays.activations import logistic
from throughtime.checks import STEP
from throughtime.learning.optimizers import Adam
from throughtime.programs import CompiledNetwork
from throughtime.tasks.adding import adding

# ---- the Jacobian of the state over lags

UNITS, INPUTS, NETS, FIRST, LAGS = 16, 4, 100, 20, 60
BIASES = (0.0, 2.0)


def start(bias: float, nets: int = NETS, seed: int = 0) -> dict[str, np.ndarray]:
    """Weights of all gates, (nets, units, inputs or units), with variances 1/inputs and 1/units.

    All biases are 0 but that of the gate that keeps. A net has the same numbers in every cell.
    """
    random, weights = np.random.default_rng(seed), {}
    for name in "zroifa":
        weights[f"W_{name}"] = random.normal(size=(nets, UNITS, INPUTS)) / np.sqrt(INPUTS)
        weights[f"V_{name}"] = random.normal(size=(nets, UNITS, UNITS)) / np.sqrt(UNITS)
        weights[f"b_{name}"] = np.full((nets, UNITS, 1), bias if name in "zf" else 0.0)
    return weights


def inputs(nets: int = NETS, seed: int = 1) -> np.ndarray:
    """Normal numbers, (time, nets, inputs, 1)."""
    return np.random.default_rng(seed).normal(size=(FIRST + LAGS, nets, INPUTS, 1))


def output(cell: Cell, state: np.ndarray, o: np.ndarray | None) -> np.ndarray:
    """What other units see of a state."""
    seen = np.tanh(state) if cell.squash else state
    return o * seen if cell.output else seen


def step(cell: Cell, weights: dict, x: np.ndarray, state: np.ndarray, h: np.ndarray, norm: np.ndarray) -> tuple:
    """The next state, the activation of the output gate, the normalizer, and z; columns are copies of a net."""

    def read(name: str) -> np.ndarray:
        return weights[f"W_{name}"] @ x + weights[f"V_{name}"] @ h + weights[f"b_{name}"]

    if cell.exponential:
        kept = np.exp(read("f")) * norm
        norm = kept + np.exp(read("i"))
        z = kept / norm
    else:
        z = logistic(read("z"))
    past = {"shared": (1 - z) * h}.get(cell.reset, h)
    if cell.reset == "before":
        past = logistic(read("r")) * h
    past = weights["V_a"] @ past
    if cell.reset == "after":
        past = logistic(read("r")) * past
    candidate = np.tanh(weights["W_a"] @ x + past + weights["b_a"])
    o = logistic(read("o")) if cell.output else None
    return z * state + (1 - z) * candidate, o, norm, z


@cache
def reach(name: str, bias: float, nets: int = NETS) -> tuple[np.ndarray, np.ndarray]:
    """Of each net over lags 0 to ``LAGS`` - 1: the spectral norm of the state's Jacobian, and its paths of gates.

    The Jacobian is that of the state at ``FIRST`` + lag with respect to the state at ``FIRST``, its normalizer held,
    by the complex step, exact to rounding, (lags, nets). The path of gates of a unit is the product of its z over the
    lag, (lags, nets, units).
    """
    cell, weights = CELLS[name], start(bias, nets)
    state = np.zeros((nets, UNITS, 1), complex)
    h, norm = state, np.zeros_like(state)
    norms, gates, product = [], [], np.ones((nets, UNITS))
    for now, x in enumerate(inputs(nets)):
        state, o, norm, z = step(cell, weights, x, state, h, norm)
        if now == FIRST:
            state = state + 1j * STEP * np.eye(UNITS)
        elif now > FIRST:
            product = product * z[..., 0].real
        h = output(cell, state, o)
        if now >= FIRST:
            norms.append(np.linalg.norm(state.imag / STEP, 2, axis=(1, 2)))
            gates.append(product)
    return np.array(norms), np.array(gates)


# ---- training

TRAINED, LENGTH, COPIES, UPDATES, RATE, PROBES = 8, 20, 20, 1500, 0.02, 500


@cache
def network(name: str = "GRU, reset after", units: int = TRAINED, inputs: int = 2) -> CompiledNetwork:
    """A cell with one output, its gates logistic and its candidate tanh; the one to be trained is compiled at once."""
    sizes, long = {c.n: units, c.m: inputs, c.r: 1}, units == TRAINED
    return tt.compile(c.CELLS[name].build(), c.loss, sizes, activations={"phi": "tanh"}, compiled=long or None)


def problem(copies: int, seed: int | np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, targets and the mask of the last steps."""
    drawn = adding(LENGTH, copies, seed)
    targets, mask = drawn.by_step()
    return drawn.x, targets, mask[..., 0]


def train(updates: int = UPDATES, seed: int = 0) -> list[float]:
    """Mean squared errors on new sequences, before and after training by Adam."""
    net, random = network(), np.random.default_rng(seed)
    theta = net.init(random, scale=0.5)
    optimizer, probes = Adam(len(theta), RATE), problem(PROBES, 10**6)
    losses = [2 * net.loss(theta, *probes) / PROBES]
    for _ in range(updates):
        found = net.gradient(theta, *problem(COPIES, random), method="bptt")
        theta = optimizer.step(theta, found.gradient / COPIES)
    return [*losses, 2 * net.loss(theta, *probes) / PROBES]


def of_the_mean() -> float:
    """Mean squared error of always answering the mean of the targets of the probes."""
    _, targets, mask = problem(PROBES, 10**6)
    return float(np.var(targets[..., 0][mask > 0]))
