"""`python -m throughtime COMMAND`: the commands of the book around the working folder."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

PACKAGE = "throughtime_book"


def find_commands(start: Path) -> bool:
    """Make the book's package importable: as installed with a checkout, or from the checkout around `start`."""
    if importlib.util.find_spec(PACKAGE) is not None:
        return True
    for folder in (start, *start.parents):
        book = folder / "book" / "__init__.py"
        if book.is_file() and (folder / "_toc.yml").is_file():
            spec = importlib.util.spec_from_file_location(PACKAGE, book, submodule_search_locations=[str(book.parent)])
            if spec is not None:
                sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
                return True
    return False


def main() -> int:
    """Hand the command line to the book; 2 outside a checkout."""
    if not find_commands(Path.cwd().resolve()):
        print("throughtime: the commands belong to the book; run this inside a checkout of it", file=sys.stderr)
        return 2
    return importlib.import_module(f"{PACKAGE}.commands").main()


if __name__ == "__main__":
    sys.exit(main())
