"""The command line over planted notebooks."""

import json
from pathlib import Path

import pytest
import throughtime
from book.commands import main
from book.reference.ledger import listed, read_book
from planted_records import PASSED, record, write


@pytest.fixture
def book(tmp_path: Path):
    def written(*records: object) -> Path:
        write(tmp_path / "book" / "part" / "page.ipynb", *records)
        return tmp_path / "book"

    return written


def run(book: Path, *arguments: str) -> int:
    return main(["statements", "--book", str(book), *arguments])


def test_listing(book, capsys) -> None:
    assert run(book(record("lfmn-2"), record("lfmn-1"))) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["lfmn-1", "lfmn-2"]
    assert "6/7" in lines[0]
    assert "part/page" in lines[0]


def test_json_is_the_public_form_of_each(book, capsys) -> None:
    folder = book(record("lfmn-1"))
    assert run(folder, "--json") == 0
    assert json.loads(capsys.readouterr().out) == [item.as_json() for item in read_book(folder)]


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_missing(book, capsys, how) -> None:
    assert run(book(record("lfmn-1")), "--missing", *how) == 0
    told = capsys.readouterr().out
    assert (json.loads(told) if how else told.split()) == [row.id for row in listed() if row.id != "lfmn-1"]


def test_version(capsys) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"throughtime {throughtime.__version__}\n"


def without(field: str, **changes) -> dict:
    return {key: value for key, value in (record("lfmn-1") | changes).items() if key != field}


CORRUPT = {
    b'{"cells": [': "expected a notebook, but found JSONDecodeError",
    b"[]": "expected a notebook, but found TypeError",
    b"{}": "expected a notebook, but found KeyError: 'cells'",
    b'{"cells": ["x"]}': "expected a notebook, but found TypeError",
    b"\xff": "expected a notebook, but found UnicodeDecodeError",
}
INCOMPLETE = [
    ("lfmn-1", "record: expected an object, got 'lfmn-1'"),
    (without("mutants"), "record has no 'mutants'"),
    (without("", checks={"general": PASSED}), "record.checks has no 'instance'"),
    (without("", mutants={"tried": "5", "rejected": 4, "equal": 1}), "record.mutants.tried: expected int, got '5'"),
]


def refused(folder: Path, words: str, capsys: pytest.CaptureFixture) -> None:
    """The command exits with 2 and says in a line which notebook has which fault."""
    assert run(folder) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"throughtime: {folder / 'part' / 'page.ipynb'}: {words}")
    assert told.count("\n") == 1


@pytest.mark.parametrize("content", CORRUPT)
def test_corrupt_notebook_is_named(book, capsys, content) -> None:
    folder = book()
    (folder / "part" / "page.ipynb").write_bytes(content)
    refused(folder, CORRUPT[content], capsys)


@pytest.mark.parametrize(("item", "words"), INCOMPLETE)
def test_notebook_with_an_incomplete_record_is_named(book, capsys, item, words) -> None:
    refused(book(item), words, capsys)


def part() -> list[str]:
    return [row.id for row in listed() if row.id.startswith("lfmn-")]


def test_require_passes_when_all_are_judged(book) -> None:
    assert run(book(*map(record, part())), "--require", "lfmn") == 0


def test_require_names_what_is_missing(book, capsys) -> None:
    assert run(book(*map(record, part()[1:])), "--require", "lfmn") == 1
    assert capsys.readouterr().err == f"missing: {part()[0]}\n"


def test_require_names_what_failed(book, capsys) -> None:
    first, *rest = part()
    wrong = record(first, mutants={"tried": 5, "rejected": 3, "equal": 1, "survivors": ["x"]})
    assert run(book(wrong, *map(record, rest)), "--require", "lfmn") == 1
    assert capsys.readouterr().err == f"failed: {first} (mutants)\n"


def test_unknown_part_and_missing_book_exit_2(book, capsys, tmp_path, monkeypatch) -> None:
    assert run(book(record("lfmn-1")), "--require", "nothing") == 2
    assert run(tmp_path / "no such folder") == 2
    monkeypatch.chdir(tmp_path)
    assert main(["statements"]) == 2
    assert "no folder with _toc.yml" in capsys.readouterr().err
