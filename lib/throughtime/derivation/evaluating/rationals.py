"""The rationals of exact instances: those of GMP, which are faster, or those of Python where gmpy2 is not installed.

Both are the same numbers, of one hash and one way to print; in the browser there are Python's alone.
"""

from fractions import Fraction
from typing import Any

try:
    from gmpy2 import mpq as Exact
except ImportError:
    Exact = Fraction  # type: ignore[assignment, misc]

__all__ = ["Exact", "exact"]


def exact(value: Any) -> Any:
    """A rational of SymPy or of Python as one of them."""
    return Exact(int(value.numerator), int(value.denominator))
