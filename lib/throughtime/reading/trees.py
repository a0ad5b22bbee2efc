"""What a text says, as trees: names, and what is made of them. Each node knows its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

WHOLE = {"softmax": 0, "sum": 0, "mean": 0, "norm": 0, "diag": 2}  # functions of a whole vector: the rank of the value


@dataclass(frozen=True)
class Tree:
    """A part of a formula, from its place in the text on: what it does, with which parts, and a value.

    number        value: a Fraction; it may be added to each element of a vector
    sum           terms; a minus is a product with -1
    product       factors side by side: matrices, vectors, numbers
    elementwise   factors element by element; so do quotient, max and min of two
    power         value: the exponent; transposed
    call          value: the name of the function, and the order of its derivative
    same          1 where two times are one, 0 elsewhere; value: both as they are written
    multiplied    a product over times; value: as of total, and whether the last factor is written first
    stack         vectors one below the other
    total         value: the letter that is summed over, and the first and last of its values, as they are written
    slope         a derivative as a symbol: what, with respect to what; value: its sign; differential: one half of it
    """

    op: str
    at: int
    parts: tuple[Tree, ...] = ()
    value: Any = None

    def all(self) -> Iterator[Tree]:
        """This tree and all below it."""
        yield self
        for part in self.parts:
            yield from part.all()


@dataclass(frozen=True)
class Name(Tree):
    """A letter with what stands at it: marks (labels or indices), indices in brackets, a time as (letter, steps)."""

    base: str = ""
    marks: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    time: tuple[str, int] | None = None

    def key(self, letters: frozenset[str] = frozenset()) -> str:
        """The name of the quantity; `letters` are those that are indices here."""
        return "_".join([self.base, *(mark for mark in self.marks if not set(mark) <= letters)])

    def indices(self, letters: frozenset[str]) -> tuple[str, ...]:
        """The indices in the order of writing."""
        return (*(letter for mark in self.marks if set(mark) <= letters for letter in mark), *self.places)


@dataclass(frozen=True)
class Equality:
    """A left side and what it equals, with the letters that are indices in it."""

    left: Tree
    rights: tuple[Tree, ...]
    letters: frozenset[str] = frozenset()
    sides = property(lambda self: (self.left, *self.rights))


@dataclass(frozen=True)
class Assignment(Equality):
    """A quantity and what it equals."""

    left: Name


@dataclass(frozen=True)
class Declared:
    """A name in a set of numbers, vectors or matrices: its sizes, as they are written."""

    name: Name
    sizes: tuple[str, ...]


def names_in(*parts: Tree) -> list[Name]:
    """All names in some trees."""
    return [tree for part in parts for tree in part.all() if isinstance(tree, Name)]


def each_power(base: Tree, exponent: int) -> Tree:
    """The power of each element, as a product."""
    return reduce(lambda one, other: Tree("elementwise", base.at, (one, other), "⊙"), [base] * exponent)


def is_matrix(tree: Tree) -> bool:
    """Whether a factor is a matrix by its letter."""
    inner = tree.parts[0] if tree.op == "transposed" else tree
    return isinstance(inner, Name) and inner.base[0].isupper() and not inner.places


def is_capital_state(tree: Tree) -> bool:
    """Whether it is a capital letter with a time, or a function of one."""
    inner = tree.parts[0] if tree.op == "call" else tree
    return isinstance(inner, Name) and inner.base[0].isupper() and inner.time is not None


def is_kronecker(name: Name, letters: frozenset[str]) -> bool:
    """Whether a name is delta_{ij}, which is 1 where its two indices are equal and 0 elsewhere."""
    return name.key(letters) == "delta" and not name.time and len(name.indices(letters)) == 2
