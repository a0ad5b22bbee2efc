"""Immediate partial derivatives that stand as symbols, replaced by what they are."""

from __future__ import annotations

from sympy import Expr

from .differentiate import immediate
from .nodes import Immediate
from .rewrite import contract, free, rename_bound, replace
from .system import System


def evaluate_immediates(system: System, expr: Expr) -> Expr:
    """Every ∂a/∂b in `expr`, where a is defined by the system, as a formula."""

    def rule(node: Expr) -> Expr | None:
        if not isinstance(node, Immediate):
            return None
        right = rename_bound(system.definition(node.target), free(node.wrt))
        return immediate(right, node.wrt)

    return contract(replace(expr, rule))
