"""The order of the terms of a whole number: a time, a size, an exponent, or a place counted through kinds of units.

A place is written as one counts to it: the kinds in front in the order in which they were made, then the rows of equal
length, d + (k - 1) n, then the letter in the row, then numbers. What is taken away stands behind.
"""

from __future__ import annotations

from collections import Counter

from sympy import Add, Expr, Mul, expand

from .domains import AsNumber, Dimension, Index

Row = tuple[Expr, Expr]


def place_terms(expr: Expr) -> list[Expr | Row]:
    """The terms of a sum in reading order; a pair stands for a bracket times a length."""
    terms, rows = list(Add.make_args(expand(expr))), []
    for length in _lengths(terms):
        counted = [term for term in terms if length in Mul.make_args(term)]
        if len(counted) > 1:
            terms = [term for term in terms if term not in counted]
            rows.append((Add(*(term / length for term in counted)), length))
    return _plus_first(sorted([*terms, *rows], key=_key))


def _lengths(terms: list[Expr]) -> list[Expr]:
    """What stands in several terms, in one of them times a letter or another size: that which stands in most first."""
    seen = Counter(part for term in terms for part in Mul.make_args(term) if isinstance(part, Dimension))
    products = [Mul.make_args(term.as_coeff_Mul()[1]) for term in terms]
    factors = {part for parts in products if len(parts) > 1 for part in parts}
    return sorted((part for part in seen if part in factors), key=lambda part: (-seen[part], part.rank))


def negative(term: Expr | Row) -> bool:
    """Whether a term is taken away; a row is if its letter, or all of it, is."""
    if isinstance(term, tuple):
        parts = Add.make_args(term[0])
        letters = [part for part in parts if part.has(Index)]
        return all(_is_negative(part) for part in letters or parts)
    return _is_negative(term)


def bracket_terms(row: Row) -> list[Expr]:
    """What is in the bracket of a row, without its sign: k - 1 rows, but 2 + n."""
    inside = -row[0] if negative(row) else row[0]
    letters = any(part.has(Index) for part in Add.make_args(inside))
    return sorted(place_terms(inside), key=lambda term: term.is_Number == letters)


def _is_negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _plus_first(terms: list[Expr | Row]) -> list[Expr | Row]:
    """As `plus_first`, for rows too."""
    if not terms or not negative(terms[0]):
        return terms
    return sorted(terms, key=negative)


def _key(term: Expr | Row) -> tuple:
    """Times by name, then sizes as they were made, then letters, then numbers; what is taken away later."""
    base = term[1] if isinstance(term, tuple) else term.as_coeff_Mul()[1]
    sizes = [part.rank for part in base.atoms(Dimension)]
    letter = isinstance(base, Index | AsNumber)
    return (base == 1, letter, not letter and not sizes and negative(term), max(sizes, default=-1), str(base))
