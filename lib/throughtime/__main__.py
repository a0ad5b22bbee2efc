"""`python -m throughtime COMMAND`: the commands of the book, in its environment or in the root of a checkout."""

from __future__ import annotations

import os
import sys
from importlib import import_module


def main() -> int:
    """Hand the command line to the book; 2 where there is none, 1 where nobody reads on, as before `head`."""
    try:
        commands = import_module("book.commands")
    except ModuleNotFoundError as error:
        if error.name not in ("book", "book.commands"):
            raise
        print("throughtime: the commands belong to the book; run this in the root of a checkout of it", file=sys.stderr)
        return 2
    try:
        code = commands.main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed at the end
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
