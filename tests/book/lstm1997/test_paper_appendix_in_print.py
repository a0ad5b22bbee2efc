"""The page on Appendix A.1 of the paper: its two time steps."""

from book.lstm1997 import three_phases
from throughtime.systems import lstm1997 as s


def test_both_steps_have_the_same_definitions_but_for_the_sources_of_outputs() -> None:
    before = {str(line) for line in s.build().all_definitions()}
    after = {str(line) for line in three_phases.build().all_definitions()}
    lost = before - after
    assert len(lost) == 1
    assert "net_out" in lost.pop()
