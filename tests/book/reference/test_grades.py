"""Grades of the statements: complete for what is wrong, silent about what is right; their table counts each once."""

import re
from collections import Counter

import pytest
from book.reference import grades
from book.reference.ledger import listed, read_book
from book.reference.ledger_pages import NOTES
from throughtime.derivation import FAULTS
from throughtime.derivation.publishing.source import WRONG

ROWS = {row.id: row for row in listed()}
JUDGED = {item.id: item.record for item in read_book() if item.id in ROWS}
CHINESE = re.compile(r"[一-鿿]")


@pytest.mark.parametrize("id", JUDGED)
def test_what_is_wrong_has_a_kind_and_a_sentence_and_nothing_else_has(id: str) -> None:
    source, wrong = ROWS[id].source, JUDGED[id]["verdict"] in WRONG
    assert (source.kind in FAULTS) == wrong
    assert bool(source.fault) == wrong
    assert len(source.fault) <= 200
    assert source.fault[-1:] in (".", "")


@pytest.mark.parametrize("id", ROWS)
def test_a_quotation_in_chinese_is_translated(id: str) -> None:
    source = ROWS[id].source
    assert bool(CHINESE.search(source.quote)) == bool(source.translation)
    assert not CHINESE.search(source.translation)


def test_every_faulty_statement_is_counted_in_its_note() -> None:
    lines = grades.kinds().text.splitlines()
    numbers = {note: line.removeprefix(note) for note in NOTES for line in lines if line.startswith(note)}
    found = Counter(row.note for row in listed() if row.source.kind in FAULTS)
    for note, rest in numbers.items():
        counts = [int(cell.split()[0]) for cell in rest.strip().split("  ") if cell.strip()]
        assert sum(counts) == found[note]
    assert numbers.keys() == set(NOTES)
