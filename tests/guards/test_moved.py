"""An old address of a heading, a figure or an exercise (web/moved.csv) leads to where it stands now."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from docutils.nodes import make_id
from markdown_it import MarkdownIt
from page_guards import LABEL, text
from throughtime_ledger import moved

ROOT = Path(__file__).parents[2]
ID = re.compile(r'<[^<>]*?\sid="([^"]+)"')


def words(source: str) -> Iterator[str]:
    """The ids that Sphinx makes of a page's text: of each heading and each label."""
    yield from (name for names in LABEL.findall(source) for name in names)
    tokens = MarkdownIt().parse(source)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            yield make_id("".join(part.content for part in inline.children if part.type != "html_inline"))


@cache
def anchors(address: str) -> set[str]:
    """What a link to a page of the site may name: headings, labels, figures and boxes."""
    page = ROOT / address.replace(".html", ".ipynb")
    if not page.is_file():
        return {*words(page.with_suffix(".md").read_text(encoding="utf-8"))}
    found: set[str] = set()
    for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            found |= {*words(text(cell["source"]))}
        found.add(cell["metadata"].get("mystnb", {}).get("figure", {}).get("name", ""))
        for output in cell.get("outputs", ()):
            found |= {*ID.findall(text(output.get("data", {}).get("text/html", "")))}
    return found


def test_old_addresses_are_of_what_has_left_and_lead_to_where_it_stands() -> None:
    """A new address without a place is that of a page as a whole."""
    places = moved()
    assert [old for old in places if stands(old)] == []
    assert [new for new in places.values() if not stands(new)] == []
    assert not stands(next(iter(places.values())) + "-not")


def stands(address: str) -> bool:
    page, _, place = address.partition("#")
    return place in anchors(page) | {""}
