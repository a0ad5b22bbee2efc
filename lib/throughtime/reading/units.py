"""Equations of one unit, as z_t^j = sigma(W_z x_t + U_z h_{t-1})^j, as equations of the vectors: what has the unit of
the left side is multiplied each unit, what has it not is a number."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from throughtime.reading.source import SourceText
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import WHOLE, Equality, Name, Tree, names_in


def as_vectors(source: SourceText, equation: Equality) -> Equality:
    """An equation with a unit behind a bracket as one of vectors; another one as it is. NotationError for a second
    index, a sum over units, and a letter without the unit that is not Greek."""
    units = [tree.value for side in equation.rights for tree in side.all() if tree.op == "element"]
    if not units:
        return equation
    unit = units[0]

    def has_unit(tree: Tree) -> bool:
        marks = [mark for name in names_in(tree) for mark in name.marks if set(mark) <= {*"ijklmn"}]
        return unit in "".join(marks) or any(one.op == "element" for one in tree.all())

    def whole(tree: Tree) -> Tree:
        if tree.op == "element" and tree.value == unit and not has_unit(tree.parts[0]):
            return tree.parts[0]
        if isinstance(tree, Name) and (unit in tree.marks or (tree.base in GREEK and not tree.time)):
            return replace(tree, marks=tuple(mark for mark in tree.marks if mark != unit))
        of_all = tree.op in ("element", "total", "transposed", "stack") or (
            tree.op == "call" and tree.value[0] in WHOLE
        )
        if isinstance(tree, Name) or of_all:
            found = f"found {source.words(tree.at)} in an equation of the unit {unit}"
            raise source.fault(tree.at, found, f"expected letters with {unit}, or a bracket with {unit} behind it")
        if tree.op != "product":
            return replace(tree, parts=tuple(map(whole, tree.parts)))
        each = [whole(part) for part in tree.parts if has_unit(part)]
        rest = [whole(part) for part in tree.parts if not has_unit(part)]
        units = [reduce(lambda one, other: Tree("elementwise", one.at, (one, other), "⊙"), each)] if each else []
        return replace(tree, parts=(*rest, *units)) if rest else units[0]

    return replace(equation, left=whole(equation.left), rights=tuple(map(whole, equation.rights)))
