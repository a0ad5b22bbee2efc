"""Traces: the derivatives of all that a model computes by one parameter, against central differences."""

import numpy as np
import pytest
from throughtime.checks import trace_by_parameter
from throughtime.textbook.lfmn import LFMN

MODEL = LFMN(2, (1, 1, 1), (1, 1, 1))
THETA = MODEL.init(0, 1.5)
X = np.random.default_rng(1).normal(size=(5, 2))


def differences(trace_at, step=1e-6):
    ahead, behind = (dict(trace_at(sign * step).items()) for sign in (1, -1))
    return {name: (ahead[name] - behind[name]) / (2 * step) for name in ahead}


@pytest.mark.parametrize("index", range(MODEL.layout.size))
def test_trace_by_parameter_is_what_central_differences_approach(index):
    unit = np.eye(MODEL.layout.size)[index]
    approximate = differences(lambda step: MODEL.forward(THETA + step * unit, X))
    exact = trace_by_parameter(MODEL, THETA, X, index)
    assert exact.keys() == {"x", "current_hid", "net_hid", "h", "current_out", "net_out", "y"}
    for name, values in exact.items():
        assert values.dtype == np.float64
        assert values == pytest.approx(approximate[name], abs=1e-8), name


REFUSED = [
    (THETA.size, ValueError, "index: expected 0 to 16, got 17"),
    (-1, ValueError, "index: expected at least 0, got -1"),
]


@pytest.mark.parametrize(("index", "error", "message"), REFUSED)
def test_traces_refuse_what_they_have_not(index, error, message):
    with pytest.raises(error, match=message):
        trace_by_parameter(MODEL, THETA, X, index)


class Conjugating:
    """A model one of whose arrays is not analytic."""

    def forward(self, theta, x):
        return {"fine": theta**2, "size": theta * np.conj(theta)}


def test_a_trace_that_is_not_analytic_is_refused_by_the_name_of_its_array():
    with pytest.raises(ValueError, match="size: expected to be analytic at the point"):
        trace_by_parameter(Conjugating(), np.array([0.5, -1.25]), None, 1)
