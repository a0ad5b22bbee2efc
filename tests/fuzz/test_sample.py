"""The first cases of the fuzzer, which runs all of them every night (`make fuzz`): no falsehood is accepted, no
truth called wrong, and what is not shown has a reason that names what is missing.
"""

import pytest
from fuzzing import report
from fuzzing.items import items
from fuzzing.worker import Worker

CASES = {"plain": range(4), "masks": range(2), "sizes": range(2), "texts": range(4)}
SECONDS = 5  # for each judgement


@pytest.fixture(scope="module")
def records():
    worker = Worker(SECONDS)
    yield [worker.judged(item) for kind, cases in CASES.items() for item in items(kind, cases)]
    worker.close()


def test_no_falsehood_is_accepted_no_truth_called_wrong_or_left_without_a_name_and_nothing_crashes(records) -> None:
    wrong = [one for one in records if report.outcome(one) in report.WRONG]
    assert not wrong, "\n".join(report.described(one["item"], one) for one in wrong)
    assert sum(report.outcome(one) == "undecided" for one in records) <= 0.05 * len(records)


def test_what_takes_too_long_is_undecided_and_the_next_item_is_judged() -> None:
    impatient = Worker(1)
    impatient.limit = 0.01
    assert impatient.judged("1.0")["verdict"] == "undecided"
    impatient.limit = SECONDS
    assert impatient.judged("1.1")["verdict"] == "wrong"
    impatient.close()
