"""The chapter on peepholes: what a shut output gate hides, and the count of parameters."""

import numpy as np
import pytest
from book.peephole.peepholes import checks
from book.peephole.peepholes import figures as peephole_gates


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
