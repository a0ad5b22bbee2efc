"""Reduction of both sides of an equation to a common depth, at which they are compared in normal form.

Derivative symbols are unfolded until only those of a time before every symbol in the equation remain (after it,
for adjoints); immediate partial derivatives are computed. If that does not settle the matter, the same is done
with the definitions of the quantities themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import cached_property, partial
from itertools import chain

from sympy import Expr, Integer

from throughtime.derivation.deriving.differentiate import expand_partials
from throughtime.derivation.deriving.naming import by_name
from throughtime.derivation.deriving.symmetry import balanced, symmetric
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import extremes
from throughtime.derivation.deriving.unfolding import Rewrite, Unfolding
from throughtime.derivation.deriving.ways import gradients, is_adjoint, over_times, read_times, ways
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.equality import equal, reduced, remainder
from throughtime.derivation.formulas.errors import DomainError
from throughtime.derivation.formulas.given import expression
from throughtime.derivation.formulas.nodes import (
    DerivativeSymbol,
    Immediate,
    Product,
    Quantity,
    Ref,
    Sigma,
    Total,
    Truncated,
    every,
    nodes,
    refs,
    time,
)
from throughtime.derivation.formulas.rewrite import by_parts, contract, free, substitute, with_elements

MAX_FIRST = 6  # the latest of the first times, written as a number, from which is gone back to the start
MAX_NODES = 10_000  # of a difference; those of the book that come to 0 have some 600


class Reducer(Unfolding):
    """Reduction of the formulas of one system; forward and backward engines are made once and kept.

    >>> import throughtime as tt
    >>> from throughtime.derivation import Reducer
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> print(tt.derive(Reducer(unit), y[t], w[()]).result)
    w*dy(t-1)/dw + y(t-1)
    """

    def __init__(self, system: System):
        super().__init__(system)
        self._symmetric = symmetric(self.system)

    @cached_property
    def by_leaf(self) -> Reducer | None:
        """The reducer of the system `by_leaf`; None if the system is written so already."""
        other = self.system.by_leaf()
        return None if other.definitions == self.system.definitions else Reducer(other)

    def equal(self, left: Expr, right: Expr, known: Rewrite = lambda expr: expr) -> bool:
        """Whether two formulas are equal for all dimensions, lengths and activations.

        `known` rewrites derivative symbols by proved lemmas; it is applied before each unfolding. Of the first steps
        nothing is said: how many these are is what `reach` gives.
        """
        return self.reach(left, right, known) is not None

    def reach(self, left: Expr, right: Expr, known: Rewrite = lambda expr: expr) -> float | None:
        """None unless two formulas are equal as in `equal`, else the number of first steps that this leaves open.

        Definitions are put in at every time in a formula as if they held there, yet one put in at t - n holds from
        t = n + 1 on only. At the n times before, and in sequences of at most n times, exact instances have to judge.
        One put in at t - s holds for s < t only: unless the range of s or what both sides read sees to that, no number
        of first steps is all that is left open, and the result is infinite.
        """
        left, right = expression(left, "left side"), expression(right, "right side")
        self.system.check_known(left, right)
        left, right = with_elements(left), with_elements(right)
        if self._symmetric and equal(*(balanced(side, self._symmetric) for side in (left, right))):
            return 0
        try:
            found = self._found(left, right, known)
        except DomainError:
            if (by_leaf := self.by_leaf) is None:
                raise
            each = [by_leaf.reach(one, other, known) for one, other in by_parts(left, right)]
            return None if None in each else max(steps for steps in each if steps is not None)
        for between in gradients(left, right) if found is None else ():
            one, other = self._found(left, between, known), self._found(between, right, known)
            found = found if one is None or other is None else max(one, other)
        return found

    def once(self, before: Expr, after: Expr) -> float | None:
        """`reach` for a line of a derivation and the next one: derivatives are unfolded once, or put in where they are
        known, or immediate ones are computed. None if that does not give the line, which may be equal nonetheless.
        """
        self.system.check_known(before, after)
        self._read, there = extremes(min, chain(read_times(before), read_times(after))), {*nodes(after)}
        targets = [node.target.time for node in every(Immediate, before, after)]
        computed = expand_partials(self.system, after) if targets else after

        symbols = [*dict.fromkeys(node for node in every(Total, before) if isinstance(node.target, Ref))]
        gone = [node for node in symbols if node not in there]
        now = {_item(node).time for node in gone if isinstance(_item(node), Ref)}  # what is unfolded may come back
        ways = gone, [node for node in symbols if isinstance(_item(node), Ref) and _item(node).time in now], symbols
        changes: list[Rewrite] = [partial(self._each_once, chosen=way) for way in dict.fromkeys(map(frozenset, ways))]
        changes += [self._resolved, partial(expand_partials, self.system)]
        for change in changes:
            self._ranges, self._deepest = {}, extremes(min, (when for when in targets if when is not None))
            made = self._named(contract(change(before)), early=True)
            if made == after or (targets and equal(made, self._named(computed, early=True))):
                return self._open(True)
        return None

    def is_zero(self, expr: Expr, now: Expr) -> bool:
        """Whether a formula is 0 by the definitions at a time and after it, derivatives left as they are."""
        self._ranges, self._read, self._deepest = {}, {}, {}
        defined = self._define(expr, {now: Integer(0)}, self.system.definitions, False)
        return self._open(equal(defined, Integer(0))) == 0

    def _found(self, left: Expr, right: Expr, known: Rewrite) -> float | None:
        """`reach`, with nothing put in between."""
        self._read = extremes(min, chain(read_times(left), read_times(right)))
        if over_times(left, right) and (once := self.by_one_definition(left, right)) is not None:
            return once
        added = [body for side in (left, right) if (body := self._of_one_time(side)) is not None]
        if self._same_at_one_time(left, right) or (len(added) == 2 and self._same_at_one_time(*added)):
            return 0
        refusal = None
        for forms, late in ways(self.system, self.forward, left, right):
            try:
                found, refusal = [self._reach(*form, known, late) for form in forms], None
            except DomainError as error:  # a sum over a part picks an index that runs over more
                refusal = error
                continue
            if len(reached := [steps for steps in found if steps is not None]) == len(found):
                return max(reached)
        if refusal:
            raise refusal
        return None

    def _of_one_time(self, side: Expr) -> Expr | None:
        """What a sum over all times, or a weight's gradient of a loss that is one, adds at time t; None for others."""
        if isinstance(side, Total) and isinstance(side.target, Ref) and side.target.time is side.wrt.time is None:
            side = self.forward(side.wrt, side.args[2:]).step(side.target)
        whole = isinstance(side, Sigma) and side.limits == (1, LENGTH) and self.system.t not in free(side)
        return substitute(side.body, {side.index: self.system.t}) if whole else None

    def _same_at_one_time(self, *sides: Expr) -> bool:
        """Whether weight gradients, sums over nodes up to the end or up to the target's time, add up the same at each
        time, or derivatives by nodes are the same at one, by one definition at most."""
        self._ranges, self._deepest, now = {}, {}, self.system.t
        later = {now: time(f"{now}'")}  # the target's time, while the one at which is added up is t
        sums = [substitute(self._transposed(self.immediates(side), timed=True), later) for side in sides]
        if all(isinstance(one, Sigma) and one.limits in ((1, LENGTH), (1, later[now])) for one in sums):
            alike = sums[0].limits == sums[1].limits and all(any(map(_by_node, every(Total, one))) for one in sums)
            bodies = [self.immediates(substitute(one.body, {one.index: now})) for one in sums] if alike else []
        else:
            ahead = _by_node_at(now, sides)
            bodies = [] if ahead is None else [self.immediates(substitute(side, ahead)) for side in sides]
        if not bodies:
            return False
        left, right = bodies
        left = self._met(left, right)
        near = reduced(*map(self._named, (left, self._met(right, left))))
        groups = [(), *({case.left.quantity} for case in self.system.order())]
        same = any(len({*self._defined(*near, [these], within=True, first=max)}) == 1 for these in groups)
        return self._open(same) == 0

    def _reach(self, left: Expr, right: Expr, known: Rewrite, late: Iterable[Expr]) -> float | None:
        """`reach` for sums as they stand; `late` are times t - n, where both sides are as asked for from n + 1 on."""
        whens = (node.target.time for node in every(Immediate, left, right))
        self._ranges, self._deepest = {}, extremes(min, (*late, *(when for when in whens if when is not None)))
        left, right = map(self.immediates, (left, right))
        symbols = self._symbols(left) + self._symbols(right)
        if any(map(is_adjoint, symbols)):
            return self._open(self._same(self._transposed(left), self._transposed(right), known))
        truncated = any(isinstance(node, Truncated) for node in symbols)  # may end the recursion one step earlier
        if self._same(left, right, known) or (truncated and self._same(left, right, known, further=1)):
            return self._open(True)
        backwards = self._transposed(left), self._transposed(right)
        return self._open(tuple(map(known, backwards)) != backwards and self._same(*backwards, known))

    def _same(self, left: Expr, right: Expr, known: Rewrite, further: int = 0) -> bool:
        """`equal` for derivatives as they stand: forwards ones are not turned into adjoints."""
        before = dict(self._deepest)
        order = [case.left.quantity for case in reversed(self.system.order())]  # a mean comes before its summands
        if not isinstance(left, DerivativeSymbol):  # which has to be unfolded first
            left, right = reduced(left, right)
            if any(every(Product, left, right)):
                at_start = self.immediates(remainder(left, right))  # what products leave over at their first times
                if equal(self._resolved(at_start), Integer(0)):
                    return True
            alone = order if right == 0 else ()  # what differs in a few terms is often the same by one definition
            if left == right or any(len({*self._defined(left, right, [{one}])}) == 1 for one in alone):
                return True
        symbols = [*every(Total, left, right)]
        targets = [node.target for node in symbols if not is_adjoint(node)]
        times = [target.time for target in targets if target.time is not None]
        future = extremes(max, (LENGTH, *(node.wrt.time for node in symbols if is_adjoint(node))))
        self._deepest = dict(before)
        unfolded = [self._unfold(side, extremes(max, times), future, known) for side in (left, right)]
        named = [self._named(side) for side in unfolded]  # slopes are polynomials of the names
        near = reduced(*named)
        ways = [({*order}, False), *(({one}, True) for one in order)]  # these leave the fewest first times open
        if any(len({*self._defined(*near, [these], within, max)}) == 1 for these, within in ways):
            return True
        early = [self._named(side, early=True) for side in unfolded]
        if early != named and equal(*early):
            return True
        self._deepest, past = dict(before), extremes(min, (when - further for when in times))
        if past.get(0, MAX_FIRST + 1) <= MAX_FIRST:
            past[0] = Integer(1)  # what is before is given
        left, right = reduced(*(self._unfold(side, past, future, known) for side in (left, right)))
        growing = [{*order[: n + 1]} for n in range(len(order))]
        for within in (False, True):
            left, right = self._defined(left, right, growing, within)
        if left != right:
            self._deepest = before  # nothing follows from what was put in
        return left == right

    def _named(self, expr: Expr, early: bool = False) -> Expr:
        """The values of activations written by name, unless `early` only where none of the first steps is left open."""

        def allowed(when: Expr) -> bool:
            steps, base = when.as_coeff_Add()
            return self._put_in(when, ({base: steps} if early else {}) | {Integer(0): Integer(1)})

        return by_name(self.system, expr, allowed)

    def _defined(
        self,
        left: Expr,
        right: Expr,
        groups: Iterable[Container[Quantity]],
        within: bool = False,
        first: Callable[..., Expr] = min,
    ) -> tuple[Expr, Expr]:
        """Both sides with definitions substituted, one group of quantities after the other, until they are the same.

        Definitions are put in at the `first` of the times of the sides and later: the earliest, or the latest one.
        """
        left, right = contract(left), contract(right)
        past = extremes(first, (ref.time for side in (left, right) for ref in refs(side) if ref.time is not None))
        for these in groups:
            if left == right:
                break
            new = tuple(self._define(side, past, these, within) for side in (left, right))
            if len([*nodes(*new)]) > MAX_NODES:
                break
            if new != (left, right):
                left, right = reduced(*new)
        return left, right


def _by_node(symbol: DerivativeSymbol) -> bool:
    """Whether a derivative is with respect to a node of another time than its target."""
    return symbol.wrt.time is not None and symbol.target.time != symbol.wrt.time


def _by_node_at(now: Expr, sides: Iterable[Expr]) -> dict[Expr, Expr] | None:
    """The shift of times after which a side is a derivative by a node of time t; None if none is of one before its
    target."""
    for side in sides:
        if isinstance(side, Total) and side.wrt.time is not None:
            if is_adjoint(side) and side.wrt.time == now:
                return {}
            if side.target.time == now and (now - side.wrt.time).is_positive:
                return {now: 2 * now - side.wrt.time}
    return None


def _item(symbol: DerivativeSymbol) -> Expr:
    """What a step of a recursion unfolds: the node of an adjoint, or the target."""
    return symbol.wrt if is_adjoint(symbol) else symbol.target
