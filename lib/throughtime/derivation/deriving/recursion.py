"""Base of the recursions forwards and backwards in time: derivative symbols and their unfolding."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sympy import AtomicExpr, Expr

from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.errors import CutError, DerivationError
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Quantity, Ref, Total, Truncated, refs
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
        read = [(ref, case.left) for case in system.all_definitions() for ref in refs(case.right)]
        for item in self.cuts:
            if not any(item.applies(*pair) for pair in read):
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
        if not isinstance(node, Total | Truncated):
            return False
        return node.args[1 - self._item] == self.fixed and node.args[2:] == self.cuts

    def is_cut(self, argument: Ref, left: Ref) -> bool:
        """Whether `argument` is held constant in the definition of `left`."""
        return any(item.applies(argument, left) for item in self.cuts)

    def sources(self, quantity: Quantity) -> set[Quantity]:
        """Quantities with an uncut path of at least one step to a given one."""
        found, todo = set[Quantity](), [quantity]
        while todo:
            for case in self.system.definitions.get(todo.pop(), ()):
                new = {ref.quantity for ref in refs(case.right) if not self.is_cut(ref, case.left)} - found
                found, todo = found | new, [*todo, *new]
        return found

    def _leads(self, source: Quantity, target: Quantity, steps: int) -> bool:
        """Whether an uncut path of at least one link leads from one quantity to another, that many steps later."""
        found, todo = set[tuple[Quantity, int]](), [(target, steps)]
        while todo:
            quantity, rest = todo.pop()
            for case in self.system.definitions.get(quantity, ()):
                read = [ref for ref in refs(case.right) if ref.time is not None and not self.is_cut(ref, case.left)]
                new = {(ref.quantity, rest - int(case.left.time - ref.time)) for ref in read} - found
                new = {(one, left) for one, left in new if left >= 0}
                found, todo = found | new, [*todo, *new]
        return (source, 0) in found

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
