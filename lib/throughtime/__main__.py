"""`python -m throughtime COMMAND`: the commands of the book, in its environment or in the root of a checkout."""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> int:
    """Hand the command line to the book; 2 where there is none."""
    try:
        commands = import_module("book.commands")
    except ModuleNotFoundError as error:
        if error.name not in ("book", "book.commands"):
            raise
        print("throughtime: the commands belong to the book; run this in the root of a checkout of it", file=sys.stderr)
        return 2
    return commands.main()


if __name__ == "__main__":
    sys.exit(main())
