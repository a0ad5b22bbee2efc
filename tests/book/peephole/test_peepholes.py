"""The chapter on peepholes: what a shut output gate hides, the count of parameters, the sign of an update."""

import numpy as np
import pytest
from book.peephole.peepholes import checks
from book.peephole.peepholes import figures as peephole_gates
from book.shared.reading import equals
from book.shared.words import Where


def test_an_open_output_gate_does_what_a_peephole_does():
    without, with_, opened = (
        [peephole_gates.blind_run(output_bias, u, state) for state in (1.0, -1.0)]
        for output_bias, u in ((-30.0, 0.0), (-30.0, 2.0), (30.0, 0.0))
    )
    assert np.abs(without[0] - without[1]).max() < 1e-12
    assert (round(with_[0][1], 2), round(with_[1][1], 2)) == (0.88, 0.12)
    assert np.allclose(opened, with_, rtol=1e-12)


@pytest.mark.parametrize("sizes", [(2, 1, 1, 1), (1, 3, 2, 2), (3, 2, 4, 1)])
def test_system_and_library_count_the_same_parameters(sizes):
    assert checks.in_system(*sizes) == checks.in_library(*sizes)


def test_the_sign_depends_on_what_delta_is():
    change, delta, y_m, rate = checks.CHANGE, checks.DELTA, checks.Y_M, checks.rate
    mine = checks.OUT_SLOPE * (checks.TARGET - checks.OUTPUT)
    for sign, meaning, right in ((1, mine, True), (-1, mine, False), (1, -mine, False), (-1, -mine, True)):
        rule = equals(change, sign * rate * delta * y_m)
        assert checks.sign_is_right(Where(rule, equals(delta, meaning))) is right
