"""The bench of the bit counter: values and derivatives from the library, and refusal of unknown derivatives."""

import numpy as np
import pytest
from book.training import bench
from book.training import counter as s
from sympy import Integer
from throughtime.checks import complex_step
from throughtime.derivation import OutOfRange, Unreadable, d

i, k, t = s.i, s.k, s.t
E, v_x = s.error[()], s.v_x[()]


@pytest.fixture(scope="module")
def model():
    return bench.bit_counter().model


def at(**places):
    letters = {"i": i, "k": k, "t": t}
    return {letters[name]: Integer(value) for name, value in places.items()}


def test_weights_are_views_of_the_librarys_parameters():
    theta = s.parameters(0.5, -2.0)
    views = s.NET.layout.views(theta)
    assert views["v"].ravel().tolist() == [0.0, 0.5, -2.0]
    assert views["w"].ravel().tolist() == [0.0, 1.0]
    bits = np.array([[1.0, 0.0, 1.0]])
    assert s.loss(0.5, -2.0, bits) == 0.5 * (0.5 * (4 + 1) - 2) ** 2
    by_steps = complex_step(lambda w: s.loss(*w, bits), np.array([0.5, -2.0]))
    assert np.allclose(s.gradient(0.5, -2.0, bits), by_steps, rtol=1e-13)


def test_a_derivative_by_a_state_holds_the_target():
    """dE/df(T) is the error of the answer; it would differ if the target changed with the state."""
    model = bench.bit_counter().model
    for unit in (1, 2, 3):
        miss = model.value(s.answer[i] - s.count[i], at(i=unit))
        assert np.isclose(model.value(d(E, s.f[i, s.T]), at(i=unit)), miss, rtol=1e-13)


def test_states_answer_to_earlier_states_of_their_own_sequence(model):
    v_f = float(bench.WEIGHTS["v_f"])
    assert np.isclose(model.value(d(s.f[i, t], s.f[k, t - 2]), at(i=2, k=2, t=4)), v_f**2)
    assert model.value(d(s.f[i, t], s.f[k, t - 2]), at(i=2, k=1, t=4)) == 0.0


def test_what_it_cannot_tell(model):
    with pytest.raises(Unreadable, match="by a bit"):
        model.value(d(E, s.x[i, t]), at(i=1, t=2))
    with pytest.raises(Unreadable, match="by a state only"):
        model.value(d(E, s.answer[i]), at(i=1))
    with pytest.raises(OutOfRange):
        model.value(d(E, s.f[i, t]), at(i=1, t=bench.BITS + 1))
