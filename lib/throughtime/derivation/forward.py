"""The derivative forwards in time: total and truncated, as the recursion that real-time recurrent learning runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sympy import Add, AtomicExpr, Expr, Integer, Mul

from .differentiate import immediate, linearize, same_element
from .domains import Index
from .errors import CutError, DerivationError
from .nodes import DEFINED, Delta, DerivativeSymbol, Immediate, Quantity, Ref, Sigma, Total, Truncated, nodes, refs
from .printing import to_latex
from .rewrite import contract, free, rename_bound, replace
from .split import split_sums
from .structure import ZERO, Structure
from .system import System


class Cut(AtomicExpr):
    """In the definition of `into`, the argument `quantity` of `lag` steps earlier is held constant."""

    is_commutative = True

    def __new__(cls, quantity: Quantity, lag: int, into: Quantity):
        return _one_cut(cls, quantity, lag, into)

    def _hashable_content(self):
        return (self.quantity, self.lag, self.into)

    def __str__(self) -> str:
        lag = self.lag + self.quantity.lag
        when = f"t - {lag}" if lag else "t"
        return f"{self.quantity.name}({when}) in {self.into.name}"

    def _sympystr(self, printer):
        return str(self)

    def applies(self, argument: Ref, left: Ref) -> bool:
        """Whether this cut severs the dependence of `left` on `argument`."""
        same = argument.quantity == self.quantity and left.quantity == self.into
        return same and (left.time is None or argument.time is None or left.time - argument.time == self.lag)


@lru_cache(maxsize=1_000)
def _one_cut(cls: type[Cut], quantity: Quantity, lag: int, into: Quantity) -> Cut:
    """One object for one cut: what is identical need not be compared."""
    self = AtomicExpr.__new__(cls)
    self.quantity, self.lag, self.into = quantity, lag, into
    return self


def cut(argument: Ref, into: Quantity) -> Cut:
    """`cut(h[i, t - 1], into=a)`: in the definition of `a`, `h` of the step before is held constant."""
    if argument.quantity.role != DEFINED:
        raise CutError(f"cut {argument} into {into}: {argument.quantity} is given, expected a quantity of the system")
    base = next(iter(free(argument.time)), Integer(0)) if argument.quantity.timed else Integer(0)
    lag = base - argument.time if argument.quantity.timed else Integer(0)
    if not lag.is_Integer or lag < 0:
        raise CutError(f"cut {argument} into {into}: the time is {argument.time}, expected t or t - n")
    return Cut(argument.quantity, int(lag), into)


@dataclass(frozen=True)
class Known:
    """What a derivative symbol is without looking at a definition, and why."""

    value: Expr
    reason: str


class Forward:
    """Derivatives of the quantities of `system` by one parameter or node `wrt`, with `cuts` held constant."""

    def __init__(self, system: System, wrt: Ref, cuts: tuple[Cut, ...] = ()):
        self.system, self.wrt, self.cuts = system.check(), wrt, tuple(cuts)
        self._check()
        self.structure = Structure(system, wrt, self.is_cut)

    def _check(self) -> None:
        if not isinstance(self.wrt, Ref):
            raise DerivationError(f"wrt: {self.wrt!r} is not an element of a quantity")
        if self.wrt.quantity.role == DEFINED and self.wrt.quantity not in self.system.definitions:
            raise DerivationError(f"{self.system.name}: wrt {self.wrt} is not defined by the system")
        for item in self.cuts:
            if not any(
                item.applies(ref, case.left) for case in self.system.all_definitions() for ref in refs(case.right)
            ):
                raise CutError(f"{self.system.name}: the cut {item} names no dependence of the system")

    def is_cut(self, argument: Ref, left: Ref) -> bool:
        """Whether `argument` is held constant in the definition of `left`."""
        return any(item.applies(argument, left) for item in self.cuts)

    def symbol(self, target: Expr) -> DerivativeSymbol:
        """The derivative of `target`, standing as a symbol."""
        return Truncated(target, self.wrt, *self.cuts) if self.cuts else Total(target, self.wrt)

    def mine(self, node: Expr) -> bool:
        """Whether a node is a derivative symbol of this kind."""
        return isinstance(node, Total | Truncated) and node.args[1:] == (self.wrt, *self.cuts)

    def known(self, target: Expr) -> Known | None:
        """Zero, one or a delta, where structure and causality alone decide."""
        if not isinstance(target, Ref):
            return None
        quantity, wrt = target.quantity, self.wrt
        same_time = quantity == wrt.quantity and (target.time is None or (target.time - wrt.time).is_zero)
        if same_time and not self.system.feeds(wrt, target):
            return Known(same_element(target, wrt), "the element itself")
        if quantity.role != DEFINED:
            return Known(Integer(0), f"{quantity.name} is given")
        if wrt.time is not None and target.time is not None and (wrt.time - target.time).is_positive:
            return Known(Integer(0), "the past does not depend on the future")
        if target.time is not None and target.time.is_Integer and target.time < 1 and wrt.time is None:
            return Known(Integer(0), "initial states are constants")
        claim = self.structure.claim(target)
        if claim == ZERO:
            return Known(Integer(0), f"no path leads from ${to_latex(wrt)}$ to ${to_latex(target)}$")
        deltas = self.structure.deltas(target, claim, wrt)
        if deltas == 1:
            return None
        values = {target.indices[mine]: wrt.indices[theirs] for mine, theirs in claim}
        moved = Ref(quantity, *(values.get(arg, arg) for arg in target.args[1:]))
        return Known(deltas * self.symbol(moved), "units with another index do not depend on it")

    def step(self, target: Expr) -> Expr:
        """The derivative of `target` by its definition, in symbols for the derivatives of its arguments."""
        left = target if isinstance(target, Ref) else None
        right = self.system.definition(target) if left is not None else target
        right = rename_bound(right, free(self.wrt) | free(target))
        return contract(linearize(right, lambda ref: self._leaf(ref, left)) + self._itself(target))

    def _itself(self, target: Expr) -> Expr:
        """1 where `target` and `wrt` may be one element, at lag 0: what the definition of the element does not tell."""
        if not isinstance(target, Ref) or target.quantity != self.wrt.quantity or target.quantity.role != DEFINED:
            return Integer(0)
        lag = target.time - self.wrt.time if target.quantity.timed else Integer(0)
        if lag.is_nonzero:
            return Integer(0)
        same = same_element(target.at(self.wrt.time), self.wrt)
        return same * (Delta(lag, 0) if lag.is_Symbol else Delta(target.time, self.wrt.time) if lag != 0 else 1)

    def _leaf(self, ref: Ref, left: Ref | None) -> Expr:
        if left is not None and self.is_cut(ref, left):
            return Integer(0)
        if ref.quantity.role == DEFINED:
            return self.symbol(ref)
        return same_element(ref, self.wrt)

    def chain(self, target: Ref) -> Expr:
        """`step`, with the immediate partial derivatives still as symbols: the chain rule as it is usually written."""
        definition = rename_bound(self.system.definition(target), free(self.wrt) | free(target))
        arguments = refs(definition)
        summed_first = sorted(arguments, key=lambda ref: -len(self._summed(ref, target)))
        chosen: list[Ref] = []
        for ref in summed_first:
            if not self.is_cut(ref, target) and not any(self._includes(other, ref, target) for other in chosen):
                chosen.append(ref)
        limits = {node.index: node.limits for node in nodes(definition) if isinstance(node, Sigma)}
        return Add(*dict.fromkeys(self._link(target, ref, limits) for ref in chosen))

    @staticmethod
    def _summed(ref: Ref, target: Ref) -> list[Index]:
        return [index for index in ref.indices if isinstance(index, Index) and index not in free(target)]

    def _includes(self, other: Ref, ref: Ref, target: Ref) -> bool:
        """Whether the elements that `other` sums over include `ref`."""
        summed = self._summed(other, target)
        return (other.quantity, other.time) == (ref.quantity, ref.time) and all(
            mine == theirs or (mine in summed and isinstance(theirs, Index) and mine.domain.contains(theirs.domain))
            for mine, theirs in zip(other.indices, ref.indices, strict=True)
        )

    def _link(self, target: Ref, ref: Ref, limits: dict[Expr, tuple]) -> Expr:
        """∂target/∂ref * d ref/d wrt, summed over the elements of `ref` that stand in the definition."""
        if ref.quantity.role != DEFINED:
            if ref.quantity != self.wrt.quantity:
                return Integer(0)
            return (
                Immediate(target, self.wrt) if immediate(self.system.definition(target), self.wrt) != 0 else Integer(0)
            )
        term = Mul(Immediate(target, ref), self.symbol(ref))
        for index in reversed([index for index in limits if index in free(ref)]):
            term = Sigma(term, index, *limits[index])
        return rename_bound(term, free(target) | free(self.wrt))

    def resolve(self, expr: Expr) -> tuple[Expr, list[str]]:
        """Write known derivatives out, splitting sums over unions where their parts differ; with the reasons used."""
        reasons: dict[str, None] = {}
        expr = split_sums(expr, self._differs)

        def rule(node: Expr) -> Expr | None:
            if not self.mine(node):
                return None
            known = self.known(node.target)
            if known is None or known.value == node:
                return node
            reasons[known.reason] = None
            return known.value

        return contract(replace(expr, rule)), list(reasons)

    def _differs(self, sigma: Sigma) -> bool:
        """Whether a sum over a union contains a derivative that is known, if at all, part by part only."""
        return any(
            self.mine(node)
            and isinstance(node.target, Ref)
            and sigma.index in node.target.indices
            and node.target.quantity.role == DEFINED
            and not self.system.is_case(node.target)
            and self.known(node.target) is None
            for node in nodes(sigma.body)
        )

    def unfold(self, expr: Expr, chosen) -> Expr:
        """Replace each derivative symbol whose target is `chosen` by one step of its recursion."""

        def rule(node: Expr) -> Expr | None:
            if self.mine(node):
                return self.step(node.target) if chosen(node.target) else node
            return None

        return contract(replace(expr, rule))
