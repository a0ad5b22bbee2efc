"""What the site's scripts add to its pages, by pointer and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from site_check import PATIENCE, Reader
from site_files import Served

FOLDS = {"code": "div.cell details.hide", "derivations": ".tt-statement details:has(> .tt-proof, > .tt-steps)"}
CHAPTER, OTHER = "book/bptt/error-flow.html", "book/lfmn/forgetting.html"


@pytest.fixture
def page(reader: Reader) -> Iterator[Page]:
    """A tab of a reader who was never here."""
    context = reader.browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def shut(page: Page, kind: str) -> int:
    """How many folds of a kind are shut."""
    folds = page.locator(FOLDS[kind])
    assert folds.count() > 0
    return folds.count() - page.locator(f"{FOLDS[kind]}[open]").count()


@pytest.mark.parametrize("kind", FOLDS)
def test_a_switch_opens_all_folds_of_its_kind_on_this_page_and_the_next(kind: str, page: Page, served: Served) -> None:
    (other,) = FOLDS.keys() - {kind}
    page.goto(served.address + CHAPTER)
    before = shut(page, other)
    assert shut(page, kind) > 0
    switch = page.get_by_role("button", name=f"show all {kind}")
    switch.press("Enter")
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert (shut(page, kind), shut(page, other)) == (0, before)
    page.goto(served.address + OTHER)
    assert shut(page, kind) == 0
    switch.click()
    assert shut(page, kind) > 0
    page.goto(served.address + CHAPTER)
    assert shut(page, kind) > 0


def test_a_page_without_folds_has_no_switch(page: Page, served: Served) -> None:
    page.goto(served.address + "book/reference/bibliography.html")
    expect(page.locator(".article-header-buttons > .btn").first).to_be_attached()
    expect(page.locator(".tt-switch")).to_have_count(0)


def preview(page: Page, link: str) -> str:
    """What is shown for a link that the keyboard comes to; Escape takes it away."""
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("Tab")  # from now on the focus is one that shows
    page.locator(link).first.focus()
    card = page.get_by_role("tooltip")
    expect(card).to_be_visible()
    said = card.inner_text()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    return said


def test_a_link_to_a_statement_shows_its_formula_and_verdict(page: Page, served: Served) -> None:
    page.goto(served.address + "book/reference/errata.html")
    link = page.locator(".tt-fault a[href*='#erratum-']").first
    name = link.get_attribute("href").partition("#erratum-")[2]
    link.hover()
    card = page.get_by_role("tooltip")
    expect(card.locator("mjx-container").first).to_be_visible()
    assert name in card.inner_text()
    expect(card.locator(".tt-verdict")).to_be_visible()
    card.hover()  # it stays while it is read
    page.wait_for_timeout(600)
    expect(card).to_be_visible()
    page.mouse.move(0, 0)
    expect(card).to_be_hidden()


def test_what_an_erratum_loses_and_gains_is_coloured(page: Page, served: Served) -> None:
    errata = "book/reference/errata.html"
    boxes = (served.root / errata).read_text(encoding="utf-8").split("tt-statement ")
    name = next(re.findall(r'id="([^"]+)"', box)[0] for box in boxes if "mjx-was" in box and "mjx-now" in box)
    page.goto(f"{served.address}{errata}#{name}")
    parts = (page.locator(f"#{name} {part}").first for part in ("mjx-math", "mjx-math .mjx-was", "mjx-math .mjx-now"))
    colours = {part.evaluate("(element) => getComputedStyle(element).color") for part in parts}
    assert len(colours) == 3


def test_a_citation_shows_its_source(page: Page, served: Served) -> None:
    page.goto(served.address + "book/beyond/online-rules.html")
    link = ".bd-article p a[href*='bibliography.html#']"
    assert "Williams" in preview(page, f"{link}:has-text('Williams')")


def test_a_link_that_leads_to_no_statement_shows_nothing(page: Page, served: Served) -> None:
    page.goto(served.address + CHAPTER)
    page.evaluate("""() => {
      const link = Object.assign(document.createElement("a"), { href: "#top", id: "planted", textContent: "up" });
      document.querySelector(".bd-article p").append(link);
    }""")
    page.locator("#planted").hover()
    page.wait_for_timeout(600)
    expect(page.get_by_role("tooltip")).to_be_hidden()


# What is asked for, and where the first result leads.
FIRST = {
    "bptt-23": "book/bptt/constant-error.html#bptt-23",
    "Exercise 17": "book/lfmn/latching.html#latching-3",
    "vanishing": "book/bptt/vanishing.html",
    "遺忘": "book/peephole/forget-gates.html",
}


@pytest.mark.parametrize("asked", FIRST)
def test_the_search_finds_by_name_by_title_and_by_part_of_a_term(asked: str, page: Page, served: Served) -> None:
    page.goto(f"{served.address}search.html?q={asked}")
    found = page.locator("#search-results li")
    first = re.compile(f"^{re.escape(FIRST[asked])}($|[?])")
    expect(found.locator("a").first).to_have_attribute("href", first, timeout=PATIENCE)
    said = [each for each in found.locator("p.context").all_inner_texts() if "\\" in each or "JavaScript" in each]
    assert not said, "text of a result is neither TeX nor what stands around the page"


def test_what_is_assumed_is_printed(page: Page, served: Served) -> None:
    page.goto(served.address + CHAPTER)
    assumed = page.locator(".tt-statement > details:has-text('what is assumed')")
    assert assumed.count() > page.locator(f"{FOLDS['derivations']}[open]").count() == 0
    for event, opened in (("beforeprint", assumed.count()), ("afterprint", 0)):
        page.evaluate("(event) => window.dispatchEvent(new Event(event))", event)
        expect(page.locator(".tt-statement > details[open]")).to_have_count(opened)


# Of what the keyboard comes to, what looks as before.
UNSEEN = """() => {
  const shown = ["outlineStyle", "outlineColor", "boxShadow", "borderColor", "backgroundColor", "textDecoration"];
  const look = (element) => shown.map((property) => getComputedStyle(element)[property]).join();
  const stops = [...document.querySelectorAll("a[href], button, summary, input, select, [tabindex='0']")];
  const seen = stops.filter((stop) => stop.checkVisibility() && stop.getBoundingClientRect().width > 0);
  return seen.filter((stop) => {
    document.activeElement.blur();
    const before = look(stop);
    stop.focus();
    return document.activeElement === stop && look(stop) === before;
  }).map((stop) => stop.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("name", ["index", "lfmn/gradients"])
def test_the_keyboard_is_seen_wherever_it_comes(name: str, width: int, page: Page, served: Served) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{served.address}book/{name}.html")
    page.wait_for_function("() => !document.documentElement.classList.contains('tt-typesetting')")
    page.keyboard.press("Tab")  # from now on the focus is one that shows
    assert page.evaluate(UNSEEN) == []


def test_formulas_far_below_the_window_cost_nothing_yet(page: Page, served: Served) -> None:
    page.goto(served.address + "book/reference/errata.html")
    shown = "() => [...(window.MathJax?.startup?.document?.math ?? [])].some((item) => !item.lazyTypeset)"
    page.wait_for_function(shown)  # the first pass over what is in the window
    items = "[...MathJax.startup.document.math].map((item) => [item.lazyTypeset, item.metrics.em > 0])"
    found = [tuple(item) for item in page.evaluate(items)]
    assert {(True, False), (False, True)} == set(found), "what is left for later is not even measured"
    assert found.count((True, False)) > found.count((False, True))
