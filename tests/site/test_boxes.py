"""The formulas in the boxes of the built pages are those of the notebooks' stored outputs, to the letter."""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from site_files import SITE

ROOT = Path(__file__).parents[2]
NOTEBOOKS = [
    path.relative_to(ROOT).with_suffix("").as_posix()
    for path in sorted((ROOT / "book").rglob("*.ipynb"))
    if ".ipynb_checkpoints" not in path.parts
]


class Formulas(HTMLParser):
    """Collects the TeX inside of each statement's box, by the statement's id and in the order of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.box, self.depth = "", 0
        self.formula: int | None = None  # the depth at which the formula that is read began

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {key: (value or "").split() for key, value in attrs}
        if tag == "div" and "tt-statement" in named.get("class", ()):
            self.box, self.depth = named["id"][0], 0
        if self.box and tag in ("div", "span"):
            self.depth += 1
            if "math" in named.get("class", ()) and self.formula is None:
                self.formula = self.depth
                self.found.append((self.box, ""))

    def handle_endtag(self, tag: str) -> None:
        if self.box and tag in ("div", "span"):
            if self.formula == self.depth:
                self.formula = None
            self.depth -= 1
            if not self.depth:
                self.box = ""

    def handle_data(self, data: str) -> None:
        if self.formula is not None:
            box, text = self.found[-1]
            self.found[-1] = (box, text + data)


def formulas(html: str) -> list[tuple[str, str]]:
    """The TeX of each formula in a statement's box, before it is typeset, with the id of the statement."""
    parser = Formulas()
    parser.feed(html)
    return parser.found


def stored(notebook: Path) -> list[tuple[str, str]]:
    """The same of the stored outputs of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = (output.get("data", {}) for cell in cells for output in cell.get("outputs", ()))
    return [found for data in outputs for found in formulas("".join(data.get("text/html", "")))]


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_page_and_stored_output_show_the_same_formulas(page: str) -> None:
    built = (SITE / f"{page}.html").read_text(encoding="utf-8")
    assert formulas(built) == stored(ROOT / f"{page}.ipynb")


def test_the_boxes_of_the_whole_book_are_compared() -> None:
    found = {id for page in NOTEBOOKS for id, _ in stored(ROOT / f"{page}.ipynb")}
    assert len(found) > 190


BOX = """<p>\\(x\\)</p><div class="tt-statement tt-holds" id="a-1"><header><span class="tt-tag">a-1</span></header>
<div class="math notranslate nohighlight">\\[a &lt; b\\]</div><ul><li><span class="math">\\(c\\)</span></li></ul></div>
<div class="math">\\[outside\\]</div>"""


def test_formulas_of_a_box_are_found_and_no_others() -> None:
    assert formulas(BOX) == [("a-1", "\\[a < b\\]"), ("a-1", "\\(c\\)")]
