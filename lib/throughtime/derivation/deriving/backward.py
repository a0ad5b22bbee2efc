"""The derivative backwards in time: the adjoint recursion, which is back-propagation through time."""

from __future__ import annotations

from sympy import Add, Expr

from throughtime.derivation.deriving.differentiate import immediate
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.recursion import Recursion
from throughtime.derivation.deriving.system import Definition, System
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import DEFINED, Ref, Sigma, refs, sum_over, time
from throughtime.derivation.formulas.rewrite import bound, contract, free, fresh, substitute


class Backward(Recursion):
    """d(loss)/d(node) for every node of the unrolled system; beyond the last time every such derivative is 0.

    `loss` is a quantity defined once, as a sum over the times 1..T of quantities at those times; DerivationError else.
    """

    _item = 1

    def __init__(self, system: System, loss: Ref, cuts: tuple[Cut, ...] = ()):
        super().__init__(system, loss, cuts)
        self.loss = loss
        if loss.quantity not in system.definitions or loss.quantity.timed:
            raise DerivationError(f"{system.name}: loss {loss} is not a quantity that the system defines once")

    def step(self, node: Ref) -> Expr:
        """d(loss)/d(node) through every definition that contains the node, at the same time or later.

        UndefinedQuantityError for a node that the system does not define.
        """
        if node.quantity.role == DEFINED:
            self.system.cases(node.quantity)  # raises for one that is not defined
        terms = []
        for case, lag in self.readers(node):
            left = _with_fresh_indices(case, free(node) | bound(case.right))
            left = left.at(node.time + lag) if node.quantity.timed else left
            terms.append(contract(self._by(left, node)))
        return Add(*terms)

    def readers(self, node: Ref) -> list[tuple[Definition, int]]:
        """The definitions that contain `node` uncut, each with the number of steps by which it is later."""
        found: dict[tuple[Definition, int], None] = {}
        for case in self.system.all_definitions():
            for ref in refs(case.right):
                if ref.quantity == node.quantity and not self.is_cut(ref, case.left):
                    lag = case.left.time - ref.time if case.left.quantity.timed and ref.quantity.timed else 0
                    found[(case, int(lag))] = None
        return list(found)

    def _by(self, left: Ref, node: Ref) -> Expr:
        """d(loss)/d(left) ∂left/∂node, summed over the indices of `left`."""
        slope = immediate(self.system.definition(left), node, contracted=False)
        return slope if left == self.loss else sum_over(*left.indices, slope * self.symbol(left))

    def gradient(self, weight: Ref) -> Expr:
        """d(loss)/d(weight) as a sum over the times 1..T of adjoints times immediate derivatives."""
        s = fresh(time("s"), free(weight))
        terms = []
        for case in self.system.all_definitions():
            term = self._by(_with_fresh_indices(case, free(weight) | {s}).at(s), weight)
            terms.append(Sigma(term, s, 1, LENGTH) if case.left.quantity.timed else term)
        return contract(Add(*terms))


def _with_fresh_indices(case: Definition, taken: set[Expr]) -> Ref:
    return substitute(case.left, {index: fresh(index, taken) for index in case.left.indices})
