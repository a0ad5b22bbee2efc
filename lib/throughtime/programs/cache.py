"""Where compiled programs and derivations are kept on disk; ``COMPILED`` says whether there is a compiler."""

import tempfile
from pathlib import Path

try:
    from numba import config
    from numba.misc.appdirs import user_cache_dir

    COMPILED = True
except ImportError:  # in the browser, say
    COMPILED = False


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
    """``NUMBA_CACHE_DIR`` if it is set, else beside the sources, else in the user's cache."""
    if chosen := vars(config)["CACHE_DIR"]:  # Numba sets the names of this module at run time
        folders = [Path(chosen)]
    else:
        folders = [Path(__file__).parent / "__pycache__", Path(user_cache_dir("throughtime", False))]
        folders = [folder for folder in folders if folder.is_absolute()]  # without a home there is no user's cache
    return writable(folders, "throughtime-programs")


CACHE = cache_folder() if COMPILED else None
