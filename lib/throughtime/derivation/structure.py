"""Which derivatives vanish by the structure of a system, found as a greatest fixed point and so proved by induction.

Every quantity starts with the strongest claim about its derivative by `wrt`: that it is zero. One step of the
recursion is computed under the claims; a claim that the step does not reproduce is weakened, from zero to
"diagonal in these pairs of indices" and from there to nothing, until all claims reproduce themselves. Initial
states are constants, so the surviving claims hold at time 0, and by induction at all times.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Mul

from .canonical import Term, terms
from .differentiate import linearize
from .domains import Index
from .nodes import DEFINED, Delta, Ref, Total
from .rewrite import free, fresh, rename_bound, substitute
from .split import split_sums
from .system import Definition, System

ZERO = "zero"
Claim = str | frozenset[tuple[int, int]]


class Structure:
    """For each definition of a system: is d(left)/d(wrt) zero, or diagonal in which pairs of indices?"""

    def __init__(self, system: System, wrt: Ref, is_cut: Callable[[Ref, Ref], bool]):
        self.system = system
        self.is_cut = is_cut
        taken: set[Expr] = {index for case in system.all_definitions() for index in free(case.left)}
        self.wrt = Ref(wrt.quantity, *(self._generic(arg, taken) for arg in wrt.args[1:]))
        self.claims: dict[Definition, Claim] = dict.fromkeys(system.check().all_definitions(), ZERO)
        while self._weaken():
            pass

    @staticmethod
    def _generic(arg: Expr, taken: set[Expr]) -> Expr:
        return substitute(arg, {letter: fresh(letter, taken) for letter in arg.atoms(Index)})

    def _weaken(self) -> bool:
        changed = False
        for case, claim in self.claims.items():
            step = self._step(case)
            found = self._claim(case.left, step) if step else ZERO
            weaker = found if claim == ZERO else claim if found == ZERO else claim & found
            if weaker != claim:
                self.claims[case] = weaker
                changed = True
        return changed

    def _step(self, case: Definition) -> list[Term]:
        """The terms of one step of the recursion for d(left)/d(wrt) under the present claims."""
        left = case.left
        right = split_sums(rename_bound(case.right, free(self.wrt)))
        step = linearize(right, lambda ref: Integer(0) if self.is_cut(ref, left) else self.leaf(ref))
        if left.quantity == self.wrt.quantity:
            step = step + self._same(left)
        return terms(step)

    def _same(self, ref: Ref) -> Expr:
        pairs = zip(ref.indices, self.wrt.indices, strict=True)
        return Mul(*(Delta(mine, theirs) for mine, theirs in pairs))

    def leaf(self, ref: Ref) -> Expr:
        """A stand-in for d(ref)/d(wrt) with its claimed zeros and deltas written out."""
        if ref.quantity.role != DEFINED:
            return self._same(ref) if ref.quantity == self.wrt.quantity else Integer(0)
        claim = self.claim(ref)
        return Integer(0) if claim == ZERO else Total(ref, self.wrt) * self.deltas(ref, claim)

    def claim(self, ref: Ref) -> Claim:
        """The claim that covers every element `ref` can mean."""
        cases = [self.claims[case] for case in self.system.definitions[ref.quantity] if case.touches(ref)]
        strong = [claim for claim in cases if claim != ZERO]
        return ZERO if not strong else frozenset.intersection(*strong)

    def deltas(self, ref: Ref, claim: Claim, wrt: Ref | None = None) -> Expr:
        """The product of deltas of a diagonal claim."""
        there = (wrt or self.wrt).indices
        return Mul(*(Delta(ref.indices[mine], there[theirs]) for mine, theirs in sorted(claim)))

    def _claim(self, left: Ref, step: list[Term]) -> Claim:
        pairs = (
            (mine, theirs)
            for mine, index in enumerate(left.indices)
            for theirs, other in enumerate(self.wrt.indices)
            if isinstance(other, Index) and not index.domain.disjoint(other.domain)
        )
        return frozenset(
            (mine, theirs)
            for mine, theirs in pairs
            if all(Delta(left.indices[mine], self.wrt.indices[theirs]) in term.factors for term in step)
        )
