"""Structural zeros: derivatives that vanish by a greatest fixed point over the definitions, and so by induction.

Every quantity starts with the strongest claim about its derivative by `wrt`: that it is zero. One step of the
recursion is computed under the claims; a claim that the step does not reproduce is weakened, from zero to
"diagonal in these pairs of indices" and from there to nothing, until all claims reproduce themselves. The same is
asked of the initial values, so the surviving claims hold at time 0, and by induction at all times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sympy import Expr, Integer, Mul

from throughtime.derivation.deriving.differentiate import linearize, same_element
from throughtime.derivation.deriving.system import Definition, System
from throughtime.derivation.formulas.canonical import terms
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.nodes import Delta, Immediate, Quantity, Ref, refs
from throughtime.derivation.formulas.rewrite import free, fresh, rename_bound, split_sums, substitute
from throughtime.derivation.formulas.sums import Term

ZERO = None
Pairs = frozenset[tuple[int, int]]
NOTHING: Pairs = frozenset()
Claim = Pairs | None  # None: it is zero


def _both(claims: Iterable[Claim]) -> Claim:
    """The strongest claim that follows from each of several: the common pairs of those that are not zero."""
    diagonal = [claim for claim in claims if claim is not ZERO]
    return frozenset.intersection(*diagonal) if diagonal else ZERO


class Structure:
    """Structure of d(left)/d(wrt) for each definition of a system: zero, or diagonal in some pairs of indices."""

    def __init__(self, system: System, wrt: Ref, is_cut: Callable[[Ref, Ref], bool]):
        self.system = system
        self.is_cut = is_cut
        taken: set[Expr] = {index for case in system.all_definitions() for index in free(case.left)}
        generic = {index: fresh(index, taken) for index in wrt.atoms(Index)}
        self.wrt = Ref(wrt.quantity, *(substitute(arg, generic) for arg in wrt.args[1:]))
        self.claims: dict[Definition, Claim] = dict.fromkeys(system.check().all_definitions(), ZERO)
        reads = {case: {ref.quantity for ref in refs(case.right)} for case in self.claims}
        todo = [*self.claims]
        while todo:  # weaken each claim to what one step gives under those of what it reads
            weakened = set[Quantity]()
            for case in todo:
                before = self.claims[case]
                if (now := _both((before, self._claim(case)))) != before:
                    self.claims[case] = now
                    weakened.add(case.left.quantity)
            todo = [case for case, read in reads.items() if read & weakened and self.claims[case] != NOTHING]

    def _step(self, case: Definition) -> list[Term]:
        """The terms of one step of the recursion for d(left)/d(wrt) under the present claims."""
        left = case.left
        right = split_sums(rename_bound(case.right, free(self.wrt)))
        step = linearize(right, lambda ref: Integer(0) if self.is_cut(ref, left) else self.leaf(ref))
        start = self.system.definition(left.at(Integer(0))) if left.quantity.timed else Integer(0)
        first = linearize(rename_bound(start, free(self.wrt)), self._same)
        return terms(step + self._same(left)) + terms(first)

    def _same(self, ref: Ref) -> Expr:
        """1 where an element and `wrt` have equal indices, whatever their times."""
        if ref.quantity != self.wrt.quantity:
            return Integer(0)
        return same_element(ref.at(self.wrt.time), self.wrt)

    def leaf(self, ref: Ref) -> Expr:
        """d(ref)/d(wrt) as claimed: 0, or a symbol times the deltas of a diagonal claim.

        The symbol stands for any two times: it is none that is 0 by causality.
        """
        if not ref.quantity.is_defined:
            return self._same(ref)
        claim = self.claim(ref)
        return Integer(0) if claim is ZERO else Immediate(ref, self.wrt) * self.deltas(ref, claim)

    def claim(self, ref: Ref) -> Claim:
        """The strongest claim that holds for every element `ref` can denote."""
        return _both(self.claims[case] for case in self.system.cases(ref.quantity) if case.touches(ref))

    def deltas(self, ref: Ref, claim: Pairs, wrt: Ref | None = None) -> Expr:
        """The product of deltas of a diagonal claim."""
        there = (wrt or self.wrt).indices
        return Mul(*(Delta(ref.indices[mine], there[theirs]) for mine, theirs in sorted(claim)))

    def _claim(self, case: Definition) -> Claim:
        """Result of one step of the recursion for d(left)/d(wrt) under the present claims."""
        step = self._step(case)
        if not step:
            return ZERO
        return frozenset(
            (mine, theirs)
            for mine, index in enumerate(case.left.indices)
            for theirs, other in enumerate(self.wrt.indices)
            if isinstance(other, Index) and all(Delta(index, other) in term.factors for term in step)
        )
