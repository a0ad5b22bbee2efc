"""Sphinx extension for the site: the ledger as JSON beside the pages, for programs.

``_static/ledger.json`` lists every judged statement, ``_static/ledger.schema.json`` says which fields it has. A field
that changes its meaning or goes away gives the next version.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from throughtime_book.reference.ledger import Judged, listed, read_book

VERSION = 1
OF_THE_RECORD = ("words", "quote", "translation", "printed", "fault", "counterexample", "corrected")


def as_json(judged: Sequence[Judged]) -> dict[str, Any]:
    """The ledger: the statements in the order of the notes, those of the book itself last; formulas are TeX."""
    rows = {row.id: row for row in listed()}
    statements = []
    for item in judged:
        row, record = rows.get(item.id), item.record
        source = {"note": row.note, "number": row.printed_as, "states": row.states} if row else None
        text = {name: record[name] for name in OF_THE_RECORD}
        page = {"chapter": item.chapter, "url": f"book/{item.page}.html#{record['anchor']}"}
        statements.append(item.as_json() | {"title": record["title"], "source": source} | text | page)
    return {"$schema": "ledger.schema.json", "version": VERSION, "statements": statements}


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the ledger next to its schema."""
    if exception is None and app.builder.format == "html":
        text = json.dumps(as_json(read_book(Path(app.srcdir) / "book")), ensure_ascii=False, indent=1)
        (Path(app.outdir) / "_static" / "ledger.json").write_text(text + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
