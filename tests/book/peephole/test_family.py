"""The chapter on the family of LSTMs: no statement of its own, and branches that name what changes."""

from pathlib import Path

from throughtime.systems import lstm_family as s
from throughtime_book.peephole.family import figures as peephole_family
from throughtime_book.peephole.family.claims import branch

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "family.ipynb"


def test_verdicts(verdicts):
    verdicts(set())


def test_the_branches_name_what_changes():
    found = {child.name: peephole_family.changed(parent, child) for parent, child in peephole_family.BRANCHES}
    assert found[s.LSTM2000.name] == ["sources", "gates", "state", "output"]
    assert found[s.UNSQUASHED.name] == ["cell output"]
    assert found[s.LSTM2002.name] == ["gates"]
    assert found[s.EXPERIMENTS.name] == ["sources", "output"]
    assert found[s.LIBRARY.name] == ["sources", "no output layer"]


def test_boxes_mark_what_the_other_line_lacks():
    rows = branch(s.UNSQUASHED, s.LSTM2002)
    assert [which for which, _ in rows] == ["", "before", "after"] * 3
    assert all("boxed" not in text for which, text in rows if which == "before")
    assert all(text.count("boxed") == 1 and "u^" in text for which, text in rows if which == "after")
