"""The derivative backwards in time: the adjoint recursion, which is back-propagation through time."""

from __future__ import annotations

from sympy import Add, Expr, Integer

from throughtime.derivation.deriving.differentiate import immediate
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.recursion import Recursion
from throughtime.derivation.deriving.system import Definition, System
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import Quantity, Ref, Sigma, every, refs, sum_over, time
from throughtime.derivation.formulas.rewrite import bound, contract, free, fresh


class Backward(Recursion):
    """d(loss)/d(node) for every node of the unrolled system; beyond the last time every such derivative is 0.

    `loss` is a quantity defined once, as a sum over the times 1..T of quantities at those times; DerivationError else.
    """

    _item, _timed = 1, False

    def __init__(self, system: System, loss: Ref, cuts: tuple[Cut, ...] = ()):
        super().__init__(system, loss, cuts)
        self.loss = loss
        if loss.quantity not in system.definitions or loss.quantity.timed != self._timed:
            raise DerivationError(f"{system.name}: loss {loss} is not a quantity that the system defines once")
        self.reached = self.sources(loss.quantity) | {loss.quantity}  # on the way to the loss; by others it is 0

    def step(self, node: Ref) -> Expr:
        """d(loss)/d(node) through every definition that contains the node, at the same time or later.

        UndefinedQuantityError for a node that the system does not define.
        """
        if node.quantity.is_defined:
            self.system.cases(node.quantity)  # raises for one that is not defined
        terms = []
        for case, lag in self.readers(node):
            left = case.apart(free(node) | free(self.loss) | bound(case.right))
            left = left.at(node.time + lag) if node.quantity.timed else left
            if not left.is_initial:  # which no definition gives
                terms.append(contract(self._by(left, node)))
        return Add(*terms)

    def readers(self, node: Ref) -> list[tuple[Definition, int]]:
        """The definitions that contain `node` uncut, each with the number of steps by which it is later."""
        found: dict[tuple[Definition, int], None] = {}
        for case, ref in self.system.reads:
            if ref.quantity == node.quantity and not self.is_cut(ref, case.left):
                lag = case.left.time - ref.time if case.left.quantity.timed and ref.quantity.timed else 0
                found[(case, int(lag))] = None
        return list(found)

    def _by(self, left: Ref, node: Ref) -> Expr:
        """d(loss)/d(left) ∂left/∂node, summed over the indices of `left`."""
        if left.quantity not in self.reached:
            return Integer(0)
        slope = immediate(self.system.definition(left), node, contracted=False)
        return slope if left == self.loss else sum_over(*left.indices, slope * self.symbol(left))

    def gradient(self, weight: Ref) -> Expr:
        """d(loss)/d(weight) as a sum of adjoints times immediate derivatives, over 1..T and the initial times read."""
        taken = free(weight) | free(self.loss)
        s, last = fresh(time("s"), taken), self.loss.time or LENGTH
        terms = []
        for case in self.system.all_definitions():
            term = self._by(case.apart(taken | {s}).at(s), weight)
            terms.append(Sigma(term, s, 1, last) if case.left.quantity.timed else term)
        for start in self.system.initial_values.values():
            left = start.apart(taken)
            terms += [self._by(left.at(Integer(when)), weight) for when in self._initial_times(left.quantity)]
        return contract(Add(*terms))

    def _initial_times(self, quantity: Quantity) -> range:
        """The times before 1 at which the definitions read a quantity."""
        first = [1]
        for case in self.system.all_definitions():
            sums = (node.limits[0] for node in every(Sigma, case.right) if node.limits)
            lowest = min([1, *(limit for limit in sums if limit.is_Integer)])
            read = (ref.time.as_coeff_Add() for ref in refs(case.right) if ref.quantity == quantity)
            first += [steps + lowest * (base != 0) for steps, base in read]
        return range(int(min(first)), 1)


class BackwardFrom(Backward):
    """d(target)/d(node) for a quantity at a time t, such as the error of one step: what is after t adds 0."""

    _timed = True
