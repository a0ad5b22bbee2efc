"""How much code a reader has to trust: lines by room of the engine, each held below a bound."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import throughtime
from book.shared.rendered import Rendered, table

LIBRARY = Path(throughtime.__file__).parent
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}

# What each room of the engine does for a verdict, and the most lines of code it may have.
ROOMS = {
    "formulas": ("indices, quantities, derivatives; the normal form in which two formulas are compared", 1105),
    "deriving": ("a system of definitions; the chain rule forwards and backwards, cuts, induction", 1350),
    "evaluating": ("the same system unrolled on exact random numbers, derivatives by dual numbers", 555),
    "judging": ("the order of the checks, the mutants, the verdict and the box", 1510),
    "printing": ("formulas as LaTeX and as text", 700),
}


def span(first: int, last: int) -> range:
    """The lines from the first to the last one."""
    return range(first, last + 1)


def docstring_lines(source: str) -> set[int]:
    """The numbers of the lines of all docstrings."""
    bodies = (getattr(node, "body", None) for node in ast.walk(ast.parse(source)))
    first = (body[0] for body in bodies if isinstance(body, list) and body)
    texts = (node for node in first if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    return {line for node in texts if isinstance(node.value.value, str) for line in span(node.lineno, node.end_lineno)}


def code_lines(source: str) -> int:
    """Lines that hold code: no blank ones, comments and docstrings."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    written = {line for t in tokens if t.type not in SILENT for line in span(t.start[0], t.end[0])}
    return len(written - docstring_lines(source))


def code_of(folder: Path) -> int:
    """Lines of code of all Python files below a folder, without what a run has left there."""
    files = (path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)
    return sum(code_lines(path.read_text(encoding="utf-8")) for path in files)


def rooms() -> Rendered:
    """The rooms of the engine with their bounds. Raises ValueError if a room has more lines than its bound says."""
    for room, (_, most) in ROOMS.items():
        if (lines := code_of(LIBRARY / "derivation" / room)) > most:
            raise ValueError(f"{room}: {lines} lines of code, expected at most {most}")
    rows = [[f"`{room}`", does, most] for room, (does, most) in ROOMS.items()]
    rows.append(["all", "", sum(most for _, most in ROOMS.values())])
    return table(["room of `throughtime.derivation`", "does", "lines of code, at most"], rows)
