"""Symmetric states, such as S(t) = S(t-1) + k(t) k(t)^T from 0 on: S[i, j] = S[j, i] at all times, by induction.

As in `structure`, all candidates are claimed to be symmetric; what a step or a start does not reproduce is dropped,
until all claims reproduce themselves.
"""

from __future__ import annotations

from collections.abc import Set

from sympy import Expr

from throughtime.derivation.deriving.definition import Definition
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.equality import equal
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Quantity, Ref, Total
from throughtime.derivation.formulas.rewrite import replace, substitute


def symmetric(system: System) -> Set[Quantity]:
    """The states of two indices over one domain that are symmetric whatever the other quantities are."""
    cases = {case.left.quantity: [case] for case in system.all_definitions() if _is_square(case)}
    for quantity, start in system.initial_values.items():
        if quantity in cases:
            cases[quantity].append(start)
    claims, before = {*cases}, set[Quantity]()
    while claims != before:
        before = claims
        claims = {one for one in before if all(_keeps(case, before) for case in cases[one])}
    return claims


def _is_square(case: Definition) -> bool:
    over = {*case.left.quantity.domains, *(i.domain for i in case.left.indices)}
    return case.left.quantity.timed and len(case.left.indices) == 2 and len(over) == 1


def _keeps(case: Definition, claims: Set[Quantity]) -> bool:
    """Whether the right side is the same with both indices of the left side exchanged, under the claims."""
    one, other = case.left.indices
    turned = substitute(case.right, {one: other, other: one})
    return equal(balanced(case.right, claims), balanced(turned, claims))


def balanced(expr: Expr, claims: Set[Quantity]) -> Expr:
    """A formula with (S[i, j] + S[j, i])/2 for each element of a symmetric quantity, and so for its derivatives.

    A derivative with respect to one element of a symmetric quantity is left as it is: a change of it alone is not
    symmetric.
    """

    def rule(node: Expr) -> Expr | None:
        ref = node.target if isinstance(node, Total) and node.wrt.quantity not in claims else node
        if not isinstance(ref, Ref) or ref.quantity not in claims:
            return node if isinstance(node, DerivativeSymbol) else None
        turned = Ref(ref.quantity, *ref.indices[::-1], ref.time)
        return (node + (turned if ref is node else node.of(turned))) / 2

    return replace(expr, rule) if claims else expr
