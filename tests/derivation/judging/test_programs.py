"""A gradient function of one's own is held against a derivation, element by element."""

from math import cosh, tanh

import pytest
from throughtime.derivation.deriving.forward import cut
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.domains import LENGTH, Dimension, domain, indices
from throughtime.derivation.formulas.errors import CheckError, DerivationError
from throughtime.derivation.formulas.nodes import Activation, parameter, scalar, sequence, sum_over, time, variable
from throughtime.derivation.judging.programs import check_gradient
from throughtime.derivation.judging.setting import Setting

n, m = Dimension("n"), Dimension("m")
units, inputs = domain("units", n), domain("inputs", m)
i, p, k = indices("i p k", units)
j, q = indices("j q", inputs)
t, s = time("t"), time("s")
w, r, x = parameter("w", units, inputs), parameter("r", units, units), sequence("x", inputs)
z, h, loss, f = variable("z", units), variable("h", units), scalar("L"), Activation("f")
SIZES = [{n: 2, m: 3}, {n: 1, m: 1}]


def system() -> System:
    net = System("recurrent", t)
    net[z[i, t]] = sum_over(j, w[i, j] * x[j, t]) + sum_over(k, r[i, k] * h[k, t - 1])
    net[h[i, t]] = f(z[i, t])
    net[loss[()]] = sum_over((s, 1, LENGTH), i, h[i, s] ** 2)
    return net


def tanh_and_slope(z: float, order: int) -> float:
    return (tanh(z), cosh(z) ** -2)[order]


@pytest.fixture(scope="module")
def bench() -> Setting:
    return Setting(system(), SIZES, activations={"f": tanh_and_slope})


def backprop(values, *, through_time: bool = True, transposed: bool = True) -> dict[str, list[list[float]]]:
    """dL/dw and dL/dr by hand; two slips can be planted."""
    w, r, x = values["w"], values["r"], values["x"]
    units, rows = range(len(w)), range(len(x))
    y = [[0.0 for _ in units]]
    for now in rows:
        net = [sum(a * b for a, b in zip(w[i], x[now], strict=True)) for i in units]
        y.append([tanh(net[i] + sum(r[i][k] * y[-1][k] for k in units)) for i in units])
    after, found = (
        [0.0 for _ in units],
        {"w": [[0.0] * len(x[0]) for _ in units], "r": [[0.0 for _ in units] for _ in units]},
    )
    for now in reversed(rows):
        weights = (lambda i, k: r[k][i]) if transposed else (lambda i, k: r[i][k])
        back = [sum(weights(i, k) * after[k] for k in units) * through_time for i in units]
        after = [(2 * y[now + 1][i] + back[i]) * (1 - y[now + 1][i] ** 2) for i in units]
        for i in units:
            found["w"][i] = [g + after[i] * x[now][j] for j, g in enumerate(found["w"][i])]
            found["r"][i] = [g + after[i] * y[now][k] for k, g in enumerate(found["r"][i])]
    return found


@pytest.mark.parametrize(("name", "weight", "count"), [("w", w[p, q], 3 * (6 + 1)), ("r", r[p, i], 3 * (4 + 1))])
def test_true_gradient_passes_in_every_element(bench, name, weight, count) -> None:
    derivation = bench.derive_gradient(loss[()], weight)
    assert check_gradient(bench, derivation, lambda values: backprop(values)[name]).count == count
    with pytest.raises(CheckError, match=rf"dL/d{name}.*: at {name}\[1, 1\] it is \S+, the function gives \S+$"):
        check_gradient(bench, derivation, lambda values: backprop(values, transposed=False)[name])


def test_truncated_gradient_is_told_from_the_total_one(bench) -> None:
    held = bench.derive_gradient(loss[()], w[p, q], cuts=[cut(h[k, t - 1], into=z)])
    short = lambda values: backprop(values, through_time=False)["w"]  # noqa: E731
    assert check_gradient(bench, held, short).passed
    with pytest.raises(CheckError, match="the function gives"):
        check_gradient(bench, bench.derive_gradient(loss[()], w[p, q]), short)


def test_what_cannot_be_compared_is_refused(bench) -> None:
    gradient = bench.derive_gradient(loss[()], w[p, q])
    with pytest.raises(CheckError, match=r"at w\[2, 1\] it is \S+, the function gives None"):
        check_gradient(bench, gradient, lambda values: backprop(values)["w"][:1])
    with pytest.raises(DerivationError, match=r"no function for f; see Setting\(activations=\)"):
        check_gradient(Setting(system(), SIZES), gradient, backprop)
    with pytest.raises(DerivationError, match="expected the derivative of a loss by a parameter"):
        check_gradient(bench, bench.derive_backward(loss[()], h[i, t]), backprop)
