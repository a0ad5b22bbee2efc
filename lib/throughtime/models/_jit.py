"""One decorator, ``kernel``, for the hot loops: compiled by Numba where there is one, plain Python elsewhere.

Compiled kernels are cached on disk. Numba renews a cached kernel when the file that defines it changes, but not when a
kernel that it calls, in another file, does. So the cache lies in a folder named after a digest of all sources with
kernels: other sources, another folder.
"""

import tempfile
from collections.abc import Callable
from hashlib import sha256
from inspect import isgeneratorfunction
from pathlib import Path
from typing import ParamSpec, TypeVar

try:
    from numba import config, njit
    from numba.misc.appdirs import user_cache_dir

    COMPILED = True
except ImportError:  # in the browser, say
    COMPILED = False

P = ParamSpec("P")
R = TypeVar("R")

SOURCES = Path(__file__).parent


def digest(folder: Path) -> str:
    """16 hexadecimal digits that change with the text of any file of ``folder`` that defines a kernel."""
    texts = (path.read_bytes() for path in sorted(folder.glob("*.py")))
    return sha256(b"\0".join(text for text in texts if b"@kernel" in text)).hexdigest()[:16]


def writable(folders: list[Path], name: str) -> Path | None:
    """``name`` in the first of ``folders`` where it can be made and written to; None if there is no such folder."""
    for folder in folders:
        try:
            (folder / name).mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder / name).close()
        except OSError:
            continue
        return folder / name
    return None


def cache_folder() -> Path | None:
    """Folder of compiled kernels: ``NUMBA_CACHE_DIR`` if it is set, else beside the sources, else the user's cache."""
    if chosen := vars(config)["CACHE_DIR"]:  # Numba sets the names of this module at run time
        folders = [Path(chosen)]
    else:
        folders = [SOURCES / "__pycache__", Path(user_cache_dir("throughtime", False))]
        folders = [folder for folder in folders if folder.is_absolute()]  # without a home there is no user's cache
    return writable(folders, f"throughtime-{digest(SOURCES)}")


CACHE = cache_folder() if COMPILED else None


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` with Numba; without Numba return it as it is.

    The compiled code is kept in ``CACHE``, or for this process alone where no folder can be written to. A generator is
    kept for this process alone too: Numba has no code of a generator from the cache for a loop that is compiled now.
    """
    if not COMPILED:
        return function
    if CACHE is None or isgeneratorfunction(function):
        return njit(function)
    configured, vars(config)["CACHE_DIR"] = vars(config)["CACHE_DIR"], str(CACHE)
    try:
        return njit(cache=True)(function)
    finally:
        vars(config)["CACHE_DIR"] = configured
