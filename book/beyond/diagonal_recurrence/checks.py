"""Checks of diagonal recurrence: what a gradient costs, is the typed one right, what two layers lose, what is kept.

Costs are operations of a step and numbers carried to the next, counted in programs.
"""

from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import throughtime as tt
from book.beyond import costs
from book.beyond import diagonal as u
from book.shared.alignment import Quality, quality
from sympy import Expr, Poly
from throughtime.programs import CompiledNetwork

# ---- costs

SIZE = costs.n
SYSTEMS = {
    **{name: one.build for name, one in u.UNITS.items()},
    "two layers": u.stacked,
    "fully recurrent": u.DENSE.build,
}


class Cost(NamedTuple):
    """Of one net: real weights and states, derivatives carried from step to step, and operations of a step."""

    weights: Any
    states: Any
    carried: Any
    forward: Any
    rtrl: Any
    bptt: Any


@cache
def compiled(name: str, units: int, inputs: int, outputs: int = 1) -> CompiledNetwork:
    """A net of the chapter as a program."""
    system = u.POLAR.build() if name == "polar" else SYSTEMS[name]()
    used = {"phi": "tanh"} if "phi(" in str(system.all_definitions()) else {}
    return tt.compile(system, u.loss, {u.n: units, u.m: inputs, u.r: outputs}, activations=used)


@cache
def loops(name: str, method: str) -> str:
    """The equations of a net as a program of loops; only its first lines know the sizes."""
    return compiled(name, 2, 2).source(method, "loops")


@cache
def polynomials(name: str) -> Cost:
    """The counts as polynomials in the number of units, which equals that of the inputs; a call is an operation."""
    forwards, backwards = loops(name, "rtrl"), loops(name, "bptt")
    counts = (
        costs.weights(forwards),
        *(costs.handed_on(forwards, derivatives=which) for which in (False, True)),
        costs.operations(backwards, costs.FORWARD, functions=True),
        *(costs.operations(text, functions=True) for text in (forwards, backwards)),
    )
    return Cost(*(count.subs(costs.m, SIZE).expand() for count in counts))


def exponent(polynomial: Expr) -> int:
    """The degree in the number of units."""
    return Poly(polynomial, SIZE).degree()


def factor(above: Expr, below: Expr) -> Expr:
    """The limit of the quotient of two counts of one degree for many units. ValueError for two degrees."""
    if exponent(above) != exponent(below):
        raise ValueError(f"above: expected the degree {exponent(below)}, got {exponent(above)}")
    return Poly(above, SIZE).LC() / Poly(below, SIZE).LC()


# ---- the gradient that the page gives to type, the compiled one, and the complex step

Weights = dict[str, np.ndarray]
TYPED = 3, 2
"""Units and inputs of the nets that the typed gradient is compared on."""


def draw(seed: int) -> tuple[Weights, np.ndarray, np.ndarray]:
    """Weights as the page types them, inputs and targets; moduli from 0.5 to 0.99."""
    random = np.random.default_rng(seed)
    units, inputs = TYPED
    weights = {
        "nu": np.log(-np.log(random.uniform(0.5, 0.99, units))),
        "theta": random.uniform(0, np.pi, units),
        "gamma": random.normal(size=units),
        "B": random.normal(size=TYPED) + 1j * random.normal(size=TYPED),
        "C": random.normal(size=(1, units)) + 1j * random.normal(size=(1, units)),
        "b": random.normal(size=1),
    }
    return weights, random.normal(size=(20, inputs)), random.normal(size=(20, 1))


def gradient(P: Weights, x: np.ndarray, target: np.ndarray, method: str) -> Weights:
    """The gradient by a method of the compiled net, or by the "complex step" through its forward pass."""
    net, chi = compiled("polar", *TYPED), np.tan(P["theta"] / 2)
    weights = {"nu": P["nu"], "chi": chi, "gamma": P["gamma"], "W_re": P["B"].real, "W_im": P["B"].imag}
    weights |= {"W_out": P["C"].real, "W_out_im": -P["C"].imag, "b_out": P["b"]}
    at, data = net.layout.flatten(weights), (x, target, np.ones(len(x)))
    if method == "complex step":
        flat = tt.complex_step(lambda point: net.loss(point, *data), at)
    else:
        flat = net.gradient(at, *data, method=method).gradient
    G = net.layout.views(flat)
    found = {"nu": G["nu"], "theta": G["chi"] * (1 + chi**2) / 2, "gamma": G["gamma"], "b": G["b_out"]}
    return found | {"B": G["W_re"] + 1j * G["W_im"], "C": G["W_out"] - 1j * G["W_out_im"]}


def apart(one: Weights, other: Weights) -> float:
    """The largest difference of two gradients, relative to the largest entry."""
    largest = max(np.abs(part).max() for part in other.values())
    return float(max(np.abs(one[name] - part).max() for name, part in other.items()) / largest)


# ---- dependence, two layers, and what is kept in noise

UNITS, INPUTS, LENGTH = 4, 3, 6
NETS, WIDE, STEPS = 100, 8, 40
LOWER = ("u", "b_c", "W_c")
"""Weights of the lower of two layers."""
MODULI = {"0.4 to 0.6": (0.4, 0.6), "0.85 to 0.95": (0.85, 0.95), "0.99 to 0.999": (0.99, 0.999)}
TAIL, NOISE, HOLD, SELF_WEIGHT = 2000, 0.8, 0.001, 4.0
KEPT = ("linear 0.99", "linear 1", "linear 1.1", "gate", "latch")
LAGS = (1, 3, 10, 30, 100, 300, 1000)


@cache
def dependence(name: str) -> np.ndarray:
    """Largest modulus over time of the derivative of each state with respect to each input weight, (n, n m).

    By the complex step through the program. Of two layers, the states of the upper one and the weights of the lower.
    """
    net, random = compiled(name, UNITS, INPUTS), np.random.default_rng(1)
    theta, x = net.init(random, scale=0.5), random.normal(size=(LENGTH, INPUTS))
    state = "s_up" if name == "two layers" else "s"
    places = range(*net.layout.slice("W_c").indices(net.layout.size))
    columns = [tt.trace_by_parameter(net, theta, x, place)[state] for place in places]
    return np.abs(np.array(columns)).max(axis=1).T


def random_stacks(moduli: str, nets: int = NETS) -> dict[str, np.ndarray]:
    """Weights of two-layer nets, each (nets, ...): normal with variance 1/inputs, self weights uniform."""
    random, self_weights = np.random.default_rng(3), (nets, WIDE)
    shapes = {"W_c": (WIDE, INPUTS), "b_c": (WIDE,), "W_up": (WIDE, WIDE), "W_out": (1, WIDE), "b_out": (1,)}
    weights = {name: random.normal(size=(nets, *shape)) / np.sqrt(shape[-1]) for name, shape in shapes.items()}
    return weights | {name: random.uniform(*MODULI[moduli], self_weights) for name in ("u", "u_up")}


def sequences(nets: int = NETS) -> tuple[np.ndarray, np.ndarray]:
    """Normal inputs (steps, nets, inputs) and targets (steps, nets, 1), another sequence for each net."""
    random = np.random.default_rng(4)
    return random.normal(size=(STEPS, nets, INPUTS)), random.normal(size=(STEPS, nets, 1))


def lower_gradient(w: dict, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, *, cut: bool) -> dict:
    """Gradients with respect to the lower layer's weights, by name, of many nets at once, backwards in time.

    cut     hold the own past of the upper layer: its error of each step is that of the outputs of this step alone
    """
    lower = top = np.zeros_like(w["u"])
    steps = []
    for now, goal in zip(x, targets, strict=True):
        before = lower
        lower = w["u"] * lower + np.einsum("bij,bj->bi", w["W_c"], now) + w["b_c"]
        top = w["u_up"] * top + np.einsum("bij,bj->bi", w["W_up"], np.tanh(lower))
        steps.append((now, before, lower, np.einsum("bli,bi->bl", w["W_out"], top) + w["b_out"] - goal))
    found = {name: np.zeros_like(w[name]) for name in LOWER}
    error, above = np.zeros_like(lower), np.zeros_like(lower)
    for counts, (now, before, lower, missed) in zip(mask[::-1], reversed(steps), strict=True):
        above = (0 if cut else w["u_up"] * above) + counts * np.einsum("bli,bl->bi", w["W_out"], missed)
        error = w["u"] * error + (1 - np.tanh(lower) ** 2) * np.einsum("bki,bk->bi", w["W_up"], above)
        for name, factor in (("u", before), ("b_c", 1.0)):
            found[name] += error * factor
        found["W_c"] += error[:, :, None] * now[:, None]
    return found


@cache
def of_layers(moduli: str, late: bool = False) -> list[Quality]:
    """Cut gradients with respect to the lower layer's weights against the exact ones, in random nets.

    moduli      range of the self weights of both layers
    late        the error counts at the last step alone, and at every step otherwise
    """
    mask = np.eye(STEPS)[-1] if late else np.ones(STEPS)
    both = [lower_gradient(random_stacks(moduli), *sequences(), mask, cut=cut) for cut in (True, False)]
    flat = [np.concatenate([one[name].reshape(NETS, -1) for name in LOWER], axis=1) for one in both]
    return [quality(*pair) for pair in zip(*flat, strict=True)]


def best_ratio(modulus: float, lag: int, spread: float) -> float:
    """Of a linear unit: the bit's part of the state over the standard deviation of the noise's part, after a lag."""
    powers = modulus ** (-2.0 * np.arange(1, lag + 1))
    return float(1 / (spread * np.sqrt(powers.sum())))


def likely(modulus: float, lag: int, spread: float = NOISE / 3**0.5) -> float:
    """Probability of the right sign after a lag under normal noise; the default spread is that of the uniform noise."""
    return NormalDist().cdf(best_ratio(modulus, lag, spread))


def gate_net_input(share: float, lag: int) -> float:
    """How far below 0 the net input of a logistic gate has to stay for a unit to keep a share over a lag."""
    return float(-np.log(share ** (-1 / lag) - 1))


@cache
def signs_kept(name: str, lag: int) -> int:
    """Of ``TAIL`` noise sequences, uniform on [-NOISE, NOISE], in how many the state has the sign of the first input 1.

    The linear units and the latch, with activation feedback of weight 4, add every input to their state; the gate is
    open, z = 1, for the first input and takes the share z = ``HOLD`` of each later one.
    """
    random, state = np.random.default_rng(lag), np.ones(TAIL)
    for _ in range(lag):
        noise = random.uniform(-NOISE, NOISE, TAIL)
        if name == "gate":
            state = (1 - HOLD) * state + HOLD * noise
        elif name == "latch":
            state = SELF_WEIGHT * np.tanh(state / 2) + noise
        else:
            state = float(name.split()[1]) * state + noise
    return int(np.sum(state > 0))
