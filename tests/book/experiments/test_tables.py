"""Stored trials come out again from their seeds, number by number.

A change of 1e-14 in the initial weights changes when a trial stops (the page of the tables shows one). So this holds
with the versions and on the kind of processor that the trials were run with: the code computes what it did, bit by bit.
"""

import pytest
from book.experiments.reading import reading
from book.experiments.rows import ROWS
from book.experiments.trial import Trial
from book.lstm1997.tables.results import again, shortest, trials

STEPS = 3_000_000  # at most, a second or so
STORED = trials()


def quickest() -> list[dict[str, str]]:
    """Of each table the trial of the fewest steps by the letter, whose nets the page compiles, if these are few."""
    found = {}
    for (name, how), lines in STORED.items():
        found.setdefault(ROWS[name].table, []).extend(lines if how == "letter" else ())
    return [
        line for _, line in sorted((n, shortest(lines)) for n, lines in found.items()) if int(line["steps"]) < STEPS
    ]


# The page of the tables runs a trial of Table 9 again at each change; of these the first, the others at night.
TRIALS = [pytest.param(line, marks=[pytest.mark.nightly] * (n > 0)) for n, line in enumerate(quickest())]


@pytest.mark.parametrize("line", TRIALS, ids=lambda line: f"{line['row']}-{line['reading']}-{line['trial']}")
def test_stored_trial_comes_out_again(line: dict[str, str]) -> None:
    result = Trial(ROWS[line["row"]], reading(line["reading"]), int(line["trial"])).run()
    assert again(line, result), (line, result)
    assert not again(line | {"error": str(1.00001 * float(line["error"]))}, result)
    assert not again(line | {"wrong": str(result.wrong + 1)}, result)


def test_no_table_is_left_out_for_its_length() -> None:
    assert {ROWS[line["row"]].table for line in quickest()} >= {1, 4, 9}
