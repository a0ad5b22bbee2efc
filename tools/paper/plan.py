"""What is printed where: the volumes by the book's contents, the places that links lead to, the pages of contents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

# Of this part what a reader of the others looks up; the rest is for a screen: tables with filters, the library's names.
REFERENCE = "Reference"
LOOKED_UP = ("notation", "how-we-judge", "what-holds", "bibliography")
EXERCISES = "exercises"  # the volume of all sheets


class Place(NamedTuple):
    """A page of the site without suffix, and an id in it, or "" for its beginning."""

    page: str
    anchor: str

    @property
    def name(self) -> str:
        """Its name in every volume."""
        return f"{self.page}#{self.anchor}"


@dataclass(frozen=True)
class Volume:
    """A file without suffix, the caption of its part, and its pages."""

    file: str
    title: str
    pages: tuple[str, ...]


class Heading(NamedTuple):
    """A heading: its level, its text, its HTML with formulas as TeX, and its id."""

    level: int
    text: str
    html: str
    anchor: str


class Line(NamedTuple):
    """A line of the contents: a heading, the page of the site that it is of, and the number of its sheet."""

    heading: Heading
    page: str
    number: int


def volumes(toc: Mapping[str, Any]) -> list[Volume]:
    """The volumes of a book by its table of contents, one for each part, in its order."""
    made = []
    for number, part in enumerate(toc["parts"], 1):
        pages = tuple(_files(part["chapters"]))
        if part["caption"] == REFERENCE:
            pages = tuple(page for page in pages if page.rpartition("/")[2] in LOOKED_UP)
        file = re.sub(r"\W+", "-", part["caption"]).lower()
        if pages:
            made.append(Volume(f"{number}-{file}", part["caption"], pages))
    return made


def _files(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        yield entry["file"]
        yield from _files(entry.get("sections", ()))


def place_of(url: str, address: str) -> Place | None:
    """Where an address leads on a site, or None for one that is elsewhere or no page."""
    path, anchor = urldefrag(url)
    if not path.startswith(address) or not path.endswith(".html"):
        return None
    return Place(unquote(path.removeprefix(address).removesuffix(".html")), unquote(anchor))


def contents(book: str, title: str, note: str, lines: Sequence[Line], hours: Mapping[str, str]) -> str:
    """The HTML of a volume's title and contents: a row for each heading, with hours of reading beside the chapters."""
    rows = []
    for heading, page, number in lines:
        beside = f" <small>{escape(hours[page])}</small>" if heading.level == 1 and page in hours else ""
        link = f'<a href="/{page}.html#{escape(heading.anchor)}">{heading.html}</a>'
        rows.append(f'<tr class="tt-level{heading.level}"><td>{link}{beside}</td><td>{number}</td></tr>')
    head = f'<p class="tt-book">{escape(book)}</p><h1>{escape(title)}</h1><p class="tt-note">{escape(note)}</p>'
    return f'{head}<table class="tt-contents">{"".join(rows)}</table>'
