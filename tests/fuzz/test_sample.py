"""The first cases of the fuzzer, which runs all of them every night (`make fuzz`): no falsehood is accepted, no
truth called wrong, and what is not shown has a reason that names what is missing.
"""

from __future__ import annotations

import pytest
from fuzzing import report
from fuzzing.items import items
from fuzzing.worker import Worker

CASES = {"plain": range(16), "masks": range(4), "sizes": range(4), "texts": range(6)}
SECONDS = 5  # for each judgement


@pytest.fixture(scope="module")
def records():
    worker = Worker(SECONDS)
    yield [worker.judged(item) for kind, cases in CASES.items() for item in items(kind, cases)]
    worker.close()


def shown(records: list[dict]) -> str:
    return "\n".join(report.described(record["item"], record) for record in records)


def test_no_falsehood_is_accepted_and_no_truth_called_wrong(records: list[dict]) -> None:
    wrong = [record for record in records if report.outcome(record) in ("ACCEPTED", "CALLED WRONG", "JUDGED")]
    assert not wrong, shown(wrong)


def test_nothing_crashes(records: list[dict]) -> None:
    crashed = [record for record in records if report.outcome(record) == "crashed"]
    assert not crashed, shown(crashed)


def test_no_truth_is_left_without_a_name_for_what_is_missing(records: list[dict]) -> None:
    unnamed = [record for record in records if report.outcome(record) == "not shown, unnamed"]
    assert not unnamed, shown(unnamed)


def test_nearly_all_is_decided(records: list[dict]) -> None:
    undecided = [record for record in records if report.outcome(record) == "undecided"]
    assert len(undecided) <= 0.05 * len(records), shown(undecided)


def test_what_takes_too_long_is_undecided_and_the_next_item_is_judged() -> None:
    impatient = Worker(1)
    impatient.limit = 0.01
    assert impatient.judged("1.0")["verdict"] == "undecided"
    impatient.limit = SECONDS
    assert impatient.judged("1.1")["verdict"] == "wrong"
    impatient.close()
