"""Equations of one step without times, as h' = tanh(W x + U h), with their times.

A primed letter is the new value of the letter without a prime; so is h beside h_prev, and x is given.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise

from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Equality, Name, Tree, is_matrix, names_in


def in_time(equations: Sequence[Equality], now: str, before: Set[int]) -> list[Equality]:
    """The equations at the time `now`; as they are if they have a time, or can mean something else.

    `before` are the places of names such as h_prev. Something else: h' is a candidate where h is computed too, or both
    are read in one equation; a vector behind a matrix that is neither x nor computed can be given.
    """
    names = [name for one in equations for name in names_in(one.left, *one.rights)]
    lefts = [one.left for one in equations if isinstance(one.left, Name)]
    new = {_old(left).key() for left in lefts if _old(left) != left}
    computed = {left.key() for left in lefts}
    states = new | {name.key() for name in names if name.at in before}
    known = {*computed, *states, "x"}
    timed = any(name.time and name.at not in before for name in names)
    if timed or new & computed or not states <= computed | new or "x" not in {name.key() for name in names}:
        return [*equations]
    if not states or any(_is_in_doubt(one, new, known) for one in equations):
        return [*equations]

    def at_time(tree: Tree) -> Tree:
        if not isinstance(tree, Name):
            return replace(tree, parts=tuple(map(at_time, tree.parts)))
        if (old := _old(tree)) != tree and old.key() in new:
            return replace(old, time=(now, 0))
        known_now = tree.key() in known and not tree.time
        return replace(tree, time=(now, -1 if tree.key() in new else 0)) if known_now else tree

    return [replace(one, left=at_time(one.left), rights=tuple(map(at_time, one.rights))) for one in equations]


def _old(name: Name) -> Name:
    return replace(name, base=name.base.removesuffix("_prime"))


def _is_in_doubt(equation: Equality, new: Set[str], known: Set[str]) -> bool:
    names = names_in(*equation.rights)
    both = {_old(name).key() for name in names if _old(name) != name} & {name.key() for name in names} & new
    products = [tree for side in equation.rights for tree in side.all() if tree.op == "product"]
    behind = [b for one in products for a, b in pairwise(one.parts) if is_matrix(a) and isinstance(b, Name)]
    given = {_old(b).key() for b in behind if b.base[0].islower() and b.base not in GREEK}
    return bool(both or given - known)
