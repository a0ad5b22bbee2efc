"""What the traces of all models share."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Quantities:
    """The quantities of a forward pass: named arrays."""

    def items(self) -> Iterator[tuple[str, np.ndarray]]:
        """Pairs of name and array."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))


@dataclass(frozen=True)
class Steps(Quantities):
    """The same of one sequence, its outputs y at the times 0 to T among them."""

    @property
    def length(self) -> int:
        """T, the number of steps."""
        return len(self.y) - 1
