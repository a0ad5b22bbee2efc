"""What the pages show: the boxes of the statements, and the definitions, read with the symbols of systems.toml."""

import json
import re
from collections import namedtuple
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

from outside_reader.tex import TABLES, Reader, read

BOOK = Path(__file__).parents[3] / "book"
BOX = re.compile(r'<div class="tt-statement tt-(\w+)" id="([^"]+)">')
FORM = re.compile(r'<p>(As printed|Corrected|As derived)[^<]*</p><div class="math[^"]*">\\\[(.*?)\\\]</div>', re.S)
DISPLAY = re.compile(r'<div class="math[^"]*">\\\[(.*?)\\\]</div>', re.S)
ASSUMED = re.compile(r"<summary[^>]*>what is assumed</summary><ul>(.*?)</ul>", re.S)
RANGE = re.compile(r"\\\(([^=()]+) = ([^,]+), \\dots, (.+?)\\\)")

ITEM = re.compile(r"([^\s\[@]*(?:\[[^\s\]]*;[^\s\]]*\])?)(?:\[([^\];]*)\])?(@\d*)?$")


class Box(namedtuple("Box", "id page verdict printed corrected assumed")):
    """A statement as its page shows it: both forms in TeX, "" where there is none."""

    @property
    def accepted(self) -> str:
        """The form that is said to hold."""
        return self.corrected if self.verdict == "corrected" else self.printed

    @property
    def ranges(self) -> dict[str, list[tuple[str, str]]]:
        """The ranges of its letters, in words above the assumptions: letter to (lowest, highest)."""
        found: dict[str, list[tuple[str, str]]] = {}
        for letter, low, high in RANGE.findall(self.assumed):
            found.setdefault(letter.strip(), []).append((low, high))
        return found


def outputs(page: str) -> Iterator[str]:
    """The HTML outputs of a page, in their order."""
    for cell in json.loads((BOOK / page).read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            yield "".join(output.get("data", {}).get("text/html", ""))


@cache
def boxes() -> dict[str, Box]:
    """Every statement of the book by its id, or ids; pages of the reference repeat them and are left out."""
    found: dict[str, Box] = {}
    for path in sorted(BOOK.rglob("*.ipynb")):
        page = path.relative_to(BOOK).as_posix()
        if page.startswith("reference/") or ".ipynb_checkpoints" in page:
            continue
        for html in outputs(page):
            if start := BOX.search(html):
                forms = {name: unescape(tex) for name, tex in FORM.findall(html.replace("<p>As read", "<p>As printed"))}
                corrected = forms.get("Corrected", forms.get("As derived", ""))
                shown = forms.get("As printed", ""), corrected, unescape("".join(ASSUMED.findall(html)))
                for id in map(unescape, (start[2], *re.findall(r'<span class="tt-tag" id="([^"]+)">', html))):
                    found[id] = Box(id, page, start[1], *shown)
    return found


def display(page: str, beginning: str) -> str:
    """The first display of a page, outside of the boxes, that begins with some TeX behind its alignment."""
    for html in outputs(page):
        for tex in DISPLAY.findall("" if BOX.search(html) else html):
            if unescape(tex).removeprefix(r"\begin{aligned}").startswith(beginning):
                return unescape(tex)
    raise LookupError(f"{page} shows no display that begins with {beginning}")


# What a symbol stands for; its ranges are pairs of formulas in the sizes, `start` a time of value 0.
Symbol = namedtuple("Symbol", "kind ranges timed start")
# What is defined, by what, and where: by the range of the line and by those of the letters of its box.
Definition = namedtuple("Definition", "left right where ranges")


@cache
def symbols_of(name: str) -> dict[str, Symbol]:
    """The symbols of a system by their names and numbers of indices."""
    found = {}
    for line in TABLES["systems"][name]["table"].splitlines():
        kind, *items = line.split()
        for item in items:
            base, ranges, time = ITEM.match(item).groups()  # type: ignore[union-attr]
            pairs = tuple(tuple((r if ":" in r else f"1:{r}").split(":")) for r in ranges.split(",")) if ranges else ()
            start = int(time[1:]) if time and time[1:] else None
            found[f"{base}/{len(pairs) * (kind != 'matrix')}"] = Symbol(kind, pairs, bool(time), start)
    return found


def of_page(box: Box) -> str:
    """The name of the system whose definitions the page of a statement shows, "" if it shows none."""
    pages, page = TABLES["read"]["pages"], box.page.replace("-in-print", "")
    return TABLES["read"]["boxes"].get(box.id) or pages.get(page) or pages.get(page.partition("/")[0], "")


@cache
def definitions(name: str) -> dict[str, list[Definition]]:
    """The definitions of a system, off its pages, by what they define."""
    found, symbols = {}, symbols_of(name)
    for source in TABLES["systems"][name]["sources"]:
        box = boxes().get(source) if isinstance(source, str) else None
        tex = box.accepted if box else source if isinstance(source, str) else display(*source)
        for tree, where in read(tex, symbols):
            if (left := tree[1][0])[0] in ("unit", "call"):
                new = Definition(*tree[1][:2], where, letters(box.ranges, symbols) if box else {})
                found.setdefault(left[1] + "'" * (left[0] == "call" and left[3]), []).append(new)
    return found


def letters(ranges: dict[str, list[tuple[str, str]]], symbols: dict[str, Symbol]) -> dict[tuple, Any]:
    """The ranges of a box as trees, by its letters."""
    return {
        (name, sub and sub[1]): [tuple(Reader(end, symbols).all() for end in pair) for pair in pairs]
        for letter, pairs in ranges.items()
        for _, name, sub in [Reader(letter, symbols).letter()]
    }
