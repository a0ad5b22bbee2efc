"""What people write for two things, and would be read as one of them without a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from throughtime.derivation import DEFINED, PARAMETER
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Name, Tree, is_matrix, names_in

if TYPE_CHECKING:
    from throughtime.reading.statements import Statements


def check_times(read: Statements) -> None:
    """NotationError for what is computed without a time and read at each time, or reads the time itself."""
    once = {one.left.key(one.letters) for one in read.equations if not one.left.time}
    timed = {name.key(one.letters) for one in read.equations for name in names_in(*one.rights) if name.time}
    for one in read.equations:
        now, left = read.now, one.left.key(one.letters)
        summed = {name.at for tree in one.rights[0].all() if tree.op == "total" for name in names_in(tree)}
        for name in names_in(*one.rights):
            key = name.key(one.letters)
            if not one.left.time and left not in timed and name.time and name.time[0] == now and name.at not in summed:
                expected = f"expected the time of what it reads, {read.source.words(name.at)}"
                raise read.source.fault(one.left.at, f"found {left} without a time", expected, f"{left}_{now} = ...")
            if one.left.time and key in once and not name.time:
                timely = f"{name.base}_{{{','.join((*name.marks, now))}}}"
                hint = f"{timely} = ..., and {timely} for {key} here"
                said = f"found {key}, which is computed without a time"
                raise read.source.fault(name.at, said, "expected what is computed at each time", hint)


def check_stars(read: Statements) -> None:
    """NotationError for a learned matrix at a * that is the product of matrices, or a convolution, for many."""
    for tree in _trees(read):
        if tree.value != "*" or tree.op != "elementwise":
            continue
        for matrix, other in (tree.parts, tree.parts[::-1]):
            key = names_in(matrix)[0].key() if is_matrix(matrix) or _is_labelled_as_one(matrix) else ""
            learned = read.roles.get(key) == PARAMETER and key not in read.declared
            if learned and names_in(other):
                a, b = (read.source.words(part.at) for part in tree.parts)
                each = rf"{a} \odot {b}" if "\\" in read.source.text else f"{a} ⊙ {b}"
                raise read.source.two_readings(
                    tree.at, f"{a} * {b}", f"{a} {b} for the product", f"{each} for elements"
                )


def _is_labelled_as_one(tree: Tree) -> bool:
    """Whether a small letter has the label of a matrix from one vector to another, as w_{ih}."""
    return isinstance(tree, Name) and any(re.fullmatch("[a-z]h|h[a-z]", mark) for mark in tree.marks)


def check_powers(read: Statements, raised: Mapping[int, str]) -> None:
    """NotationError for gamma^t, which is a power of what is nowhere computed, or given at each time.

    A letter that has its times above everywhere is in doubt if it is a small Greek one, or stands or is declared
    without a time too, or is a factor while other letters have their times below.
    """
    untimed = {key for key, name, _ in read.uses() if not name.time}
    untimed |= {key for key, one in read.declared.items() if not one.name.time}
    uses = [(key, name) for key, name, _ in read.uses() if name.time]
    below = {key for key, name in uses if name.at not in raised and name.time != ("T", 0)}
    factors = {name.at for tree in _trees(read) for name in _factors(tree)}
    for key, name in uses:
        if read.roles[key] == DEFINED or name.at not in raised or key in below:
            continue
        greek = name.base in GREEK and key not in read.declared
        if key in untimed or greek or (below and name.at in factors and name.base[0].islower()):
            now, power = read.now, raised[name.at] if len(raised[name.at]) == 1 else f"{{{raised[name.at]}}}"
            given = f"{name.base}_{{{','.join((*name.marks, now))}}} for what is given at each time"
            state = f"g_{now} = {key} * g_{{{now}-1}} with g_0 = 1 and g_{now} in R for the power"
            raise read.source.two_readings(name.at, f"{key}^{power}", given, state)


def _factors(tree: Tree) -> Iterator[Name]:
    """The names in a product that stand behind no matrix."""
    if tree.op in ("product", "elementwise", "quotient"):
        for before, part in zip((None, *tree.parts), tree.parts, strict=False):
            if isinstance(part, Name) and not (tree.op == "product" and before and is_matrix(before)):
                yield part


def _trees(read: Statements) -> Iterator[Tree]:
    return (tree for one in read.equations for tree in one.rights[0].all())
