"""The chapter on the family of LSTMs: its tree names what changes."""

from book.peephole.family import figures as peephole_family
from throughtime.systems import lstm_family as s


def test_the_tree_has_words_for_each_change_and_no_other():
    for parent, child in peephole_family.BRANCHES:
        assert list(peephole_family.WORDS[child]) == peephole_family.changed(parent, child)
    assert set(peephole_family.TITLES) == set(peephole_family.PLACES) == {s.LSTM1997} | set(peephole_family.WORDS)
