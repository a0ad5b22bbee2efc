"""Sphinx extension for the site: a line of links below each statement's box, one for each source that prints it.

A permalink, where its source has it, its row of the ledger and, if it is wrong, its erratum. The outputs of the cells
know neither the other pages nor the list of statements, so the line is added when the site is built.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from throughtime_book.reference.ledger import Listed, listed
from throughtime_book.reference.ledger_pages import WRONG, source_of

FURTHER = re.compile(r'<span class="tt-tag" id="([^"]+)">')  # the same statement in another source
BOX = re.compile(r'<div class="tt-statement tt-(\w+)" id="([^"]+)">.*?</header>', re.S)
REFERENCE, TABLES = "book/reference", ("ledger", "errata")


def links(id: str, verdict: str, page: str, rows: dict[str, Listed]) -> str:
    """The line of links of a statement that is judged on a page, as HTML."""
    ledger, errata = (posixpath.relpath(f"{REFERENCE}/{name}.html", posixpath.dirname(page)) for name in TABLES)
    anchor = escape(id)
    found = [f'<a href="#{anchor}">link to this box</a>']
    if id in rows:
        found.insert(0, escape(source_of(rows[id])))
    found.append(f'<a href="{ledger}#ledger-{anchor}">ledger</a>')
    if verdict in WRONG:
        found.append(f'<a href="{errata}#erratum-{anchor}">erratum</a>')
    return f'<p class="tt-links">{" · ".join(found)}</p>'


def lines(box: re.Match, page: str, rows: dict[str, Listed]) -> Iterator[str]:
    """The line of each source of a box."""
    return (links(id, box[1], page, rows) for id in (box[2], *FURTHER.findall(box[0])))


def add_links(app: Sphinx, doctree: nodes.document) -> None:
    """Add the line to the boxes of a page; the reference pages repeat boxes under other ids and get none."""
    page = app.env.docname
    rows = {row.id: row for row in listed()}
    for raw in doctree.findall(nodes.raw):
        text = raw.astext()
        if raw.get("format") == "html" and BOX.search(text) and 'id="erratum-' not in text:
            made = BOX.sub(lambda box: box[0] + "".join(lines(box, page, rows)), text)
            raw.children = [nodes.Text(made)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("doctree-read", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
