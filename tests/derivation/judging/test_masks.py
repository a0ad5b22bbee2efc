"""Equations that are true of most masks and not of all, and true ones that only other masks show."""

import pytest
import throughtime as tt
from sympy import Expr

t, s, T = tt.time(), tt.time("s"), tt.LENGTH
w, x, d, L, f = tt.parameter("w")[()], tt.sequence("x"), tt.sequence("d"), tt.scalar("L"), tt.Activation("f")
a, h, mask = tt.variable("a"), tt.variable("h"), tt.sequence("m", mask=True)


@pytest.fixture(scope="module")
def held() -> tt.Bench:
    """A state that is held where the mask is 0, and counts in the loss where it is 1."""
    system = tt.System("held", t)
    system[a[t]] = w * h[t - 1] + x[t]
    system[h[t]] = mask[t] * f(a[t]) + (1 - mask[t]) * h[t - 1]
    system[L[()]] = tt.sum_over((s, 1, T), mask[s] * (h[s] - d[s]) ** 2 / 2)
    return tt.Bench(system, [{}])


def step(time: Expr) -> Expr:
    return mask[time] * w * f.prime(a[time]) + 1 - mask[time]


gap = lambda time: h[time] - f(a[time])  # noqa: E731 - 0 where the mask is 1, and not at time 0
TRUE = {
    "error at the end": (tt.d(L[()], h[T]), mask[T] * (h[T] - d[T])),
    "error before it": (tt.d(L[()], h[T - 1]), mask[T - 1] * (h[T - 1] - d[T - 1]) + tt.d(L[()], h[T]) * step(T)),
    "error before it, written out": (
        tt.d(L[()], h[T - 1]),
        mask[T - 1] * (h[T - 1] - d[T - 1]) + mask[T] * (h[T] - d[T]) * step(T),
    ),
    "two steps": (h[t], mask[t] * f(a[t]) + (1 - mask[t]) * (mask[t - 1] * f(a[t - 1]) + (1 - mask[t - 1]) * h[t - 2])),
    "one step at one length": (
        tt.Delta(T, 4) * h[T - 1],
        tt.Delta(T, 4) * (mask[T - 1] * f(a[T - 1]) + (1 - mask[T - 1]) * h[T - 2]),
    ),
    "steps added up": (
        tt.sum_over((s, 1, t - 1), h[s]),
        tt.sum_over((s, 1, t - 1), mask[s] * f(a[s]) + (1 - mask[s]) * h[s - 1]),
    ),
    "Jacobian of two steps": (tt.d(h[t], h[t - 2]), step(t) * step(t - 1)),
}
FALSE = {
    "two zeros in a row": ((1 - mask[t]) * (1 - mask[t - 1]) * gap(t - 2), 0),
    "a zero at the last time": (mask[T] * gap(T - 1), gap(T - 1)),
    "a zero at the third time": ((1 - mask[3]) * gap(t - 3), 0),
    "every second one": (mask[t - 1] * (1 - mask[t]) * (1 - mask[t - 2]) * gap(t - 3), 0),
    "both ends of three steps": (h[T] + tt.Delta(T, 3) * (1 - mask[1]) * mask[2] * (1 - mask[T]), h[T]),
    "at most one zero": (tt.sum_over((s, 1, T), 1 - mask[s]) * (tt.sum_over((s, 1, T), 1 - mask[s]) - 1), 0),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_only_other_masks_tell_from_its_mutants_is_shown(held: tt.Bench, name: str) -> None:
    assert held.equation(name, tt.chain(*TRUE[name]), title="", numeric="no model").verdict == "holds"


@pytest.mark.parametrize("name", FALSE)
def test_what_some_masks_refute_is_wrong(held: tt.Bench, name: str) -> None:
    with pytest.raises(tt.CheckError, match="is wrong as printed"):
        held.equation(name, tt.chain(*FALSE[name]), title="", numeric="no model")


def test_a_mask_has_no_slope(held: tt.Bench) -> None:
    with pytest.raises(tt.DerivationError, match=r"m is a mask, which is 0 or 1 and has no slope"):
        held.equation("by a mask", tt.chain(tt.d(L[()], mask[t]), h[t]), title="", numeric="no model")
