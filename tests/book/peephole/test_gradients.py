"""The chapter on gradients: the drawing of what is cut."""

import pytest
from book.peephole.gradients import figures as peephole_gradients
from throughtime.systems import lstm_family as s


@pytest.mark.parametrize(("member", "edges"), [(s.UNSQUASHED, 4), (s.LSTM2002, 7), (s.EXPERIMENTS, 4)], ids=str)
def test_what_is_crossed_are_the_cuts_and_all_else_but_the_carousel(member, edges):
    cut, drawn = peephole_gradients.crossed(member.cuts()), peephole_gradients.across(member)
    assert len(drawn) == len(set(drawn)) == edges + 1
    assert set(drawn) - cut == {("s", "s")}
    assert cut <= set(drawn)
