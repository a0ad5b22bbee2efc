"""Base of the recursions forwards and backwards in time: derivative symbols and their unfolding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from sympy import AtomicExpr, Expr

from throughtime.derivation.deriving.definition import reached
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.errors import CutError, DerivationError
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Quantity, Ref, Total, Truncated
from throughtime.derivation.formulas.rewrite import contract, replace

SYMBOLS = Total, Truncated


class Recursion:
    """Derivatives by a system with some arguments cut; `step` gives one derivative in terms of others.

    CutError for a cut that cuts nothing, and for cuts of several sets.
    """

    _item = 0  # place of the item among the arguments of a symbol: target (0, forwards) or wrt (1, backwards)

    def __init__(self, system: System, fixed: Ref, cuts: tuple[AtomicExpr, ...]):
        self.system, self.fixed, self.cuts = system.check(), fixed, tuple(cuts)
        self._step, self.leads = cache(self.step), cache(self._leads)
        if len(names := {one.label for one in self.cuts}) > 1:
            raise CutError(f"{system.name}: cuts of the sets {sorted(names)} at once, expected those of one `cut_set`")
        for item in self.cuts:
            if not any(item.applies(ref, case.left) for case, ref in system.reads):
                raise CutError(f"{system.name}: the cut {item} names no dependence of the system")

    def symbol(self, item: Expr) -> DerivativeSymbol:
        """The derivative of an item (forwards) or with respect to it (backwards), as a symbol."""
        pair = (self.fixed, item) if self._item else (item, self.fixed)
        return Truncated(*pair, *self.cuts) if self.cuts else Total(*pair)

    def item(self, symbol: DerivativeSymbol) -> Expr:
        """The item of a symbol."""
        return symbol.args[self._item]

    def mine(self, node: Expr) -> bool:
        """Whether a node is a derivative symbol of this recursion."""
        if not isinstance(node, Total):
            return False
        return node.args[1 - self._item] == self.fixed and node.args[2:] == self.cuts

    def is_cut(self, argument: Ref, left: Ref) -> bool:
        """Whether `argument` is held constant in the definition of `left`."""
        return any(item.applies(argument, left) for item in self.cuts)

    def sources(self, quantity: Quantity) -> set[Quantity]:
        """Quantities with an uncut path of at least one step to a given one."""
        return reached([quantity], lambda one: {ref.quantity for ref, _ in self._uncut(one)})

    def _uncut(self, quantity: Quantity) -> Iterator[tuple[Ref, Ref]]:
        """What the definitions of a quantity read uncut, each beside their left side."""
        pairs = ((ref, case.left) for case, ref in self.system.reads if case.left.quantity == quantity)
        return (pair for pair in pairs if not self.is_cut(*pair))

    def _leads(self, source: Quantity, target: Quantity, steps: int) -> bool:
        """Whether an uncut path of at least one link leads from one quantity to another, that many steps later."""

        def read(there: tuple[Quantity, int]) -> list[tuple[Quantity, int]]:
            timed = ((ref, left) for ref, left in self._uncut(there[0]) if ref.time is not None)
            places = ((ref.quantity, there[1] - int(left.time - ref.time)) for ref, left in timed)
            return [(quantity, rest) for quantity, rest in places if rest >= 0]

        return (source, 0) in reached([(target, steps)], read)

    def step(self, item: Expr) -> Expr:
        """The derivative for one item in terms of the symbols of others."""
        raise NotImplementedError

    def unfold(self, expr: Expr, chosen: Callable[[Expr], bool]) -> Expr:
        """Replace each derivative symbol whose item is `chosen` by one step of the recursion."""

        def rule(node: Expr) -> Expr | None:
            if not self.mine(node):
                return None
            return self._step(self.item(node)) if chosen(self.item(node)) else node

        return contract(replace(expr, rule, only=SYMBOLS))


def fixed_point(expr: Expr, change: Callable[[Expr], Expr], most: int, otherwise: str) -> Expr:
    """Fixed point of `change`, from a formula on; DerivationError, saying `otherwise`, after `most` changes."""
    for _ in range(most):
        new = change(expr)
        if new == expr:
            return expr
        expr = new
    raise DerivationError(otherwise)
