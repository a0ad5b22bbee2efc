"""The chapter on forget gates: when the state of a cell that reads itself grows."""

import numpy as np
import pytest
from throughtime.arrays.activations import identity
from throughtime.textbook.peephole import PeepholeLSTM


@pytest.mark.parametrize(("keep", "back"), [(0.5, 2.0), (0.5, 0.4), (0.5, -1.4), (0.5, -1.6), (0.25, 0.8)])
def test_a_linear_cell_that_reads_itself_is_multiplied_by_both(keep, back):
    """With g(x) = x a forget gate below 1 does not bound the state: the factor of a step is phi + a."""
    net = PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)
    parts = {name: np.zeros(shape) for name, shape in net.layout.shapes.items()}
    parts["w_cell"][..., :2] = 1.0, back
    parts["b_ig"][:] = parts["b_og"][:] = 40.0
    parts["b_fg"][:] = np.log(keep / (1 - keep))
    found = net.forward(net.layout.flatten(parts), np.eye(30, 1)).s[1:, 0, 0]
    assert np.allclose(found, (keep + back) ** np.arange(30), rtol=1e-9)
    assert (abs(found[-1]) < 1) == (-1 - keep < back < 1 - keep)
