"""The page of the bench without Python for the browser: what it asks for, its links, and what it says at an end."""

import json
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, Route, expect
from site_check import STEP, Reader, go
from site_files import Served

PAGE = "book/reference/bench.html"
FORM, BUNDLE = '<div class="tt-bench docutils">\n', '<div class="tt-bundle docutils">\n</div>\n'
REFUSAL = {"error": {"message": "<b>no</b>", "place": {"field": "text", "line": 1, "column": 2}}}
WORKERS = {  # in the place of Python's
    "silent": "",
    "refusing": f"postMessage({{ id: data.id, found: {json.dumps(REFUSAL)} }});",
}
Open = Callable[..., tuple[Page, list[str]]]


@pytest.fixture
def bench(reader: Reader, served: Served) -> Iterator[Open]:
    """Opens the page with or without a bundle, and with a worker; with it a list of all addresses asked for."""
    context = reader.browser.new_context()
    context.set_default_timeout(STEP)

    def open_page(link: str = "", *, bundle: bool = True, worker: str = "silent") -> tuple[Page, list[str]]:
        asked: list[str] = []
        tab = context.new_page()
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("pageerror", lambda error: asked.append(str(error)))

        def page(route: Route) -> None:
            html = route.fetch().text().replace(BUNDLE, "").replace(FORM, FORM + BUNDLE * bundle)
            assert (BUNDLE in html) is bundle
            route.fulfill(body=html, content_type="text/html")

        script = f"postMessage({{ ready: true }}); onmessage = ({{ data }}) => {{ {WORKERS[worker]} }};"
        tab.route(f"**/{PAGE}", page)
        tab.route("**/bench-worker.js", lambda route: route.fulfill(body=script, content_type="text/javascript"))
        return go(tab, served.address + PAGE + link), asked

    yield open_page
    context.close()


def of_python(asked: list[str]) -> list[str]:
    return [url for url in asked if "bench-worker" in url or "/bench/" in url]


def test_nothing_is_loaded_before_it_is_started(bench: Open) -> None:
    page, asked = bench()
    page.get_by_role("button", name="GRU").click()
    page.get_by_label("state").fill("z")
    assert of_python(asked) == []
    page.get_by_role("button", name="start").click()
    expect(page.get_by_role("status").first).to_have_text("Reading …")
    assert len(of_python(asked)) == 1


def test_a_link_fills_the_form_with_text_and_starts_nothing(bench: Open) -> None:
    text = "h_t = <img src=nowhere onerror=alert(1)>"
    link = [("text", text), ("state", "h"), ("weight", "U"), ("formula", "dL/dh_t = 0"), ("cut", "h(t-1) into h")]
    page, asked = bench(f"#{urlencode(link)}")
    expect(page.get_by_label("Recurrence")).to_have_value(text)
    page.get_by_text("The same in Python", exact=True).click()
    expect(page.locator(".tt-bench > details pre")).to_have_text(
        f'import throughtime as tt\n\nnet = tt.read(r"""\n{text}\n""")\nnet\n'
        'net.gradient("U", cuts=["h(t-1) into h"])\nnet.backward("h", cuts=["h(t-1) into h"])\n'
        'net.forward("h", "U", cuts=["h(t-1) into h"])\nnet.judge("dL/dh_t = 0")'
    )
    assert not page.locator(".tt-bench img").count()
    assert [url for url in asked if not url.startswith("http") or "nowhere" in url.split("#")[0]] == []
    assert of_python(asked) == []


def test_a_question_without_an_end_is_ended_and_the_next_one_begins_anew(bench: Open) -> None:
    page, asked = bench()
    page.clock.install()
    page.get_by_role("button", name="start").click()
    expect(page.get_by_role("status").first).to_have_text("Reading …")
    page.clock.fast_forward(29_000)
    expect(page.get_by_role("alert")).to_be_empty()
    page.clock.fast_forward(2_000)
    expect(page.get_by_role("alert")).to_contain_text("ended after 30 seconds")
    page.get_by_role("button", name="derive").click()
    expect(page.get_by_role("status").first).to_have_text("Reading …")
    assert len(of_python(asked)) == 2


def test_a_refusal_is_shown_as_text_at_its_place(bench: Open) -> None:
    page, _ = bench(worker="refusing")
    page.get_by_role("button", name="GRU").click()
    page.get_by_role("button", name="start").click()
    expect(page.get_by_role("alert")).to_have_text("<b>no</b>")
    place = "() => { const text = document.activeElement; return text.value.slice(0, text.selectionStart); }"
    first = page.get_by_label("Recurrence").input_value().split("\n")[0]
    assert page.evaluate(place) == f"{first}\nr_"
    assert "#text=z_t" in page.url


def test_without_a_bundle_the_page_asks_nothing_and_has_the_lines_for_python(bench: Open) -> None:
    page, asked = bench(bundle=False)
    assert not page.get_by_role("button", name="start").count()
    expect(page.locator(".tt-bench > details pre")).to_contain_text('net.gradient("U")')
    page.get_by_role("button", name="delta rule").press("Enter")
    expect(page.locator(".tt-bench > details pre")).to_contain_text('net.forward("S", "W_k")')
    assert of_python(asked) == []
