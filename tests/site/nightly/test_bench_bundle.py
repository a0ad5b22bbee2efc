"""The bench with Python in the browser (``make bench-test``): every card of every cell is what Python prints here."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
import throughtime as tt
from playwright.sync_api import Page, expect
from site_check import ACCESSIBLE, HEIGHT, LOOK, STEP, WHOLE, Reader, axe_core, go
from site_files import SITE, Served

CELLS = ("RNN", "GRU", "LSTM", "minimal gated unit", "delta rule")
OWN = "h_t = (1 - alpha) * h_{t-1} + alpha * f(W x_t + U h_{t-1} + b)\ny_t = V h_t"
CUT = "h(t-1) into h"
RUN = """([code, arrays]) => {
  const plain = (item) => (typeof item === "number" ? [item] : Array.from(item).flatMap(plain));
  return new Function(`${code}\nreturn gradient;`)()(...arrays).flatMap(plain);
}"""


@pytest.fixture(scope="module")
def page(reader: Reader, served: Served) -> Iterator[Page]:
    assert (SITE / "_static" / "bench" / "packages.zip").is_file(), "run `make bench-bundle book` first"
    tab = reader.browser.new_page()
    tab.set_default_timeout(STEP)
    tab.on("pageerror", lambda error: pytest.fail(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    asked: list[str] = []
    yield go(tab, served.address + "book/reference/bench.html")
    tab.close()
    assert [url for url in asked if not url.startswith(served.address)] == []


def press(page: Page, name: str) -> None:
    """Press a button and wait for its answers, which are no refusals; the page itself gives each 30 seconds."""
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator(".tt-bench")).to_have_attribute("aria-busy", "false", timeout=WHOLE)
    assert page.get_by_role("alert").inner_text() == ""


def derive(page: Page) -> None:
    press(page, page.locator(".tt-go").inner_text())


def card(page: Page, ask: str) -> str:
    return page.locator(f"[data-ask={ask}]").get_attribute("data-text")


def is_answered(page: Page, cuts: tuple[str, ...] = ()) -> None:
    """Compare the cards with what the library prints for the text and the names in the form."""
    text, state, weight = (page.get_by_label(label).input_value() for label in ("Recurrence", "state", "weight"))
    net = tt.read(text)
    printed = {
        "read": net,
        "gradient": net.gradient(weight, cuts=cuts),
        "backward": net.backward(state, cuts=cuts),
        "forward": net.forward(state, weight, cuts=cuts),
    }
    assert {ask: card(page, ask) for ask in printed} == {ask: str(shown) for ask, shown in printed.items()}


def trains(page: Page, *, cut: bool = False) -> None:
    """The program learns, and its first gradient is that of differences, unless it is truncated."""
    press(page, "write the program")
    press(page, "train it here")
    words = page.locator("[data-ask=program] .tt-losses + p").inner_text()
    numbers = re.findall(r"\d[\d.]*(?:e-?\d+)?(?= before| after|\.$| % of)", words)
    first, last, apart = map(float, numbers)
    assert last < first / 2, words
    assert apart > 1 if cut else apart < 1e-6, words


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_of_the_page(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    derive(page)
    is_answered(page)
    press(page, "judge")
    text, formula = (page.get_by_label(label).input_value() for label in ("Recurrence", "a formula to judge"))
    assert card(page, "judge") == str(tt.read(text).judge(formula))
    trains(page)


def test_a_text_of_the_readers_own_with_a_cut(page: Page) -> None:
    page.get_by_role("button", name="your own").click()
    page.get_by_label("Recurrence").fill(OWN)
    page.get_by_label("state").fill("h")
    derive(page)
    page.get_by_label(CUT, exact=True).check()
    derive(page)
    assert "d_tr" in card(page, "forward")
    is_answered(page, (CUT,))
    trains(page, cut=True)


def test_the_program_of_a_cut_is_the_truncated_gradient(page: Page) -> None:
    page.get_by_role("button", name="minimal gated unit").click()
    derive(page)
    net, cut = tt.read(page.get_by_label("Recurrence").input_value()), "h(t-1) into f"
    page.get_by_label(cut, exact=True).check()
    press(page, "write the program")
    page.get_by_text("JavaScript", exact=True).click()
    made = tt.compile(net.system, net.loss, {net[str(one)]: 3 for one in net.sizes}, cuts={"cut": net.cuts([cut])})
    rng = np.random.default_rng(0)
    theta, x, targets = (rng.normal(size=shape) for shape in (made.layout.size, (5, 3), (5, 3)))
    arrays = [array.tolist() for array in (x, targets, *made.unpack(theta))]
    code = page.locator("[data-ask=program] details[open] pre").inner_text()
    right, whole = (made.gradient(theta, x, targets, method=method) for method in ("cut", "bptt"))
    numbers = page.evaluate(RUN, [code, arrays])
    np.testing.assert_allclose(numbers, [right.loss, *right.gradient], rtol=1e-9, atol=1e-12)
    assert np.abs(right.gradient - whole.gradient).max() > 0.01


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1440, "light")])
def test_answers_can_be_read_by_all(page: Page, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.get_by_role("button", name="GRU").click()
    derive(page)
    press(page, "judge")
    trains(page)
    assert page.evaluate(f"async () => await ({LOOK})()") == []
    page.evaluate(axe_core())
    assert page.evaluate(f"async () => await ({ACCESSIBLE})()") == []
