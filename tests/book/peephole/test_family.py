"""The chapter on the family of LSTMs: no statement of its own, and branches that name what changes."""

import json
from pathlib import Path

from book.peephole.family import figures as peephole_family
from book.peephole.family.figures import VANILLA, branch, changes
from throughtime.derivation import sum_over
from throughtime.systems import lstm_family as s

PAGE = Path(__file__).parents[3] / "book" / "peephole" / "family.ipynb"


def test_the_branches_name_what_changes():
    found = {child.name: peephole_family.changed(parent, child) for parent, child in peephole_family.BRANCHES}
    assert found[s.LSTM2000.name] == ["sources", "gates", "state", "output"]
    assert found[s.UNSQUASHED.name] == ["cell output"]
    assert found[s.LSTM2002.name] == ["gates"]
    assert found[s.EXPERIMENTS.name] == ["sources", "output"]
    assert found[s.LIBRARY.name] == ["sources", "no output layer"]
    assert found[VANILLA.name] == ["sources", "cell output", "output"]


def test_the_tree_has_words_for_each_change_and_no_other():
    for parent, child in peephole_family.BRANCHES:
        assert list(peephole_family.WORDS[child]) == peephole_family.changed(parent, child)
    assert set(peephole_family.TITLES) == set(peephole_family.PLACES) == {s.LSTM1997} | set(peephole_family.WORDS)


def test_the_vanilla_cell_differs_from_the_net_of_the_experiments_in_h_alone():
    (change,) = changes(s.EXPERIMENTS, VANILLA)
    assert change.after.left.quantity == s.y_cell


def test_an_output_layer_of_the_size_that_the_text_tells():
    """Eight cells, two outputs, a bias each; 26 parameters with the four inputs."""
    assert (2 * (8 + 1), 2 * (8 + 4 + 1)) == (18, 26)
    read = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    (table,) = (
        "".join(o["data"]["text/plain"]) for c in read for o in c.get("outputs", ()) if "output layer" in str(o)
    )
    rows = [line.split("  ") for line in table.splitlines()[1:]]
    assert [row[-1] for row in rows] == ["26"] * 4 + ["18"] * 2 + ["none"]
    assert rows[-1][1:3] == ["182", "416"]


def test_boxes_mark_what_the_other_line_lacks():
    rows = branch(s.UNSQUASHED, s.LSTM2002)
    assert [which for which, _ in rows] == ["", "before", "after"] * 3
    assert all("boxed" not in text for which, text in rows if which == "before")
    assert all(text.count("boxed") == 1 and "u^" in text for which, text in rows if which == "after")


def test_the_peepholes_are_what_is_new_in_2002_and_no_member_is_new_to_itself():
    changed = changes(s.UNSQUASHED, s.LSTM2002)
    assert [change.after.left.quantity for change in changed] == list(s.net.values())
    for name, change in zip(s.GATES, changed, strict=True):
        when = s.t if name == "og" else s.t - 1
        assert change.after.right - change.before.right == sum_over(s.c, s.u[name][s.k, s.c] * s.s[s.k, s.c, when])
    assert changes(s.LSTM2002, s.LSTM2002) == []
