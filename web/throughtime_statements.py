"""Sphinx extension for the site: statements are objects, so that links, the search and the index lead to their boxes.

A statement's box is an HTML output of a cell: Sphinx does not see its id. Registered here, ``[](#lfmn-9)`` or
``{ref}`lfmn-9``` in the text of any page leads to the box, and a wrong id fails the build; a search for ``lfmn-9``,
for ``equation 9`` or for words of its title ends at the box, and the index lists it in counting order.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

logger = logging.getLogger(__name__)

# A box, or in its head the further id of a statement that several sources print.
STATEMENT_BOX = re.compile(r"""<\w+[^>]*\bclass=["'][^"']*\btt-(?:statement|tag)\b[^>]*>""")
BOX_ID = re.compile(r"""\bid=["']([^"']+)["']""")
VERDICTS = ("holds", "corrected", "refuted", "supported", "")
REPEATED = "erratum-"  # the errata show boxes of other pages under ids of their own


def statements(document: nodes.document) -> Iterator[str]:
    """The ids of the statements whose boxes stand in a page, each once for each time it stands there."""
    for raw in document.findall(nodes.raw):
        if raw.get("format") == "html":
            for opening in STATEMENT_BOX.findall(raw.astext()):
                yield from BOX_ID.findall(opening)


@cache
def listed() -> dict[str, dict[str, str]]:
    """The rows of the list of statements, by id."""
    with (Path(__file__).parents[1] / "book" / "data" / "statements.csv").open(encoding="utf-8", newline="") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


class StatementDomain(Domain):
    """The judged statements of the book, each with the page that shows its box."""

    name = "statement"
    label = "Statements"
    object_types: ClassVar[dict[str, ObjType]] = {
        verdict: ObjType(f"equation, {verdict}" if verdict else "equation") for verdict in VERDICTS
    }
    initial_data: ClassVar[dict[str, Any]] = {"pages": {}}

    @property
    def pages(self) -> dict[str, str]:
        """The page of each statement, by its id."""
        return self.data["pages"]

    def clear_doc(self, docname: str) -> None:
        """Forget the statements of a page."""
        self.data["pages"] = {name: page for name, page in self.pages.items() if page != docname}

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        """Take over what another process has read."""
        self.pages.update({name: page for name, page in otherdata["pages"].items() if page in docnames})

    def process_doc(self, env: BuildEnvironment, docname: str, document: nodes.document) -> None:
        """Register the boxes of a page, as labels too; a statement on two pages is a warning."""
        labels, entries = env.get_domain("std"), env.get_domain("index").data["entries"]
        for name in statements(document):
            if (other := self.pages.get(name, docname)) != docname:
                logger.warning("statement %s stands on %s and on %s", name, other, docname)
            labels.anonlabels[name] = docname, name
            labels.labels[name] = docname, name, name
            if not name.startswith(REPEATED):
                self.pages[name] = docname
                entries.setdefault(docname, []).append(("single", name, name, "", None))

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """What the search finds by name."""
        for name, page in self.pages.items():
            row = listed().get(name, {"states": "", "verdict": ""})
            said = ": ".join(filter(None, (name, row["states"])))
            yield said, said, row["verdict"], page, name, 0

    def get_type_name(self, type: ObjType, primary: bool = False) -> str:
        """What the search says that it has found."""
        return type.lname

    def resolve_any_xref(self, *_: object) -> list:
        """The labels of the standard domain are enough."""
        return []


def count_up(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None) -> None:
    """In the index lfmn-2 stands before lfmn-10, which Sphinx sorts as text."""
    for _, entries in context["genindexentries"] if page == "genindex" else ():
        entries.sort(key=lambda entry: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", entry[0].lower())])


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_domain(StatementDomain)
    app.connect("html-page-context", count_up)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
