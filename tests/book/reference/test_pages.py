"""The statements of the front page and the reference pages about the book are true."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from book.index.wrong import wrong
from book.reference import ledger
from book.reference import reading_paths as paths
from book.reference.ledger import Judged, listed
from throughtime.derivation.evaluating import residues
from throughtime.derivation.judging import instances

ROOT = Path(__file__).parents[3]
BOOK = ROOT / "book"


def outputs(page: str) -> list[str]:
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    texts = [output.get("data", {}).get("text/plain", output.get("text", "")) for output in shown]
    return ["".join(text) for text in texts]


def source(page: str) -> str:
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells)


@pytest.mark.parametrize(("page", "path"), [("README.md", "book/assets/front.png"), ("book/index", "assets/front.png")])
def test_front_picture_is_shown_with_its_words(page, path):
    text = source("index") if page == "book/index" else (ROOT / page).read_text(encoding="utf-8")
    (words,) = re.findall(rf"!\[([^\]]+)\]\({path}\)", text)
    assert len(words) > 80


def test_front_page_shows_a_statement_that_went_through_every_check():
    (shown,) = [item for item in ledger.read_book(BOOK) if item.page == "index"]
    assert shown.record["verdict"] == "corrected"
    assert all(check["passed"] for check in shown.record["checks"].values())
    assert shown.failed == []
    left, right = map(float, re.findall(r"\bis (-?[\d.]+\d)", shown.record["counterexample"]))
    assert left != pytest.approx(right, rel=0.02)


def test_readme_prints_what_the_front_page_computes():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (program,), (printed,) = (re.findall(rf"```{kind}\n(.*?)\n```", readme, re.S) for kind in ("python", "text"))
    assert program.replace('print(gru.gradient("U_z"))', 'gru.gradient("U_z")') in source("index")
    assert printed == outputs("index")[0]


def test_notation_by_hand_computation_in_plain_numbers():
    """The recursions of the page, computed here without the engine."""
    (numbers,) = [text for text in outputs("reference/notation") if text.startswith("$t$")]
    w, v, x = 1.0, -0.5, 1.0
    state = total = truncated = 0.0
    for line in numbers.splitlines()[1:]:
        half = np.tanh((w * x + v * state) / 2)
        slope = (1 - half**2) / 2
        total = total + slope * (x + v * total)
        truncated = truncated + slope * x
        state += half
        _, _, shown_truncated, shown_total = map(float, line.split("  "))
        assert shown_truncated == pytest.approx(truncated, rel=1e-3)
        assert shown_total == pytest.approx(total, rel=1e-3)


def test_glossary_is_in_order_and_names_each_term_once():
    rows = re.findall(r"^\| (.+?) \| (.+?) \| .+ \|$", source("reference/notation").split("## Glossary")[1], re.M)
    terms = [term for term, _ in rows if term not in ("term", "---")]
    assert len(terms) > 30
    assert len(set(terms)) == len(terms)
    assert terms == sorted(terms)


def test_chinese_words_are_marked_as_such():
    text = re.sub(r'<span lang="zh-Hant">[^<]*</span>', "", source("reference/notation"))
    assert re.findall(r"[\u4e00-\u9fff]+", text) == []


def test_where_rationals_grow_long_is_said_as_it_is_done():
    where = f"modulo the prime $2^{{127}} - 1$ where these would have more than {instances.LONGEST:,} bits"
    assert where in source("reference/how-we-judge")
    assert residues.PRIME == 2**127 - 1


def test_every_part_has_its_section():
    parts = list(dict.fromkeys(chapter.part for chapter in paths.read_chapters(BOOK)))
    assert re.findall(r'table\(CHAPTERS, "(.+)"\)', source("reference/reading-paths")) == parts
    assert all(f"### {part}\n" in source("reference/reading-paths") for part in parts)


def planted(*faulty: str) -> list[Judged]:
    """All statements of the list, of which some are wrong."""
    return [Judged("a", {"id": row.id, "verdict": "refuted" if row.id in faulty else "holds"}) for row in listed()]


def test_what_nobody_has_judged_is_not_counted():
    shown = wrong(planted()[1:])
    assert shown.text.startswith(f"0 of the {len(listed()) - 1} ")


def test_the_version_to_cite_is_the_version():
    (version,) = re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    assert f"version {version}, and the papers" in source("index")
