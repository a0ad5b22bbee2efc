"""Index ranges: symbolic dimensions, domains made of them, and indices that carry their domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass
from functools import cached_property, lru_cache, total_ordering
from itertools import count, pairwise
from typing import Any, ClassVar, Self, TypeVar

from sympy import AtomicExpr, Expr, Integer

from throughtime.derivation.formulas.errors import DomainError
from throughtime.derivation.formulas.given import expression

KEPT = 30_000  # results that a function of formulas keeps: many have parts in common
Rule = TypeVar("Rule")


class Node(Expr):
    """Base of all nodes of a formula in index notation, beside SymPy's own sums, products, powers and numbers."""

    __slots__ = ()
    is_commutative = True
    is_real = True


def row(table: Mapping[type, Rule], expr: Expr) -> Rule:
    """The entry of a table keyed by node classes for the class of a formula or the nearest of its base classes."""
    return next(table[kind] for kind in type(expr).__mro__ if kind in table)


class Leaf(Node, AtomicExpr):
    """A node without arguments: a bundle of attributes, all compared but those named in `_not_compared`."""

    _not_compared: tuple[str, ...] = ()

    def __new__(cls, **attributes: Any):
        self = super().__new__(cls)
        self.__dict__.update(attributes)
        self._compared = tuple(value for name, value in attributes.items() if name not in cls._not_compared)
        return self

    def _hashable_content(self):
        return self._compared


class Ranked(Leaf):
    """A leaf with a rank: its place in the order in which formulas print, the higher, the later it was made.

    SymPy and the caches of formulas hand back any of several equal leaves. So a system keeps an `Order` of its own.
    """

    _first: ClassVar[dict[Ranked, int]] = {}  # the rank of the first made of equal leaves
    _next: ClassVar[Iterator[int]] = count()

    def made(self: Self) -> Self:
        """The leaf itself, now with the highest rank."""
        self._rank = next(self._next)
        self._first.setdefault(self, self._rank)
        return self

    def beside(self: Self, other: Ranked) -> Self:
        """The leaf itself, now with the rank of another one."""
        if self._first[self] == self._rank:
            self._first[self] = other.rank
        self._rank = other.rank
        return self

    @property
    def rank(self) -> int:
        """Its rank in the order in use."""
        return order_in_use().ranks.get(self, self._rank)


class Order:
    """The ranks of leaves when they were noted; formulas print in it where `with order:` stands around them."""

    def __init__(self) -> None:
        self.ranks: dict[Ranked, int] = {}
        self._before: list[Token] = []

    def note(self, leaf: Ranked, own: bool = False) -> None:
        """Keep the rank of the first made of all equal to a leaf, or its own one, unless one is kept."""
        self.ranks.setdefault(leaf, leaf._rank if own else Ranked._first[leaf])

    def __enter__(self) -> Order:
        self._before.append(_order.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        _order.reset(self._before.pop())


MADE = Order()  # without ranks: leaves have their own
_order: ContextVar[Order | None] = ContextVar("order", default=None)


def order_in_use() -> Order:
    """The order in which formulas print now."""
    return _order.get() or MADE


class Letter(Leaf):
    """A leaf that prints as its `name` and, in formulas, as its `latex`."""

    def _latex(self, printer):
        return self.latex

    def _sympystr(self, printer):
        return self.name


class Dimension(Ranked, Letter):
    """A symbolic number of units, at least 0; `latex` is how it prints.

    In a product of dimensions those that `count` things, such as cells in a block, print before lengths of vectors.
    Raises DomainError for the name T, which is that of `LENGTH`.

    >>> import throughtime as tt
    >>> n = tt.Dimension("n")
    >>> print([*tt.domain("units", n).elements({n: 3})])
    [1, 2, 3]
    """

    is_integer = True
    is_nonnegative = True

    def __new__(cls, name: str, latex: str | None = None, *, count: bool = False):
        if name == "T":
            raise DomainError("dimension T: T is the length of a sequence (LENGTH), expected another name")
        return super().__new__(cls, name=name, latex=latex or name, count=count).made()


LENGTH = Leaf.__new__(Dimension, name="T", latex="T", count=False).made()
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
        return self._order < other._order

    @cached_property
    def _order(self) -> tuple[str, str, str]:
        """Written once: SymPy asks in every sum."""
        return self.name, str(self.lower), str(self.upper)

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
        """The elements as integers; DomainError unless every dimension of the bounds has a size."""
        lower, upper = (_sized(bound, tuple(sizes.items())) for bound in (self.lower, self.upper))
        if not (lower.is_Integer and upper.is_Integer):
            raise DomainError(f"domain {self.name}: sizes {sizes} leave {lower}..{upper} symbolic")
        return range(int(lower), int(upper) + 1)


@lru_cache(maxsize=4_096)
def _sized(bound: Expr, sizes: tuple[tuple[Dimension, int], ...]) -> Expr:
    """A bound with the sizes put in; cached, since it is needed at every element of every sum."""
    return expression(bound.xreplace(dict(sizes)), f"size of {bound}")


def domain(name: str, size: Expr | int, *, after: Domain | None = None) -> Domain:
    """A domain of `size` elements, numbered from 1, or from the element after the last one of `after`.

    >>> import throughtime as tt
    >>> n, m = tt.Dimension("n"), tt.Dimension("m")
    >>> hidden = tt.domain("hidden", n)
    >>> print(tt.domain("output", m, after=hidden).lower)
    n + 1
    """
    start = after.upper if after else Integer(0)
    return Domain(name, start + 1, start + expression(size, f"size of {name}"))


def union(name: str, *parts: Domain) -> Domain:
    """Union of adjacent domains; DomainError unless each starts where the one before it ends.

    >>> import throughtime as tt
    >>> hidden = tt.domain("hidden", tt.Dimension("n"))
    >>> output = tt.domain("output", tt.Dimension("m"), after=hidden)
    >>> print(tt.union("units", hidden, output).upper)
    m + n
    """
    for left, right in pairwise(parts):
        if right.lower != left.upper + 1:
            raise DomainError(f"union {name}: {right.name} starts at {right.lower}, expected {left.upper + 1}")
    return Domain(name, parts[0].lower, parts[-1].upper, parts)


class Index(Letter):
    """A letter that runs over a domain; TypeError if `over` is none.

    One object is made for each letter, since identical objects compare fastest.
    """

    is_integer = True
    _not_compared = ("latex",)

    def __new__(cls, name: str, over: Domain, latex: str | None = None):
        return cls._kept(name, over, latex)

    @classmethod
    @lru_cache(maxsize=10_000)
    def _kept(cls, name: str, over: Domain, latex: str | None) -> Index:
        if not isinstance(over, Domain):
            raise TypeError(f"index {name}: over is {over!r}, expected a Domain")
        return super().__new__(cls, name=name, domain=over, latex=latex or name)

    def within(self, part: Domain) -> Index:
        """The same letter restricted to a part of its domain."""
        return Index(self.name, part, self.latex)


class AsNumber(Node):
    """The number of an index where an index over another domain is expected: sources write a unit for a column.

    >>> import throughtime as tt
    >>> n = tt.Dimension("n")
    >>> units, columns = tt.domain("units", n), tt.domain("columns", n)
    >>> i, b = tt.indices("i", units), tt.parameter("b", columns)
    >>> print(b[tt.AsNumber(i)])
    b[i]
    """

    is_integer = True
    latex = property(lambda self: self.args[0].latex, doc="The letter as it prints.")

    def __new__(cls, index: Expr):
        return super().__new__(cls, index) if isinstance(index, Index) else expression(index, "AsNumber")

    def _sympystr(self, printer):
        return str(self.args[0])


def lies_in(place: Expr, over: Domain) -> bool:
    """Whether a place, an index or an integer expression in indices, is known to lie in a domain.

    An expression has to be linear in each index with a slope of at least 0; its value at both ends is compared.
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
    """Several indices over one domain, like SymPy's `symbols`.

    >>> import throughtime as tt
    >>> units, inputs = tt.domain("units", tt.Dimension("n")), tt.domain("inputs", tt.Dimension("m"))
    >>> i, j = tt.indices("i j", units)
    >>> p = tt.indices("p", inputs)
    >>> W = tt.parameter("W", units, units)
    >>> print(W[i, j])
    W[i,j]
    >>> W[i, p]
    Traceback (most recent call last):
        ...
    throughtime.derivation.formulas.errors.DomainError: W: index p in place 2 runs over inputs, expected units
    """
    made = tuple(Index(name, over) for name in names.split())
    return made if len(made) > 1 else made[0]
