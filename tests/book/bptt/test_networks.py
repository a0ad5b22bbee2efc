"""Networks held at constant net inputs: their flow."""

import numpy as np
import pytest
from book.bptt import networks as ef


@pytest.mark.parametrize("net", ef.COUNTEREXAMPLES, ids=lambda net: net.words)
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_held_networks_have_the_flow_they_are_said_to_have(net, steps):
    ran = net.model.forward(net.theta, net.inputs(steps + 1))
    np.testing.assert_allclose(ran.z[1:], np.tile(net.at, (steps + 1, 1)), atol=1e-12)
    flow = net.flow(steps)
    np.testing.assert_allclose(net.measured_flow(steps), flow[-1], rtol=1e-11, atol=1e-12 * ef.norms(flow).max())
