"""Comparison of a user's gradient function, in any numbers, with a derivation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from numbers import Real
from typing import Any

from sympy import Integer

from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.domains import Dimension
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.functions import Elementary
from throughtime.derivation.formulas.nodes import Activation, Quantity, every
from throughtime.derivation.judging.bench import Bench
from throughtime.derivation.judging.checks import close
from throughtime.derivation.judging.instances import MASKED, shut_times
from throughtime.derivation.publishing.outcome import Outcome

LONG = 12  # steps: a rule that goes back ten steps is none for all of them
SEEDS = {0: False, 1: True, 2: True}  # and whether the inputs are spread: some 0, some two or three times as large


def check_gradient(
    bench: Bench,
    derivation: Derivation,
    gradient: Callable[[dict[str, Any]], Any],
    *,
    sizes: Sequence[dict[Dimension, int]] | None = None,
) -> Outcome:
    """Compare `gradient(values)` with the derivative of a derivation, element by element, in random networks.

    values      by its name, each parameter (shape: the sizes of its domains) and each sequence that the system reads
                (time first, from the first time given on), as nested lists of floats; a single number has no list
    gradient    returns the derivatives with respect to the derivation's weight: lists or an array of the weight's shape

    The networks have the real `activations` of the bench; three have its sizes and length, three one step more, one a
    single step, one at least twelve, and one has larger sizes: those of `sizes`, [] for a program with fixed ones.
    Masks are 0 at one time, at some of the first and the last three, at all or at none (`shut_times`), and of the
    inputs some are 0 and some large. The derivative is the brute-force one of the unrolled system, truncated where the
    derivation is; numbers agree that are finite and differ by at most 1e-12 of the larger one, or of 1. Returns an
    outcome that is true in a condition if all agree, with the number of elements compared; where one differs it says
    which, with both values.

    Raises DerivationError if an activation that is not known has no function, if the derivation is not by a parameter,
    and if the function returns another shape or what is no real number.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> L = tt.scalar("L")
    >>> unit[L[()]] = y[tt.LENGTH]
    >>> bench = tt.Bench(unit, [{}])
    >>> def gradient(values):
    ...     slope, state = 0.0, 0.0
    ...     for x_t in values["x"]:
    ...         slope, state = state + values["w"] * slope, values["w"] * state + x_t
    ...     return slope
    >>> print(tt.check_gradient(bench, bench.derive_gradient(L[()], w[()]), gradient))
    passed, 8 compared
    """
    left, wrt = derivation.left, derivation.left.wrt.quantity
    if not wrt.is_parameter or left.target.time is not None:
        raise DerivationError(f"{left}: expected the derivative of a loss by a parameter")
    read = [case.right for case in bench.system.all_equations()]
    names = {node.name for node in every(Activation, *read) if not isinstance(node, Elementary)}
    if missing := sorted(names.difference(bench.activations)):
        raise DerivationError(f"{bench.system.name}: no function for {', '.join(missing)}; see Bench(activations=)")
    given = {node for node in every(Quantity, *read) if not node.is_defined}
    count = 0
    for net in _networks(bench, sizes):
        elements = [over.elements(net.sizes) for over in wrt.domains]
        found = _entries(gradient({one.name: _nested(net, one) for one in given}))
        places = [*product(*(range(len(numbers)) for numbers in elements))]
        shape = tuple(map(len, elements))
        if (own_shape := _shape(found)) != shape:
            raise DerivationError(f"{left}: the function returns shape {own_shape}, expected {shape}, that of {wrt}")
        for place, key in zip(places, product(*elements), strict=True):
            true, own, count = net.value(left.of(left.target, wrt[tuple(map(Integer, key))]), {}), found, count + 1
            for position in place:
                own = own[position]
            at = f"{left}: at {wrt}{list(key) or ''}, T={net.length}"
            if isinstance(own, bool) or not isinstance(own, Real):
                raise DerivationError(f"{at} the function returns {own!r}, expected a real number")
            if not close(own, true):
                return Outcome(False, f"{at} it is {true:.10g}, the function gives {own}", count)
    return Outcome(True, "", count)


def _networks(bench: Bench, others: Sequence[dict[Dimension, int]] | None) -> Iterator[ExactInstance]:
    """The random networks; inputs are not spread where the system has no value then, as for the logarithm of 0."""
    for sizes, more, (seed, spread) in product(bench.sizes, (0, 1), SEEDS.items()):
        how = dict(sizes), bench.length + more
        made = None
        with suppress(DerivationError):
            made = bench.floating(*how, seed=seed, spread=spread)
        yield made or bench.floating(*how, seed=seed)
    (own, *_), length = bench.sizes, bench.length + 2
    larger = [{dimension: size + 1 for dimension, size in own.items()}] if own else []
    further = larger if others is None else others
    for sizes, steps in ((own, 1), (own, max(LONG, length)), *((each, length) for each in further)):
        yield bench.floating(dict(sizes), steps, seed=len(SEEDS))
    for steps, shut in shut_times(max(MASKED, bench.length)) if bench.exact.has_masks else ():
        yield bench.floating(dict(own), steps, seed=len(SEEDS), shut=shut)


def _nested(net: ExactInstance, quantity: Quantity, *chosen: int) -> Any:
    """Nested list of a quantity's elements, the time, if it has one, and the first indices being `chosen`."""
    times = [net.system.given_times(quantity, net.length)] if quantity.timed else []
    axes = [*times, *(over.elements(net.sizes) for over in quantity.domains)]
    if len(chosen) < len(axes):
        return [_nested(net, quantity, *chosen, place) for place in axes[len(chosen)]]
    return net.element((quantity, *chosen[len(times) :], *chosen[: len(times)]))


def _entries(found: Any) -> Any:
    """Result of a gradient function, as nested lists."""
    found = found.tolist() if hasattr(found, "tolist") else found
    return [*map(_entries, found)] if isinstance(found, list | tuple) else found


def _shape(found: Any) -> tuple:
    """The shape of nested lists; the lengths that differ stand in it as a set."""
    if not isinstance(found, list):
        return ()
    inner = {_shape(part) for part in found}
    return (len(found), *(inner.pop() if len(inner) == 1 else [inner] if inner else ()))
