"""The printed book (``make pdf-test``): links, outline and numbers of pages, of a tiny book and of a part of this."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from paper.__main__ import NO_FONT, make
from pypdf import PdfReader
from pypdf.generic import DictionaryObject

ROOT = Path(__file__).parents[3]
TALL = '<p style="height: 40cm">tall</p>'
TOC = """
parts:
  - {caption: One, chapters: [{file: a}, {file: b}]}
  - {caption: Two, chapters: [{file: c}]}
  - {caption: Reference, chapters: [{file: ledger}]}
"""
PAGES = {
    "a": '<a href="b.html#far">far</a> <a href="c.html">other</a> <a href="ledger.html#x">left out</a> '
    '<a href="https://example.org/">web</a> <a href="#exercise">down</a>'
    f'{TALL}<div class="exercise" id="exercise">Try <a href="#top">this</a>.</div><div class="solution">Secret.</div>',
    "b": f'{TALL}<section id="far"><h2>Far</h2><p>away</p></section>',
    "c": '<p>the end (<span lang="zh-Hant">結束</span>)</p>',
    "ledger": "",
}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A book of two parts whose site is built."""
    site = tmp_path / "_build" / "html"
    site.mkdir(parents=True)
    for page, body in PAGES.items():
        article = f'<article><section id="top"><h1>Chapter {page}</h1>{body}</section></article>'
        (site / f"{page}.html").write_text(f"<!doctype html><meta charset=utf-8><body>{article}", encoding="utf-8")
    for name, text in (
        ("_toc.yml", TOC),
        ("_config.yml", "{title: Tiny, author: A}"),
        ("CITATION.cff", "version: '2'"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def actions(reader: PdfReader) -> list[DictionaryObject]:
    """Of each link what it does, after the contents."""
    links = [link.get_object() for page in reader.pages[1:] for link in page.get("/Annots", ())]
    return [link["/A"] for link in links]


def shown(reader: PdfReader, name: str) -> str:
    """The text of the sheet that a name leads to."""
    return reader.pages[reader.get_destination_page_number(reader.named_destinations[name])].extract_text()


def test_a_tiny_book(tiny: Path) -> None:
    make(tiny, tiny / "pdf")
    one, two, sheets = (PdfReader(tiny / "pdf" / f"{name}.pdf") for name in ("1-one", "2-two", "exercises"))
    assert [(action["/S"], action.get("/D") or action.get("/URI"), action.get("/F")) for action in actions(one)] == [
        ("/GoTo", "b#far", None),
        ("/GoToR", "c#", "2-two.pdf"),
        ("/URI", "https://example.org/", None),
        ("/GoTo", "a#exercise", None),
        ("/GoTo", "a#top", None),
    ]
    assert "Try this." in shown(one, "a#exercise")
    assert "Chapter c" in shown(two, "c#")
    assert "Secret" in "".join(page.extract_text() for page in one.pages)
    assert "Secret" not in "".join(page.extract_text() for page in sheets.pages)
    assert one.page_labels[:2] == ["i", "1"]
    first, second, [inside] = one.outline
    assert [item.title for item in (first, second, inside)] == ["Chapter a", "Chapter b", "Far"]
    numbers = dict(re.findall(r"^(Chapter \w|Far)\s.*?(\d+)$", one.pages[0].extract_text(), re.M))
    assert int(numbers["Far"]) > int(numbers["Chapter b"]) > int(numbers["Chapter a"]) == 1
    for name, title in (("a#", "Chapter a"), ("b#", "Chapter b"), ("b#far", "Far")):
        text = shown(one, name)
        assert title in text
        assert re.match(rf"{numbers[title]}Chapter", text), "at the foot the number of the contents, then the chapter"


def test_what_is_left_out_is_read_on_the_site_where_there_is_one(tiny: Path) -> None:
    make(tiny, tiny / "pdf", ["One"], "https://example.org/book")
    reader = PdfReader(tiny / "pdf" / "1-one.pdf")
    urls = [action["/URI"] for action in actions(reader) if "/URI" in action]
    assert urls == [f"https://example.org/{page}" for page in ("book/c.html", "book/ledger.html#x", "")]
    with pytest.raises(ValueError, match=r"captions: expected of .* got \['Three'\]"):
        make(tiny, tiny / "pdf", ["Three"])


def test_chinese_is_printed_or_said_to_be_left_out(tiny: Path, capsys: pytest.CaptureFixture) -> None:
    make(tiny, tiny / "pdf", ["Two"])
    text = PdfReader(tiny / "pdf" / "2-two.pdf").pages[-1].extract_text()
    assert ("(結束)" in text, "([Chinese])" in text) in ((True, False), (False, True))
    assert ("[Chinese]" in text) is (NO_FONT in capsys.readouterr().out)


def test_a_part_of_this_book(tmp_path: Path) -> None:
    make(ROOT, tmp_path, ["Start here", "Beyond the notes"])
    [file] = tmp_path.glob("*-beyond-the-notes.pdf")
    reader = PdfReader(file)
    text = "".join(page.extract_text() for page in reader.pages)
    assert r"\(" not in text, "a formula is left as TeX"
    assert reader.pages[-1].extract_text().startswith(reader.page_labels[-1])
    for action in actions(reader):
        if action["/S"] == "/GoTo":
            assert action["/D"] in reader.named_destinations
        else:
            assert "127.0.0.1" not in action.get("/URI", "")
    assert len(reader.outline) > 3
