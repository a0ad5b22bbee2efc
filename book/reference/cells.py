"""The cells of the literature that `tests/reading` compares with programs, and the times of `benchmarks/reading.md`."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import dedent

from book.shared.rendered import Rendered, formulas, table_of, table_row
from throughtime.derivation.publishing.render import fold
from throughtime.reading import read

ROOT = Path(__file__).resolve().parents[2]
HEAD = ("cell", "source", "lines", "read", "backward", "gradient")


@dataclass(frozen=True)
class Cell:
    """A cell: the file that has its program, its name, its source, and its text as it is printed there."""

    file: str
    name: str
    source: str
    text: str

    def shown(self) -> Rendered:
        """The recurrence as it is read, typeset, its letters with sizes, and the text to paste."""
        made = read(self.text, name=self.name)
        typeset = formulas(*made._definitions())
        letters = [line for line in f"{made}".split("\n")[2:] if not line.startswith(" ")]
        head = f'<p class="tt-cell" id="cell-{self.name}"><strong>{self.name}</strong>: {escape(self.source)}</p>'
        html = f"{head}{typeset.html}<p><small>{'<br>'.join(letters)}</small></p>"
        pasted = fold("The text to paste", f"<pre>{escape(self.text)}</pre>")
        return Rendered(html + pasted, "\n".join([self.source, typeset.text, *letters]))


def cells() -> Iterator[Cell]:
    """The cells in the order of the files; each is a function whose decorator has the source and the text."""
    for path in sorted((ROOT / "tests" / "reading").glob("*_cells.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        named = [one for one in body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)]
        constants = {one.targets[0].id: one.value.value for one in named}
        for function in (one for one in body if isinstance(one, ast.FunctionDef)):
            for call in (one for one in function.decorator_list if ast.unparse(one).startswith("cell(")):
                source, text = (eval(compile(ast.Expression(one), path, "eval"), constants) for one in call.args)
                yield Cell(path.stem.removesuffix("_cells"), function.name, source, dedent(text).strip())


def times() -> dict[str, list[str]]:
    """Columns of the measurement by the name of the cell: lines, and seconds, with what was derived."""
    lines = (ROOT / "benchmarks" / "reading.md").read_text(encoding="utf-8").splitlines()
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {name: measured for name, _, *measured in rows[2:]}


def table() -> Rendered:
    """All cells with their times; each name leads to its recurrence."""
    measured = times()
    rows = [(cell.name, cell.source, *measured[cell.name]) for cell in cells()]
    linked = (table_row([f'<a href="#cell-{name}">{name}</a>', *map(escape, rest)]) for name, *rest in rows)
    return Rendered(table_of(HEAD, linked), "\n".join("  ".join(row) for row in (HEAD, *rows)))


def of(file: str) -> Rendered:
    """The cells of one file, one below the other."""
    found = [cell.shown() for cell in cells() if cell.file == file]
    return Rendered("".join(one.html for one in found), "\n\n".join(one.text for one in found))
