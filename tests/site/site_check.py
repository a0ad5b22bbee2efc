"""Check the pages of a built site in Chromium: light and dark mode, wide and phone viewport, no network.

``check(readers, served, page)`` returns the faults of a page as sentences. ``test_site.py`` runs it
over the book, and ``test_site_check.py`` over pages with planted faults.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from playwright.sync_api import BrowserContext, Page, Request, Response, sync_playwright

Readers = dict[str, BrowserContext]

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
VISITS = {
    "light": (WIDE, PHONE),
    "dark": (PHONE, WIDE),
}  # loaded at the first width, checked at both
PATIENCE = 120_000  # milliseconds for one page: on a busy machine MathJax needs long for a thousand formulas
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
# All formulas, wherever they stand: the page itself typesets those near its window.
TYPESET = """async () => {
  if (window.MathJax) {
    await window.MathJax.startup.promise;
    await window.MathJax.startup.document.lazyTypesetAll?.();
  }
  await document.fonts.ready;
}"""
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# A change of width moves the sidebars by transitions, which start in the next frame.
MOVED = "Promise.allSettled(document.getAnimations().map((a) => a.finished))"
SETTLED = f"async () => {{ await {FRAMES}; await {MOVED}; await {FRAMES}; }}"
LINKS = "() => [...document.querySelectorAll('a[href], area[href]')].map((link) => link.href)"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@dataclass(frozen=True)
class Served:
    """A folder and its address on the loopback interface."""

    root: Path
    address: str

    def page_of(self, url: str) -> Path:
        """The file at an address of this site."""
        path = unquote(urlsplit(url).path).lstrip("/")
        file = self.root / path
        return file / "index.html" if file.is_dir() else file


@contextmanager
def serve(root: Path) -> Iterator[Served]:
    """Serve a folder on a free port of the loopback interface."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Served(root, f"http://127.0.0.1:{server.server_port}/")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def find_chromium() -> str:
    """Path of the Chromium to drive: $CHROMIUM, else the first of the usual names."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if found is None:
        raise FileNotFoundError(f"no Chromium: install one of {', '.join(CHROMIUM_NAMES)}, or set CHROMIUM to its path")
    return found


@contextmanager
def open_readers() -> Iterator[Readers]:
    """A browser restricted to the loopback interface, with one context in light and one in dark mode."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS)
        try:
            yield {scheme: browser.new_context(color_scheme=scheme) for scheme in VISITS}
        finally:
            browser.close()


class Anchors(HTMLParser):
    """Collects the link targets of a page: every id, and the names of ``<a>``."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.update(value for key, value in attrs if value and (key == "id" or (tag == "a" and key == "name")))


@cache
def anchors(page: Path) -> frozenset[str]:
    parser = Anchors()
    parser.feed(page.read_text(encoding="utf-8"))
    return frozenset(parser.names)


def dead_links(urls: list[str], served: Served) -> Iterator[str]:
    """Links into the site whose page or anchor is missing."""
    for url in sorted(set(urls)):
        if not url.startswith(served.address):
            continue
        target, fragment = served.page_of(url), unquote(urlsplit(url).fragment)
        if not target.is_file():
            yield f"dead link: {url.removeprefix(served.address)}"
        elif fragment and target.suffix == ".html" and fragment not in anchors(target):
            yield f"dead anchor: {url.removeprefix(served.address)}"


def watch(page: Page, served: Served, faults: list[str]) -> None:
    """Append to ``faults`` each failed or outside request, console error and script error of a page."""

    def failed(request: Request) -> None:
        if request.url.startswith(served.address) and request.failure != "net::ERR_ABORTED":
            faults.append(f"failed request: {request.url.removeprefix(served.address)}")

    def answered(response: Response) -> None:
        if response.status >= 400 and response.url.startswith(served.address):
            faults.append(f"failed request: {response.url.removeprefix(served.address)} ({response.status})")

    def asked(request: Request) -> None:
        if not request.url.startswith((served.address, "data:", "blob:")):
            faults.append(f"outside request: {request.url}")

    page.on("request", asked)
    page.on("requestfailed", failed)
    page.on("response", answered)
    page.on("pageerror", lambda error: faults.append(f"error in a script: {error}"))
    page.on("console", lambda m: faults.append(f"console error: {m.text}") if m.type == "error" else None)
    page.on("websocket", lambda socket: faults.append(f"outside request: {socket.url}"))


def redirect_target(page: Path) -> str | None:
    """Target of a page's ``<meta http-equiv="refresh">``, or None."""

    class Refresh(HTMLParser):
        target: str | None = None

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            named = {key: value or "" for key, value in attrs}
            if tag == "meta" and named.get("http-equiv", "").lower() == "refresh":
                self.target = named["content"].partition("=")[2].strip()

    parser = Refresh()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.target


def check(readers: Readers, served: Served, page: str) -> list[str]:
    """Faults of the page at a path relative to the site's root, each once, in the order found."""
    url = urljoin(served.address, page)
    if (target := redirect_target(served.root / page)) is not None:
        return list(dead_links([urljoin(url, target)], served))
    faults: list[str] = []
    for scheme, widths in VISITS.items():
        tab = readers[scheme].new_page()
        watch(tab, served, faults)
        tab.set_viewport_size(widths[0])
        tab.goto(url, wait_until="load", timeout=PATIENCE)
        tab.evaluate(TYPESET)
        for size in widths:
            tab.set_viewport_size(size)
            tab.evaluate(SETTLED)
            faults += [f"{scheme}, {size['width']} px: {fault}" for fault in tab.evaluate(LOOK)]
        if (shown := tab.evaluate("() => document.documentElement.dataset.theme")) not in (scheme, None):
            faults.append(f"asked for in {scheme}, the page is {shown}")
        faults += dead_links(tab.evaluate(LINKS), served)
        tab.close()
    return list(dict.fromkeys(faults))


def pages(root: Path) -> list[str]:
    """Every page of the site as a path relative to its root, without the theme's files under _static."""
    found = (path.relative_to(root) for path in root.rglob("*.html"))
    return sorted(path.as_posix() for path in found if path.parts[0] not in ("_static", "_sources"))
