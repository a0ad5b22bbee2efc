"""Arrays of formulas: the sets that their indices run over, and their elements.

Two axes are one where the equations say so: both sides of an equation, terms of a sum, what is summed in a product, and
the same place of one quantity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sympy import Expr

from throughtime.derivation import Index

RANKS = {0: "a number", 1: "a vector", 2: "a matrix"}
Letters = tuple[Index, ...]


class Axis:
    """A set that letters run over. Axes that are found to be one are joined; a size may have been written for it."""

    def __init__(self, size: str = ""):
        self.above: Axis | None = None
        self.size, self.domain = size, None

    def root(self) -> Axis:
        """The axis that stands for all that are joined with this one."""
        return self.above.root() if self.above else self

    def join(self, other: Axis) -> bool:
        """Make two axes one; False if they are known to be two: each has a size of its own."""
        one, two = self.root(), other.root()
        if one is not two:
            if (one.domain and two.domain) or (one.size and two.size and one.size != two.size):
                return False
            two.above, one.size, one.domain = one, one.size or two.size, one.domain or two.domain
        return True


@dataclass(frozen=True)
class Array:
    """A formula: `element(letters, taken)` is the one at an index for each axis; letters that are taken are in use."""

    axes: tuple[Axis, ...]
    element: Callable[[Letters, frozenset[str]], Expr]
    row: bool = False

    @property
    def kind(self) -> str:
        """In words."""
        return "a row" if self.row else RANKS[len(self.axes)]


@dataclass
class Scope:
    """One equation: the letters that are indices in it with their axes, and the left side, which names net inputs."""

    letters: dict[str, Axis] = field(default_factory=dict)
    left: str = ""
    now: Expr | None = None
