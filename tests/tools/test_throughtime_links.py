"""The line of links below a statement's box."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from throughtime_book.reference.ledger import Listed
from throughtime_links import add_links, links, source_of

ROW = Listed("a-1", note="BPTT", printed_as="3", states="")
BOX = '<div class="tt-statement tt-{verdict}" id="{id}"><header><b>x</b></header><p>As printed</p></div>'


def page(*boxes: str, name: str = "book/bptt/forward") -> list[str]:
    """The HTML of boxes after the links are added."""
    document = new_document("page")
    document += [nodes.raw("", box, format="html") for box in boxes]
    add_links(SimpleNamespace(env=SimpleNamespace(docname=name)), document)
    return [raw.astext() for raw in document.findall(nodes.raw)]


def test_a_listed_statement_names_its_source() -> None:
    assert source_of(ROW) == "BPTT note, (3)"
    line = links("a-1", "holds", "book/bptt/forward", {"a-1": ROW})
    assert line.startswith('<p class="tt-links">BPTT note, (3) · <a href="#a-1">')
    assert 'href="../reference/ledger.html#ledger-a-1"' in line
    assert "erratum" not in line


@pytest.mark.parametrize("verdict", ["corrected", "refuted"])
def test_a_wrong_one_leads_to_its_erratum(verdict: str) -> None:
    assert 'href="../reference/errata.html#erratum-a-1"' in links("a-1", verdict, "book/bptt/forward", {})


def test_pages_at_other_depths_lead_to_the_same_place() -> None:
    assert 'href="reference/ledger.html#ledger-a-1"' in links("a-1", "holds", "book/index", {})
    assert 'href="ledger.html#ledger-a-1"' in links("a-1", "holds", "book/reference/derive-your-own", {})


def test_boxes_get_the_line_below_their_head_and_nothing_else_changes() -> None:
    box = BOX.format(verdict="holds", id="b-1")
    shown, other = page(box, "<p>no box</p>")
    assert shown.replace(links("b-1", "holds", "book/bptt/forward", {}), "") == box
    assert "</header><p class=" in shown
    assert other == "<p>no box</p>"


def test_a_box_of_two_sources_gets_a_line_for_each() -> None:
    box = BOX.format(verdict="holds", id="b-1").replace("<b>x</b>", '<span class="tt-tag" id="c-2">c-2</span>')
    (shown,) = page(box)
    both = "".join(links(id, "holds", "book/bptt/forward", {}) for id in ("b-1", "c-2"))
    assert shown == box.replace("</header>", "</header>" + both)
    assert 'href="#c-2"' in both
    assert 'href="../reference/ledger.html#ledger-c-2"' in both


def test_errata_get_none() -> None:
    box = BOX.format(verdict="corrected", id="erratum-b-1")
    assert page(box, name="book/reference/errata") == [box]
