"""Equations of one step without times, as h' = tanh(W x + U h), with their times: a primed letter is the new value,
the same one without a prime the old one, and so is h beside h_prev; x is given."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise

from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Equality, Name, Tree, is_matrix, names_in

AFTER = {"new", "next"}


def in_time(equations: Sequence[Equality], now: str, before: Set[int]) -> Sequence[Equality]:
    """The equations at the time `now`; as they are if they have times, or can mean something else: h' is a candidate
    where h is computed too, or both are read in one equation; a vector behind a matrix that is neither x nor computed
    can be given. `before` are the places of names such as h_prev."""
    sides = [names_in(*one.rights) for one in equations]
    names = [name for one in equations for name in names_in(one.left, *one.rights)]
    lefts = [one.left for one in equations if isinstance(one.left, Name)]
    computed, new = {left.key() for left in lefts}, {_old(left).key() for left in lefts if _old(left) != left}
    states = new | {name.key() for name in names if name.at in before}
    known, read = {*computed, *states, "x"}, {name.key() for name in names}
    products = [tree for one in equations for side in one.rights for tree in side.all() if tree.op == "product"]
    behind = [b for one in products for a, b in pairwise(one.parts) if is_matrix(a) and isinstance(b, Name)]
    given = {_old(b).key() for b in behind if b.base[0].islower() and b.base not in GREEK}
    both = any({_old(b).key() for b in one if _old(b) != b} & {a.key() for a in one} & new for one in sides)
    timed = any(name.time and name.at not in before for name in names)
    steps = states and states <= computed | new and not new & computed and "x" in read
    if timed or not steps or both or given - known:
        return equations

    def at_time(tree: Tree) -> Tree:
        if not isinstance(tree, Name):
            return replace(tree, parts=tuple(map(at_time, tree.parts)))
        if _old(tree) != tree and _old(tree).key() in new:
            return replace(_old(tree), time=(now, 0))
        return replace(tree, time=tree.time or (now, -1 if tree.key() in new else 0)) if tree.key() in known else tree

    return [replace(one, left=at_time(one.left), rights=tuple(map(at_time, one.rights))) for one in equations]


def _old(name: Name) -> Name:
    """A name without the mark of a new value: h of h', h_new and h_next."""
    marks = tuple(mark for mark in name.marks if mark not in AFTER)
    return replace(name, base=name.base.removesuffix("_prime"), marks=marks)
