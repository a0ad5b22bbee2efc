"""The ledger: statements from stored outputs, completeness against the list, and the search for the book's folder."""

import copy
import json

import pytest
from book.reference import ledger
from book.reference.ledger import MIME, Judged, find_book, listed, matches, missing, read_book, read_notebook, rows

IDS = [row.id for row in listed()]


def record(name: str, verdict: str = "holds", **changes) -> dict:
    passed = {"passed": True, "reason": "", "count": 3}
    made = {
        "id": name,
        "anchor": name,
        "title": "what it states",
        "verdict": verdict,
        "words": "in words",
        "kind": "",
        "checks": {kind: copy.copy(passed) for kind in ledger.KINDS},
        "mutants": {"tried": 7, "rejected": 6, "equal": 1, "survivors": []},
        "assumptions": ["$x$ is real"],
        "printed": "a",
        "corrected": "",
        "counterexample": "",
    }
    return made | changes


def write(path, *names: str) -> None:
    """Write a notebook with text, a cell of streams and plain results, and one cell per statement."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [
        {"cell_type": "markdown", "source": ["# A *title*"]},
        {
            "cell_type": "code",
            "outputs": [
                {"output_type": "stream", "text": ["printed"]},
                {"output_type": "execute_result", "data": {"text/plain": ["3"]}},
            ],
        },
    ]
    cells += [
        {"cell_type": "code", "outputs": [{"data": {MIME: record(name), "text/plain": [name]}}]} for name in names
    ]
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")


@pytest.fixture
def project(tmp_path):
    (tmp_path / "_toc.yml").write_text("root: book/index\n", encoding="utf-8")
    write(tmp_path / "book" / "b" / "second.ipynb", IDS[2], "of-our-own")
    write(tmp_path / "book" / "a" / "first.ipynb", IDS[3], IDS[0])
    write(tmp_path / "book" / "a" / ".ipynb_checkpoints" / "first-checkpoint.ipynb", IDS[1])
    return tmp_path


def test_the_list_says_what_each_states() -> None:
    assert all(row.states and row.note and row.put in ("defined", "printed", "read") for row in rows())


def test_statements_of_a_notebook_are_read_in_order(project) -> None:
    book = project / "book"
    found = list(read_notebook(book / "a" / "first.ipynb", book))
    assert {item.chapter for item in found} == {"A title"}
    assert [(item.page, item.id) for item in found] == [("a/first", IDS[3]), ("a/first", IDS[0])]


def test_book_is_read_in_the_order_of_the_list_without_checkpoints(project) -> None:
    assert [item.id for item in read_book(project / "book")] == [IDS[0], IDS[2], IDS[3], "of-our-own"]


def test_what_two_sources_print_is_a_statement_of_each(tmp_path) -> None:
    own = {"id": IDS[1], "anchor": IDS[1], "title": "there", "words": "holds as read", "kind": ""}
    cell = {"cell_type": "code", "outputs": [{"data": {MIME: record(IDS[0], also=[own])}}]}
    (tmp_path / "page.ipynb").write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    first, second = read_book(tmp_path)
    assert [(item.id, item.box, item.page) for item in (first, second)] == [
        (IDS[0], IDS[0], "page"),
        (IDS[1], IDS[0], "page"),
    ]
    assert second.as_json()["anchor"] == IDS[1]
    assert (second.record["title"], second.record["words"]) == ("there", "holds as read")
    assert second.record["mutants"] == first.record["mutants"]
    assert missing([first, second]) == IDS[2:]


def test_book_that_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no folder .*nowhere"):
        read_book(tmp_path / "nowhere")


def test_book_is_found_from_below(project, monkeypatch) -> None:
    deep = project / "book" / "a"
    assert find_book(project) == find_book(deep) == project.resolve() / "book"
    monkeypatch.chdir(deep)
    assert find_book() == project.resolve() / "book"
    assert read_book()[0].id == IDS[0]


def test_book_is_not_found_where_there_is_none(tmp_path) -> None:
    (tmp_path / "book").mkdir()  # a folder of that name is not enough
    with pytest.raises(FileNotFoundError, match=r"no folder with _toc.yml and book/ at or above"):
        find_book(tmp_path)


def test_missing_are_those_that_no_notebook_judges(project) -> None:
    judged = read_book(project / "book")
    assert missing(judged) == [IDS[1], *IDS[4:]]
    assert missing([Judged("p", record(name)) for name in IDS]) == []


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


def test_sound_statement_has_nothing_failed() -> None:
    assert Judged("p", record("a")).failed == []


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
    assert Judged("part/page", made).as_json() == {
        "id": "a",
        "page": "part/page",
        "anchor": "a",
        "verdict": "corrected",
        "kind": "",
        "checks": {"general": True, "instance": True, "numeric": None, "reasons": {"numeric": "no model"}},
        "mutants": {"tried": 7, "rejected": 6, "equal": 1},
        "assumptions": ["$x$ is real"],
    }
