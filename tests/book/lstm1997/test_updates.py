"""The chapter on updates: the updates of the appendix to the letter, and the sums of the note."""

from book.lstm1997.updates import checks
from throughtime.derivation import chain
from throughtime.systems import lstm1997 as s


def test_the_letter_of_70_is_the_weight_that_leads_from_the_unit():
    own = checks.with_weights_by_unit().on_instances(
        [chain(checks.w_out[s.i_out, s.p_hid], s.w_out[s.i_out, s.hid_column(s.p_hid)])]
    )
    assert own.passed
    assert own.count > 0
