"""Networks held at constant net inputs: their flow, and what is refused."""

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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ef.links([[1.0, 2.0]], [[1.0, 1.0]]),
            r"weights: expected square matrices of shape \(d, d\), got \(1, 2\)",
        ),
        (lambda: ef.norms([3.0, 4.0]), r"flows: expected square matrices of shape \(\.\.\., d, d\), got \(2,\)"),
        (lambda: ef.spectral_radius(np.ones((2, 3))), r"weights: expected square matrices of shape \(d, d\)"),
        (lambda: ef.links(np.eye(2), [[1.0]]), r"slopes: expected shape \(n, 2\), got \(1, 1\)"),
        (lambda: ef.flow(np.ones((2, 2))), r"steps: expected square matrices of shape \(n, d, d\), got \(2, 2\)"),
        (lambda: ef.flow(np.ones((1, 2, 3))), r"steps: expected square matrices of shape \(n, d, d\), got \(1, 2, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ef.largest_singular_value("x"), "weights: expected real numbers"),
        (lambda: ef.flow([["1"]]), "steps: expected real numbers"),
    ],
)
def test_what_is_no_number_is_refused_by_its_name(call, message):
    with pytest.raises(TypeError, match=message):
        call()
