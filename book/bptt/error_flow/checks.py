"""Checks of the error flow: times at which there is an error signal, sums over paths as products of matrices."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from math import prod
from typing import Any

import numpy as np
from book.shared.samples import Samples
from book.shared.words import Words
from sympy import Integer, Matrix, eye, symbols, sympify
from sympy.logic.boolalg import Boolean
from throughtime.arrays.activations import tanh
from throughtime.derivation import ExactInstance, OutOfRange, d
from throughtime.systems import recurrent as s
from throughtime.textbook.recurrent import FullyRecurrent

LENGTH = 4


@cache
def _instances() -> tuple[ExactInstance, ...]:
    sizes = ({s.d_in: 1, s.d_out: units} for units in (2, 3))
    return tuple(ExactInstance(s.build(), each, LENGTH, seed=seed) for seed, each in enumerate(sizes, 1))


def _units(net: ExactInstance) -> range:
    return range(1, int(net.sizes[s.d_out]) + 1)


# ---- times of error signals

t_past, t_future = symbols(r"t_{\mathrm{past}} t_{\mathrm{future}}", integer=True)
REACHED = Words("there is an error signal")


def reached_exactly(future: int, past: int) -> bool:
    """Whether some network in rational numbers has an error signal other than 0 from E(future) at a z(past)."""
    signal = d(s.cost[Integer(future)], s.net[s.i, Integer(past)])
    with suppress(OutOfRange):
        return any(net.value(signal, {s.i: Integer(unit)}) != 0 for net in _instances() for unit in _units(net))
    return False


def reached_in_library(future: int, past: int) -> bool:
    """Whether the library's network has an error signal other than 0 from E(future) at a z(past)."""
    if not 0 <= past <= LENGTH:
        return False
    random = np.random.default_rng(3)
    model = FullyRecurrent(n_in=1, n_out=2, activation=tanh)
    mask = np.eye(LENGTH)[future - 1]
    data = model.init(random, 1.0), random.normal(size=(LENGTH, 1)), random.normal(size=(LENGTH, 2))
    return bool(np.any(model.error_signals(*data, mask).z[past]))


TIMES = [(past, future) for future in range(1, LENGTH + 1) for past in range(1, LENGTH + 3)]
"""Times of a net input, from 1 to two past the end, each with that of an error."""


def _times(reached: Callable[[int, int], bool]) -> Samples:
    return Samples((t_past, t_future, REACHED), ((past, future, reached(future, past)) for past, future in TIMES))


def holds_for_times(formula: Boolean, reached: Callable[[int, int], bool] = reached_exactly) -> bool:
    """Whether a formula in the two times and in `REACHED` is true for all net inputs of a short sequence."""
    return _times(reached).holds(formula)


def same_for_net_inputs(formula: Boolean, other: Boolean) -> bool:
    """Whether two formulas are equivalent for every net input, whether or not an error signal reaches it."""
    cases = [_times(lambda *_, there=there: there) for there in (True, False)]
    return all((case.truth(formula) == case.truth(other)).all() for case in cases)


# ---- products of matrices


def paths_are_product(steps: int) -> bool:
    """Whether the sum over paths is the product of `steps` matrices of links, in rational numbers."""
    paths = s.error_flow(s.i, s.j, Integer(steps))
    return all(_matrix(net, paths, {s.t: Integer(LENGTH)}) == _product(net, steps) for net in _instances())


def errors_come_back(steps: int) -> bool:
    """Whether the transposed product takes the error signals of time t to those of time t - `steps`, exactly."""
    return all(_product(net, steps).T * _signals(net, 0) == _signals(net, steps) for net in _instances())


def _product(net: ExactInstance, steps: int) -> Matrix:
    links = (s.w[s.i, s.j] * s.f.prime(s.net[s.j, LENGTH - back], s.j) for back in range(1, steps + 1))
    return prod((_matrix(net, link, {}) for link in links), start=eye(len(_units(net))))


def _matrix(net: ExactInstance, entry: Any, when: dict) -> Matrix:
    rows = ([{s.i: Integer(u), s.j: Integer(v), **when} for v in _units(net)] for u in _units(net))
    return Matrix([[sympify(net.value(entry, at)) for at in row] for row in rows])


def _signals(net: ExactInstance, back: int) -> Matrix:
    signal = d(s.cost[Integer(LENGTH)], s.net[s.i, Integer(LENGTH - back)])
    return Matrix([sympify(net.value(signal, {s.i: Integer(unit)})) for unit in _units(net)])
