"""The list of what the outside reader cannot decide, as the page shows it."""

from book.reference import outside


def test_every_id_of_the_list_is_shown_once_with_its_reason(tmp_path, monkeypatch):
    path = tmp_path / "list.csv"
    path.write_text("id,reason\na-1,a limit\nb-1,an integral\na-2,a limit\n", encoding="utf-8")
    monkeypatch.setattr(outside, "LIST", path)
    assert outside.undecided() == {"a limit": ["a-1", "a-2"], "an integral": ["b-1"]}
    assert [line.split("  ") for line in outside.reasons().text.splitlines()][1] == ["a limit", "2", "a-1, a-2"]


def test_the_list_is_there():
    assert all(reason and ids for reason, ids in outside.undecided().items())
