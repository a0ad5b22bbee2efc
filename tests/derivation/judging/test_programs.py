"""A gradient function of one's own is held against a derivation, element by element."""

import re
from collections.abc import Callable
from math import cosh, tanh
from typing import Any

import numpy as np
import pytest
import throughtime as tt
from one_layer import U, a, f, h, i, j, k, loss, m, n, p, q, s, t, w, x
from throughtime.derivation.formulas.nodes import parameter, sequence, sum_over, variable
from throughtime.derivation.judging.programs import check_gradient

SIZES = [{n: 2, m: 3}, {n: 1, m: 1}]


def system() -> tt.System:
    net = tt.System("recurrent", t)
    net[a[i, t]] = sum_over(j, w[i, j] * x[j, t]) + sum_over(k, U[i, k] * h[k, t - 1])
    net[h[i, t]] = f(a[i, t])
    net[loss] = sum_over((s, 1, tt.LENGTH), i, h[i, s] ** 2)
    return net


def tanh_and_slope(z: float, order: int) -> float:
    return (tanh(z), cosh(z) ** -2)[order]


@pytest.fixture(scope="module")
def bench() -> tt.Bench:
    return tt.Bench(system(), SIZES, activations={"f": tanh_and_slope})


def backprop(values, *, through_time: bool = True, transposed: bool = True) -> dict[str, np.ndarray]:
    """dL/dw and dL/dU by hand; two slips can be planted."""
    w, r, inputs = (np.array(values[name]) for name in "wUx")
    y = [np.zeros(len(w))]
    for now in inputs:
        y.append(np.tanh(w @ now + r @ y[-1]))
    after, found = 0 * y[0], {"w": 0 * w, "U": 0 * r}
    for now in reversed(range(len(inputs))):
        back = (r.T if transposed else r) @ after * through_time
        after = (2 * y[now + 1] + back) * (1 - y[now + 1] ** 2)
        found["w"] += np.outer(after, inputs[now])
        found["U"] += np.outer(after, y[now])
    return found


@pytest.mark.parametrize(
    ("name", "weight", "count"), [("w", w[p, q], 6 * (6 + 1) + 2 * 6 + 12), ("U", U[p, i], 6 * (4 + 1) + 2 * 4 + 9)]
)
def test_true_gradient_passes_in_every_element(bench, name, weight, count) -> None:
    derivation = bench.derive_gradient(loss, weight)
    found = check_gradient(bench, derivation, lambda values: backprop(values)[name].tolist())
    assert found
    assert str(found) == f"passed, {count} compared"
    found = check_gradient(bench, derivation, lambda values: backprop(values, transposed=False)[name])
    assert not found
    wrong = rf"FAILED, \d+ compared: dL/d{name}.*: at {name}\[1, 1\], T=3 it is \S+, the function gives \S+$"
    assert re.match(wrong, str(found))


def test_truncated_gradient_is_told_from_the_total_one(bench) -> None:
    held = bench.derive_gradient(loss, w[p, q], cuts=[tt.cut(h[k, t - 1], into=a)])
    short = lambda values: backprop(values, through_time=False)["w"]  # noqa: E731
    assert check_gradient(bench, held, short).passed
    assert not check_gradient(bench, bench.derive_gradient(loss, w[p, q]), short)


def test_what_cannot_be_compared_is_refused(bench) -> None:
    gradient = bench.derive_gradient(loss, w[p, q])
    with pytest.raises(tt.DerivationError, match=r"no function for f; see Bench\(activations=\)"):
        check_gradient(tt.Bench(system(), SIZES), gradient, backprop)
    with pytest.raises(tt.DerivationError, match="expected the derivative of a loss by a parameter"):
        check_gradient(bench, bench.derive_backward(loss, h[i, t]), backprop)


SHAPES = {
    "flat": (lambda right: right.ravel(), r"returns shape \(6,\), expected \(2, 3\), that of w"),
    "three-dimensional": (lambda right: right[None], r"shape \(1, 2, 3\), expected \(2, 3\)"),
    "a row too many": (lambda right: np.vstack([right, right[:1]]), r"shape \(3, 3\), expected \(2, 3\)"),
    "rows of different lengths": (lambda right: [*right[:1], right[1, :2]], r"shape \(2, {.*}\), expected \(2, 3\)"),
    "complex": (lambda right: right + 0j, r"at w\[1, 1\], T=3 the function returns \S+j\), expected a real number"),
    "text": (lambda right: [["1e400"] * 3] * 2, r"returns '1e400', expected a real number"),
    "nothing": (lambda right: None, r"returns shape \(\), expected \(2, 3\)"),
}


@pytest.mark.parametrize(("made", "message"), SHAPES.values(), ids=SHAPES)
def test_nothing_is_dropped_of_what_a_function_returns(bench, made, message) -> None:
    gradient = bench.derive_gradient(loss, w[p, q])
    with pytest.raises(tt.DerivationError, match=message):
        check_gradient(bench, gradient, lambda values: made(backprop(values)["w"]))


WRONG = {
    "overflow": lambda right, x: np.full_like(right, np.inf),
    "minus infinity in one place": lambda right, x: np.where(np.arange(right.size) == 0, -np.inf, right.ravel()),
    "no number": lambda right, x: right * np.nan,
    "wrong where an input is 0": lambda right, x: right + (x == 0).any(),
    "wrong where an input is large": lambda right, x: right + (abs(x) > 1.8).any(),
    "right for one length only": lambda right, x: right + (len(x) != 3),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_function_that_is_wrong_for_some_numbers_is_found(bench, wrong: Callable) -> None:
    def gradient(values):
        right = backprop(values)["w"]
        return np.reshape(wrong(right, np.array(values["x"])), right.shape)

    assert not check_gradient(bench, bench.derive_gradient(loss, w[p, q]), gradient)


def masked() -> tuple[tt.Bench, Any]:
    """A sum of squares of a unit's states, counted where a mask is 1."""
    net, counts, a = tt.System("masked sum", t), sequence("c", mask=True), parameter("a")
    y, u = variable("y"), sequence("u")
    net[y[t]] = a[()] * y[t - 1] + u[t]
    net[loss] = sum_over((s, 1, tt.LENGTH), counts[s] * y[s] ** 2 / 2)
    bench = tt.Bench(net, [{}], activations={})
    return bench, bench.derive_gradient(loss, a[()])


def one_unit(values: dict, back: int = 99) -> float:
    """Its gradient, each of its steps over ``back`` steps."""
    a, states = values["a"], [0.0]
    for u in values["u"]:
        states.append(a * states[-1] + u)
    total = 0.0
    for end in range(1, len(states)):
        ways = (a ** (end - now) * states[now - 1] for now in range(max(1, end - back + 1), end + 1))
        total += values["c"][end - 1] * states[end] * sum(ways)
    return total


NATURAL = {
    "ten steps back": lambda values: one_unit(values, back=10),
    "wrong for a single step": lambda values: one_unit(values) + (len(values["u"]) == 1),
    "a mask of zeros": lambda values: one_unit(values) + (not any(values["c"])),
}


def test_masks_are_zero_and_one_for_the_function() -> None:
    seen: set[tuple] = set()
    assert check_gradient(*masked(), lambda values: (seen.add(tuple(values["c"])), one_unit(values))[1])
    assert {len(c) for c in seen} >= {1, 3, 4, 6, 12}
    for three in (slice(3), slice(-3, None)):
        assert len({c[three] for c in seen if len(c) == 6}) == 8
    assert {(0,) * 6, (1,) * 6, (0,)} <= seen


@pytest.mark.parametrize("wrong", NATURAL.values(), ids=NATURAL)
def test_a_slip_that_short_sequences_or_one_mask_hide_is_found(wrong: Callable) -> None:
    assert not check_gradient(*masked(), wrong)


def test_a_program_for_one_size_is_told_from_one_for_all(bench) -> None:
    derivation = bench.derive_gradient(loss, w[p, q])
    fixed = lambda values: backprop(values)["w"] + (len(values["w"]) > 2)  # noqa: E731
    assert check_gradient(bench, derivation, fixed, sizes=[])
    assert not check_gradient(bench, derivation, fixed)


def test_inputs_at_which_a_system_has_no_value_are_left_out() -> None:
    net, y, a = tt.System("quotient", t), sequence("y"), parameter("a")
    net[loss] = sum_over((s, 1, tt.LENGTH), a[()] / y[s])
    bench = tt.Bench(net, [{}], activations={})
    gradient = bench.derive_gradient(loss, a[()])
    assert check_gradient(bench, gradient, lambda values: sum(1 / number for number in values["y"]))
