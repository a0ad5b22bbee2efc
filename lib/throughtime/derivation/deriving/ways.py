"""Equivalent forms of an equation, which may be easier to compare: each is true if and only if the equation is.

Sums over times counted from one, padded or taken apart; times of states that are read ahead, or that a delta fixes;
adjoints by a node as derivatives forwards in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

from sympy import Add, Expr, Mul

from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.forward import Forward
from throughtime.derivation.deriving.recursion import fixed_point
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import counted_from_one, extremes, padded
from throughtime.derivation.formulas.domains import LENGTH, Index
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import (
    Bound,
    Delta,
    DerivativeSymbol,
    Quantity,
    Ref,
    Total,
    bound,
    every,
    refs,
)
from throughtime.derivation.formulas.rewrite import by_parts, contract, free, replace, substitute
from throughtime.derivation.formulas.sums import solved

MAX_STEPS = 60
Engines = Callable[..., Forward]


def is_adjoint(node: DerivativeSymbol) -> bool:
    """Whether a derivative is an adjoint: of a quantity without a time, with respect to a node."""
    return getattr(node.target, "time", None) is None and node.wrt.time is not None


def ways(
    system: System, forward: Engines, left: Expr, right: Expr
) -> Iterator[tuple[tuple[tuple[Expr, Expr], ...], list[Expr]]]:
    """Pairs of sides that are all the same if `left` and `right` are, with the times t - n asked from n + 1 on only."""
    forwards = _forwards(system, forward, left, right)
    mixed = any(map(is_adjoint, every(DerivativeSymbol, *forwards)))
    if forwards != (left, right) and not mixed:
        yield (forwards,), []
    whole = counted_from_one(left), counted_from_one(right)  # sums by lags of products of gates are shown only so
    (more, first), (others, second) = padded(left), padded(right)
    pads = (counted_from_one(more), counted_from_one(others)), first + second
    if pads[1] and equal(*pads[0]) and not equal(*whole):
        yield (pads[0],), pads[1]
    yield (whole,), []
    if whole != (left, right):  # an end left over may be at a time at which no definition holds
        yield ((left, right),), []
    if pads[1]:
        yield (pads[0],), pads[1]
    parts = tuple(by_parts(*whole))
    if parts != (whole,):
        yield parts, []
    if ahead := _read_ahead(system, left, right):
        yield from ways(system, forward, *(substitute(side, ahead) for side in (left, right)))
    if forwards != (left, right) and mixed:
        yield (forwards,), []
    fixed = with_fixed_times(left), with_fixed_times(right)
    if fixed != (left, right):
        yield from ways(system, forward, *fixed)


def over_times(*sides: Expr) -> bool:
    """Whether formulas have sums or products over times, and no derivatives."""
    return any(node.limits for node in every(Bound, *sides)) and not any(every(DerivativeSymbol, *sides))


def with_fixed_times(expr: Expr) -> Expr:
    """A formula in which a time, or T, that a delta equates with a number is this number in all factors beside it."""

    def rule(node: Expr) -> Expr | None:
        for delta in (factor for factor in Mul.make_args(node) if isinstance(factor, Delta)):
            for letter in (one for one in (*free(delta), LENGTH) if not isinstance(one, Index)):
                when, rest = solved(delta, letter), node / delta
                if when is not None and when.is_Integer and (new := substitute(rest, {letter: when})) != rest:
                    return delta * with_fixed_times(new)
        return None

    return replace(expr, rule, only=(Delta,))


def _read_ahead(system: System, *sides: Expr) -> dict[Expr, Expr]:
    """Each time t as t - n, where a state at t + n is read: states are computed up to T, so t is at most T - n."""
    read = [*chain.from_iterable(map(refs, sides)), *(one.target for one in _timed(*sides))]
    computed = (ref for ref in read if ref.time is not None and system.given_times(ref.quantity, 1)[-1] == 1)
    letters = {one for side in sides for one in free(side) if one.is_Symbol and not one.is_nonnegative}
    letters = letters.difference(*map(bound, sides))  # a sum may bind the same letter
    latest = extremes(max, (ref.time for ref in computed))
    return {base: base - most for base, most in latest.items() if base in letters and most > 0}


def _timed(*sides: Expr) -> list[DerivativeSymbol]:
    """The derivatives of quantities at a time."""
    return [one for one in every(Total, *sides) if isinstance(one.target, Ref) and one.target.time is not None]


def gradients(*sides: Expr) -> list[DerivativeSymbol]:
    """Gradients that one side may write forwards in time and the other one backwards."""
    adjoints = filter(is_adjoint, every(Total, *sides))
    losses = dict.fromkeys((type(node), node.target, node.args[2:]) for node in adjoints)
    weights = dict.fromkeys(node.wrt for node in _timed(*sides) if node.wrt.time is None)
    return [kind(loss, weight, *cuts) for kind, loss, cuts in losses for weight in weights]


def _forwards(system: System, forward: Engines, *sides: Expr) -> tuple[Expr, ...]:
    """Adjoints of nodes that have derivatives forwards in time too, as immediate derivatives times those, and of what
    such nodes read at their time.
    """
    by = {_node(node) for node in _timed(*sides) if node.wrt.time is not None}
    times = {time for _, time, _ in by}

    def rule(node: Expr) -> Expr | None:
        if not isinstance(node, Total) or not is_adjoint(node) or node.wrt.time not in times:
            return None
        if _node(node) not in by:
            if getattr(node.target, "quantity", None) not in system.definitions:
                return None  # a formula
            once = Backward(system, node.target, node.args[2:]).step(node.wrt)
            whole = replace(once, rule)
            return whole if whole != once else None
        engine = forward(node.wrt, node.args[2:])
        unfold = partial(engine.unfold, chosen=lambda target: isinstance(target, Ref) and target.time is None)
        return fixed_point(node, unfold, MAX_STEPS, f"{system.name}: {node} does not come to an end")

    return tuple(contract(replace(side, rule)) for side in sides)


def _node(symbol: DerivativeSymbol) -> tuple[Quantity, Expr, tuple[Expr, ...]]:
    """The quantity by which a derivative is taken, its time, and the cuts."""
    return symbol.wrt.quantity, symbol.wrt.time, symbol.args[2:]


def read_times(expr: Expr) -> Iterator[Expr]:
    """The times t - q of the states by which a formula takes derivatives wherever it has a value: at least 1."""
    if isinstance(expr, DerivativeSymbol) and expr.wrt.quantity.is_defined and expr.wrt.time is not None:
        yield from () if expr.wrt.time.as_coeff_Add()[1].is_Atom else (expr.wrt.time,)
    elif isinstance(expr, Add | Mul) and not any(isinstance(arg, Delta) for arg in expr.args):
        yield from chain.from_iterable(map(read_times, expr.args))
