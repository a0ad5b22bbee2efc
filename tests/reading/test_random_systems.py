"""What is read from the printed form of a random system is that system, definition by definition."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numbers_of import Arrays, Numbers
from same import check_same
from throughtime.derivation import (
    DEFINED,
    LENGTH,
    Activation,
    Dimension,
    System,
    domain,
    indices,
    parameter,
    scalar,
    sequence,
    sum_over,
    time,
    to_text,
    variable,
)
from throughtime.derivation.printing.printer import to_latex
from throughtime.reading import read

n, m = Dimension("n"), Dimension("m")
A, B = domain("A", n), domain("B", m)
i, k = indices("i k", A)
j, q = indices("j q", B)
t, s = time("t"), time("s")
u, b, w, v = parameter("u", A), parameter("b", A), parameter("w", A, B), parameter("v", A, A)
x, d, L = sequence("x", B), sequence("d", A), scalar("L")
y, a, c = variable("y", A), variable("a", A), variable("c")
f, sigma = Activation("f"), Activation("sigma", latex=r"\sigma")


def formulas(depth: int) -> st.SearchStrategy:
    """Formulas for one unit i, in what lies before the time t and in the inputs."""
    leaves = [u[i], b[i], y[i, t - 1], a[i, t - 1], c[t - 1], sum_over(j, w[i, j] * x[j, t])]
    leaves += [
        sum_over(k, v[i, k] * (y[k, t - 1] - f(a[k, t - 1]) ** 2)),
        sum_over(k, v[k, i] / u[k]),
        sum_over(k, v[i, k] * y[k, t - 1]),
        sum_over(k, j, w[k, j] * x[j, t] * v[i, k]),
        y[i, t - 2],
    ]
    plain = st.sampled_from(leaves)
    if not depth:
        return plain
    inner = formulas(depth - 1)
    return st.one_of(
        plain,
        st.builds(lambda one, two: one + two, inner, inner),
        st.builds(lambda one, two: one * two, inner, inner),
        st.builds(lambda one: 1 - one, inner),
        st.builds(lambda one: one**2 / 2, inner),
        st.builds(f, inner),
        st.builds(sigma, inner),
    )


@st.composite
def systems(draw) -> System:
    made = System("drawn", t)
    made[a[i, t]] = draw(formulas(2)) + b[i]  # a letter that stands on the left alone is read as a label
    made[y[i, t]] = draw(formulas(2)) + a[i, t]
    made[c[t]] = sum_over(i, draw(formulas(0)) * draw(formulas(0)))
    made[L[()]] = sum_over((s, 1, LENGTH), i, draw(st.sampled_from([y[i, s] * a[i, s], (y[i, s] - d[i, s]) ** 2]))) / 2
    return made


def read_again(system: System, write) -> None:
    text = "\n".join(f"{write(case.left)} = {write(case.right)}" for case in system.all_definitions())
    assert check_same(read(text), system, {}) == len(system.all_definitions())


@settings(max_examples=30, deadline=None)
@given(systems())
def test_the_plain_form_of_a_system_is_read_as_that_system(system):
    read_again(system, to_text)


@settings(max_examples=30, deadline=None)
@given(systems())
def test_the_latex_of_a_system_is_read_as_that_system(system):
    read_again(system, to_latex)


VECTORS = {"x_t": lambda w, now, past: now.x, "h_{t-1}": lambda w, now, past: past("h"), "b": lambda w, now, past: w.b}


def vectors(depth: int) -> st.SearchStrategy:
    """Texts of vectors of one length, each with its value."""
    leaf = st.sampled_from([*VECTORS.items()])
    if not depth:
        return leaf
    inner = vectors(depth - 1)
    return st.one_of(
        leaf,
        st.tuples(st.sampled_from(["product", "sum", "elementwise", "rest", "call", "scaled"]), inner, inner).map(
            _joined
        ),
    )


def _joined(parts: tuple) -> tuple:
    kind, (one, f1), (two, f2) = parts
    if kind == "product":
        return f"U ({one})", lambda *at: at[0].U @ f1(*at)
    if kind == "sum":
        return f"{one} - ({two})", lambda *at: f1(*at) - f2(*at)
    if kind == "elementwise":
        return f"({one}) * ({two})", lambda *at: f1(*at) * f2(*at)
    if kind == "rest":
        return f"(1 - ({one})) ⊙ ({two})", lambda *at: (1 - f1(*at)) * f2(*at)
    if kind == "call":
        return f"tanh({one} + W^T ({two}))", lambda *at: np.tanh(f1(*at) + at[0].W.T @ f2(*at))
    return rf"alpha ({one}) + (c^T ({two})) b", lambda *at: at[0].alpha * f1(*at) + (at[0].c @ f2(*at)) * at[0].b


@settings(max_examples=12, deadline=None)
@given(vectors(3), vectors(2))
def test_matrix_notation_computes_what_numpy_does(first, second):
    (one, f1), (two, f2) = first, second
    numbers = Numbers(read(f"a_t = {one} + W x_t\nh_t = tanh({two}) + a_t"))
    quantities = {quantity.name: quantity for some in numbers.of_role.values() for quantity in some}
    learned = Arrays({q.name: numbers.array(q) for q in quantities.values() if not q.timed and q.role != DEFINED})
    for when, name in product((1, 2), ("a", "h")):
        now = Arrays(x=numbers.array(quantities["x"], when))
        at = (learned, now, lambda name, when=when: numbers.array(quantities[name], when - 1))
        a_t = f1(*at) + learned.W @ now.x
        expected = a_t if name == "a" else np.tanh(f2(*at)) + a_t
        np.testing.assert_allclose(numbers.array(quantities[name], when), expected, rtol=1e-9, atol=1e-12)
