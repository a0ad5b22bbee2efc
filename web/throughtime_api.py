"""Sphinx extension for the site: the API reference, made from the docstrings of the library when the site is built."""

from __future__ import annotations

from typing import Any

from book.reference.api import index, page
from sphinx.application import Sphinx

FOLDER = "book/reference/api"


def add_names(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the names of a room below the words of its page, and those of the front door below the first page."""
    if docname == FOLDER:
        source[0] += "\n" + index()
    elif docname.startswith(FOLDER + "/"):
        source[0] += "\n" + page(docname.rpartition("/")[2])


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", add_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
