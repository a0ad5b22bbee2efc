"""The sets that letters run over, and the letters.

Two sets are one where the equations say so: two letters run over one set if they stand in the same place of one
quantity. Sets and letters get their names when all equations have been seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

from sympy import Symbol

from throughtime.derivation import Dimension, Domain, Index, domain, time

LETTERS = ("i k p r l", "j q u v", "a e c b", "d g y z")  # for the sets in the order in which they are met
SIZES = "n m p q r N M P Q R"


class Axis:
    """A set that letters run over. Axes that are found to be one are joined; a size may have been written for it."""

    def __init__(self, size: str = ""):
        self.above: Axis | None = None
        self.size = size
        self.domain: Domain | None = None

    def root(self) -> Axis:
        """The axis that stands for all that are joined with this one."""
        root = self
        while root.above:
            root = root.above
        if root is not self:
            self.above = root
        return root

    def join(self, other: Axis) -> bool:
        """Make two axes one; False if they are known to be two: each has a size of its own."""
        one, two = self.root(), other.root()
        if one is not two:
            if any(a and b and a != b for a, b in ((one.domain, two.domain), (one.size, two.size))):
                return False
            two.above, one.size, one.domain = one, one.size or two.size, one.domain or two.domain
        return True

    def __str__(self) -> str:
        root = self.root()
        return root.domain.name if root.domain else root.size


@dataclass(eq=False)
class IndexLetter:
    """An index that gets its name last: the one that is written, or one that no letter around it has."""

    axis: Axis
    around: tuple[IndexLetter, ...] = ()
    written: str = ""
    index: Index | None = None


class Sets:
    """Names sets and letters in the order in which they are asked for; `names` are those of quantities and sizes, and
    `letters` those that are written."""

    def __init__(self, names: Iterable[str], letters: Iterable[str]):
        self.names, self.letters = {*names}, {*letters}
        self.domains: list[Domain] = []

    def of(self, axis: Axis) -> Domain:
        """The set of an axis."""
        root = axis.root()
        if not root.domain:
            taken = self.names | self.letters | {one.name for one in self.domains}
            free = (name for name in (*SIZES.split(), *map("n_{}".format, range(2, 100))) if name not in taken)
            size = root.size or next(free)
            root.domain = domain(size, int(size) if size.isdigit() else Dimension(size))
            self.domains.append(root.domain)
        return root.domain

    def index(self, letter: IndexLetter) -> Index:
        """The index of a letter."""
        if letter.index is None:
            taken = {self.index(one).name for one in letter.around}
            named = Index(letter.written, self.of(letter.axis)) if letter.written else None
            letter.index = named or self.free(letter.axis, taken)
        return letter.index

    def free(self, axis: Axis, taken: Iterable[str]) -> Index:
        """An index over the set of an axis that is not taken, nor the name of a quantity."""
        over = self.of(axis)
        number = self.domains.index(over)
        pool = LETTERS[number].split() if number < len(LETTERS) else []
        more = (f"{(pool or ['i'])[0]}{further}" for further in count(number + 1))
        free = (one for letters in ((one for one in pool if one not in self.names), more) for one in letters)
        return Index(next(one for one in free if one not in taken), over)

    def indices(self, axes: Iterable[Axis], taken: Iterable[str] = ()) -> tuple[Index, ...]:
        """An index for each axis, none of them taken."""
        found: list[Index] = []
        for axis in axes:
            found.append(self.free(axis, {*taken, *(one.name for one in found)}))
        return tuple(found)


def summed_time(taken: Iterable[str]) -> Symbol:
    """A time to sum over, of a letter that is not taken."""
    return time(next(letter for letter in ("s", "u", "r", "q", "s'") if letter not in taken))
