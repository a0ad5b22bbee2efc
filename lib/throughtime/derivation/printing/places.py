"""The order of the terms of a whole number: a time, a size, an exponent, or a place counted through kinds of units.

A place is written as one counts to it: the kinds in front in the order in which they were made, then the rows of equal
length, d + (k - 1) n, then the letter in the row, then numbers. What is taken away stands behind.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Add, Expr, Mul, expand

from throughtime.derivation.formulas.domains import AsNumber, Dimension, Index

Row = tuple[Expr, Expr]
"""A number of rows and their length, whose product it stands for."""


def place_terms(expr: Expr) -> list[Expr | Row]:
    """The terms of a sum in reading order, rows of equal length gathered."""
    terms, rows = list(Add.make_args(expand(expr))), []
    for length in sorted(Add(*terms).atoms(Dimension), key=lambda size: size.rank):
        counted = [term for term in terms if length in Mul.make_args(term)]
        if len(counted) > 1:
            terms = [term for term in terms if term not in counted]
            rows.append((Add(*(term / length for term in counted)), length))
    return plus_first(sorted([*terms, *rows], key=_key))


def is_negative(term: Expr | Row) -> bool:
    """Whether a term has a minus sign; a row has one if its indices have, or without indices all of its terms."""
    if not isinstance(term, tuple):
        return bool(term.as_coeff_Mul()[0].is_negative)
    parts = Add.make_args(term[0])
    return all(map(is_negative, [part for part in parts if part.has(Index)] or parts))


def plus_first(terms: Sequence[Expr | Row]) -> list[Expr | Row]:
    """Terms in the order given, those with a plus sign before the others if it would begin with a minus."""
    return sorted(terms, key=is_negative) if terms and is_negative(terms[0]) else list(terms)


def bracket_terms(row: Row) -> list[Expr | Row]:
    """The terms of a number of rows, without the sign of the row: k - 1 rows, but 2 + n."""
    inside = -row[0] if is_negative(row) else row[0]
    numbers = [term for term in inside.args if term.is_Number]
    return sorted(place_terms(inside), key=lambda term: (term in numbers) == inside.has(Index))


def size_factors(term: Expr) -> list[Expr]:
    """A product of sizes as its number, counts and lengths, in this order; another term as the one factor it is."""
    coefficient, base = term.as_coeff_Mul()
    sizes = Mul.make_args(base)
    if len(sizes) == 1 or not all(isinstance(size, Dimension) for size in sizes):
        return [term]
    ordered = sorted(sizes, key=lambda size: (not size.count, size.rank))
    return ordered if coefficient == 1 else [coefficient, *ordered]


def _key(term: Expr | Row) -> tuple:
    """Sort key: times by name, then sizes as they were made, indices, numbers; within the first two, minus last."""
    base = term[1] if isinstance(term, tuple) else term.as_coeff_Mul()[1]
    sizes = [part.rank for part in base.atoms(Dimension)]
    letter = isinstance(base, Index | AsNumber)
    return (base == 1, letter, not letter and not sizes and is_negative(term), max(sizes, default=-1), str(base))
