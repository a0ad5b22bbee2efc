"""Tables and formulas as cell outputs: HTML for the page, plain text for the terminal and for nbval."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from sympy import Symbol
from throughtime import DEFINED, Index, Quantity, Ref, System, chains_tex, to_latex
from throughtime.derivation import INPUT, PARAMETER, Chain, chains_text, display, inline, nodes, prose

ROLES = {PARAMETER: "learnt", INPUT: "given", DEFINED: "computed"}


@dataclass(frozen=True)
class Rendered:
    """A cell output in both forms, ``html`` and plain ``text``."""

    html: str
    text: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def data(**values: str) -> str:
    """Attributes by which a script of the site finds an element, as HTML that follows the element's name."""
    return "".join(f' data-{name}="{escape(value)}"' for name, value in values.items())


def table_row(cells: Iterable[str], *, cell: str = "td", kind: str = "", id: str = "", more: str = "") -> str:
    """HTML of a row; the cells are HTML, `cell` is their tag; `kind` is the CSS class of the row, `id` its anchor.

    `more` are further attributes, from `data`.
    """
    opening = "<tr" + f' class="{kind}"' * bool(kind) + f' id="{id}"' * bool(id) + more + ">"
    return opening + "".join(f"<{cell}>{content}</{cell}>" for content in cells) + "</tr>"


def table_of(head: Iterable[str], rows: Iterable[str], kind: str = "") -> str:
    """HTML of a table with the header cells `head` and `rows` from `table_row`; `kind` is a further CSS class."""
    opening = f'<table class="table {kind}">' if kind else '<table class="table">'
    return f"{opening}<thead>{table_row(head, cell='th')}</thead><tbody>{''.join(rows)}</tbody></table>"


def formulas(*chains: Chain) -> Rendered:
    """Chains of equal formulas, one below the other."""
    return Rendered(display(chains_tex(chains, None)), "\n".join(chains_text(chains)))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Rendered:
    """A table of numbers and text; floats are shown with four significant digits.

    Formulas stand between dollar signs, code between backticks. ValueError for a row of more or fewer cells.
    """
    lines = [[f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    if wrong := next((line for line in lines if len(line) != len(head)), None):
        raise ValueError(f"rows: {wrong} has {len(wrong)} cells, expected {len(head)}: {list(head)}")
    html = table_of(map(_words, head), (table_row(map(_words, line)) for line in lines))
    return Rendered(html, "\n".join("  ".join(line) for line in [list(head), *lines]))


def _words(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", prose(text))


def quantities(system: System, words: Mapping[str, str]) -> Rendered:
    """Table of the quantities of a system: symbol, description, ranges of the indices, role, name in the engine.

    `words` maps the name of every quantity to its description. Raises ValueError if a quantity of the system is missing
    there or a name does not belong to the system.
    """
    found = _quantities(system)
    names = {quantity.name for quantity in found}
    if names != words.keys():
        raise ValueError(f"words: {sorted(names ^ words.keys())} are on one side only, in the system or in words")
    rows, text = [], []
    for quantity, ref in found.items():
        what = prose(words[quantity.name]) + (f"<div><small>{_ranges(ref)}</small></div>" if ref.indices else "")
        name = f"<code>{escape(quantity.name)}</code>"
        rows.append(table_row([inline(to_latex(ref)), what, ROLES[quantity.role], name]))
        text.append(f"{quantity.name}: {ROLES[quantity.role]}, {words[quantity.name]}")
    return Rendered(table_of(["symbol", "what it is", "role", "in the engine"], rows, "tt-quantities"), "\n".join(text))


def _quantities(system: System) -> dict[Quantity, Ref]:
    """Each quantity of the system with a reference whose indices run over the full domains, in order of rank."""
    sides = (side for definition in system.all_definitions() for side in (definition.left, definition.right))
    shown: dict[Quantity, Ref] = {}
    for ref in (node for side in sides for node in nodes(side) if isinstance(node, Ref)):
        shown.setdefault(ref.quantity, _widest(ref, system.t))
    return dict(sorted(shown.items(), key=lambda item: item[0].rank))


def _widest(ref: Ref, now: Symbol) -> Ref:
    letters = (
        Index(index.name, over, index.latex) if isinstance(index, Index) else index
        for index, over in zip(ref.indices, ref.quantity.domains, strict=True)
    )
    return Ref(ref.quantity, *letters, *([now] if ref.quantity.timed else []))


def _ranges(ref: Ref) -> str:
    shown = (f"${i.latex} = {to_latex(i.domain.lower)}, \\dots, {to_latex(i.domain.upper)}$" for i in ref.indices)
    return prose(", ".join(shown))
