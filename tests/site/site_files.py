"""The files of a built site: served on the loopback interface, its pages listed, its links followed."""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parents[2] / "_build" / "html"
# The largest pages take seconds in an HTML parser.
ANCHOR = re.compile(r'<(?:\w[^<>]*?\sid|a\b[^<>]*?\sname)="([^"]+)"')
REFRESH = re.compile(r'<meta http-equiv="refresh" content="[^"=]*=\s*([^"]+)"', re.IGNORECASE)


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
    # The interval is how long a shutdown may have to wait.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield Served(root, f"http://127.0.0.1:{server.server_port}/")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pages(root: Path) -> list[str]:
    """Every page of the site as a path relative to its root, without the theme's files under _static."""
    found = (path.relative_to(root) for path in root.rglob("*.html"))
    return sorted(path.as_posix() for path in found if path.parts[0] not in ("_static", "_sources"))


def chosen_pages(root: Path) -> list[str]:
    """The pages that the patterns in $SITE_PAGES match, which commas separate; without it every page.

    Raises ValueError for a pattern that matches no page.
    """
    every = pages(root)
    patterns = [pattern.strip() for pattern in os.environ.get("SITE_PAGES", "").split(",") if pattern.strip()]
    for pattern in patterns:
        if not any(fnmatchcase(page, pattern) for page in every):
            raise ValueError(f"SITE_PAGES: {pattern!r} matches none of the {len(every)} pages, such as {every[:3]}")
    return [page for page in every if not patterns or any(fnmatchcase(page, pattern) for pattern in patterns)]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The link targets of a page: every id, and the names of ``<a>``."""
    return frozenset(map(unescape, ANCHOR.findall(page.read_text(encoding="utf-8"))))


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


def redirect_target(page: Path) -> str | None:
    """Target of a page's ``<meta http-equiv="refresh">``, or None."""
    found = REFRESH.search(page.read_text(encoding="utf-8"))
    return found and unescape(found[1])
