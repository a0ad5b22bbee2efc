"""Values of activations written by the quantities that a system names them with: z for sigma(a), where z = sigma(a).

Slopes are formulas in the value of the activation. Written by names, z (1 - z) is a polynomial of quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from sympy import Expr

from throughtime.derivation.deriving.definition import Definition
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.canonical import key_of
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.nodes import Applied, DerivativeSymbol, Ref
from throughtime.derivation.formulas.rewrite import free, replace, times


def by_name(system: System, expr: Expr, allowed: Callable[[Expr], bool] = lambda when: True) -> Expr:
    """A formula with the quantity for each value of an activation that is the whole right side of its definition.

    A definition holds from the first time on: names are put in at the times that are `allowed`. Derivatives are left
    alone.
    """
    named = [case for case in system.all_definitions() if isinstance(case.right, Applied) and case.left.quantity.timed]
    if not named:
        return expr

    def rule(node: Expr) -> Expr | None:
        if isinstance(node, DerivativeSymbol):
            return node
        if not isinstance(node, Applied):
            return None
        found = (ref for case in named if case.right.args[:2] == node.args[:2] for ref in _elements(case, node))
        return next((ref for ref in found if allowed(ref.time)), None)

    return replace(expr, rule, only=(Applied,))


def _elements(case: Definition, node: Applied) -> Iterator[Ref]:
    """The element that a definition gives the value of an activation, if it does."""
    (*indices, t), now = case.left.args[1:], sorted({*times(node)}, key=str)
    lags = sorted({when - t for when in times(case.right)}, key=str)
    whens = dict.fromkeys((when - lag).expand() for when in now for lag in lags)
    letters = sorted((one for one in free(node) if isinstance(one, Index)), key=str)
    places = ([one for one in letters if mine.domain.contains(one.domain)] for mine in indices)
    for *where, when in product(*places, whens):
        ref = Ref(case.left.quantity, *where, when)
        if key_of(case.at(ref)) == key_of(node):
            yield ref
