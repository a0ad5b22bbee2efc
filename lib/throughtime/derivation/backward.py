"""The derivative backwards in time: the adjoint recursion, which is back-propagation through time."""

from __future__ import annotations

from sympy import Add, Expr

from .differentiate import immediate
from .domains import LENGTH
from .errors import DerivationError
from .forward import Cut
from .nodes import DerivativeSymbol, Ref, Sigma, Total, Truncated, refs, time
from .rewrite import bound, contract, free, fresh, replace, substitute
from .system import Definition, System


class Backward:
    """d(loss)/d(node) for every node of the unrolled system; beyond the last time every such derivative is 0.

    `loss` is a quantity defined once, as a sum over the times 1..T of things defined at those times.
    """

    def __init__(self, system: System, loss: Ref, cuts: tuple[Cut, ...] = ()):
        self.system, self.loss, self.cuts = system.check(), loss, tuple(cuts)
        if loss.quantity not in system.definitions or loss.quantity.timed:
            raise DerivationError(f"{system.name}: loss {loss} is not a quantity that the system defines once")

    def symbol(self, node: Ref) -> DerivativeSymbol:
        """d(loss)/d(node), standing as a symbol."""
        return Truncated(self.loss, node, *self.cuts) if self.cuts else Total(self.loss, node)

    def mine(self, expr: Expr) -> bool:
        """Whether an expression is such a symbol."""
        return isinstance(expr, Total | Truncated) and expr.target == self.loss and expr.args[2:] == self.cuts

    def step(self, node: Ref) -> Expr:
        """d(loss)/d(node) through everything that reads the node, at the same time or later."""
        return Add(*(self._through(case, node, lag) for case, lag in self.readers(node)))

    def readers(self, node: Ref) -> list[tuple[Definition, int]]:
        """The definitions that read `node`, each with the number of steps by which it reads it later."""
        found: dict[tuple[Definition, int], None] = {}
        for case in self.system.all_definitions():
            for ref in refs(case.right):
                if ref.quantity != node.quantity or any(item.applies(ref, case.left) for item in self.cuts):
                    continue
                lag = case.left.time - ref.time if case.left.quantity.timed and ref.quantity.timed else 0
                found[(case, int(lag))] = None
        return list(found)

    def _through(self, case: Definition, node: Ref, lag: int) -> Expr:
        taken = free(node) | bound(case.right)
        names = {index: fresh(index, taken) for index in case.left.indices}
        left = substitute(case.left, names)
        if left.quantity.timed and node.quantity.timed:
            left = left.at(node.time + lag)
        right = self.system.definition(left)
        slope = immediate(right, node, contracted=False)
        if left == self.loss:
            return contract(slope)
        term = slope * self.symbol(left)
        for index in reversed(left.indices):
            term = Sigma(term, index)
        return contract(term)

    def gradient(self, weight: Ref) -> Expr:
        """d(loss)/d(weight) as a sum over the times 1..T of adjoints times immediate derivatives."""
        s = fresh(time("s"), free(weight))
        terms: list[Expr] = [immediate(self.system.definition(self.loss), weight)]
        for case in self.system.all_definitions():
            if case.left == self.loss:
                continue
            names = {index: fresh(index, free(weight) | {s}) for index in case.left.indices}
            left = substitute(case.left, names).at(s)
            term = immediate(self.system.definition(left), weight, contracted=False) * self.symbol(left)
            for index in reversed(left.indices):
                term = Sigma(term, index)
            terms.append(Sigma(term, s, 1, LENGTH) if left.quantity.timed else term)
        return contract(Add(*terms))

    def unfold(self, expr: Expr, chosen) -> Expr:
        """Replace each adjoint whose node is `chosen` by one step of the recursion."""

        def rule(node: Expr) -> Expr | None:
            if self.mine(node):
                return self.step(node.wrt) if chosen(node.wrt) else node
            return None

        return contract(replace(expr, rule))
