"""Check the pages of a built site in Chromium: light and dark mode, wide and phone viewport, no network.

``check(reader, served, page)`` returns the faults of a page as sentences. ``test_site.py`` runs it
over the book, and ``test_site_check.py`` over pages with planted faults.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from itertools import product, starmap
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, sync_playwright
from playwright.sync_api import Error as BrowserError
from site_files import Served, dead_links, redirect_target

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
# Milliseconds for one step, and for what goes through a page as a whole: on a busy machine that takes minutes.
STEP, WHOLE = 60_000, 300_000
HEIGHT = 900


class Look(NamedTuple):
    """A width of the window in pixels, and the colour scheme that the reader prefers."""

    width: int
    scheme: str

    def __str__(self) -> str:
        return f"{self.scheme}, {self.width} px"


USUAL = (Look(1440, "light"), Look(360, "dark"))
ALL = tuple(dict.fromkeys([*USUAL, *starmap(Look, product((360, 1024, 1440), ("light", "dark")))]))

LOOK, ACCESSIBLE = ((Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("look.js", "accessible.js"))
# A loaded page whose first formulas stand: formulas.js is the last of its scripts to be done.
READY = "() => !document.documentElement.classList.contains('tt-typesetting')"
# Folds are opened: to measure inside of a shut one Chromium lays it out by itself, each time. A change of width moves
# the sidebars: every movement is at its end at once.
FINISH = """async () => {
  const still = new CSSStyleSheet();
  still.replaceSync(`*, ::before, ::after { transition: none !important; animation-duration: 0s !important;
    animation-delay: 0s !important; animation-iteration-count: 1 !important; scroll-behavior: auto !important }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  for (const fold of document.querySelectorAll("article details")) fold.open = true;
  if (window.MathJax) {
    await window.MathJax.startup.promise;
    await window.MathJax.startup.document.lazyTypesetAll?.(); // a page typesets those near its window
  }
  await document.fonts.ready;
}"""
# The frame in which a page learns of another width or scheme is followed by one in which it is drawn.
SHOWN = """async ([width, scheme]) => {
  if (innerWidth !== width || !matchMedia(`(prefers-color-scheme: ${scheme})`).matches) return false;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return true;
}"""
# What moves on its own while a page comes, as a share of the window; the article waits for its formulas without an end.
WATCH = """{
  const patient = new CSSStyleSheet();
  patient.replaceSync("html.tt-typesetting .bd-article { animation: none }");
  document.adoptedStyleSheets = [patient];
  window.shifts = [];
  window.shiftObserver = new PerformanceObserver((list) => window.shifts.push(...list.getEntries()));
  window.shiftObserver.observe({ type: "layout-shift", buffered: true });
}"""
MOVED = """async () => {
  for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame);
  const shifts = [...window.shifts, ...window.shiftObserver.takeRecords()].filter((shift) => !shift.hadRecentInput);
  return shifts.reduce((sum, shift) => sum + shift.value, 0);
}"""
STILL = 0.02
THEME = "() => document.documentElement.dataset.theme"
LINKS = "() => [...document.querySelectorAll('a[href], area[href]')].map((link) => link.href)"


def looks_at(place: int) -> tuple[Look, ...]:
    """A wide light or a narrow dark one in turn, by the place of a page; with SITE_LOOKS=all three widths in both."""
    chosen = os.environ.get("SITE_LOOKS", "")
    if chosen not in ("", "all"):
        raise ValueError(f"SITE_LOOKS: 'all' or nothing is expected, {chosen!r} is given")
    return ALL if chosen else (USUAL[place % 2],)


def find_chromium() -> str:
    """Path of the Chromium to drive: $CHROMIUM, else the first of the usual names."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if found is None:
        raise FileNotFoundError(f"no Chromium: install one of {', '.join(CHROMIUM_NAMES)}, or set CHROMIUM to its path")
    return found


def go(tab: Page, address: str, patience: float = WHOLE) -> Page:
    """The tab with the page at an address, which is ready to be used: nothing else in the tests goes anywhere."""
    tab.goto(address, timeout=patience)
    tab.wait_for_function(READY, timeout=patience)
    return tab


class Reader:
    """One tab, which shows one page after another and takes down what is heard of the page that it shows.

    No step on a page takes longer than ``step`` milliseconds, or ``whole`` where all of the page is gone through.
    """

    def __init__(self, browser: Browser, step: float = STEP, whole: float = WHOLE) -> None:
        self.browser, self.step, self.whole = browser, step, whole
        self.doing = ""  # the step that is taken, in words
        self.address = ""  # of the site whose page is shown
        self.faults: list[str] = []  # of the page
        self._open()

    def _open(self) -> None:
        self.tab = self.browser.new_page()
        self.look: Look | None = None  # that the tab has
        self.tab.set_default_timeout(self.step)
        self.tab.add_init_script(WATCH)
        self.tab.on("request", self._asked)
        self.tab.on("requestfailed", self._failed)
        self.tab.on("response", self._answered)
        self.tab.on("pageerror", lambda error: self.faults.append(f"error in a script: {error}"))
        self.tab.on("console", self._told)
        self.tab.on("websocket", lambda socket: self.faults.append(f"outside request: {socket.url}"))

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.faults.append(f"outside request: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.url.startswith(self.address) and request.failure != "net::ERR_ABORTED":
            self.faults.append(f"failed request: {request.url.removeprefix(self.address)}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.url.startswith(self.address):
            self.faults.append(f"failed request: {response.url.removeprefix(self.address)} ({response.status})")

    def _told(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"console error: {message.text}")

    def _ask(self, doing: str, function: str, patience: float | None = None) -> Any:
        """What a function returns in the page. Unlike ``evaluate``, this has an end in a page that is busy for ever."""
        self.doing = doing
        answered = self.tab.wait_for_function(f"async () => ({{ value: await ({function})() }})", timeout=patience)
        return answered.json_value()["value"]

    def _show(self, look: Look) -> None:
        if look == self.look:
            return  # asked for it again, Chromium would compute every style of the page anew
        self.doing = f"its change to {look}"
        self.tab.emulate_media(color_scheme=look.scheme)
        self.tab.set_viewport_size({"width": look.width, "height": HEIGHT})
        self.look = look

    def visit(self, served: Served, page: str, looks: tuple[Look, ...], axe: bool = False) -> list[str]:
        """Faults of a page that is loaded once and looked at in several ways, each once, in the order found.

        With ``axe`` also what axe-core calls critical or serious, in each look.
        """
        self.address, self.faults = served.address, []
        try:
            self._show(looks[0])
            self.doing = "its coming"
            go(self.tab, urljoin(served.address, page), self.whole)
            if (moved := self._ask("what moves in it", MOVED)) > STILL:
                self.faults.append(f"{looks[0]}: {moved:.0%} of the window moves while the page comes")
            self._ask("all its formulas", FINISH, self.whole)
            for look in looks:
                self._show(look)
                self.tab.wait_for_function(SHOWN, arg=list(look))
                self.faults += [f"{look}: {fault}" for fault in self._ask(f"what is seen, {look}", LOOK, self.whole)]
                if (shown := self._ask("its theme", THEME)) not in (look.scheme, None):
                    self.faults.append(f"asked for in {look.scheme}, the page is {shown}")
            self.faults += dead_links(self._ask("its links", LINKS), served)
            if axe:  # last, since it takes the formulas apart
                self.faults += self._inaccessible(looks)
            self.doing = "its end"
            go(self.tab, "about:blank")  # what the page says from now on is not the next page's
        except BrowserError as error:
            error.add_note("\n".join([f"{page}: waited for {self.doing}", *self.faults]))
            self.tab.close()  # it may never answer again
            self._open()
            raise
        return list(dict.fromkeys(self.faults))

    def _inaccessible(self, looks: tuple[Look, ...]) -> Iterator[str]:
        self.tab.evaluate(axe_core())
        for look in looks:
            self._show(look)
            self.tab.wait_for_function(SHOWN, arg=list(look))
            yield from (f"{look}: {fault}" for fault in self._ask(f"axe, {look}", ACCESSIBLE, self.whole))


@cache
def axe_core() -> str:
    """The script axe-core, which tests/site/requirements.txt brings."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@contextmanager
def open_reader() -> Iterator[Reader]:
    """A reader in a browser of its own, restricted to the loopback interface."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_ARGUMENTS)
        try:
            yield Reader(browser)
        finally:
            browser.close()


def check(
    reader: Reader, served: Served, page: str, looks: tuple[Look, ...] = USUAL, *, axe: bool = False
) -> list[str]:
    """Faults of the page at a path relative to the site's root, each once; of a redirection where it leads."""
    if (target := redirect_target(served.root / page)) is not None:
        return list(dead_links([urljoin(served.address + page, target)], served))
    return reader.visit(served, page, looks, axe)
