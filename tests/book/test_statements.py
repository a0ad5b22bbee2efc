"""Every statement of the book, as stored in its notebook, has passed all checks, and its mutants are refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from throughtime_book.reference.ledger import KINDS, Judged, listed, read_book

BOOK = Path(__file__).parents[2] / "book"
STATEMENTS = read_book(BOOK)
every_statement = pytest.mark.parametrize("judged", STATEMENTS, ids=[item.id for item in STATEMENTS])


@every_statement
def test_no_check_failed_and_none_was_left_out_without_a_reason(judged: Judged) -> None:
    assert judged.failed == []
    checks = judged.record["checks"]
    assert all(checks[kind]["passed"] or checks[kind]["reason"] for kind in KINDS)
    assert any(checks[kind]["passed"] for kind in KINDS)


@every_statement
def test_a_correction_comes_with_a_counterexample_to_the_print_and_only_then(judged: Judged) -> None:
    record = judged.record
    wrong = record["verdict"] in ("corrected", "refuted")
    assert bool(record["counterexample"]) == wrong
    assert bool(record["corrected"]) == (record["verdict"] == "corrected")


def test_no_statement_of_the_list_is_judged_twice() -> None:
    times = Counter(item.id for item in STATEMENTS)
    assert [row.id for row in listed() if times[row.id] > 1] == []
    assert sum(times[row.id] for row in listed()) > 150
