"""Sphinx extension for the site: the search finds parts of Chinese terms, exercises by number, pages by their terms.

A word of Chinese has no spaces around it. The index gets every pair of its signs beside the whole; Sphinx itself finds
parts of three signs and more. ``terms.csv`` has the terms of the book's index, each with the page that is about it:
they are main entries of the index, and results.js orders by them what is found. (What a result says is set there, too.)
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish

HAN = re.compile("[\u4e00-\u9fff]{3,}")


class English(SearchEnglish):
    """English with Chinese terms."""

    def split(self, input: str) -> list[str]:
        pairs = [one + other for term in HAN.findall(input) for one, other in pairwise(term)]
        return super().split(input) + pairs


TERMS = Path(__file__).with_name("terms.csv")


@cache
def terms() -> dict[str, list[str]]:
    """The terms of each page."""
    found: dict[str, list[str]] = {}
    with TERMS.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found.setdefault(row["page"], []).append(row["term"])
    return found


def enter(app: Sphinx, document: nodes.document) -> None:
    """Enter the terms of a page into the index."""
    entries = [("single", term, "", "main", None) for term in terms().get(app.env.docname, ())]
    if entries:
        document[0].insert(1, addnodes.index(entries=entries))


def keep(app: Sphinx, env: BuildEnvironment) -> None:
    """Give the search the terms of all pages: Sphinx forgets those of pages that a build does not write anew."""
    for page, entries in terms().items():
        env._search_index_index_entries[page] = sorted((term, "", "main") for term in entries)


def refuse_lost_pages(app: Sphinx, env: BuildEnvironment) -> None:
    """Every page that a term names is one of the book."""
    if lost := terms().keys() - env.all_docs.keys():
        raise ExtensionError(f"{TERMS.name}: expected pages of the book, got {', '.join(sorted(lost))}")


class ExerciseDomain(Domain):
    """The exercises of the book under the numbers that sphinx-exercise has given them."""

    name = "exercises"
    label = "Exercises"
    object_types: ClassVar[dict[str, ObjType]] = {"exercise": ObjType("exercise")}

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """What the search finds by name."""
        for page, numbered in self.env.toc_fignumbers.items():
            for label, number in numbered.get("exercise", {}).items():
                name = f"Exercise {'.'.join(map(str, number))}"
                yield name, name, "exercise", page, label, 1

    def get_type_name(self, type: ObjType, primary: bool = False) -> str:
        """What the search says that it has found."""
        return type.lname

    def merge_domaindata(self, docnames: object, otherdata: object) -> None:
        """Nothing is kept beside the numbers."""

    def resolve_any_xref(self, *_: object) -> list:
        """The labels of sphinx-exercise are enough."""
        return []


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_search_language(English)
    app.add_domain(ExerciseDomain)
    app.connect("doctree-read", enter)
    app.connect("env-check-consistency", refuse_lost_pages)
    app.connect("env-check-consistency", keep)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
