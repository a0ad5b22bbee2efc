"""Conversion of user input to SymPy expressions. Strings are refused: `sympify` would evaluate them as Python."""

from __future__ import annotations

from typing import Any

from sympy import Expr, SympifyError, sympify

from throughtime.derivation.formulas.errors import DerivationError


def expression(given: Any, what: str) -> Expr:
    """A number or a formula as a SymPy expression; DerivationError, which names `what` was given, for anything else."""
    if isinstance(given, Expr):
        return given
    try:
        found = sympify(given, strict=True)
    except SympifyError:
        found = None
    if not isinstance(found, Expr):
        kind = type(given).__name__
        raise DerivationError(f"{what}: got {given!r} of type {kind}, expected a number or an expression of SymPy's")
    return found
