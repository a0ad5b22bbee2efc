"""The tables with which pages in print begin: their boxes, what the sources say there, and how that is judged."""

import posixpath
from collections.abc import Iterable, Sequence

from book.reference.ledger import Listed, read_book, rows
from book.reference.ledger_pages import TABLE, WRONG
from book.shared.rendered import Rendered, table_of, table_row
from throughtime.derivation import prose

LISTED = {row.id: row for row in rows()}


def in_print(*boxes: str) -> Rendered:
    """A row for each box of the page, named by the ids of its statements, such as "bptt-15 lstm97-23"."""
    named = ([LISTED[id] for id in box.split()] for box in boxes)
    return _table((found, [f"#{row.id}" for row in found]) for found in named)


def faults(source: str, folder: str) -> Rendered:
    """A row for each wrong statement of a source, in its order; the links lead from a page in a folder to its box."""
    pages = {item.id: posixpath.relpath(item.page, folder) for item in read_book()}
    wrong = [row for row in rows() if row.note == source and row.verdict in WRONG]
    return _table(([row], [f"{pages[row.id]}.html#{row.id}"]) for row in wrong)


def _table(boxes: Iterable[tuple[Sequence[Listed], Sequence[str]]]) -> Rendered:
    lines, text = [], []
    for found, addresses in boxes:
        row, names = found[0], [other.id for other in found]
        first, *others = (f'<a href="{to}">{name}</a>' for name, to in zip(names, addresses, strict=True))
        verdict = row.source.words(row.verdict)
        fault = row.sentence if row.verdict in WRONG else ""
        said = prose(row.states) + f"<div><small>{prose(fault)}</small></div>" * bool(fault)
        badge = f'<span class="tt-verdict">{verdict}</span>'
        links = first + "".join(f"<div>{link}</div>" for link in others)
        lines.append(table_row([links, said, badge], kind=f"tt-{row.verdict}"))
        text.append(f"{', '.join(names)}: {row.states}: {verdict}. {fault}".rstrip())
    return Rendered(table_of(["statement", "what it states", "verdict"], lines, TABLE), "\n".join(text))
