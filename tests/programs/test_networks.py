"""Compiled networks against independent ones: the models by hand, the complex step, brute-force derivatives."""

from __future__ import annotations

from functools import cache

import compiled
import numpy as np
import pytest
import throughtime as tt
from throughtime.derivation import Bench, check_gradient
from throughtime.systems import lstm1997 as l97

T, B = 6, 2


def problem(net, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    sizes = (B, T, net.n_in), (B, T, net.n_out)
    return net.init(random, 0.7), *(random.normal(size=size) for size in sizes)


lfmn, recurrent, simple, lstm1997, peephole = map(
    cache, (compiled.lfmn, compiled.recurrent, compiled.simple, compiled.lstm1997, compiled.peephole)
)


@pytest.mark.parametrize("net", [lfmn, recurrent, lambda: simple(False), lambda: simple(True), lstm1997])
def test_exact_methods_are_the_complex_step(net) -> None:
    net = net()
    theta, x, targets = problem(net)
    true = tt.checks.complex_step(lambda point: net.loss(point, x, targets), theta)
    for method in ("bptt", "rtrl"):
        found = net.gradient(theta, x, targets, method=method)
        assert found.loss == pytest.approx(net.loss(theta, x, targets), rel=1e-14)
        np.testing.assert_allclose(found.gradient, true, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("net", [lfmn, recurrent, lambda: simple(True), lstm1997, peephole])
def test_every_program_can_be_said_in_javascript(net) -> None:
    """The oracles run them; whether the translator knows each statement is seen without an engine."""
    for method in net().METHODS:
        assert "function gradient(" in net().source(method, "javascript")


def test_truncated_method_is_the_truncated_derivative() -> None:
    """Of every weight of LSTM 1997, beside brute force in dual numbers with the cut arguments frozen."""
    net, cuts = lstm1997(), l97.cuts()
    numbers = {name: _number(rule) for name, rule in compiled.SQUASHED.items()}
    bench = Bench(l97.build(), [net.plan.sizes], length=4, activations=numbers)
    for weight in net.plan.weights:
        letters = [tt.Index(name, over) for name, over in zip("abc", weight.domains, strict=False)]
        element = weight[tuple(letters)]
        derivation = bench.derive_gradient(l97.loss[()], element, cuts=cuts)

        def gradient(values: dict, weight=weight) -> np.ndarray:
            theta = net.layout.flatten({name: np.array(values[name]) for name in net.layout.names})
            found = net.gradient(theta, values["x"], values["d"], method="truncated")
            return net.layout.views(found.gradient)[weight.name]

        assert check_gradient(bench, derivation, gradient, sizes=[])


def _number(name: str):
    f = tt.activations.named("f", name)
    return lambda z, order: float(f.derivative(z, order))
