"""Sphinx extension for the site: the head of each statement's box leads on.

Each name is the link to its box; signs at the end lead to the row of the ledger and, if the statement is wrong, to its
erratum; a line below says which source prints it. The outputs of the cells know neither the other pages nor the list of
statements, so this is added when the site is built.
"""

from __future__ import annotations

import posixpath
import re
from html import escape
from typing import Any

from book.reference.ledger import Listed, listed
from book.reference.ledger_pages import WRONG, source_of
from docutils import nodes
from sphinx.application import Sphinx

NAME = re.compile(r'(<span class="tt-tag"(?: id="[^"]+")?>)([^<]+)(</span>)')
BOX = re.compile(r'<div class="tt-statement tt-(\w+)" id="([^"]+)">.*?</header>', re.S)
REFERENCE = "book/reference"


def beside(name: str, page: str) -> str:
    """The address of a reference page, as seen from a page."""
    return posixpath.relpath(f"{REFERENCE}/{name}.html", posixpath.dirname(page))


def sign(kind: str, sign: str, address: str, name: str) -> str:
    """A link that shows a sign and says in words where it leads."""
    words = f'title="{kind}" aria-label="{kind} of {name}"'
    return f'<a class="tt-{kind}" href="{address}" {words}><span aria-hidden="true">{sign}</span></a>'


def dressed(box: re.Match, page: str, rows: dict[str, Listed]) -> str:
    """The head of a box with its links, and the line of its sources; names in the HTML are escaped already."""
    verdict, first = box.groups()
    names = [name for _, name, _ in NAME.findall(box[0])]
    head = NAME.sub(r'\1<a href="#\2">\2</a>\3', box[0])
    signs = sign("ledger", "☰", f"{beside('ledger', page)}#ledger-{first}", first)
    if verdict in WRONG:
        signs += sign("erratum", "⚑", f"{beside('errata', page)}#erratum-{first}", first)
    head = head.replace("</header>", f'<span class="tt-signs">{signs}</span></header>')
    line = " · ".join(printed_in(rows[name], page) for name in names if name in rows)
    return head + (f'<p class="tt-links">{line}</p>' if line else "")


def printed_in(row: Listed, page: str) -> str:
    """The source of a statement, with a link to what is said of it, and its number there, with one to the ledger."""
    source, _, number = source_of(row).partition(", ")
    about = f"{beside('sources', page)}#{anchor_of(row.note)}"
    return (
        f'<a href="{about}">{escape(source)}</a>, '
        f'<a href="{beside("ledger", page)}#ledger-{row.id}">{escape(number)}</a>'
    )


def anchor_of(note: str) -> str:
    """Where the page on the sources tells of one."""
    return note.lower().replace(" ", "-")


def add_links(app: Sphinx, doctree: nodes.document) -> None:
    """Dress the boxes of a page; the reference pages repeat boxes under other ids, and those stay."""
    page = app.env.docname
    rows = {row.id: row for row in listed()}
    for raw in doctree.findall(nodes.raw):
        text = raw.astext()
        if raw.get("format") == "html" and BOX.search(text) and 'id="erratum-' not in text:
            raw.children = [nodes.Text(BOX.sub(lambda box: dressed(box, page, rows), text))]


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("doctree-read", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
