"""Sums over a union, written as sums over its parts."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Add, Expr

from .domains import Index
from .nodes import Sigma, rebuild
from .rewrite import substitute


def split_sums(expr: Expr, wanted: Callable[[Sigma], bool] = lambda sigma: True) -> Expr:
    """Split each sum over a union that is `wanted` into one sum for each leaf."""
    if not expr.args:
        return expr
    args = [split_sums(arg, wanted) for arg in expr.args]
    done = rebuild(expr, args)
    if isinstance(done, Sigma) and isinstance(done.index, Index) and done.index.domain.parts and wanted(done):
        parts = (done.index.within(leaf) for leaf in done.index.domain.leaves())
        return Add(*(Sigma(substitute(done.body, {done.index: part}), part) for part in parts))
    return done
