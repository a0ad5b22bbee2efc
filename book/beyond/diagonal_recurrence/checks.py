"""Checks of diagonal recurrence: what a gradient costs, is the typed one right, what two layers lose, what is kept.

Costs are operations of a step and numbers carried to the next, counted in compiled programs.
"""

from __future__ import annotations

import re
from functools import cache
from math import prod
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import throughtime as tt
from book.beyond import diagonal as u
from book.shared.alignment import Quality, quality
from sympy import Expr, Matrix, Poly, symbols
from sympy import latex as printed
from throughtime.programs import CompiledNetwork

# ---- costs

SIZE = symbols("n")
DEGREE = 4
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


class Number:
    """Stands for every number of a program and counts the operations in which it takes part."""

    count = 0

    def _counted(self, *_: object) -> Number:
        Number.count += 1
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _counted
    __neg__ = __iadd__ = _counted


class Counted:
    """The functions of NumPy that a program calls, with arrays of `Number`."""

    dot = staticmethod(np.dot)

    @staticmethod
    def zeros(shape: tuple[int, ...]) -> np.ndarray:
        """An array that holds a `Number` everywhere."""
        return np.full(shape, Number(), object)

    empty = zeros


@cache
def compiled(name: str, units: int, inputs: int, outputs: int = 1) -> CompiledNetwork:
    """A net of the chapter as a program."""
    system = SYSTEMS[name]()
    used = {"phi": "tanh"} if "phi(" in str(system.all_definitions()) else {}
    return tt.compile(system, u.loss, {u.n: units, u.m: inputs, u.r: outputs}, activations=used)


@cache
def loops(name: str, method: str) -> str:
    """The equations of a net as a program of loops; only its first lines know the sizes."""
    return compiled(name, 2, 2).source(method, "loops")


def operations(net: CompiledNetwork, text: str, *, forward: bool = False) -> int:
    """Operations of one step of a program; a call of an activation function or of its slope is one.

    forward     leave out the backward sweep of "bptt"
    """
    sizes = {one.name: size for one, size in net.plan.sizes.items()}
    scope: dict[str, Any] = {}
    exec(text.replace("import numpy as np\n", ""), scope)
    scope |= sizes | {"np": Counted} | dict.fromkeys(("sigma", "sigma_prime", "phi", "phi_prime"), Number._counted)
    if forward:
        scope["bptt"] = lambda *_: None
    counts = []
    for length in (2, 3):
        shapes = {"x": (length, sizes["m"]), "c": (length,), "d": (length, sizes["r"])}
        given = {name: Counted.zeros(shape) for name, shape in shapes.items()}
        weights = {name: Counted.zeros(shape) for name, shape in net.layout.shapes.items()}
        Number.count = 0
        scope["gradient"](**given, **weights)
        counts.append(Number.count)
    return counts[1] - counts[0]


def carried(net: CompiledNetwork, text: str) -> int:
    """Derivatives that the forward method hands from one step to the next.

    They stand in arrays of the previous step, or, where each element grows out of itself, in one that is updated.
    """
    named = {one.name: size for one, size in net.plan.sizes.items()}
    found = dict(re.findall(r"^    (d(?!L)\w+) = np\.zeros\(\((.*)\)\)$", text, re.M))
    grows = r"^ +({0}\[[^]]+\]) = .*\b{0}\["  # a line that computes an element from its value before
    handed = [name for name in found if name.endswith("_1") or re.search(grows.format(name), text, re.M)]
    return sum(prod(named[one.strip()] for one in found[name].split(",") if one.strip()) for name in handed)


def cost(name: str, units: int) -> Cost:
    """Counts of a net with as many inputs as units and one output."""
    net, forwards, backwards = compiled(name, units, units), loops(name, "rtrl"), loops(name, "bptt")
    states = len(re.findall(r"^    (?!d)\w+_1 = np\.zeros\(\(n,\)\)$", forwards, re.M)) * units
    ahead, both = (operations(net, backwards, forward=only) for only in (True, False))
    return Cost(net.layout.size, states, carried(net, forwards), ahead, operations(net, forwards), both)


@cache
def polynomials(name: str) -> Cost:
    """The counts as polynomials in the number of units, which equals that of the inputs, from five sizes."""
    places = range(1, DEGREE + 2)
    powers = Matrix([[place**power for power in range(DEGREE + 1)] for place in places])
    counts = [cost(name, place) for place in places]
    columns = zip(*counts, strict=True)
    terms = Matrix([[SIZE**power for power in range(DEGREE + 1)]])
    return Cost(*((terms * powers.solve(Matrix(column)))[0].expand() for column in columns))


def exponent(polynomial: Expr) -> int:
    """The degree in the number of units."""
    return Poly(polynomial, SIZE).degree()


def factor(above: Expr, below: Expr) -> Expr:
    """The limit of the quotient of two counts of one degree for many units. ValueError for two degrees."""
    if exponent(above) != exponent(below):
        raise ValueError(f"above: expected the degree {exponent(below)}, got {exponent(above)}")
    return Poly(above, SIZE).LC() / Poly(below, SIZE).LC()


def latex(polynomial: Expr) -> str:
    """A polynomial by falling powers."""
    return printed(Poly(polynomial, SIZE).as_expr(), order="grlex")


# ---- the gradient that the page gives to type, the compiled one, and the complex step

Weights = dict[str, np.ndarray]
TYPED = 3, 2
"""Units and inputs of the nets that the typed gradient is compared on."""
PARTS = ("nu", "theta", "gamma", "B_re", "B_im", "C_re", "C_im", "b")
"""The real numbers of a net, in the order of the flat vector of the complex step."""


def draw(seed: int) -> tuple[Weights, np.ndarray, np.ndarray]:
    """Weights by the names of ``PARTS``, inputs and targets; moduli from 0.5 to 0.99."""
    random = np.random.default_rng(seed)
    units, inputs = TYPED
    shapes = {"gamma": (units,), "B_re": TYPED, "B_im": TYPED, "C_re": (1, units), "C_im": (1, units), "b": (1,)}
    parts = {name: random.normal(size=shape) for name, shape in shapes.items()}
    parts["nu"] = np.log(-np.log(random.uniform(0.5, 0.99, units)))
    parts["theta"] = random.uniform(0, np.pi, units)
    return parts, random.normal(size=(20, inputs)), random.normal(size=(20, 1))


def as_typed(parts: Weights) -> Weights:
    """The same weights with complex B and C."""
    joined = {name: parts[f"{name}_re"] + 1j * parts[f"{name}_im"] for name in "BC"}
    return {name: parts[name] for name in ("nu", "theta", "gamma", "b")} | joined


def as_parts(gradient: Weights) -> Weights:
    """A gradient with complex B and C by the names of ``PARTS``."""
    apart = {f"{name}_re": gradient[name].real for name in "BC"} | {f"{name}_im": gradient[name].imag for name in "BC"}
    return {name: (gradient | apart)[name] for name in PARTS}


def as_compiled(parts: Weights) -> Weights:
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


def by_program(parts: Weights, x: np.ndarray, target: np.ndarray, method: str) -> Weights:
    """The gradient of the compiled net with respect to the parts."""
    net = compiled("complex linear", *TYPED)
    values = as_compiled(parts)
    G = net.layout.views(net.gradient(net.layout.flatten(values), x, target, np.ones(len(x)), method=method).gradient)
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


def by_steps(parts: Weights, x: np.ndarray, target: np.ndarray) -> Weights:
    """The gradient by the complex step through the forward pass of the compiled net."""
    net = compiled("complex linear", *TYPED)
    ends = np.cumsum([0, *(parts[name].size for name in PARTS)])
    places = {name: slice(low, high) for name, low, high in zip(PARTS, ends, ends[1:], strict=False)}

    def shaped(flat: np.ndarray) -> Weights:
        return {name: flat[place].reshape(parts[name].shape) for name, place in places.items()}

    def loss(flat: np.ndarray) -> complex:
        weights = np.concatenate([as_compiled(shaped(flat))[name].ravel() for name in net.layout.shapes])
        return net.loss(weights, x, target, np.ones(len(x)))

    return shaped(tt.complex_step(loss, np.concatenate([parts[name].ravel() for name in PARTS])))


def apart(one: Weights, other: Weights) -> float:
    """The largest difference of two gradients, relative to the largest entry."""
    largest = max(np.abs(other[name]).max() for name in PARTS)
    return float(max(np.abs(one[name] - other[name]).max() for name in PARTS) / largest)


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
