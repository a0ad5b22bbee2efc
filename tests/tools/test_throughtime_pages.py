"""The site's extension for whole pages: heads, repairs, the pages that no chapter is."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ConfigError
from throughtime_pages import ADDRESS, CARD, complete, describe, find_address, lost, tell_apart, write_for_machines

BASE = "https://example.org/book/"


def app(folder: Path | None = None, base: str = "") -> SimpleNamespace:
    config = SimpleNamespace(html_title="The Book", html_baseurl=base, root_doc="book/index")
    env = SimpleNamespace(found_docs={"book/index", "book/a"})
    where = {"srcdir": Path(__file__).parents[2], "outdir": folder}
    return SimpleNamespace(config=config, env=env, builder=SimpleNamespace(format="html"), **where)


def document(*parts: nodes.Node) -> nodes.document:
    made = new_document("page")
    made += nodes.section("", *parts)
    return made


@pytest.mark.parametrize(("url", "base"), [(None, ""), (" ", ""), ("https://example.org/book", BASE), (BASE, BASE)])
def test_address_is_taken_from_the_environment(url: str | None, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADDRESS, raising=False)
    if url is not None:
        monkeypatch.setenv(ADDRESS, url)
    config = SimpleNamespace(html_baseurl="")
    find_address(None, config)
    assert config.html_baseurl == base


def test_what_is_no_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ADDRESS, "example.org")
    with pytest.raises(ConfigError, match=f"{ADDRESS} must look like .* but is 'example.org'"):
        find_address(None, SimpleNamespace())


SAID = "What is said in words comes first."
LONG = "word " * 100


@pytest.mark.parametrize(
    ("paragraph", "shown"),
    [
        ([f"{SAID} Then ", nodes.math("", "x^2")], SAID),
        (["A unit reads step ", nodes.math("", "n"), ", and no more."], "A unit reads step n, and no more."),
        ([nodes.math("", "x^2"), " is first."], "The next paragraph follows."),
        ([nodes.image(alt=SAID)], "The next paragraph follows."),
        (["After this chapter you can"], "The next paragraph follows."),
        ([f"{SAID} {SAID} {LONG}"], f"{SAID} {SAID}"),
        ([LONG], f"{'word ' * 40}…"),
        (["word " * 20, nodes.math("", "x^2"), LONG], f"{'word ' * 20}…"),
    ],
)
def test_description_is_the_first_sentences_that_fit(paragraph: list, shown: str) -> None:
    parts = [nodes.Text(part) if isinstance(part, str) else part for part in paragraph]
    page = document(nodes.paragraph("", "", *parts), nodes.paragraph("", "The next paragraph follows."))
    assert describe(page) == shown


def test_head_names_addresses_only_where_the_site_has_one() -> None:
    said = nodes.paragraph("", "", nodes.Text('It has to say "so" here.'))
    for base in ("", BASE):
        context = {"title": "A &amp; <em>B</em>"}
        complete(app(base=base), "book/a", "page.html", context, document(said))
        link = '<link rel="canonical" href="https://example.org/book/book/a.html" />'
        assert [part in context["metatags"] for part in (link, "og:image")] == 2 * [bool(base)]
        assert 'name="description" content="It has to say &quot;so&quot; here."' in context["metatags"]


def test_the_name_of_the_site_stands_once_in_a_title() -> None:
    front, other, search = {"title": "The Book"}, {"title": "A chapter"}, {}
    for context in (front, other, search):
        complete(app(), "search", "page.html", context, None)
    assert front["docstitle"] == ""
    assert "docstitle" not in other | search
    assert 'content="Search"' in search["metatags"]


def test_body_is_repaired_and_tells_what_scripts_would_add() -> None:
    body = '<div role="list" class="citation-list"></div><summary aria-label="Toggle hidden content">code</summary>'
    body += '<th class="head"><p></p></th><th>w</th>Solution to<a href="#a"> Exercise 1</a>'
    context = {"title": "x", "body": body, "generate_toctree_html": lambda: "<summary><i></i></summary>"}
    complete(app(), "book/a", "page.html", context, None)
    assert context["body"].startswith("<noscript>")
    repaired = '<div class="citation-list"></div><summary>code</summary><td class="head"></td><th>w</th>'
    repaired += 'Solution to <a href="#a">Exercise 1</a>'
    assert context["body"].endswith(repaired)
    assert context["generate_toctree_html"]() == '<summary aria-label="Pages of this part"><i></i></summary>'


def test_exercises_have_ids_of_their_own() -> None:
    names = ["exercise-content", "solution-content", "exercise-content", "mine"]
    page = document(*(nodes.section("", ids=[name]) for name in names))
    tell_apart(app(), page, "book/a")
    found = [section["ids"] for section in page.findall(nodes.section)][1:]
    assert found == [["exercise-content-1"], ["solution-content-1"], ["exercise-content-2"], ["mine"]]


def test_a_lost_reader_is_led_on_from_any_depth() -> None:
    ((page, context, _),) = lost(app())
    complete(app(base=BASE), page, "page.html", context, None)
    assert f'<base href="{BASE}" />' in context["metatags"]
    assert 'href="book/reference/ledger.html"' in context["body"]


def test_machines_find_the_pages(tmp_path: Path) -> None:
    for folder in ("_static", "book/lstm1997", "book/reference/api"):
        (tmp_path / folder).mkdir(parents=True)
    write_for_machines(app(tmp_path), None)
    assert not (tmp_path / "sitemap.xml").exists()
    assert 'content="0; url=book/index.html"' in (tmp_path / "index.html").read_text(encoding="utf-8")
    old = (tmp_path / "book/lstm1997/paper.html").read_text(encoding="utf-8")
    assert 'content="0; url=paper-in-print.html"' in old
    assert 'location.replace("paper-in-print.html" + location.hash)' in old
    write_for_machines(app(tmp_path, BASE), None)
    assert (tmp_path / CARD).is_file()
    assert (tmp_path / "sitemap.xml").read_text(encoding="utf-8").count("<loc>https://example.org/book/book/") == 2
    robots = (tmp_path / "robots.txt").read_text(encoding="utf-8")
    assert robots.endswith("Sitemap: https://example.org/book/sitemap.xml\n")
