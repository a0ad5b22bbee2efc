"""One decorator, ``kernel``, for the hot loops: compiled by Numba where there is one, plain Python elsewhere.

Compiled kernels are cached on disk. Numba renews a cached kernel when the file that defines it changes, but
not when a kernel that it calls, in another file, does: so an index older than the newest source of this
folder is thrown away.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

try:
    from numba import njit
except ImportError:  # in the browser, say
    njit = None

Function = TypeVar("Function", bound=Callable)

COMPILED = njit is not None


def kernel(function: Function) -> Function:
    """Compile ``function`` with Numba; without Numba return it as it is."""
    return njit(cache=True)(function) if COMPILED else function


def drop_stale_cache(folder: Path) -> list[Path]:
    """Remove the cache indexes (``*.nbi``) older than the newest ``*.py`` of ``folder``; return them."""
    newest = max((source.stat().st_mtime for source in folder.glob("*.py")), default=0.0)
    dropped = []
    with suppress(OSError):  # a read-only installation, or another process that cleans up at the same moment
        for index in sorted((folder / "__pycache__").glob("*.nbi")):
            if index.stat().st_mtime < newest:
                index.unlink()
                dropped.append(index)
    return dropped


if COMPILED:
    drop_stale_cache(Path(__file__).parent)
