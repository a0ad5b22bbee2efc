"""The sentence of the front page counts what the ledger says, for each source apart."""

import json
import re
from pathlib import Path

from book.index.wrong import wrong
from book.reference.ledger import Judged, listed
from book.reference.ledger_pages import NOTES

BOOK = Path(__file__).parents[2] / "book"


def planted(*faulty: str) -> list[Judged]:
    """All statements of the list, of which some are wrong."""
    return [Judged("a", {"id": row.id, "verdict": "refuted" if row.id in faulty else "holds"}) for row in listed()]


def test_each_source_has_its_count_and_leads_to_its_errata():
    first = {note: next(row.id for row in listed() if row.note == note) for note in NOTES[:2]}
    shown = wrong(planted(*first.values()))
    assert shown.text.startswith(f"2 of the {len(listed())} ")
    lines = shown.text.splitlines()[1:]
    assert [line.split()[-3] for line in lines] == ["1", "1", *"0" * (len(NOTES) - 2)]
    assert 'href="reference/errata.html?note=LSTM%201997"' in shown.html


def test_what_nobody_has_judged_is_not_counted():
    shown = wrong(planted()[1:])
    assert shown.text.startswith(f"0 of the {len(listed()) - 1} ")


def test_the_version_to_cite_is_the_version():
    cited = (BOOK.parent / "CITATION.cff").read_text(encoding="utf-8")
    (version,) = re.findall(r"^version: (\S+)$", cited, re.M)
    cells = json.loads((BOOK / "index.ipynb").read_text(encoding="utf-8"))["cells"]
    assert f"version {version}, and the papers" in "".join("".join(cell["source"]) for cell in cells)
