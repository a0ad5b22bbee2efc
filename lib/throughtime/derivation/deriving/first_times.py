"""Which times a comparison leaves open: a definition holds from the first time on, and not before it."""

from __future__ import annotations

from collections.abc import Container
from functools import partial
from math import inf

from sympy import Expr

from throughtime.derivation.deriving.recursion import fixed_point
from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import extremes
from throughtime.derivation.deriving.ways import MAX_STEPS
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import Applied, Bound, DerivativeSymbol, Quantity, Ref, Sigma, every, refs
from throughtime.derivation.formulas.rewrite import at_least_zero, contract, delta_of, free, replace, substitute

Horizon = dict[Expr, Expr]


class Times:
    """Definitions of a system put in for a comparison, and a record of the times at which that was done."""

    def __init__(self, system: System):
        self.system = system.check()
        self._deepest: Horizon = {}  # for each time symbol the earliest step from it at which a definition was put in
        self._ranges: dict[Expr, set[tuple[Expr, ...]]] = {}  # of each letter bound in what was looked at, the limits
        self._read: Horizon = {}  # for each t - q the earliest step from it that both sides have to read

    def _open(self, same: bool) -> float | None:
        """The first steps that a comparison leaves open; those from several times, such as t and t - q, add up."""
        put_in = ((int(steps), self._earliest(base)) for base, steps in self._deepest.items() if base != 0)
        return sum(max(0, 1 - earliest - steps) for steps, earliest in put_in) if same else None

    def _earliest(self, base: Expr) -> float:
        """The least value of a sum of times: of a symbol 1; minus infinity if nothing bounds it from below."""
        if base in self._read:
            return 1 - int(self._read[base])
        for letter in sorted(free(base).intersection(self._ranges), key=str):
            limits = self._ranges[letter]
            if base.is_Atom or len(limits) > 1:
                break
            ((lower, upper),) = limits
            base = base.xreplace({letter: lower if base.coeff(letter).is_positive else upper}).expand()
        slopes = base.as_coefficients_dict()
        if any(slope < 0 and letter != 1 for letter, slope in slopes.items()):
            return -inf
        lags = {letter for letter in slopes if letter.is_nonnegative and not letter.is_positive and letter != LENGTH}
        return int(sum(slope for letter, slope in slopes.items() if letter not in lags))

    def _look_at(self, expr: Expr) -> None:
        """Note the time ranges of the letters bound in a formula."""
        for node in every(Bound, expr):
            if node.limits:
                self._ranges.setdefault(node.index, set()).add(node.limits)

    def _put_in(self, when: Expr, past: Horizon) -> bool:
        """Whether a definition is to be substituted at a time, at the horizon or after it; the time is noted."""
        steps, base = when.as_coeff_Add()
        inside = bool(steps >= past.get(base, 0))
        if inside:
            self._deepest[base] = min(steps, self._deepest.get(base, steps))
        return inside

    def _picked(self, expr: Expr) -> Expr:
        """Sums over the whole sequence that pick T - n or t - n carried out, which holds after the first n times."""
        bases = {LENGTH, *(letter for letter in free(expr) if letter.is_Symbol and not letter.is_nonnegative)}

        def rule(node: Expr) -> Expr | None:
            whole = isinstance(node, Sigma) and node.limits == (1, LENGTH)
            if not whole or not (found := delta_of(node.body, node.index)):
                return None
            when = found.args[found.args[0] == node.index]
            steps, base = when.as_coeff_Add()
            if base not in bases or steps > 0 or not self._put_in(when, {base: steps}):
                return None
            return substitute(node.body / found, {node.index: when})

        return contract(replace(expr, rule))

    def by_one_definition(self, left: Expr, right: Expr) -> float | None:
        """The number of first steps left open where one side is the other one with the definition of one quantity put
        in once, at the latest time at which it is read; None elsewhere.
        """
        for one, other in ((contract(left), right), (contract(right), left)):
            firsts = (node.limits[0] for node in every(Bound, one) if node.limits)
            if not all(at_least_zero(first - 1) for first in firsts):
                continue  # of a letter alone it is taken that it is at least 1
            read = [ref for ref in refs(one) if ref.quantity.is_defined and ref.time is not None]
            for quantity in dict.fromkeys(ref.quantity for ref in read):
                self._ranges, self._deepest = {}, {}
                self._look_at(one)
                latest = extremes(max, (ref.time for ref in read if ref.quantity == quantity))
                rule = partial(self._put_in_for, past=latest, these={quantity})
                if equal(replace(one, rule), other):
                    return self._open(True)
        return None

    def _define(self, expr: Expr, past: Horizon, these: Container[Quantity], within: bool) -> Expr:
        """Substitute the definitions of some quantities at or after the horizon, derivative symbols left alone.

        Arguments of activations are left alone too unless `within`: where both sides have them they may stay.
        """

        def rule(node: Expr) -> Expr | None:
            if isinstance(node, DerivativeSymbol) or (isinstance(node, Applied) and not within):
                return node
            return self._put_in_for(node, past, these)

        def once(expr: Expr) -> Expr:
            self._look_at(expr)
            return contract(replace(expr, rule))

        failed = f"{self.system.name}: the definitions put in for a formula do not end"
        return fixed_point(expr, once, MAX_STEPS, failed)

    def _put_in_for(self, node: Expr, past: Horizon, these: Container[Quantity]) -> Expr | None:
        """The definition of a quantity at or after the horizon; None for anything else."""
        if not isinstance(node, Ref) or node.quantity not in these or not self.system.is_case(node):
            return None
        inside = node.time is None or node.is_initial or self._put_in(node.time, past)
        return self.system.definition(node) if inside else None
