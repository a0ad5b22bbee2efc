"""Checks of a derivative with respect to the outputs as arguments, and of gradient descent."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sympy import Eq, Symbol, lambdify
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step
from throughtime.derivation import Bench, Sigma, Truncated, chain, d, holds_in_general, holds_on
from throughtime.systems.recurrent import i, y
from throughtime.textbook.recurrent import FullyRecurrent

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


w_new, w_old, rate, slope = (Symbol(name, real=True) for name in ("w^new_ij", "w_ij", "alpha", "g_ij"))


@cache
def examples() -> list[tuple[np.ndarray, Callable[[np.ndarray], complex], np.ndarray]]:
    """Random networks of logistic units: weights, the error of the last time as a function of these, its gradient."""
    draw, net, last = np.random.default_rng(1990), FullyRecurrent(n_in=1, n_out=2, activation=logistic), [0, 0, 0, 1]
    found = []
    for _ in range(3):
        theta, *data = net.init(draw, scale=2.0), draw.normal(size=(4, 1)), draw.uniform(size=(4, 2)), np.array(last)
        found.append((theta, lambda at, data=data: net.loss(at, *data), net.gradient(theta, *data).gradient))
    return found


def descends(rule: Eq) -> bool:
    """Whether an update rule w_new = ... keeps the weights at rate 0, and lowers the error at the rate |g|^2."""
    if rule.lhs != w_new:
        return False
    update = lambdify((w_old, rate, slope), rule.rhs, "numpy")
    for theta, loss, g in examples():

        def moved(alpha: Any, theta=theta, g=g) -> np.ndarray:
            return update(theta, alpha, g) + 0 * theta

        fall = complex_step(lambda alpha, m=moved, loss=loss: complex(loss(m(alpha[0]))), np.zeros(1))[0]
        if not np.array_equal(moved(0.0), theta) or abs(fall + g @ g) > 1e-10 * (g @ g):
            return False
    return True
