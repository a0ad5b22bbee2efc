"""The table with which a page in print begins: its boxes, what the sources say there, and how that is judged."""

from __future__ import annotations

from book.reference.ledger import rows
from book.reference.ledger_pages import TABLE, WRONG
from book.shared.rendered import Rendered, table_of, table_row
from throughtime.derivation import prose

LISTED = {row.id: row for row in rows()}


def in_print(*boxes: str) -> Rendered:
    """A row for each box of the page, named by the ids of its statements, such as "bptt-15 lstm97-23".

    Raises KeyError for an id that is not listed.
    """
    lines, text = [], []
    for box in boxes:
        found = [LISTED[id] for id in box.split()]
        first, *others = (f'<a href="#{row.id}">{row.id}</a>' for row in found)
        row = found[0]
        verdict = row.source.words(row.verdict)
        fault = row.sentence if row.verdict in WRONG else ""
        names = first + "".join(f"<div>{link}</div>" for link in others)
        said = prose(row.states) + f"<div><small>{prose(fault)}</small></div>" * bool(fault)
        badge = f'<span class="tt-verdict">{verdict}</span>'
        lines.append(table_row([names, said, badge], kind=f"tt-{row.verdict}"))
        text.append(f"{box.replace(' ', ', ')}: {row.states}: {verdict}. {fault}".rstrip())
    return Rendered(table_of(["statement", "what it states", "verdict"], lines, TABLE), "\n".join(text))
