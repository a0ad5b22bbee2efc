"""The plan of the book on paper: its volumes, where links lead, and its contents."""

import pytest
from paper.plan import Heading, Line, Place, Volume, contents, place_of, volumes

SITE = "http://127.0.0.1:1/"


def test_a_caption_is_a_volume_and_of_the_reference_only_what_is_looked_up() -> None:
    sections = [{"file": "book/a/two-in-print"}]
    chapters = [{"file": "book/a/one"}, {"file": "book/a/two", "sections": sections}]
    reference = [{"file": f"book/reference/{name}"} for name in ("ledger", "notation", "api")]
    toc = {"parts": [{"caption": "LSTM 1997", "chapters": chapters}, {"caption": "Reference", "chapters": reference}]}
    assert volumes(toc) == [
        Volume("1-lstm-1997", "LSTM 1997", ("book/a/one", "book/a/two", "book/a/two-in-print")),
        Volume("2-reference", "Reference", ("book/reference/notation",)),
    ]


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (f"{SITE}book/a/one.html", Place("book/a/one", "")),
        (f"{SITE}book/a/one.html#%E5%9B%9E", Place("book/a/one", "回")),
        (f"{SITE}_static/one.png", None),
        ("https://example.org/book/a/one.html", None),
    ],
)
def test_a_link_leads_to_a_place_of_the_book_or_elsewhere(url: str, place: Place | None) -> None:
    assert place_of(url, SITE) == place


def test_contents_have_a_row_for_each_heading_with_its_number_and_hours_beside_a_chapter() -> None:
    chapter, section = Heading(1, "x > 0", r"\(x &gt; 0\)", "top"), Heading(2, "Recap", "Recap", "recap")
    made = contents("Book", "A & B", "note", [Line(chapter, "a/one", 7), Line(section, "a/one", 12)], {"a/one": "2 h"})
    assert "<h1>A &amp; B</h1>" in made
    assert r'<a href="/a/one.html#top">\(x &gt; 0\)</a> <small>2 h</small></td><td>7</td>' in made
    assert '<a href="/a/one.html#recap">Recap</a></td><td>12</td>' in made
