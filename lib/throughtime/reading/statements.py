"""The equations of a text sorted: starts apart, vectors below each other as blocks, each name with its role."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from throughtime.derivation import DEFINED, INPUT, PARAMETER
from throughtime.reading import trees
from throughtime.reading.parser import Parser
from throughtime.reading.tokens import GREEK

Use = tuple[str, trees.Name, tuple[str, ...] | None]  # key, where it stands, indices; None in matrix notation


def names_in(*parts: trees.Tree) -> list[trees.Name]:
    """All names in some trees."""
    return [tree for part in parts for tree in part.all() if isinstance(tree, trees.Name)]


def letters_of(equation: trees.Equation) -> frozenset[str]:
    """The letters that are indices in an equation: those in brackets, under sums, and of the left side.

    One of the left side is an index if it also stands on the right: the r of `h_r = f(W x_t)` is none.
    """
    right = names_in(*equation.rights)
    totals = [tree for side in equation.rights for tree in side.all() if isinstance(tree, trees.Total)]
    sure = {total.letter for total in totals if len(total.limits) < 2}
    sure |= {letter for name in (*names_in(equation.left), *right) for letter in name.places}
    left = [mark for name in names_in(equation.left) for mark in name.marks]
    maybe = {letter for mark in left if set(mark) <= set("ijklmnpq") for letter in mark}
    seen = {letter for name in right for mark in name.marks if set(mark) <= maybe | sure for letter in mark}
    return frozenset(sure | (maybe & seen))


class Statements:
    """`equations`, `starts` and what is `declared`; the `names` of the quantities and their `roles`, by key.

    A left side is computed, what has a time is given, the rest is learned. `blocks` are the labels of the parts of a
    matrix that stands before vectors below each other. NotationError where a name is used in two manners.
    """

    def __init__(self, parser: Parser):
        self.parser, self.source, self.blocks = parser, parser.source, {}
        found = parser.statements()
        self.declared = [one for one in found if isinstance(one, trees.Declared)]
        equations = [self._in_blocks(one) for one in found if isinstance(one, trees.Equation)]
        equations = [replace(one, letters=letters_of(one)) for one in equations]
        if not equations:
            expected = "expected lines such as h_t = tanh(W x_t + U h_{t-1} + b)"
            raise self.source.fault(0, "found no equation", expected)
        for one in equations:
            if not isinstance(one.left, trees.Name) or len(one.rights) > 1:
                at = (one.left if not isinstance(one.left, trees.Name) else one.rights[1]).at
                raise self.source.fault(at, "found a formula", "expected one quantity and what it is, as h_t = ...")
        computed = {one.left.key(one.letters) for one in equations if one.left.time}
        self.starts = [start for one in equations if (start := self._as_start(one, computed))]
        self.equations = [one for one in equations if not self._as_start(one, computed)]
        totals = [tree for one in equations for tree in one.rights[0].all() if isinstance(tree, trees.Total)]
        self.sizes = {size.base for total in totals if len(total.limits) == 1 for size in total.limits}
        self.sizes |= {size for one in self.declared for size in one.sizes}
        self.roles: dict[str, str] = {}
        self.names: dict[str, trees.Name] = {}
        self._assign_roles()

    def _in_blocks(self, tree: trees.Tree) -> trees.Tree:
        """W [h; x] as W_h h + W_x x: a matrix before vectors below each other has a block for each of them."""
        values = {}
        for field in fields(tree):
            value = getattr(tree, field.name)
            if isinstance(value, tuple):
                value = tuple(self._in_blocks(part) if isinstance(part, trees.Tree) else part for part in value)
            values[field.name] = self._in_blocks(value) if isinstance(value, trees.Tree) else value
        tree = type(tree)(**values)
        if not (isinstance(tree, trees.Product) and isinstance(tree.factors[-1], trees.Stack)):
            return tree
        *before, matrix, stack = tree.factors
        if not isinstance(matrix, trees.Name):
            raise self.source.fault(matrix.at, "found no letter before vectors below each other", "expected a matrix")
        labels = [row.base if isinstance(row, trees.Name) else str(n) for n, row in enumerate(stack.rows, 1)]
        labels = [f"{one}{n}" if labels.count(one) > 1 else one for n, one in enumerate(labels, 1)]
        labels = self.blocks.setdefault(matrix.key(), labels)
        if len(labels) != len(stack.rows):
            found = f"found {matrix.key()} before {len(stack.rows)} vectors"
            raise self.source.fault(stack.at, found, f"expected {len(labels)}, as above")
        blocks = (replace(matrix, marks=(*matrix.marks, label)) for label in labels)
        terms = (
            trees.Product(row.at, (*before, *pair)) for row, *pair in zip(stack.rows, blocks, stack.rows, strict=True)
        )
        return trees.Sum(tree.at, tuple(terms))

    @staticmethod
    def _as_start(equation: trees.Equation, computed: set[str]) -> trees.Equation | None:
        """h_0 = s or h(0) = s as an equation of h at the time 0; None for another equation."""
        left = equation.left
        if left.time is None and left.marks[-1:] == ("0",):
            left = replace(left, marks=left.marks[:-1], time=("", 0))
        at_start = left.time == ("", 0) and left.key(equation.letters) in computed
        return replace(equation, left=left) if at_start else None

    def uses(self) -> Iterator[Use]:
        """All occurrences of quantities, left sides first."""
        equations = (*self.equations, *self.starts)
        for one in equations:
            yield from self._uses(one, one.left)
        for one in equations:
            yield from self._uses(one, *one.rights)

    def _uses(self, equation: trees.Equation, *sides: trees.Tree) -> Iterator[Use]:
        for name in names_in(*sides):
            if name.time or name.key() not in self.sizes | {"T"}:
                yield name.key(equation.letters), name, name.indices(equation.letters) if equation.letters else None

    def _assign_roles(self) -> None:
        for one in self.equations:
            key = one.left.key(one.letters)
            if key in self.roles and not one.letters:
                raise self.source.fault(one.at, f"found {key} on the left again", "expected one equation for each")
            self.roles[key] = DEFINED
        for key, name, indices in self.uses():
            timed, first = name.time is not None, self.names.setdefault(key, name)
            if (first.time is not None) != timed:
                found, now = f"found {key} {'with' if timed else 'without'} a time", self.parser.now
                hint = f"as {name.base}_{now} or {name.base}_{{{now}-1}}"
                raise self.source.fault(name.at, found, "expected it as elsewhere", hint if not timed else "")
            self.roles.setdefault(key, INPUT if timed else PARAMETER)
            capital = name.base[0].isupper() and name.base not in GREEK
            if capital and not timed and indices is not None and len(indices) == 1:
                element = f"{name.base}_{{{indices[0]}j}} x_j for an element of the matrix"
                label = f"another letter on the left, if {indices[0]} is a label"
                raise self.parser.two_readings(name.at, name.key(), element, label)
