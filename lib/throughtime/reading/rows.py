"""Vectors as rows, as in x_t W and q_t S_t: decided once for a text.

In rows k^T v is a matrix and q k^T a number, in columns they are a number and a matrix. A text is in rows if a vector
stands before a matrix somewhere, and behind one nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import WHOLE, Equality, Name, Tree, is_matrix


def in_columns(equations: Sequence[Equality]) -> list[Equality]:
    """Equations with the products of two vectors in rows as those of columns.

    A capital letter on the left says that k^T v is a matrix, a small one that it is a number, and k v^T too.
    """
    products = [tree for one in equations for side in one.rights for tree in side.all() if tree.op == "product"]
    pairs = [pair for product in products for pair in pairwise(product.parts)]
    before = any(is_vector(one) and is_matrix(other) for one, other in pairs)
    behind = any(is_matrix(one) and is_vector(other) for one, other in pairs)
    if not before or behind:
        return [*equations]
    return [replace(one, rights=tuple(_turned(side, is_matrix(one.left)) for side in one.rights)) for one in equations]


def _turned(tree: Tree, matrix: bool) -> Tree:
    if isinstance(tree, Name):
        return tree
    parts = [_turned(part, matrix) for part in tree.parts]
    for place, (one, other) in enumerate(pairwise(tree.parts) if tree.op == "product" else ()):
        if matrix and _is_turned(one) and not is_matrix(other):
            parts[place : place + 2] = one.parts[0], Tree("transposed", other.at, (parts[place + 1],))
        if not matrix and _is_turned(other) and is_vector(one):
            parts[place : place + 2] = Tree("transposed", one.at, (one,)), other.parts[0]
    return replace(tree, parts=tuple(parts))


def is_vector(tree: Tree) -> bool:
    """Whether a factor is a vector by its letter, or a function of one."""
    if tree.op == "call" and tree.value[0] not in WHOLE:  # phi(k_t)
        return is_vector(tree.parts[0])
    return isinstance(tree, Name) and tree.base[0].islower() and tree.base not in GREEK and not tree.places


def _is_turned(tree: Tree) -> bool:
    return tree.op == "transposed" and is_vector(tree.parts[0])
