"""Checks of online rules: costs, counted in the text of their programs; exactness of e-prop; rank-one estimates."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from book.beyond import bench as settings
from book.beyond import costs
from book.beyond import leaky as s
from sympy import Basic, Equality, Expr
from throughtime.derivation import Bench, CheckError, DerivationError, Evaluator, holds_on
from throughtime.programs import compile

# ---- costs

METHODS = {"exact": "rtrl", "snap": "snap", "rflo": "rflo", "one": "one", "bptt": "bptt"}


class Cost(NamedTuple):
    """Of one step: derivatives carried to the next, and additions and multiplications; polynomials in n and m."""

    carried: Expr
    operations: Expr


def program(rule: str, units: int = 2) -> str:
    """The equations of a rule of the leaky network as a program of loops; only its first lines know the sizes."""
    sizes, given = {s.n: units, s.m: 3, s.r: 1}, {"tau": np.array(2.0)}
    net = compile(s.leaky(masked=True), s.loss, sizes, activations={"phi": "tanh"}, given=given, cuts=s.CUTS)
    return net.source(METHODS[rule], "loops")


def cost(rule: str) -> Cost:
    """What a rule costs, counted in its program; "bptt" is the adjoint sweep with its forward pass."""
    text = program(rule)
    return Cost(costs.handed_on(text), costs.operations(text))


# ---- the units of e-prop

CANCELS = (
    "Summed over all times, what is carried cancels but for the first and the last, which are 0: no trace is there "
    "before time 1, and no error after time $T$."
)


def holds(S: Bench, equation: Basic) -> bool:
    """Whether an equation is true on the exact instances, of which some are longer; False for what is none."""
    if not isinstance(equation, Equality):
        return False
    try:
        witnesses: list[Evaluator] = [*S.witnesses, *S.exact.of([equation.args], 2)]
        return holds_on(witnesses, [equation.args]).passed is True
    except (DerivationError, CheckError, LookupError):
        return False


_spiking = cache(settings.of_spiking)


def decides_ideal(equation: Basic) -> bool:
    """`holds` for the units of e-prop."""
    return holds(_spiking(), equation)


def in_numbers(equation: Equality) -> bool:
    """Whether an equation holds of the units of e-prop in numbers."""
    return _spiking().on_model([equation.args]).passed is True


# ---- rank-one estimates of the exact influence: unbiased, and no cut. Every sequence of signs can be tried


@dataclass(frozen=True)
class Problem:
    """A leaky network of n units, T inputs, and for each time the derivative of its loss with respect to the units."""

    W: np.ndarray
    W_in: np.ndarray
    x: np.ndarray
    seen: np.ndarray
    tau: float


def problem(seed: int, units: int = 2, length: int = 3) -> Problem:
    """Normal numbers, one input line, tau = 1.5."""
    random = np.random.default_rng(seed)
    shapes = (units, units), (units, 1), (length, 1), (length, units)
    return Problem(*(random.normal(size=shape) for shape in shapes), 1.5)


def steps(net: Problem) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each time the Jacobian of the step, the slopes over tau, and what the weights read (units, then inputs)."""
    h = np.zeros(len(net.W))
    for now in net.x:
        u, read = net.W @ h + net.W_in @ now, np.r_[h, now]
        slope = (1 - np.tanh(u) ** 2) / net.tau
        yield (1 - 1 / net.tau) * np.eye(len(h)) + slope[:, None] * net.W, slope, read
        h = (1 - 1 / net.tau) * h + np.tanh(u) / net.tau


def carried(net: Problem, rule: str = "exact") -> np.ndarray:
    """dL/d(W, W_in), (n, n + inputs), with the factors of a rule: "exact", "snap", "rflo" or "one"."""
    n, width = len(net.W), len(net.W) + net.x.shape[1]
    D, gradient = np.zeros((n, n, width)), np.zeros((n, width))
    for (J, slope, read), seen in zip(steps(net), net.seen, strict=True):
        kept = {"exact": J, "snap": np.diag(np.diag(J)), "rflo": (1 - 1 / net.tau) * np.eye(n), "one": 0 * J}[rule]
        D = np.einsum("kl,lij->kij", kept, D)
        D[range(n), range(n)] += slope[:, None] * read
        gradient += np.einsum("k,kij->ij", seen, D)
    return gradient


def rank_one(net: Problem, signs: np.ndarray) -> np.ndarray:
    """The same gradient from two vectors in place of D, with a sign for each time and unit, (T, n).

    D is replaced by an outer product left x right. At each step the new term is projected on the signs, and both parts
    are scaled to equal lengths, which leaves the mean as it is and lessens the spread.
    """
    n = len(net.W)
    left, right, gradient = np.zeros(n), np.zeros((n, n + net.x.shape[1])), np.zeros((n, n + net.x.shape[1]))
    for (J, slope, read), seen, nu in zip(steps(net), net.seen, signs, strict=True):
        left, new = J @ left, (nu * slope)[:, None] * read
        old, fresh = _balance(left, right), _balance(nu, new)
        left, right = old * left + fresh * nu, right / old + new / fresh
        gradient += (seen @ left) * right
    return gradient


def _balance(left: np.ndarray, right: np.ndarray) -> float:
    sizes = np.linalg.norm(left), np.linalg.norm(right)
    return float(np.sqrt(sizes[1] / sizes[0])) if min(sizes) > 0 else 1.0


def all_estimates(net: Problem) -> np.ndarray:
    """The estimates for every choice of signs, (2 ** (T n), n, n + inputs)."""
    shape = net.seen.shape
    choices = product((-1.0, 1.0), repeat=net.seen.size)
    return np.array([rank_one(net, np.array(signs).reshape(shape)) for signs in choices])


def bias(net: Problem, rule: str) -> float:
    """Length of the difference between a rule's gradient and the exact one, over that of the exact one.

    `rule` is that of `carried`, or "rank one" for the mean over all signs.
    """
    exact = carried(net)
    found = all_estimates(net).mean(axis=0) if rule == "rank one" else carried(net, rule)
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


def spread(net: Problem) -> float:
    """Root mean square distance of the rank-one estimates from the exact gradient, over the length of that one."""
    exact = carried(net)
    return float(np.sqrt(((all_estimates(net) - exact) ** 2).sum(axis=(1, 2)).mean()) / np.linalg.norm(exact))
