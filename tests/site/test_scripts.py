"""What the site's scripts add to its pages, by pointer and by keyboard."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import sympy as sp
from playwright.sync_api import Locator, Page, expect
from site_check import HEIGHT, STEP, Reader, go
from site_files import Served

MACHINERY = "div.cell details.hide"
DERIVATIONS = ".tt-statement details:has(> .tt-proof, > .tt-steps)"
CHAPTER, IN_PRINT = "book/bptt/error-flow.html", "book/bptt/error-flow-in-print.html"
OTHER = "book/lfmn/forgetting-in-print.html"
Visit = Callable[..., Page]


@pytest.fixture(scope="module")
def tab(reader: Reader) -> Iterator[Page]:
    """One for all tests: a window and a process of its own for each takes twice as long as the page."""
    context = reader.browser.new_context()
    context.set_default_timeout(STEP)
    yield context.new_page()
    context.close()


@pytest.fixture
def visit(tab: Page, served: Served) -> Iterator[Visit]:
    """Shows pages, each when it is ready, to a reader who was never here."""

    def visit(path: str, width: int = 1440) -> Page:
        tab.set_viewport_size({"width": width, "height": HEIGHT})
        return go(tab, served.address + path)

    yield visit
    tab.wait_for_function("() => { localStorage.clear(); sessionStorage.clear(); return true; }")
    go(tab, "about:blank")
    tab.mouse.move(0, 0)


def shut(page: Page, folds: str) -> int:
    """How many folds of a kind are shut."""
    assert page.locator(folds).count() > 0
    return page.locator(f"{folds}:not([open])").count()


def test_a_switch_opens_all_derivations_on_this_page_and_the_next(visit: Visit) -> None:
    page = visit(IN_PRINT)
    before = shut(page, MACHINERY)
    assert shut(page, DERIVATIONS) > 0
    switch = page.get_by_role("button", name="show all derivations")
    switch.press("Enter")
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert (shut(page, DERIVATIONS), shut(page, MACHINERY)) == (0, before)
    assert shut(visit(OTHER), DERIVATIONS) == 0
    switch.click()
    assert shut(page, DERIVATIONS) > 0
    assert shut(visit(IN_PRINT), DERIVATIONS) > 0


def test_a_reader_chooses_which_code_is_shown_here_and_on_the_next_page(visit: Visit) -> None:
    page = visit(CHAPTER)
    lesson, output = (page.locator(f"div.cell > {part}").first for part in ("div.cell_input", "div.cell_output"))
    choice = page.get_by_label("which code is shown")
    assert (choice.input_value(), lesson.is_visible()) == ("ideas", True)
    assert shut(page, MACHINERY) == page.locator(MACHINERY).count()
    choice.select_option("machinery")
    assert (shut(page, MACHINERY), lesson.is_visible()) == (0, True)
    choice.select_option("none")
    assert not page.locator("div.cell_input:visible, details.hide:visible").count()
    assert output.is_visible()
    page = visit(OTHER)
    assert not page.locator("div.cell_input:visible, details.hide:visible").count()
    page.get_by_label("which code is shown").select_option("ideas")
    assert visit(CHAPTER).locator("div.cell > div.cell_input").first.is_visible()


def test_a_page_without_code_has_no_switch(visit: Visit) -> None:
    page = visit("book/reference/bibliography.html")
    expect(page.locator(".article-header-buttons > .btn").first).to_be_attached()
    expect(page.locator(".tt-switch")).to_have_count(0)


def rest(target: Locator) -> None:
    """Rest a pointer where no formula that is yet to be typeset moves the page, until previews.js has heard of it."""
    target.scroll_into_view_if_needed()
    target.page.evaluate("typesetHere()")
    target.hover()
    target.page.evaluate("async () => { await new Promise((done) => setTimeout(done, REST)); await statements }")


def test_a_link_to_a_statement_shows_its_formula_and_verdict(visit: Visit) -> None:
    page = visit("book/reference/errata.html")
    link = page.locator(".tt-fault a[href*='#erratum-']").first
    name = link.get_attribute("href").partition("#erratum-")[2]
    rest(link)
    card = page.get_by_role("tooltip")
    expect(card.locator("mjx-container").first).to_be_visible()
    expect(card).to_contain_text(name)
    expect(card.locator(".tt-verdict")).to_be_visible()
    rest(card)  # it stays while it is read
    expect(card).to_be_visible()
    page.mouse.move(0, 0)
    expect(card).to_be_hidden()


def test_what_an_erratum_loses_and_gains_is_coloured(visit: Visit, served: Served) -> None:
    errata = "book/reference/errata.html"
    boxes = (served.root / errata).read_text(encoding="utf-8").split("tt-statement ")
    name = next(re.findall(r'id="([^"]+)"', box)[0] for box in boxes if "mjx-was" in box and "mjx-now" in box)
    page = visit(f"{errata}#{name}")
    parts = (page.locator(f"#{name} {part}").first for part in ("mjx-math", "mjx-math .mjx-was", "mjx-math .mjx-now"))
    colours = {part.evaluate("(element) => getComputedStyle(element).color") for part in parts}
    assert len(colours) == 3


def test_the_ledger_shows_some_rows_finds_each_by_its_numbers_and_goes_where_a_link_leads(visit: Visit) -> None:
    page = visit("book/reference/ledger.html")
    rows = page.locator("tr[data-kind]:visible")
    expect(rows).to_have_count(30)
    page.get_by_role("button", name="show 30 more").press("Enter")
    expect(rows).to_have_count(60)
    for words, found, other in (("A.12", "14", "10"), ("A.5", "6", "14"), ("A.1", "3", "14"), ("(8)", "6", "14")):
        page.get_by_label("Words to look for").fill(f"{words} paper97")
        expect(page.locator(f"#ledger-paper97-{found}")).to_be_visible()
        expect(page.locator(f"#ledger-paper97-{other}")).to_be_hidden()
    last = visit("book/reference/ledger.html#ledger-rules-snap1").locator("#ledger-rules-snap1")
    expect(last).to_be_in_viewport()


def test_a_citation_shows_its_source(visit: Visit) -> None:
    page = visit("book/beyond/online-rules.html")
    page.keyboard.press("Tab")  # from now on the focus is one that shows
    page.locator(".bd-article p a[href*='bibliography.html#']:has-text('Williams')").first.focus()
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("Williams")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_link_that_leads_to_no_statement_shows_nothing(visit: Visit) -> None:
    page = visit(CHAPTER)
    page.evaluate("""() => {
      const link = Object.assign(document.createElement("a"), { href: "#top", id: "planted", textContent: "up" });
      document.querySelector(".bd-article p").append(link);
    }""")
    rest(page.locator("#planted"))
    expect(page.get_by_role("tooltip")).to_be_hidden()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bptt/vanishing.html#lstm97-24", "bptt/vanishing-in-print.html#lstm97-24"),
        ("beyond/online-rules.html#measured", "beyond/other-cuts.html#measured"),
        ("lstm1997/paper.html#lstm97-paper-norm", "lstm1997/paper-error-flow-in-print.html#lstm97-paper-norm"),
    ],
)
def test_the_old_address_of_a_box_or_a_heading_leads_to_where_it_stands(old: str, new: str, visit: Visit) -> None:
    page = visit(f"book/{old}")
    page.wait_for_url(f"**/book/{new}")
    expect(page.locator(f"#{new.partition('#')[2]}")).to_be_in_viewport()


# What is asked for, and where the first result leads.
FIRST = {
    "bptt-23": "book/bptt/constant-error-in-print.html#bptt-23",
    "Exercise 45": "book/lfmn/latching.html#latching-4",
    "vanishing": "book/bptt/vanishing.html",
    "why does the gradient vanish": "book/bptt/vanishing.html",
    "vanishing gradient": "book/bptt/vanishing.html",
    "LSTM": "book/lstm1997/cell.html",
    "BPTT": "book/bptt/two-derivatives.html",
    "exploding gradients": "book/bptt/vanishing.html",
    "A.12": "book/lstm1997/derivatives-in-print.html#lstm97-64",
    "遺忘": "book/peephole/forget-gates.html",
}


# Four are words in a title, or a short name, as one before each of them is.
ALIKE = ("vanishing", "vanishing gradient", "exploding gradients", "BPTT")


@pytest.mark.parametrize("asked", [pytest.param(one, marks=[pytest.mark.nightly] * (one in ALIKE)) for one in FIRST])
def test_the_search_finds_by_name_by_title_and_by_part_of_a_term(asked: str, visit: Visit) -> None:
    page = visit(f"search.html?q={asked}")
    found = page.locator("#search-results li")
    first = re.compile(f"^{re.escape(FIRST[asked])}($|[?])")
    expect(found.locator("a").first).to_have_attribute("href", first)
    expect(page.locator(".search-summary")).to_contain_text("finished")
    expect(page.locator("#search-results li:not(:has(> span, > p.context))")).to_have_count(0)
    said = [each for each in found.locator("p.context").all_inner_texts() if "\\" in each or "JavaScript" in each]
    assert not said, "text of a result is neither TeX nor what stands around the page"


def test_what_is_assumed_is_printed(visit: Visit) -> None:
    page = visit(IN_PRINT)
    assumed = page.locator(".tt-statement > details:has-text('what is assumed')")
    assert assumed.count() > page.locator(f"{DERIVATIONS}[open]").count() == 0
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
@pytest.mark.parametrize("name", ["index", "lfmn/gradients", "start"])
def test_the_keyboard_is_seen_wherever_it_comes(name: str, width: int, visit: Visit) -> None:
    page = visit(f"book/{name}.html", width)
    page.keyboard.press("Tab")  # from now on the focus is one that shows
    assert page.evaluate(UNSEEN) == []


def test_formulas_far_below_the_window_cost_nothing_yet(visit: Visit) -> None:
    page = visit("book/reference/errata.html")
    items = "[...MathJax.startup.document.math].map((item) => [item.lazyTypeset, item.metrics.em > 0])"
    found = [tuple(item) for item in page.evaluate(items)]
    assert {(True, False), (False, True)} == set(found), "what is left for later is not even measured"
    assert found.count((True, False)) > found.count((False, True))


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(" × 10", "e"))


def at_rest(v: float) -> list[float]:
    """State of rest, and the gradient over 1, 10 and 20 steps from it by the complex step."""
    a = sp.Symbol("a")
    states, small = [float(sp.nsolve(v * sp.tanh(a / 2) - a, v)) if v > 2 else 0.0], 1e-30
    state: complex = states[0] + small * 1j
    for _ in range(20):
        state = v * np.tanh(state / 2)
        states.append(float(np.imag(state)) / small)
    return [states[n] for n in (0, 1, 10, 20)]


def test_the_unit_to_start_with_is_computed_and_follows_the_keyboard(visit: Visit) -> None:
    page = visit("book/start.html")
    slider, says = page.get_by_label("self weight"), page.locator(".tt-one-unit [role=status]")
    for v, word in ((1.0, "forgets"), (2.0, "decides"), (4.0, "remembers")):
        slider.fill(str(v))
        expect(says).to_contain_text(word)
        shown = [number(text) for text in page.locator(".tt-numbers b").all_inner_texts()]
        np.testing.assert_allclose(shown, at_rest(v), rtol=5e-3)
        heights = [float(rect.get_attribute("height")) for rect in page.locator(".tt-gradient").all()]
        np.testing.assert_allclose([heights[9] / heights[0], len(heights)], [at_rest(v)[2] / at_rest(v)[1], 20])
    for start, word in (("1.8", "decides"), ("2.1", "remembers")):
        slider.fill(start)
        expect(says).not_to_contain_text(word)
        slider.press("ArrowRight")
        expect(says).to_contain_text(word)
        expect(page.locator(".tt-one-unit output")).to_have_text(f"{float(start) + 0.1:.1f}")


def test_the_gates_to_start_with_decide_what_is_written_and_what_hears_of_the_error(visit: Visit) -> None:
    page = visit("book/start.html", 360)
    gates = page.locator(".tt-by-hand button")
    for toggled in (None, 4, 9, 2, 7):
        if toggled:
            before = gates.nth(toggled - 1).get_attribute("aria-pressed")
            gates.nth(toggled - 1).press("Enter")
            assert gates.nth(toggled - 1).get_attribute("aria-pressed") != before
        rows = [row.split("\t") for row in page.locator(".tt-by-hand tbody tr").all_inner_texts()]
        x = np.array([number(row[1]) for row in rows])
        y = np.array([float(gate.get_attribute("aria-pressed") == "true") for gate in gates.all()])
        changed = x + 1e-30j * np.eye(12)  # row t: a small change of the input of time t
        losses = ((changed * y).sum(axis=1) - 1) ** 2 / 2
        shown = [[number(row[column]) for row in rows] for column in (3, 4)]
        np.testing.assert_allclose(shown, [np.cumsum(x * y), losses.imag / 1e-30], atol=1e-9)
