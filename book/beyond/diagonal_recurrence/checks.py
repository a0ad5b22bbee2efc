"""Checks of diagonal recurrence: what a gradient costs, is the typed one right, what two layers lose, what is kept.

Costs are operations of a step and numbers carried to the next, counted in programs.
"""

from collections.abc import Iterator
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
    """Of one net: real weights, derivatives carried from step to step, and operations of a step."""

    weights: Any
    carried: Any
    forward: Any
    rtrl: Any
    bptt: Any


@cache
def compiled(name: str, units: int, inputs: int, outputs: int = 1) -> CompiledNetwork:
    """A net of the chapter as a program; that of two layers has a method that cuts the upper one's own past."""
    system = u.POLAR.build() if name == "polar" else SYSTEMS[name]()
    used = {"phi": "tanh"} if "phi(" in str(system.all_definitions()) else {}
    cuts = {"layers": [tt.cut(u.upper[u.i, u.t - 1], into=u.upper)]} if name == "two layers" else {}
    sizes, many = {u.n: units, u.m: inputs, u.r: outputs}, units == WIDE  # nets to come
    return tt.compile(system, u.loss, sizes, activations=used, cuts=cuts, compiled=many or None)


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
        costs.handed_on(forwards),
        costs.operations(backwards, costs.FORWARD, functions=True),
        *(costs.operations(text, functions=True) for text in (forwards, backwards)),
    )
    return Cost(*(count.subs(costs.m, SIZE).expand() for count in counts))


def exponent(polynomial: Expr) -> int:
    """The degree in the number of units."""
    return Poly(polynomial, SIZE).degree()


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


def random_stacks(moduli: str) -> Iterator[np.ndarray]:
    """Weights of ``NETS`` two-layer nets, flat: normal with variance 1/inputs, self weights uniform."""
    random, layout = np.random.default_rng(3), compiled("two layers", WIDE, INPUTS).layout
    shapes = {name: layout.shapes[name] for name in ("W_c", "b_c", "W_up", "W_out", "b_out")}
    weights = {name: random.normal(size=(NETS, *shape)) / np.sqrt(shape[-1]) for name, shape in shapes.items()}
    weights |= {name: random.uniform(*MODULI[moduli], (NETS, WIDE)) for name in ("u", "u_up")}
    return (layout.flatten({name: every[net] for name, every in weights.items()}) for net in range(NETS))


@cache
def of_layers(moduli: str, late: bool = False) -> list[Quality]:
    """Cut gradients with respect to the lower layer's weights against the exact ones, in random nets.

    The cut ones hold the own past of the upper layer. Inputs and targets are normal, another sequence for each net. If
    ``late``, the error counts at the last step alone.
    """
    net, random, found = compiled("two layers", WIDE, INPUTS), np.random.default_rng(4), []
    x, targets = random.normal(size=(STEPS, NETS, INPUTS)), random.normal(size=(STEPS, NETS, 1))
    mask = np.eye(STEPS)[-1] if late else np.ones(STEPS)
    for theta, *data in zip(random_stacks(moduli), x.swapaxes(0, 1), targets.swapaxes(0, 1), strict=True):
        both = (net.layout.views(net.gradient(theta, *data, mask, way).gradient) for way in ("layers", "bptt"))
        found.append(quality(*(np.concatenate([parts[name].ravel() for name in LOWER]) for parts in both)))
    return found


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
