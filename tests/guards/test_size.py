"""The library stays small enough to be read; lines of code are counted, explanations are free."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

LIBRARY = Path(__file__).parents[2] / "lib" / "throughtime"
MOST = 7000
SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def docstring_lines(source: str) -> set[int]:
    bodies = (getattr(node, "body", None) for node in ast.walk(ast.parse(source)))
    first = (body[0] for body in bodies if isinstance(body, list) and body)
    texts = (node for node in first if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    return {line for node in texts if isinstance(node.value.value, str) for line in span(node.lineno, node.end_lineno)}


def span(first: int, last: int) -> range:
    return range(first, last + 1)


def code_lines(source: str) -> int:
    """Lines that hold code: no blank ones, comments and docstrings."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    written = {line for t in tokens if t.type not in SILENT for line in span(t.start[0], t.end[0])}
    return len(written - docstring_lines(source))


def test_the_library_is_small() -> None:
    files = sorted(LIBRARY.rglob("*.py"))
    assert len(files) > 50
    assert 1000 < sum(code_lines(path.read_text(encoding="utf-8")) for path in files) <= MOST


def test_code_is_counted_and_nothing_else() -> None:
    source = (
        '"""Text.\n\nMore.\n"""\n\nx = [\n    1,  # one\n]\n# why\n\n\ndef f():\n    """Text."""\n    return "text"\n'
    )
    assert code_lines(source) == 5
