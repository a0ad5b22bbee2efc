"""What a text says, as trees: names, numbers, sums, products, functions. Each node knows its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction


@dataclass(frozen=True)
class Tree:
    """A part of a formula, from its place in the text on."""

    at: int

    def parts(self) -> Iterator[Tree]:
        """The trees right below."""
        for field in fields(self):
            value = getattr(self, field.name)
            yield from (part for part in (value if isinstance(value, tuple) else (value,)) if isinstance(part, Tree))

    def all(self) -> Iterator[Tree]:
        """This tree and all below it."""
        yield self
        for part in self.parts():
            yield from part.all()


@dataclass(frozen=True)
class Number(Tree):
    """A number; it may be added to a vector or a matrix."""

    value: Fraction


@dataclass(frozen=True)
class Name(Tree):
    """A letter with what stands at it: marks (labels or indices), indices in brackets, a time as (letter, steps)."""

    base: str
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
class Sum(Tree):
    """Terms, each of them positive; a minus is a product with -1."""

    terms: tuple[Tree, ...]


@dataclass(frozen=True)
class Product(Tree):
    """Factors side by side: of matrices and vectors, or by a number."""

    factors: tuple[Tree, ...]


@dataclass(frozen=True)
class Elementwise(Tree):
    """Factors element by element."""

    factors: tuple[Tree, ...]


@dataclass(frozen=True)
class Quotient(Tree):
    over: Tree
    under: Tree


@dataclass(frozen=True)
class Power(Tree):
    base: Tree
    exponent: int


@dataclass(frozen=True)
class Transposed(Tree):
    part: Tree


@dataclass(frozen=True)
class Call(Tree):
    """A function of the engine or an activation, element by element; or one of a whole vector."""

    function: str
    arguments: tuple[Tree, ...]
    order: int = 0  # of the derivative


@dataclass(frozen=True)
class Stack(Tree):
    """Vectors one below the other."""

    rows: tuple[Tree, ...]


@dataclass(frozen=True)
class Norm(Tree):
    """The length of a vector, or its square."""

    part: Tree
    squared: bool = False


@dataclass(frozen=True)
class Total(Tree):
    """A sum over a letter, an index or a time (then with its limits)."""

    letter: str
    part: Tree
    limits: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Slope(Tree):
    """A derivative as a symbol."""

    target: Name
    wrt: Name


@dataclass(frozen=True)
class Differential(Tree):
    """A d or ∂ and what it stands before: half of a derivative."""

    part: Name


@dataclass(frozen=True)
class Equation(Tree):
    """A left side and what it equals, with the letters that are indices in it."""

    left: Tree
    rights: tuple[Tree, ...]
    letters: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Declared(Tree):
    """A name in a set of numbers, vectors or matrices: its sizes, as they are written."""

    name: Name
    sizes: tuple[str, ...]
