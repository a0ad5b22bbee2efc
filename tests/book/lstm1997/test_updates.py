"""The chapter on updates: the updates of the appendix to the letter, and the sums of the note."""

import numpy as np
from book.lstm1997.updates import checks
from book.lstm1997.updates.experiment import derivative_of_outputs
from throughtime.checks import relative_error
from throughtime.derivation import chain
from throughtime.systems import lstm1997 as s
from throughtime.textbook.lstm1997 import LSTM1997


def test_the_letter_of_70_is_the_weight_that_leads_from_the_unit():
    own = checks.with_weights_by_unit().on_instances(
        [chain(checks.w_out[s.i_out, s.p_hid], s.w_out[s.i_out, s.hid_column(s.p_hid)])]
    )
    assert own.passed
    assert own.count > 0


def test_note_adds_up_the_derivative_of_the_sum_of_outputs():
    """The corrected sums of lstm97-69 to lstm97-73 are the gradient for the targets y - 1."""
    draw = np.random.default_rng(11)
    net = LSTM1997(n_in=2, blocks=2, cells=3, n_out=2, hidden=1)
    theta, x = net.init(draw, scale=1.0), draw.normal(size=(8, 2))
    sums = derivative_of_outputs(net, theta, x)
    library = net.gradient(theta, x, net.forward(theta, x).y[1:] - 1, method="truncated").gradient
    assert relative_error(sums, library) <= 1e-12
