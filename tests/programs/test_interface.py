"""Compiled networks as their users meet them: the protocol, the text, bad input."""

from __future__ import annotations

import re

import numpy as np
import pytest
import throughtime as tt
from throughtime.derivation import (
    LENGTH,
    Activation,
    DerivationError,
    Dimension,
    System,
    domain,
    indices,
    maximum,
    parameter,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.learning import GradientDescent

n, m = Dimension("n"), Dimension("m")
U, X = domain("U", n), domain("X", m)
i, k = indices("i k", U)
j = indices("j", X)
t, s = time("t"), time("s")
x, d = sequence("x", X), sequence("d", U)
h, a = variable("h", U), variable("a", U)
w, u = parameter("w", U, U), parameter("u", U, X)
loss, f = scalar("L"), Activation("f")
SIZES = {n: 2, m: 3}


def plain(right=None, cost=None) -> System:
    """A recurrent net, with another right-hand side of its state or another loss if they are given."""
    system = System("plain recurrent net", t)
    system[a[i, t]] = sum_over(j, u[i, j] * x[j, t]) + sum_over(k, w[i, k] * h[k, t - 1])
    system[h[i, t]] = f(a[i, t]) if right is None else right
    system[loss[()]] = sum_over((s, 1, LENGTH), i, (h[i, s] - d[i, s]) ** 2) if cost is None else cost
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


def test_a_batch_is_the_sum_of_its_sequences() -> None:
    model = net()
    theta, inputs, targets = problem(model)
    for method in model.METHODS:
        whole = model.gradient(theta, inputs, targets, method=method)
        parts = [model.gradient(theta, *one, method=method) for one in zip(inputs, targets, strict=True)]
        assert whole.loss == pytest.approx(sum(part.loss for part in parts), rel=1e-14)
        np.testing.assert_allclose(whole.gradient, sum(part.gradient for part in parts), rtol=1e-13)


def test_online_goes_through_the_same_gradients_a_step_at_a_time() -> None:
    model = net()
    theta, inputs, targets = problem(model, batch=1)
    online = model.online(theta, "rtrl")
    for time_, (now, goal) in enumerate(zip(inputs[0], targets[0], strict=True), start=1):
        online.step(now, goal)
        so_far = model.gradient(theta, inputs[0, :time_], targets[0, :time_])
        np.testing.assert_allclose(online.gradient, so_far.gradient, rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(online.h, model.forward(theta, inputs[0, :time_]).h[-1])
    assert online.loss == pytest.approx(model.loss(theta, inputs[0], targets[0]), rel=1e-14)
    with pytest.raises(AttributeError, match=r"no attribute 'c'; the states are \['a', 'h'\]"):
        online.c  # noqa: B018


def test_optimizers_and_gradcheck_take_it() -> None:
    model = net()
    theta, inputs, targets = problem(model)
    found = model.gradient(theta, inputs, targets).gradient
    assert tt.gradcheck(lambda point: model.loss(point, inputs, targets), theta, found, model.layout)
    descent, before = GradientDescent(model.layout.size, rate=0.02), model.loss(theta, inputs, targets)
    for _ in range(20):
        gradient = model.gradient(theta, inputs, targets).gradient
        theta = descent.step(theta, tt.clip_by_norm(gradient, 5.0))
    assert model.loss(theta, inputs, targets) < 0.9 * before


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


@pytest.mark.parametrize("method", ["bptt", "rtrl"])
def test_every_equation_stands_above_its_lines(method: str) -> None:
    text = net().source(method)
    for equation in ("# a[i](t) = ", "# h[i](t) = f(a[i](t))", "# dL/dw[p,q] += "):
        assert equation in text
    compile(text, "program", "exec")


def test_the_text_is_what_runs() -> None:
    """A slip made in the text of a program is a slip of its gradient."""
    from throughtime.programs import build

    model = net()
    theta, inputs, targets = problem(model)
    right, text = model.gradient(theta, inputs, targets).gradient, model.source("bptt")
    wrong = re.sub(r"f_prime\(", "f(", text)
    assert wrong != text
    other = net()
    other._modules["bptt", False] = build.module(wrong, compiled=False)
    found = other.gradient(theta, inputs, targets).gradient
    assert not np.allclose(found, right)


def test_max_is_the_branch_that_was_taken() -> None:
    model = net(system=plain(maximum(a[i, t], 0)), activations={"relu": "relu"})
    theta, inputs, targets = problem(model)
    true = tt.complex_step(lambda point: model.loss(point, inputs, targets), theta)
    for method in model.METHODS:
        np.testing.assert_allclose(model.gradient(theta, inputs, targets, method=method).gradient, true, rtol=1e-12)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"sizes": {n: 2}}, (DerivationError, ValueError), "m"),
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
    system = plain()
    other = System("last state", t)
    for case in system.all_definitions():
        if case.left.quantity != loss:
            other[case.left] = case.right
    other[loss[()]] = sum_over(i, (h[i, LENGTH] - d[i, LENGTH]) ** 2)
    model = net(system=other)
    theta, inputs, targets = problem(model)
    true = tt.complex_step(lambda point: model.loss(point, inputs, targets), theta)
    np.testing.assert_allclose(model.gradient(theta, inputs, targets).gradient, true, rtol=1e-12)
    with pytest.raises(DerivationError, match="no sum over the times"):
        model.gradient(theta, inputs, targets, method="rtrl")


def test_an_unknown_method_is_refused_with_the_choices() -> None:
    with pytest.raises(ValueError, match=r"method: .*'bptt'.*'rtrl'"):
        net().source("rtlr")
