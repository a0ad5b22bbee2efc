"""Every statement of the book, as stored in its notebook, has the verdict of the list and has passed its checks."""

from operator import attrgetter
from pathlib import Path

import pytest
from book.reference.ledger import KINDS, Judged, read_book, rows

BOOK = Path(__file__).parents[2] / "book"
STATEMENTS = read_book(BOOK)
every_statement = pytest.mark.parametrize("judged", STATEMENTS, ids=[item.id for item in STATEMENTS])


@every_statement
def test_no_check_failed_and_none_was_left_out_without_a_reason(judged: Judged) -> None:
    assert judged.failed == []
    assert judged.record["mutants"]["survivors"] == []
    checks = judged.record["checks"]
    assert all(checks[kind]["passed"] or checks[kind]["reason"] for kind in KINDS)
    assert any(checks[kind]["passed"] for kind in KINDS)


@every_statement
def test_a_correction_comes_with_a_counterexample_to_the_print_and_only_then(judged: Judged) -> None:
    record = judged.record
    wrong = record["verdict"] in ("corrected", "refuted")
    assert bool(record["counterexample"]) == wrong
    assert bool(record["corrected"]) == (record["verdict"] == "corrected")


def passed(judged: Judged) -> str:
    """The checks that passed, those with steps argued in words marked by a star."""
    checks = judged.record["checks"]
    return " ".join(kind + "*" * bool(checks[kind].get("argued")) for kind in KINDS if checks[kind]["passed"])


GRADE = ("title", "quote", "translation", "kind", "fault")


def test_every_statement_has_the_verdict_the_checks_and_the_grade_of_the_list() -> None:
    found = {one.id: (one.record["verdict"], passed(one), *map(one.record.get, GRADE)) for one in STATEMENTS}
    grade = attrgetter(*GRADE)
    expected = {row.id: (row.verdict, row.checks, *grade(row.source)) for row in rows() if row.verdict}
    # An id that is mistyped in a cell is here too.
    other = {id: (found.get(id), expected.get(id)) for id in found | expected if found.get(id) != expected.get(id)}
    assert other == {}, "title, verdict, checks and grade, of a box and of its row in book/data/statements.csv"


def test_no_statement_is_listed_twice() -> None:
    ids = [row.id for row in rows()]
    assert len(ids) == len(set(ids)) > 250
