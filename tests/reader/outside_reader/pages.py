"""What the pages show: the boxes of the statements and the displays between them, off the outputs of the notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path

BOOK = Path(__file__).parents[3] / "book"
BOX = re.compile(r'<div class="tt-statement tt-(\w+)" id="([^"]+)">')
FORM = re.compile(r'<p>(As printed|Corrected|As derived)[^<]*</p><div class="math[^"]*">\\\[(.*?)\\\]</div>', re.S)
DISPLAY = re.compile(r'<div class="math[^"]*">\\\[(.*?)\\\]</div>', re.S)
ASSUMED = re.compile(r"<summary>what is assumed</summary><ul>(.*?)</ul>", re.S)
RANGE = re.compile(r"\\\(([^=()]+) = ([^,]+), \\dots, (.+?)\\\)")


@dataclass(frozen=True)
class Box:
    """A statement as its page shows it: both forms in TeX, "" where there is none."""

    id: str
    page: str
    verdict: str
    printed: str
    corrected: str
    assumed: str

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
    """Every statement of the book by its id; pages of the reference repeat them and are left out."""
    found: dict[str, Box] = {}
    for path in sorted(BOOK.rglob("*.ipynb")):
        page = path.relative_to(BOOK).as_posix()
        if page.startswith("reference/") or ".ipynb_checkpoints" in page:
            continue
        for html in outputs(page):
            start = BOX.search(html)
            if start is None:
                continue
            forms = {name: unescape(tex) for name, tex in FORM.findall(html)}
            corrected = forms.get("Corrected", forms.get("As derived", ""))
            assumed = unescape("".join(ASSUMED.findall(html)))
            verdict, id = start[1], unescape(start[2])
            found[id] = Box(id, page, verdict, forms.get("As printed", ""), corrected, assumed)
    return found


def display(page: str, beginning: str) -> str:
    """The first display of a page, outside of the boxes, that begins with some TeX behind its alignment."""
    for html in outputs(page):
        for tex in DISPLAY.findall("" if BOX.search(html) else html):
            if unescape(tex).removeprefix(r"\begin{aligned}").startswith(beginning):
                return unescape(tex)
    raise LookupError(f"{page} shows no display that begins with {beginning}")
