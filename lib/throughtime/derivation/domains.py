"""Index ranges: symbolic dimensions, domains made of them, and indices that carry their domain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, total_ordering
from itertools import count, pairwise

from sympy import AtomicExpr, Expr, Integer, sympify

from .errors import DomainError

_rank = count()


class Dimension(AtomicExpr):
    """A symbolic number of units, at least 0; `latex` is how it prints."""

    is_commutative = True
    is_integer = True
    is_nonnegative = True

    def __new__(cls, name: str, latex: str | None = None):
        self = AtomicExpr.__new__(cls)
        self.name = name
        self.latex = latex or name
        self.rank = next(_rank)
        return self

    def _hashable_content(self):
        return (self.name, self.latex)

    def _latex(self, printer):
        return self.latex

    def _sympystr(self, printer):
        return self.name


LENGTH = Dimension("T")
"""The number of time steps of a sequence; times run from 1 to it."""


@total_ordering
@dataclass(frozen=True)
class Domain:
    """The range lower..upper of an index. A union lists its disjoint `parts`; a leaf has none."""

    name: str
    lower: Expr
    upper: Expr
    parts: tuple[Domain, ...] = ()

    def __lt__(self, other: Domain) -> bool:
        """By name and bounds; SymPy orders arguments with it."""
        return (self.name, str(self.lower), str(self.upper)) < (
            other.name,
            str(other.lower),
            str(other.upper),
        )

    def leaves(self) -> tuple[Domain, ...]:
        """The disjoint pieces without parts of their own, in order."""
        return sum((part.leaves() for part in self.parts), ()) if self.parts else (self,)

    def contains(self, other: Domain) -> bool:
        """Whether every element of `other` is known to be an element of this domain."""
        return other == self or any(part.contains(other) for part in self.parts)

    def disjoint(self, other: Domain) -> bool:
        """Whether the two domains are known to share no element."""
        return not set(self.leaves()) & set(other.leaves())

    def elements(self, sizes: dict[Dimension, int]) -> range:
        """The elements as integers once every dimension has a size."""
        lower, upper = (_sized(bound, tuple(sizes.items())) for bound in (self.lower, self.upper))
        if not (lower.is_Integer and upper.is_Integer):
            raise DomainError(f"domain {self.name}: sizes {sizes} leave {lower}..{upper} symbolic")
        return range(int(lower), int(upper) + 1)


@lru_cache(maxsize=4_096)
def _sized(bound: Expr, sizes: tuple[tuple[Dimension, int], ...]) -> Expr:
    """A bound with the sizes put in; it is asked for anew at every place of a formula."""
    return sympify(bound.xreplace(dict(sizes)))


def domain(name: str, size: Expr | int, *, after: Domain | None = None) -> Domain:
    """`size` elements, counted from 1, or from the element behind the last one of `after`."""
    start = after.upper if after else Integer(0)
    return Domain(name, start + 1, start + sympify(size))


def union(name: str, *parts: Domain) -> Domain:
    """The parts side by side; each has to start where the one before it ends."""
    for left, right in pairwise(parts):
        if right.lower != left.upper + 1:
            raise DomainError(f"union {name}: {right.name} starts at {right.lower}, expected {left.upper + 1}")
    return Domain(name, parts[0].lower, parts[-1].upper, parts)


class Index(AtomicExpr):
    """A letter that runs over a domain."""

    is_commutative = True
    is_integer = True

    def __new__(cls, name: str, over: Domain, latex: str | None = None):
        if not isinstance(over, Domain):
            raise TypeError(f"index {name}: over is {over!r}, expected a Domain")
        return _index(cls, name, over, latex or name)

    def _hashable_content(self):
        return (self.name, self.domain)

    def _latex(self, printer):
        return self.latex

    def _sympystr(self, printer):
        return self.name

    def within(self, part: Domain) -> Index:
        """The same letter restricted to a part of its domain."""
        return Index(self.name, part, self.latex)


@lru_cache(maxsize=10_000)
def _index(cls: type[Index], name: str, over: Domain, latex: str) -> Index:
    """One object for one letter: what is identical need not be compared."""
    self = AtomicExpr.__new__(cls)
    self.name, self.domain, self.latex = name, over, latex
    return self


class AsNumber(Expr):
    """The bare number of an index, in a place where another range is meant: prints take a unit for a column."""

    is_commutative = True
    is_integer = True
    latex = property(lambda self: self.args[0].latex)

    def __new__(cls, index: Expr):
        return Expr.__new__(cls, index) if isinstance(index, Index) else index

    def _sympystr(self, printer):
        return str(self.args[0])


def lies_in(place: Expr, over: Domain) -> bool:
    """Whether a place, an index or a number computed from indices, is known to lie in a domain.

    A computed one has to be a whole number, and is followed to both ends of the range of each of its indices, in which
    it has to be monotone.
    """
    if isinstance(place, Index):
        return over.contains(place.domain)
    if not place.is_integer:
        return False
    first = last = place = place.expand()
    for index in sorted(place.atoms(Index), key=str):
        slope = place.coeff(index)
        if (place - slope * index).expand().has(index) or not slope.is_nonnegative:
            return False
        first = first.xreplace({index: index.domain.lower})
        last = last.xreplace({index: index.domain.upper})
    return bool((first - over.lower).expand().is_nonnegative and (over.upper - last).expand().is_nonnegative)


def indices(names: str, over: Domain) -> tuple[Index, ...] | Index:
    """Several indices over one domain, like SymPy's `symbols`."""
    made = tuple(Index(name, over) for name in names.split())
    return made if len(made) > 1 else made[0]
