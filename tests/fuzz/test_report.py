"""What a run keeps and says: records of these sources alone, tables by kind, faults."""

import json
import re
import shlex
from pathlib import Path

from fuzzing import report
from fuzzing.__main__ import KINDS, digest, kept, parser
from fuzzing.cases import named
from fuzzing.printed import printed


def record(item: str, verdict: str, reason: str = "") -> dict:
    return {"item": item, "kind": "some kind", "verdict": verdict, "reason": reason, "seconds": 1}


RECORDS = [
    record("0.0", "holds"),
    record("1.0", "not shown", "NotShownError: a = b: no place where both sides can be read"),
    record("2.0", "not shown", "NotShownError: general check failed: a is not b"),
    record("0.1", "wrong", "UncorrectedError: is wrong as printed, and no correction is given"),
    record("0.2", "holds"),
    record("0.3", "crashed", "ZeroDivisionError"),
    record("0.4", "undecided"),
    record("t3.0", "wrong"),
    record("t3.4", "not shown") | {"kind": report.FOREIGN},
]


def test_records_of_other_sources_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    lines = [json.dumps(one) for one in RECORDS]
    path.write_text("\n".join([digest(), *lines, lines[0][:9]]), encoding="utf-8")  # the last line is cut off
    assert list(kept(path).values()) == RECORDS
    path.write_text("\n".join(["another", *lines]), encoding="utf-8")
    assert kept(path) == kept(tmp_path / "none") == {}


def test_outcomes_and_faults() -> None:
    assert [*map(report.outcome, RECORDS)] == [
        "proved", "not shown, named", "not shown, unnamed", "by numbers", "ACCEPTED", "crashed", "undecided",
        "CALLED WRONG", "JUDGED",
    ]  # fmt: skip
    assert report.faults(RECORDS) == [
        "2.0 (some kind): not shown, unnamed", "0.2 (some kind): ACCEPTED", "0.3 (some kind): crashed",
        "t3.0 (some kind): CALLED WRONG", "t3.4 (text: foreign name): JUDGED", "1 of 4 truths are proved",
    ]  # fmt: skip
    assert report.faults(RECORDS[:1]) == []


def test_the_tables_count_each_kind() -> None:
    truths, falsehoods = report.tables(RECORDS).replace(" ", "").strip().split("\n\n")
    assert truths.splitlines()[1] == "somekind|4|1|1|1|0|0|1"
    assert falsehoods.splitlines()[-1] == "all|5|1|0|0|0|1|1|1|1"


def test_an_item_is_described_by_its_numbers() -> None:
    told = report.described("3.1", record("3.1", "holds"))
    assert str(named("3.1")[0].falsehoods[0].refutation) in told
    assert "engine: holds" in told
    assert printed(3)[1].why in report.described("t3.1", record("t3.1", "holds"))


def test_make_asks_for_all_kinds_by_options_that_there_are() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    [line] = re.findall(r"-m fuzzing (.*)", makefile)
    assert parser().parse_args(shlex.split(re.sub(r"\$\(\w+\)", "2", line))).kinds == KINDS
