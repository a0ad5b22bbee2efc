"""One's own gradient function, in any numbers, against a derivation."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from itertools import product
from operator import getitem
from typing import Any

from sympy import Integer

from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.evaluating.unroll import Unrolled
from throughtime.derivation.formulas.errors import CheckError, DerivationError
from throughtime.derivation.formulas.nodes import DEFINED, PARAMETER, Activation, Quantity, nodes
from throughtime.derivation.judging.checks import Outcome, close
from throughtime.derivation.judging.setting import Setting

SEEDS = range(3)


def check_gradient(setting: Setting, derivation: Derivation, gradient: Callable[[dict[str, Any]], Any]) -> Outcome:
    """Compare `gradient(values)` with the derivative that a derivation is of, element by element, in random networks.

    values      by its name, each parameter (shape: the sizes of its domains) and each sequence that the system reads
                (time first, from the first time given on), as nested lists of floats; a single number has no list
    gradient    returns the derivatives by the weight of the derivation: lists or an array of the weight's shape

    The networks have the sizes, the length and the real `activations` of the setting, three for each of its sizes. The
    derivative is the brute-force one of the unrolled system, truncated where the derivation is; numbers agree that
    differ by at most 1e-12 of the larger one, or of 1. Returns an outcome with the number of elements compared.

    Raises CheckError with the first element that differs, and both values; DerivationError if an activation has no
    function, or the derivation is not by a parameter.
    """
    left, wrt = derivation.left, derivation.left.wrt.quantity
    if wrt.role != PARAMETER or left.target.time is not None:
        raise DerivationError(f"{left}: expected the derivative of a loss by a parameter")
    cases = (*setting.system.all_definitions(), *setting.system.initial_values.values())
    read = {node for case in cases for node in nodes(case.right)}
    names = {node.name for node in read if isinstance(node, Activation)}
    if missing := sorted(names.difference(setting.activations)):
        raise DerivationError(f"{setting.system.name}: no function for {', '.join(missing)}; see Setting(activations=)")
    given = [node for node in read if isinstance(node, Quantity) and node.role != DEFINED]
    count = 0
    for sizes, seed in product(setting.sizes, SEEDS):
        net = setting.floating(dict(sizes), setting.length, seed=seed)
        found = gradient({one.name: _nested(net, one) for one in given})
        for key in product(*(over.elements(net.sizes) for over in wrt.domains)):
            true, count = net.value(left.of(left.target, wrt[tuple(map(Integer, key))]), {}), count + 1
            firsts = [over.elements(net.sizes).start for over in wrt.domains]
            own = _entry(found, [at - first for at, first in zip(key, firsts, strict=True)])
            if own is None or not close(own, true):
                raise CheckError(f"{left}: at {wrt}{list(key) or ''} it is {true:.10g}, the function gives {own}")
    return Outcome(True, "", count)


def _nested(net: Unrolled, quantity: Quantity, *chosen: int) -> Any:
    """The elements of a quantity of which the time, if it has one, and the first indices are chosen."""
    times = [net.system.given_times(quantity, net.length)] if quantity.timed else []
    axes = [*times, *(over.elements(net.sizes) for over in quantity.domains)]
    if len(chosen) < len(axes):
        return [_nested(net, quantity, *chosen, place) for place in axes[len(chosen)]]
    return net.element((quantity, *chosen[len(times) :], *chosen[: len(times)]))


def _entry(found: Any, places: list[int]) -> float | None:
    """One element of what a gradient function has returned, None where it has no such number."""
    with suppress(TypeError, IndexError, KeyError, ValueError):
        return float(reduce(getitem, places, found))
    return None
