"""Checks of a derivative with respect to the outputs as arguments, and of gradient descent."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sympy import Eq, Symbol, lambdify
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step
from throughtime.derivation import Bench, Sigma, Truncated, chain, d, holds_in_general, holds_on
from throughtime.systems.recurrent import i, y
from throughtime.textbook.recurrent import FullyRecurrent

# ---- derivatives of the objective

t = Symbol("t", integer=True, nonnegative=True)  # of an equation in t + 1


def holds_at_all_times(bench: Bench, equation: Eq) -> bool:
    """Whether an equation in t + 1 holds on the exact instances for t = 0, ..., T - 1.

    There is no error of time 0, which the engine would count as 0: a sum that reaches it is refused.
    """
    first = [total.limits[0] for total in equation.atoms(Sigma) if total.limits]
    found = holds_on(bench.witnesses, [chain(*equation.args)])
    everywhere = holds_on(bench.witnesses, [chain(y[i, t + 1], y[i, t + 1])]).count
    return found.passed and found.count >= everywhere and all(time >= 0 for time in first)


def same_without_cuts(bench: Bench, mutant: Eq, equation: Eq) -> bool:
    """Whether a mutant only lets the outputs depend on one another, and it is proved that nothing changes."""
    uncut, other = (side.replace(Truncated, lambda of, wrt, *_: d(of, wrt)) for side in (equation, mutant))
    proved = holds_in_general(bench.reducer, [chain(*mutant.xreplace({t: bench.system.t}).args)])
    return uncut == other and bool(proved.passed)


# ---- gradient descent

w_new, w_old, rate, slope = (Symbol(name, real=True) for name in ("w^new_ij", "w_ij", "alpha", "g_ij"))


@dataclass(frozen=True)
class Example:
    """A network, its data, and the error of the last time."""

    net: FullyRecurrent
    theta: np.ndarray
    x: np.ndarray
    targets: np.ndarray

    @property
    def mask(self) -> np.ndarray:
        """Mask of the last time, shape (T,)."""
        return np.eye(1, len(self.x), len(self.x) - 1)[0]

    def loss(self, theta: np.ndarray) -> complex:
        """Error of the last time."""
        return self.net.loss(theta, self.x, self.targets, self.mask)

    def gradient(self) -> np.ndarray:
        """Its gradient, flat."""
        return self.net.gradient(self.theta, self.x, self.targets, self.mask).gradient


@cache
def examples(count: int = 3) -> Sequence[Example]:
    """Random networks of logistic units on random sequences."""
    draw = np.random.default_rng(1990)
    net = FullyRecurrent(n_in=1, n_out=2, activation=logistic)
    return tuple(
        Example(net, net.init(draw, scale=2.0), draw.normal(size=(4, 1)), draw.uniform(size=(4, 2)))
        for _ in range(count)
    )


def descends(rule: Eq) -> bool:
    """Whether an update rule w_new = ... keeps the weights at rate 0, and lowers the error at the rate |g|^2."""
    if rule.lhs != w_new:
        return False
    update = lambdify((w_old, rate, slope), rule.rhs, "numpy")
    return all(_descends(update, example) for example in examples())


def _descends(update: Any, example: Example) -> bool:
    g = example.gradient()

    def moved(alpha: Any) -> np.ndarray:
        return update(example.theta, alpha, g) + 0 * example.theta

    if not np.array_equal(moved(0.0), example.theta):
        return False
    fall = complex_step(lambda alpha: complex(example.loss(moved(alpha[0]))), np.zeros(1))[0]
    return abs(fall + g @ g) <= 1e-10 * (g @ g)
