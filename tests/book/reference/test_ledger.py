"""The ledger and the errata: statements from stored outputs, completeness against the list, planted rows."""

import re
from html import unescape

import pytest
from book.reference import ledger, ledger_pages
from book.reference.ledger import Judged, find_book, listed, matches, read_book, rows
from planted_records import record, write

IDS = [row.id for row in listed()]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "_toc.yml").write_text("root: book/index\n", encoding="utf-8")
    write(tmp_path / "book" / "b" / "second.ipynb", record(IDS[2]), record("of-our-own"))
    write(tmp_path / "book" / "a" / "first.ipynb", record(IDS[3]), record(IDS[0]))
    write(tmp_path / "book" / "a" / ".ipynb_checkpoints" / "first-checkpoint.ipynb", record(IDS[1]))
    return tmp_path


def test_the_list_says_what_each_states() -> None:
    assert all(row.states and row.note and row.put in ("defined", "printed", "read") for row in rows())


def test_book_is_read_in_the_order_of_the_list_without_checkpoints(project) -> None:
    assert [item.id for item in read_book(project / "book")] == [IDS[0], IDS[2], IDS[3], "of-our-own"]


def test_book_is_found_from_below(project, monkeypatch) -> None:
    deep = project / "book" / "a"
    assert find_book(project) == find_book(deep) == project.resolve() / "book"
    monkeypatch.chdir(deep)
    assert find_book() == project.resolve() / "book"
    assert read_book()[0].id == IDS[0]


@pytest.mark.parametrize(
    ("id", "prefix", "belongs"),
    [
        ("lfmn-9", "lfmn", True),
        ("lfmn-9", "lfmn-", True),
        ("lfmn-9", "lfmn-9", True),
        ("lfmn-19", "lfmn-1", False),
        ("lfmn-latching-bound", "lfmn-latching", True),
        ("lfmn-9", "bptt", False),
        ("lfmnx-9", "lfmn", False),
    ],
)
def test_ids_belong_to_a_part_by_whole_words(id, prefix, belongs) -> None:
    assert matches(id, prefix) is belongs


def test_every_way_to_fail_is_named() -> None:
    for kind in ledger.KINDS:
        broken = record("a")
        broken["checks"][kind]["passed"] = False
        assert Judged("p", broken).failed == [kind]
        broken["checks"][kind]["passed"] = None  # not applicable is no failure
        assert Judged("p", broken).failed == []
    for mutants in ({"tried": 0, "rejected": 0, "equal": 0}, {"tried": 7, "rejected": 6, "equal": 0}):
        assert Judged("p", record("a", mutants=mutants)).failed == ["mutants"]


def test_public_form() -> None:
    made = record("a", "corrected")
    made["checks"]["numeric"] = {"passed": None, "reason": "no model", "count": 0}
    named = {"id": "a", "page": "part/page", "anchor": "a", "verdict": "corrected", "kind": ""}
    checks = {"general": True, "instance": True, "numeric": None, "reasons": {"numeric": "no model"}}
    asked = {"checks": checks, "mutants": {"tried": 7, "rejected": 6, "equal": 1}, "assumptions": ["$x$ is real"]}
    assert Judged("part/page", made).as_json() == named | asked


JUDGED = [
    Judged("lfmn/gradients", record("lfmn-8")),
    Judged("lfmn/gradients", record("lfmn-9", "corrected", "misprint")),
    Judged("lfmn/latching", record("lfmn-latching-condition", "refuted", "result")),
    Judged("lfmn/examples", record("lfmn-example-1", "supported")),
    Judged("bptt/flow", record("bptt-7", "corrected", "index")),
    Judged("index", record("worked-example", "corrected")),
]


def rows_of(html: str) -> list[list[str]]:
    """The texts of the cells of all tables, row by row."""
    found = re.findall(r"<tr.*?</tr>", html, re.S)
    cells = (re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S) for row in found)
    return [[unescape(re.sub("<[^>]+>", "", cell)) for cell in row] for row in cells]


def columns(judged) -> dict[str, list[str]]:
    """The counts of each note, from top to bottom."""
    return {name: cells for name, *cells in zip(*rows_of(ledger_pages.counts(judged).html), strict=True)}


def test_counts_say_how_much_is_judged_and_how_much_is_missing():
    found = columns(JUDGED)
    lfmn = sum(row.note == "LFMN" for row in listed())
    assert found["verdict"] == ["judged", *ledger_pages.WORDS, "failed", "missing"]
    assert found["LFMN"] == [f"4 of {lfmn}", "0", "1", "0", "1", "0", "0", "1", "1", "0", str(lfmn - 4)]
    assert found["BPTT"][1:-1] == ["0", "0", "0", "0", "0", "1", "0", "0", "0"]
    assert found["all"][0] == f"5 of {len(listed())}"
    assert found["all"][-1] == str(len(listed()) - 5)


def test_a_statement_judged_twice_counts_once():
    twice = [*JUDGED, Judged("other/page", record("lfmn-8"))]
    assert ledger_pages.counts(twice).text == ledger_pages.counts(JUDGED).text


def test_failed_check_takes_the_place_of_the_verdict():
    item = record("lfmn-1", mutants={"tried": 7, "rejected": 5, "equal": 1})
    shown = ledger_pages.table([Judged("lfmn/a", item)], "LFMN")
    assert rows_of(shown.html)[1][2] == "FAILED: mutants"
    assert "FAILED: mutants" in shown.text
    assert columns([Judged("lfmn/a", item)])["LFMN"][-2] == "1"


def test_what_is_missing_is_listed():
    shown = ledger_pages.table(JUDGED, "LFMN")
    assert "<code>lfmn-22</code>" in shown.html
    assert "<code>lfmn-8</code>" not in shown.html
    absent = sum(row.note == "LFMN" for row in listed()) - 4
    assert f"{absent} of {absent + 4} statements of this note are not judged yet" in shown.html
    assert len(shown.text.splitlines()[-1].split()) == 3 + absent


def test_note_without_errata_says_how_much_was_judged():
    assert ledger_pages.others(JUDGED[:-1]).text == ""
    assert "Nothing is wrong in the 1 judged" in ledger_pages.errata(JUDGED[:1], "LFMN").html


def test_every_note_of_the_list_has_its_place():
    assert sorted(ledger_pages.NOTES) == sorted({row.note for row in listed()})


def test_words_are_escaped():
    html = ledger_pages.errata(JUDGED, "LFMN").html
    assert r"\(a&lt;b\)" in html
    assert "1 &amp; not &lt;b&gt;2&lt;/b&gt;." in html
    item = record("lfmn-1")
    item["checks"]["numeric"] = {"passed": None, "reason": "<script>", "count": 0}
    assert "<script>" not in ledger_pages.table([Judged("lfmn/a", item)], "LFMN").html
    assert "<i>" not in ledger_pages.others([Judged("a", record("x", title="<i>"))]).html


def test_unknown_note_is_refused():
    for page in (ledger_pages.table, ledger_pages.errata):
        with pytest.raises(ValueError, match=r"note: no statement .* 'LSTM', expected one of \['LFMN', "):
            page([], "LSTM")
