"""Compiled networks as their users meet them: the protocol, the text, bad input."""

import numpy as np
import pytest
import throughtime as tt
from cells import U, X, d, f, h, i, j, k, loss, m, n, s, t, x

a, w, u = tt.variable("a", U), tt.parameter("w", U, U), tt.parameter("u", U, X)
SIZES = {n: 2, m: 3}


def plain(right=None, cost=None) -> tt.System:
    """A recurrent net, with another right-hand side of its state or another loss if they are given."""
    system = tt.System("plain recurrent net", t)
    system[a[i, t]] = tt.sum_over(j, u[i, j] * x[j, t]) + tt.sum_over(k, w[i, k] * h[k, t - 1])
    system[h[i, t]] = f(a[i, t]) if right is None else right
    system[loss[()]] = tt.sum_over((s, 1, tt.LENGTH), i, (h[i, s] - d[i, s]) ** 2) if cost is None else cost
    return system


def net(**changed):
    arguments = {"system": plain(), "loss": loss, "sizes": SIZES, "activations": {"f": "tanh"}} | changed
    return tt.compile(arguments.pop("system"), arguments.pop("loss"), arguments.pop("sizes"), **arguments)


def problem(model, length: int = 5, batch: int = 3):
    random = np.random.default_rng(7)
    return (
        model.init(random, 0.6),
        random.normal(size=(batch, length, model.n_in)),
        random.normal(size=(batch, length, model.n_out)),
    )


def test_layout_shapes_and_words() -> None:
    model = net()
    assert model.layout.shapes == {"u": (2, 3), "w": (2, 2)}
    assert (model.n_in, model.n_out, model.METHODS) == (3, 2, ("bptt", "rtrl"))
    assert repr(model) == "CompiledNetwork(plain recurrent net: n=2, m=3)"


@pytest.mark.parametrize("size", [8, 9, 11])
def test_sums_over_many_units_are_added_several_terms_at_a_time(size: int) -> None:
    """Their remainders too."""
    model = net(sizes={n: size, m: 3})
    theta, inputs, targets = problem(model, length=3, batch=1)
    assert f"for k in range(0, n{f' - {size % 4}' if size % 4 else ''}, 4):" in model.source("bptt")
    true = tt.complex_step(lambda point: model.loss(point, inputs, targets), theta)
    for method in model.METHODS:
        found = model.gradient(theta, inputs, targets, method=method)
        np.testing.assert_allclose(found.gradient, true, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"sizes": {n: 2}}, (tt.DerivationError, ValueError), "m"),
        ({"sizes": {n: 2, m: -1}}, ValueError, r"sizes\[m\]"),
        ({"activations": {}}, ValueError, "activations: expected one for f"),
        ({"activations": {"f": "tanhh"}}, ValueError, r"activations\[f\].*tanhh"),
        ({"activations": {"f": "tanh", "g": "tanh"}}, ValueError, "activations: .*g"),
        ({"loss": h}, ValueError, "loss: expected a scalar"),
        ({"system": "plain"}, TypeError, "system"),
        ({"cuts": {"bptt": []}}, ValueError, "cuts"),
        ({"given": {"S": [1.0]}}, ValueError, "given: .*S"),
    ],
)
def test_bad_arguments_are_named(changed: dict, error, words: str) -> None:
    with pytest.raises(error, match=words):
        net(**changed)


def test_a_loss_that_is_no_sum_over_time_has_no_online_gradient() -> None:
    model = net(system=plain(cost=tt.sum_over(i, (h[i, tt.LENGTH] - d[i, tt.LENGTH]) ** 2)))
    theta, inputs, targets = problem(model)
    true = tt.complex_step(lambda point: model.loss(point, inputs, targets), theta)
    np.testing.assert_allclose(model.gradient(theta, inputs, targets).gradient, true, rtol=1e-12)
    with pytest.raises(tt.DerivationError, match="no sum over the times"):
        model.gradient(theta, inputs, targets, method="rtrl")
