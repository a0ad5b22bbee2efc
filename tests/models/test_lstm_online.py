"""The online gradients of both LSTMs: at any time those of the sequence so far, in the memory that is promised."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lstm_cases import ONLINE, TOLERANCE, by_output, every_kind, gradient_with
from throughtime.checks import complex_step, relative_error
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM


@pytest.mark.parametrize("method", ONLINE)
@every_kind
@given(st.data())
@settings(max_examples=20)
def test_online_gradient_at_any_time_is_that_of_the_sequence_so_far(method, problems, data):
    model, theta, x, targets, mask = data.draw(problems)
    rows = by_output(mask, targets)
    online = model.online(theta, method)
    assert not online.y.any()
    whole = model.forward(theta, x)
    for t, (x_t, target, sigma) in enumerate(zip(x, targets, rows, strict=True), start=1):
        online.step(x_t, target if sigma.any() or t % 2 else None, sigma)
        assert online.time == t
        assert relative_error(online.y, whole.y[t]) <= TOLERANCE
        assert relative_error(online.s, whole.s[t]) <= TOLERANCE
        assert online.loss == pytest.approx(model.loss(theta, x[:t], targets[:t], rows[:t]), rel=1e-13, abs=0.0)
        expected = gradient_with(model.cuts(method), model, theta, x[:t], targets[:t], rows[:t])
        assert relative_error(online.gradient, expected) <= TOLERANCE
        if method == "rtrl":
            exact = complex_step(lambda z, t=t: model.loss(z, x[:t], targets[:t], rows[:t]), theta)
            assert relative_error(online.gradient, exact) <= TOLERANCE


@pytest.mark.parametrize("blocks", [1, 2, 5])
@pytest.mark.parametrize("kind", ["1997", "2002"])
def test_state_size_is_linear_in_the_weights_truncated_and_of_third_order_in_the_units_exact(kind, blocks):
    hidden, gates, seen = {"1997": (2, 2, 0), "2002": (0, 3, 2)}[kind]
    model = LSTM1997(3, blocks, 2, 1, hidden) if kind == "1997" else PeepholeLSTM(3, blocks, 2, 1)
    theta, cells = model.init(0), 2 * blocks
    units = hidden + gates * blocks + cells
    columns = 3 + units + 1
    width = columns + seen
    weights = 2 * (units * width + (3 + hidden + cells + 1))
    states = columns + units + cells + 1
    truncated, exact = (model.online(theta, method) for method in ONLINE)
    assert truncated.state_size == weights + states + columns + gates * cells * width
    assert exact.state_size == weights + states + (units + cells) * units * width
    assert sum(part.size for part in truncated.derivatives.values()) == gates * cells * width
    assert sum(part.size for part in exact.derivatives.values()) == (units + cells) * units * width
