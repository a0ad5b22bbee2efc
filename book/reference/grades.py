"""The grades of the listed statements as tables: how many of each kind in each note, and an example of each."""

from collections import Counter

from book.reference.ledger import Listed, listed, read_book
from book.reference.ledger_pages import NOTES, href
from book.shared.rendered import Rendered, table, table_of, table_row
from throughtime.derivation import FAULTS, prose


def kinds() -> Rendered:
    """The number of statements of each kind of fault, a row for each note; one slip that others repeat counts once."""
    count = Counter((row.note, row.source.kind) for row in listed() if row.source.kind in FAULTS)
    again = Counter((row.note, row.source.kind) for row in listed() if _repeats(row))
    rows = []
    for note in NOTES:
        pairs = ((count[note, kind], again[note, kind]) for kind in FAULTS)
        rows.append([note, *(f"{every} (of these {some} repeat another)" if some else every for every, some in pairs)])
    return table(["note", *FAULTS.values()], rows)


def _repeats(row: Listed) -> bool:
    """Whether a row says that its fault is that of another one."""
    return row.source.kind in FAULTS and " again" in row.source.fault


def examples() -> Rendered:
    """The first statement of each kind that repeats no other, with what is wrong and a link to its box."""
    links = {item.id: href(item) for item in read_book()}
    first: dict[str, Listed] = {}
    for row in listed():
        if row.source.kind in FAULTS and not _repeats(row):
            first.setdefault(row.source.kind, row)
    shown = [(FAULTS[kind], first[kind]) for kind in FAULTS if kind in first]
    cells = ([kind, f'<a href="{links[row.id]}">{row.id}</a>', prose(row.source.fault)] for kind, row in shown)
    lines = [f"{kind}: {row.id}: {row.source.fault}" for kind, row in shown]
    return Rendered(table_of(["kind", "statement", "what is wrong"], map(table_row, cells)), "\n".join(lines))
