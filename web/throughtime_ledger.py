"""Sphinx extension for the site: the ledger as data beside the pages, for programs and for previews of links.

``_static/ledger.json`` lists every judged statement, ``_static/ledger.schema.json`` says which fields it has. A field
that changes its meaning or goes away gives the next version. ``_static/statements.js`` is what ``previews.js`` shows,
and where each statement stands now, and each heading, figure and exercise that has left its page (``moved.csv``).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from book.reference.ledger import Judged, listed, read_book
from sphinx.application import Sphinx
from throughtime.derivation import display, prose, quotation
from throughtime_language import marked

VERSION = 1
MOVED = Path(__file__).with_name("moved.csv")
OF_THE_RECORD = ("words", "quote", "translation", "printed", "fault", "counterexample", "corrected")


def as_json(judged: Sequence[Judged]) -> dict[str, Any]:
    """The ledger: the statements in the order of the notes, those of the book itself last; formulas are TeX."""
    rows = {row.id: row for row in listed()}
    statements = []
    for item in judged:
        row, record = rows.get(item.id), item.record
        source = {"note": row.note, "number": row.printed_as, "states": row.states} if row else None
        text = {name: record[name] for name in OF_THE_RECORD}
        page = {"chapter": item.chapter, "url": address(item)}
        statements.append(item.as_json() | {"title": record["title"], "source": source} | text | page)
    return {"$schema": "ledger.schema.json", "version": VERSION, "statements": statements}


def address(item: Judged) -> str:
    """Where a statement stands on the site."""
    return f"book/{item.page}.html#{item.record['anchor']}"


def moved() -> dict[str, str]:
    """The present address of each heading, figure and exercise that has left its page, by the old one."""
    with MOVED.open(encoding="utf-8", newline="") as rows:
        return {row["old"]: row["new"] for row in csv.DictReader(rows)}


def preview(item: Judged) -> str:
    """HTML of what a link to a statement shows: its name, its verdict, its formula and the correction."""
    record = item.record
    return marked(f'<div class="tt-statement tt-{record["verdict"]}">{"".join(_parts(item.id, record))}</div>')


def _parts(name: str, record: dict[str, Any]) -> Iterator[str]:
    yield f'<header><span class="tt-tag">{escape(name)}</span><span class="tt-title">{prose(record["title"])}</span>'
    yield f'<span class="tt-verdict">{escape(record["words"])}</span></header>'
    if record["quote"]:
        yield f'<p class="tt-quote">{quotation(record["quote"], record["translation"])}</p>'
    if record["printed"]:
        yield display(record["printed"])
    if record["corrected"]:
        yield f"<p>Corrected</p>{display(record['corrected'])}"


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the ledger next to its schema, and the previews."""
    if exception is None and app.builder.format == "html":
        judged, static = read_book(Path(app.srcdir) / "book"), Path(app.outdir) / "_static"
        text = json.dumps(as_json(judged), ensure_ascii=False, indent=1)
        (static / "ledger.json").write_text(text + "\n", encoding="utf-8")
        shown = json.dumps({item.id: preview(item) for item in judged}, ensure_ascii=False, indent=0)
        places = json.dumps({item.id: address(item) for item in judged} | moved(), indent=0)
        text = f"window.throughtimeStatements = {shown};\nwindow.throughtimePlaces = {places};\n"
        (static / "statements.js").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
