"""Vectors as rows, as in x_t W and q_t S_t: decided once for a text.

In rows k^T v is a matrix and q k^T a number, in columns they are a number and a matrix. A text is in rows if a vector
stands before a matrix somewhere, and behind one nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from throughtime.reading.source import SourceText
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import WHOLE, Equality, Name, Tree, is_matrix


def in_columns(equations: Sequence[Equality]) -> tuple[list[Equality], bool]:
    """Equations with the products of two vectors in rows as those of columns; and whether they are in rows.

    A capital letter on the left says that k^T v is a matrix, a small one that it is a number, and k v^T too.
    """
    products = [tree for one in equations for side in one.rights for tree in side.all() if tree.op == "product"]
    pairs = [pair for product in products for pair in pairwise(product.parts)]
    before = any(is_vector(one) and is_matrix(other) for one, other in pairs)
    behind = any(is_matrix(one) and is_vector(other) for one, other in pairs)
    if not before or behind:
        return [*equations], False
    turned = ([_turned(side, is_matrix(one.left)) for side in one.rights] for one in equations)
    return [replace(one, rights=tuple(rights)) for one, rights in zip(equations, turned, strict=True)], True


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


SHAPES = {1: ("1", "n"), -1: ("n", "1"), 2: ("n", "n")}  # of rows, rows turned, matrices, in a text of rows


def as_columns(tree: Tree, rank: Callable[[Tree], int | None], source: SourceText) -> Tree:
    """A judged formula in rows as one of columns: x W as W^T x, k^T v as k v^T. NotationError where it does not fit."""
    if isinstance(tree, Name) or tree.op == "slope":
        return tree
    parts = tuple(as_columns(part, rank, source) for part in tree.parts)
    factors = [(one, part, rank(part)) for one, part in zip(tree.parts, parts, strict=True)]
    chain = [(one, part, SHAPES[found]) for one, part, found in factors if found in SHAPES]
    if tree.op != "product" or len(chain) < 2 or len(chain) < sum(found != 0 for *_, found in factors):
        return replace(tree, parts=parts)
    first, last = chain[0][2]
    for (before, *_), (one, _, shape) in pairwise(chain):
        if last != shape[0]:
            a, b = source.words(before.at), source.words(one.at)
            hint = f"{b} {a}^T" if last == shape[1] else f"{a} * {b}, or {a}^T {b}"
            raise source.fault(one.at, f"found {a} before {b}, in a text of rows", "expected factors that fit", hint)
        last = shape[1]
    whole = "1" in (first, last) and first != last  # a row, which is turned as one
    flips = [(shape == ("n", "n")) == whole for *_, shape in chain]
    once = [Tree("transposed", part.at, (part,)) if part.op != "transposed" else part.parts[0] for _, part, _ in chain]
    turned = [new if flip else part for new, flip, (_, part, _) in zip(once, flips, chain, strict=True)]
    return replace(tree, parts=(*(part for _, part, found in factors if not found), *turned[:: -1 if whole else 1]))
