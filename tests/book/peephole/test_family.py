"""The chapter on the family of LSTMs: its tree names what changes."""

from dataclasses import replace

from book.peephole.family import figures as peephole_family
from throughtime.systems import lstm_family as s

SHORT = {"r": "sources", "s": "state", "y_block": "cell output", "net_out": "output"}


def changed(parent: s.Member, child: s.Member) -> list[str]:
    """Short names, without repetition, of the equations in which two members differ; biases are ignored."""
    plain = [replace(member, bias=False) for member in (parent, child)]
    names: dict[str, None] = {}
    for before, after in peephole_family.changes(*plain):
        name = (after or before).left.quantity.name
        if child.outputs or name not in ("net_out", "y", "E_unit", "E"):
            names["gates" if name.startswith("net_") and name != "net_out" else SHORT.get(name, "")] = None
        else:
            names["no output layer"] = None
    return [name for name in names if name]


def test_the_tree_has_words_for_each_change_and_no_other():
    for parent, child in peephole_family.BRANCHES:
        assert list(peephole_family.WORDS[child]) == changed(parent, child)
    assert set(peephole_family.TITLES) == set(peephole_family.PLACES) == {s.LSTM1997} | set(peephole_family.WORDS)
