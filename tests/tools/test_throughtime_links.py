"""The links in the head of a statement's box."""

from types import SimpleNamespace

import pytest
from book.reference.ledger import listed
from docutils import nodes
from docutils.utils import new_document
from throughtime_links import add_links

BOX = (
    '<div class="tt-statement tt-{verdict}" id="{id}"><header><span class="tt-tag">{id}</span>{more}</header>'
    '<p class="tt-quote"><span class="tt-tag">{id}</span> As printed</p></div>'
)
FIRST, SECOND = listed()[:2]


def page(*boxes: str, name: str = "book/bptt/forward") -> list[str]:
    """The HTML of boxes after the links are added."""
    document = new_document("page")
    document += [nodes.raw("", box, format="html") for box in boxes]
    add_links(SimpleNamespace(env=SimpleNamespace(docname=name)), document)
    return [raw.astext() for raw in document.findall(nodes.raw)]


def box(verdict: str = "holds", id: str = "own-1", more: str = "", **where: str) -> str:
    (shown,) = page(BOX.format(verdict=verdict, id=id, more=more), **where)
    return shown


def test_the_name_in_the_head_is_the_link_to_the_box() -> None:
    shown = box()
    assert shown.count('<a href="#own-1"') == 1
    assert shown.index('<a href="#own-1"') < shown.index("</header>")


def test_a_sign_says_in_words_where_it_leads() -> None:
    assert 'href="../reference/ledger.html#ledger-own-1" title="ledger" aria-label="ledger of own-1"' in box()


@pytest.mark.parametrize(("verdict", "wrong"), [("corrected", True), ("refuted", True), ("holds", False)])
def test_a_wrong_one_alone_leads_to_its_erratum(verdict: str, wrong: bool) -> None:
    assert ('href="../reference/errata.html#erratum-own-1"' in box(verdict)) == wrong


@pytest.mark.parametrize(
    ("name", "address"), [("book/index", "reference/ledger.html"), ("book/reference/derive-your-own", "ledger.html")]
)
def test_pages_at_other_depths_lead_to_the_same_place(name: str, address: str) -> None:
    assert f'href="{address}#ledger-own-1"' in box(name=name)


def test_each_source_is_named_and_leads_to_what_is_said_of_it_and_its_number_to_its_row() -> None:
    shown = box(id=FIRST.id, more=f'<span class="tt-tag" id="{SECOND.id}">{SECOND.id}</span>')
    assert f'<span class="tt-tag" id="{SECOND.id}"><a href="#{SECOND.id}"' in shown
    line = shown.partition('<p class="tt-links">')[2].partition("</p>")[0]
    for row in (FIRST, SECOND):
        assert f'sources.html#lfmn">{row.note} note</a>, ' in line
        assert f'#ledger-{row.id}">({row.printed_as})</a>' in line
    assert "tt-links" not in box(), "a statement of the book has no source"


def test_what_is_no_box_of_its_own_stays() -> None:
    others = ["<p>no box</p>", BOX.format(verdict="corrected", id="erratum-b-1", more="")]
    assert page(*others) == others
