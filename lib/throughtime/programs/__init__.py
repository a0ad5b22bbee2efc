"""Programs made of derivations: the equation on the page is the code that runs.

Names load on first use: ``Program`` prints its text without NumPy and Numba, as a page in a browser needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from throughtime.programs.network import CompiledNetwork, compile
    from throughtime.programs.program import Program

__all__ = ["CompiledNetwork", "Program", "compile"]


def __getattr__(name: str) -> Any:
    """A public name; AttributeError for any other."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{'program' if name == 'Program' else 'network'}"), name)
    globals()[name] = value
    return value
