"""The tables of grades count each statement once, and show an example that repeats no other."""

from collections import Counter

from book.reference import grades
from book.reference.ledger import listed
from book.reference.ledger_pages import NOTES
from throughtime.derivation import FAULTS


def test_every_faulty_statement_is_counted_in_its_note() -> None:
    lines = grades.kinds().text.splitlines()
    numbers = {note: line.removeprefix(note) for note in NOTES for line in lines if line.startswith(note)}
    found = Counter(row.note for row in listed() if row.source.kind in FAULTS)
    for note, rest in numbers.items():
        counts = [int(cell.split()[0]) for cell in rest.strip().split("  ") if cell.strip()]
        assert sum(counts) == found[note]
    assert numbers.keys() == set(NOTES)


def test_an_example_of_each_kind_has_a_link_and_a_sentence() -> None:
    shown = grades.examples()
    assert [line.split(":")[0] for line in shown.text.splitlines()] == list(FAULTS.values())
    assert shown.html.count('<a href="../') == len(FAULTS)
    assert " again" not in shown.text
