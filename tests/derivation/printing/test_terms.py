"""The order of terms, rule by rule, each with a sum that the next rule would write otherwise."""

from itertools import permutations

import pytest
import throughtime as tt
from throughtime.derivation.formulas.nodes import Delta, d, parameter, partial, sequence, sum_over, time, variable
from throughtime.derivation.printing.printer import to_text
from throughtime.derivation.printing.terms import terms_in_order

n, m = tt.Dimension("n"), tt.Dimension("m")
A = tt.domain("terms A", n)  # a name of its own: quantities print in the order in which they were made
B = tt.domain("terms B", m, after=A)
i, j, last, first = tt.Index("i", A), tt.Index("j", A), tt.Index("z", A), tt.Index("a", B)
t, s = time("t"), time("s")
w, u, uB = parameter("w", A, A), parameter("u", A), parameter("uB", B)
x = sequence("x", A)
z, h, v = variable("z", A), variable("h", A), variable("vt", latex="v")  # as of A
f = tt.Activation("f")

EXPECTED = {
    "sums by column, not by letter": (
        sum_over(first, uB[first] * u[i]) + sum_over(last, uB[first] * u[last]),
        "sum[z=1..n] u[z]*uB[a] + sum[a=n+1..n+m] u[i]*uB[a]",
    ),
    "sums by quantity before column": (
        sum_over(first, x[i, t] * u[i]) + sum_over(last, h[last, t]),
        "sum[a=n+1..n+m] u[i]*x[i](t) + sum[z=1..n] h[z](t)",
    ),
    "number first": (u[i] + 1, "1 + u[i]"),
    "number before a delta": (Delta(i, j) + 3, "3 + delta[i,j]"),
    "what carries no derivative first": (d(v[t], u[i]) + h[i, t], "h[i](t) + dvt(t)/du[i]"),
    "minus behind": (x[i, t] - u[i], "x[i](t) - u[i]"),
    "earlier quantities first": (h[i, t] + z[i, t] + x[i, t], "x[i](t) + z[i](t) + h[i](t)"),
    "old state before an earlier quantity": (h[i, t - 1] + u[i], "h[i](t-1) + u[i]"),
    "old state times weights": (u[i] * h[i, t - 1] + x[i, t], "u[i]*h[i](t-1) + x[i](t)"),
    "old state by the other times": (h[i, s] + x[i, s + 1], "h[i](s) + x[i](s+1)"),
    "old source": (x[i, t - 1] + u[i], "u[i] + x[i](t-1)"),
    "old state inside a slope": (f.prime(h[i, t - 1]) + u[i], "u[i] + f'(h[i](t-1))"),
    "state of this time": (h[i, t] + u[i], "u[i] + h[i](t)"),
    "derivative of this time before that of another": (
        d(h[i, t - 1], v[t]) + d(h[i, t], v[t]),
        "dh[i](t)/dvt(t) + dh[i](t-1)/dvt(t)",
    ),
    "derivative with respect to a state of another time": (
        d(h[i, t], h[j, t - 1]) + d(h[i, t], v[t]) * v[t],
        "vt(t)*dh[i](t)/dvt(t) + dh[i](t)/dh[j](t-1)",
    ),
    "recursion before the rest": (v[t] + u[i] * d(z[i, t - 1], w[i, j]), "u[i]*dz[i](t-1)/dw[i,j] + vt(t)"),
    "recursion behind the half with its state": (
        z[i, t - 1] * x[i, t] + u[i] * d(z[i, t - 1], w[i, j]) + v[t],
        "z[i](t-1)*x[i](t) + u[i]*dz[i](t-1)/dw[i,j] + vt(t)",
    ),
    "recursion with its own weight": (
        x[i, t] + u[i] * d(z[i, t - 1], u[i]),
        "x[i](t) + u[i]*dz[i](t-1)/du[i]",
    ),
    "recursion of a layer stays last": (
        x[i, t] + sum_over(j, w[i, j] * d(z[j, t - 1], w[i, i])),
        "x[i](t) + sum[j=1..n] w[i,j]*dz[j](t-1)/dw[i,i]",
    ),
    "derivative with respect to a state is no recursion": (
        x[i, t] + u[i] * d(z[i, t - 1], h[i, t]),
        "x[i](t) + u[i]*dz[i](t-1)/dh[i](t)",
    ),
    "immediate derivative in front": (
        partial(z[i, t], w[i, i]) + u[i] * d(z[i, t - 1], w[i, i]),
        "Dz[i](t)/Dw[i,i] + u[i]*dz[i](t-1)/dw[i,i]",
    ),
    "immediate derivative of another source behind": (
        partial(z[i, t], w[i, j]) + u[i] * d(z[i, t - 1], w[i, j]),
        "u[i]*dz[i](t-1)/dw[i,j] + Dz[i](t)/Dw[i,j]",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("formula", "text"), EXPECTED.values(), ids=EXPECTED)
def test_terms_stand_in_reading_order(formula, text) -> None:
    assert to_text(formula) == text


@pytest.mark.parametrize("name", EXPECTED)
def test_order_does_not_depend_on_that_of_writing(name: str) -> None:
    terms = EXPECTED[name][0].args
    assert len({tuple(terms_in_order(mixed, to_text)) for mixed in permutations(terms)}) == 1


def test_the_text_decides_where_no_rule_does() -> None:
    assert terms_in_order([], to_text) == []
    assert terms_in_order([u[j], u[i]], to_text) == [u[i], u[j]]
    assert terms_in_order([u[j], u[i]], lambda term: "a" if term == u[j] else "b") == [u[j], u[i]]


def test_only_a_minus_is_shown_in_front_of_a_sum() -> None:
    assert tt.to_latex(u[i] - x[i, t] + 2 * v[t]) == r"u_{i} + 2\,v(t) - x_{i}(t)"
    assert tt.to_latex(-u[i] - x[i, t]) == "-u_{i} - x_{i}(t)"
