"""Vectors as rows, as in x_t W and q_t S_t: decided once for a text.

In rows k^T v is a matrix and q k^T a number, in columns they are a number and a matrix. A text is in rows if a vector
stands before a matrix somewhere, and behind one nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from throughtime.reading.source import Source
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Equation, Name, Tree, is_matrix


def in_columns(source: Source, equations: Sequence[Equation]) -> list[Equation]:
    """Equations with k^T v of rows as k v^T of columns. NotationError for products of two vectors that are in doubt."""
    products = [tree for one in equations for side in one.rights for tree in side.all() if tree.op == "product"]
    pairs = [pair for product in products for pair in pairwise(product.parts)]
    before = any(_is_vector(one) and is_matrix(other) for one, other in pairs)
    behind = any(is_matrix(one) and _is_vector(other) for one, other in pairs)
    if not before or behind:
        return [*equations]
    return [replace(one, rights=tuple(_turned(source, side, is_matrix(one.left)) for side in one.rights)) for one in equations]


def _turned(source: Source, tree: Tree, matrix: bool) -> Tree:
    """A formula of rows, whose products of vectors are matrices or in doubt."""
    if isinstance(tree, Name):
        return tree
    parts = [_turned(source, part, matrix) for part in tree.parts]
    if tree.op == "product":
        for place, (one, other) in enumerate(pairwise(tree.parts)):
            a, b = _is_turned(one), _is_turned(other)
            if not (a and not is_matrix(other)) and not (b and _is_vector(one)):
                continue
            if b or not matrix:
                first, second = (source.words(part.parts[0].at if part.op == "transposed" else part.at) for part in (one, other))
                said = source.words(one.at) + " " + source.words(other.at)
                raise source.two_readings(one.at, f"{said} among rows", f"sum({first} * {second}) for the number", "a line for the matrix")
            parts[place : place + 2] = one.parts[0], Tree("transposed", other.at, (parts[place + 1],))
    return replace(tree, parts=tuple(parts))


def _is_vector(tree: Tree) -> bool:
    return isinstance(tree, Name) and tree.base[0].islower() and tree.base not in GREEK and not tree.places


def _is_turned(tree: Tree) -> bool:
    return tree.op == "transposed" and _is_vector(tree.parts[0])
