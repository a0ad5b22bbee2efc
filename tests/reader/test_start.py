"""The equations of the page to start with, as its text prints them, are true of networks that obey its definitions."""

import json
import re
from pathlib import Path

import pytest
from outside_reader.judge import refused
from outside_reader.pages import TABLES, Box
from slips import rejected

BOOK = Path(__file__).parents[2] / "book"
TEXT = (BOOK / "start.md").read_text(encoding="utf-8")
SYSTEMS = {name: TABLES["systems"][f"start_{name}"]["sources"] for name in ("unit", "curve", "sum", "gate", "forget")}
# Beside an equation: what sets it out, and the range that the reader looks through anyway.
BESIDE = re.compile(r"\\(?:begin|end)\{gathered\}|\\quad\\text\{for all \} t = 1, \\dots, T")
# How the page spells what the reader knows in one form.
SPELLED = (
    (r"(\\mathrm d ?(?:\\mathcal L|\w)(?:\(\w\))?)/(\\mathrm d ?\w\(\w\))", r"\\frac{\1}{\2}"),
    (r"\\mathrm d", r"\\mathrm{d}"),
    (r"\\mathcal L", r"\\mathcal{L}"),
    (r"\\tfrac(\d)(\d)", r"\\frac{\1}{\2}"),
    (r"z/2", r"\\frac{z}{2}"),
    (r"\\tanh\^2(\(.*?\}\))", r"\\tanh\1^{2}"),
    (r"\^2", "^{2}"),
    (r"^[ ,.]+|[ ,.]+$", ""),
)


def spelled(tex: str) -> str:
    for old, new in SPELLED:
        tex = re.sub(old, new, tex)
    return tex


def equations(text: str) -> list[str]:
    """The equations about times or a curve, of displays and of the running text."""
    shown = (BESIDE.sub("", tex) for tex in re.findall(r"\$\$?([^$]+)\$\$?", text))
    lines = (spelled(line) for tex in shown for line in re.split(r"\\\\(?:\[4pt\])?|\\qquad", tex))
    return [line for line in lines if "=" in line and re.search(r"\([tTz]|\(\\frac", line)]


def about(heading: str, *systems: str) -> list[Box]:
    """The equations of a part as boxes, each with its system; those that define a system are left out."""
    found = []
    for tex in equations(TEXT.partition(f"## {heading}")[2].partition("\n## ")[0]):
        if not any(tex in SYSTEMS[name] for name in systems):
            system = systems[-1] if tex.startswith("f") else systems[0]
            found.append(Box(f"start-{system}", "start.md", "holds", tex, "", ""))
    return found


JUDGED = [
    *about("One unit, one weight", "unit", "curve"),
    *about("Self weight 1, and no curve", "sum"),
    *about("A gate that you open by hand", "gate", "forget"),
]
GATES = r"\frac{\mathrm{d} s(t)}{\mathrm{d} s(t-q)} = \prod_{m=1}^{q} \varphi(t-m+1)"


def test_the_page_defines_what_its_equations_are_about() -> None:
    assert {tex for sources in SYSTEMS.values() for tex in sources} <= {*equations(TEXT)}
    assert len(JUDGED) == 7


@pytest.mark.parametrize("box", JUDGED, ids=lambda box: box.printed)
def test_an_equation_is_true_and_slips_in_it_are_not(box: Box) -> None:
    assert refused(box, box.printed, printed=False) == ""
    assert rejected(box, 3)[0] == 3


def test_the_error_of_a_sum_that_forgets_is_multiplied_by_its_gates() -> None:
    box = Box("start-forget", "start.md", "holds", GATES, "", "")
    assert refused(box, GATES, printed=False) == ""
    assert "false at" in refused(box, GATES.replace("t-m+1", "t-m"), printed=False)


LINK = r"(?<!!)\[[^\]]*\]\(([^)]+)\)"


def links(page: str) -> list[str]:
    """Where the links of a page lead, in its order."""
    text = (BOOK / page).read_text(encoding="utf-8")
    if page.endswith(".ipynb"):
        text = "".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    return re.findall(LINK, text)


def test_there_is_one_start_and_one_way_on() -> None:
    contents = re.findall(r"(?:file|root): (\S+)", (BOOK.parent / "_toc.yml").read_text(encoding="utf-8"))
    assert contents[:3] == ["book/index", "book/start", "book/bptt/forward"]
    front = links("index.ipynb")
    assert front[0] == "start"  # the button
    assert front[front.index("start", 1) + 1] == "bptt/forward"  # the table
    assert links("reference/reading-paths.ipynb")[0] == "../start"
    assert "../start" in links("reference/zh.md")
    assert re.findall(LINK, TEXT.partition("## Where to go from here")[2])[0] == "bptt/forward"
