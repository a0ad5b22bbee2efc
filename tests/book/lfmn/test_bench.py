"""The bench of the LFMN chapters: quantities map to the library's arrays, and a wrong equation fails on them."""

import numpy as np
import pytest
from book.lfmn.bench import LENGTH, Model, make_bench
from sympy import Integer
from throughtime.derivation import CheckError, chain, d
from throughtime.systems import lfmn as s

t = s.t
WEIGHTS = ("w_hid", "u_hid", "v_hid", "w_out", "u_out", "v_out", "W_out")


@pytest.fixture(scope="module")
def bench():
    return make_bench()


@pytest.fixture(scope="module")
def model():
    return Model()


def test_the_witness_is_the_models_trace(bench, model):
    trace = model.net.forward(model.theta, model.x)
    kinds = [  # quantity, its index, its units, the library's array
        (s.current, s.j, range(1, 6), trace.current_hid),
        (s.net_hid, s.j_n, (2, 3), trace.net_hid),
        (s.act_hid, s.j_a, (4, 5), trace.net_hid),
        (s.h, s.j, range(1, 6), trace.h),
        (s.net_out, s.i_n, (3,), trace.net_out),
        (s.act_out, s.i_a, (4, 5), trace.net_out),
        (s.y, s.i, range(1, 6), trace.y),
    ]
    for quantity, index, units, array in kinds:
        for unit in units:
            read = [
                bench.model.value(quantity[index, t], {index: Integer(unit), t: Integer(n)})
                for n in range(1, LENGTH + 1)
            ]
            np.testing.assert_allclose(read, array[1:, unit - 1], rtol=1e-14, err_msg=f"{quantity} of unit {unit}")


def test_the_costs_of_the_steps_make_up_the_loss(bench, model):
    costs = np.array([bench.model.value(s.cost[t], {t: Integer(n)}) for n in range(1, LENGTH + 1)])
    errors = model.net.forward(model.theta, model.x).y[1:] - model.targets
    np.testing.assert_allclose(costs, (errors**2).sum(axis=1), rtol=1e-12)
    assert bench.model.value(s.loss[()], {}) == pytest.approx(model.mask @ costs, rel=1e-12)


@pytest.mark.parametrize("name", WEIGHTS)
def test_library_gradients_are_those_of_differences(bench, model, name):
    place = (0,) * len(model.net.layout.shapes[name])
    moved = np.zeros(model.net.layout.size)
    moved[model.net.layout.index(name, *place)] = 1e-6
    after, before = (model.net.loss(model.theta + step, model.x, model.targets, model.mask) for step in (moved, -moved))
    found = bench.model.gradients(name, place)
    assert found.keys() == {"bptt"}
    for gradient in found.values():
        assert gradient == pytest.approx((after - before) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    "weight", [s.w_hid[s.j_a, s.k], s.v_hid[s.j_a], s.w_out[s.i_s, s.j], s.u_out[s.i_n], s.W_out[s.i_n, s.k]], ids=str
)
def test_a_derived_gradient_is_the_librarys_and_its_double_is_not(bench, weight):
    derivation = bench.derive(s.mask[t] * s.cost[t], weight)
    left = d(bench.model.step_cost, weight)
    assert bench.model.disagreements((left, derivation.result)) == []
    assert bench.model.disagreements((left, 2 * derivation.result))


def test_feedback_from_the_wrong_side_of_the_activation_is_refused(bench):
    fed_back = s.v_hid[s.j_a] * s.h[s.j_a, t - 1] + s.current[s.j_a, t]
    right, wrong = chain(s.act_hid[s.j_a, t], fed_back), chain(s.act_hid[s.j_a, t], s.f(fed_back))
    assert bench.equation("right", right, title="feedback").checks["numeric"].passed is True
    with pytest.raises(CheckError):
        bench.equation("wrong", wrong, title="feedback")
