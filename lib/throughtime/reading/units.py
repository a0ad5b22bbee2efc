"""Equations of one unit of vectors, as z_t^j = sigma(W_z x_t + U_z h_{t-1})^j: as equations of the vectors.

The unit is that of the left side. Factors that have it are multiplied each unit, what stands without it is a number.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from throughtime.reading.source import SourceText
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import WHOLE, Equality, Name, Tree, names_in

INDICES = {*"ijklmn"}


def as_vectors(source: SourceText, equation: Equality) -> Equality:
    """An equation with a unit of a bracket as one of vectors; another one as it is.

    NotationError for a second index, a sum over the unit, and for a letter without the unit that is not Greek.
    """
    trees = [tree for side in (equation.left, *equation.rights) for tree in side.all()]
    elements = [tree for tree in trees if tree.op == "element"]
    if not elements:
        return equation
    unit = elements[0].value

    def has_unit(tree: Tree) -> bool:
        marks = (mark for name in names_in(tree) for mark in name.marks)
        return any(unit in mark and set(mark) <= INDICES for mark in marks) or any(
            one.op == "element" for one in tree.all()
        )

    def whole(tree: Tree) -> Tree:
        found, parts = f"found {source.words(tree.at)} in an equation of the unit {unit}", tree.parts
        if tree.op == "element" and tree.value == unit and not has_unit(parts[0]):
            return parts[0]
        if isinstance(tree, Name):
            marks = tuple(mark for mark in tree.marks if mark != unit)
            if marks == tree.marks and (tree.base not in GREEK or tree.time):
                expected = f"expected {tree.base}_{{{unit}}}, or a bracket with {unit} behind it"
                raise source.fault(tree.at, found, expected)
            return replace(tree, marks=marks)
        if tree.op in ("element", "total", "transposed", "stack") or (tree.op == "call" and tree.value[0] in WHOLE):
            raise source.fault(tree.at, found, "expected a formula of this unit alone")
        if tree.op != "product":
            return replace(tree, parts=tuple(map(whole, parts)))
        each = [whole(part) for part in parts if has_unit(part)]
        rest = [whole(part) for part in parts if not has_unit(part)]
        units = [reduce(lambda one, other: Tree("elementwise", one.at, (one, other), "⊙"), each)] if each else []
        return replace(tree, parts=(*rest, *units)) if rest else units[0]

    return replace(equation, left=whole(equation.left), rights=tuple(map(whole, equation.rights)))
