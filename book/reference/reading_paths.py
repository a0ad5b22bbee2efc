"""Reading paths: which chapter needs which and what it asks of its readers, read off the notebooks themselves."""

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from book.reference.ledger import find_book
from book.shared.rendered import Rendered, table_of, table_row

HERE = "reference"  # the folder of the page that shows these tables, below the book
IN_PRINT = "-in-print"  # ends the name of a page that judges what sources print about the chapter before it
KNOW = re.compile(r"\*\*You should know\*\*(.*?)(?:\n\s*\n|\Z)", re.S)
LINK = re.compile(r"\]\(([^)#:]+)\)")
APART = re.compile(r"<details.*?</details>|^(`{3,})\{(?:exercise|solution|dropdown)\}.*?^\1", re.S | re.M)
DISPLAYED = re.compile(r"\$\$.+?\$\$|\\\[.+?\\\]", re.S)
IN_LINE = re.compile(r"\$[^$]+\$|\\\(.+?\\\)", re.S)
FOLDED = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
EXERCISE = re.compile(r"^`{3,}\{exercise\}[ ]*(.*)\n:label: (\S+)", re.M)


@dataclass(frozen=True)
class Chapter:
    """A page below the book, without suffix, and what it says of itself.

    `needs` are the earlier chapters that its paragraph "You should know" links to, `exercises` labels and titles.
    """

    page: str
    part: str
    title: str
    needs: tuple[str, ...]
    exercises: tuple[tuple[str, str], ...]

    @property
    def href(self) -> str:
        """Its address, as seen from the pages in `reference`."""
        return posixpath.relpath(self.page, HERE) + ".html"


def read_chapters(book: Path | None = None) -> list[Chapter]:
    """The chapters in the order of the contents, without pages outside of parts, of the reference or in print."""
    book = book or find_book()
    found: list[Chapter] = []
    for part, page in _contents((book.parent / "_toc.yml").read_text(encoding="utf-8")):
        found.append(_chapter(book, part, page, {chapter.page for chapter in found}))
    return found


def _contents(toc: str) -> list[tuple[str, str]]:
    part, pages = "", []
    for kind, value in re.findall(r"^\s*- (caption|file): (.+?)\s*$", toc, re.M):
        if kind == "caption":
            part = value
        elif "/" in (page := value.removeprefix("book/")) and not re.match(f"{HERE}/|.*{IN_PRINT}$", page):
            pages.append((part, page))
    return pages


def _chapter(book: Path, part: str, page: str, earlier: set[str]) -> Chapter:
    cells = json.loads((book / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    know = KNOW.search(text)
    if know is None:
        raise ValueError(f"{page}: expected a paragraph that begins with **You should know**")
    links = (posixpath.normpath(posixpath.join(posixpath.dirname(page), link)) for link in LINK.findall(know[1]))
    needs = tuple(dict.fromkeys(link for link in links if link in earlier))
    exercises = tuple((label, title or label) for title, label in EXERCISE.findall(text))
    return Chapter(page, part, text.lstrip("# ").partition("\n")[0], needs, exercises)


def reading_time(notebook: Path) -> str:
    """An estimate of the hours that a page takes to read, to the half, without exercises and what is folded.

    Of words 200 are read in a minute, of displayed formulas one, of those in a line and of lines of open code twelve.
    """
    minutes = 0.0
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        shown = ["".join(output.get("data", {}).get("text/html", "")) for output in cell.get("outputs", ())]
        if cell["cell_type"] == "markdown":
            shown.append("".join(cell["source"]))
        elif not FOLDED & {*cell["metadata"].get("tags", ())}:
            minutes += len("".join(cell["source"]).splitlines()) / 12
        for text in shown:
            text, displayed = DISPLAYED.subn("", APART.sub("", text))
            text, in_line = IN_LINE.subn("x", text)
            minutes += displayed + in_line / 12 + len(re.sub("<[^>]*>", " ", text).split()) / 200
    halves = max(1, round(minutes / 30))
    return f"{halves // 2 or ''}{'½' * (halves % 2)} h"


def way_to(chapters: Sequence[Chapter], *pages: str) -> list[Chapter]:
    """All that has to be read for some pages, themselves included, in the order of the book."""
    by_page = {chapter.page: chapter for chapter in chapters}
    asked, wanted = [*pages], set()
    while asked:
        page = asked.pop()
        if page not in wanted:
            wanted.add(page)
            asked.extend(by_page[page].needs)
    return [chapter for chapter in chapters if chapter.page in wanted]


def table(chapters: Sequence[Chapter], part: str) -> Rendered:
    """The chapters of a part: what each needs, and its exercises."""
    by_page = {chapter.page: chapter for chapter in chapters}
    rows, text = [], []
    for chapter in (chapter for chapter in chapters if chapter.part == part):
        asked, href = chapter.exercises, chapter.href
        exercises = (f'<a href="{href}#{escape(label)}">{escape(title)}</a>' for label, title in asked)
        needs = _listed("ul", [by_page[page] for page in chapter.needs])
        rows.append(table_row([_link(chapter), needs, "; ".join(exercises)]))
        text.append(f"{chapter.page}: needs {', '.join(chapter.needs) or 'nothing'}; {len(asked)} exercises")
    return Rendered(table_of(["chapter", "needs", "exercises"], rows, "tt-chapters"), "\n".join(text))


def courses(chapters: Sequence[Chapter], goals: Mapping[str, Sequence[str]]) -> Rendered:
    """Courses named by what they are about, each with the pages it ends with and all that has to come before."""
    rows, text = [], []
    for about, pages in goals.items():
        way = way_to(chapters, *pages)
        rows.append(table_row([escape(about), _listed("ol", way)]))
        text.append(f"{about}: {', '.join(chapter.page for chapter in way)}")
    return Rendered(table_of(["a course on", "reads"], rows), "\n".join(text))


def _listed(kind: str, chapters: Sequence[Chapter]) -> str:
    return f'<{kind} class="tt-way">{"".join(f"<li>{_link(chapter)}</li>" for chapter in chapters)}</{kind}>'


def _link(chapter: Chapter) -> str:
    return f'<a href="{chapter.href}">{escape(chapter.title)}</a>'
