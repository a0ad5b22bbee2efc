"""Judges of the chapter on error flow: where an error signal exists, sums over paths as products of matrices."""

from __future__ import annotations

from functools import cache

import numpy as np
from sympy import And, Eq, Equivalent, Integer, Le, Matrix, Symbol, eye, symbols
from sympy.logic.boolalg import Boolean
from throughtime.derivation import OutOfRange, Setting, Statement, Step, Unrolled, chains_tex, claim, d
from throughtime.models.activations import tanh
from throughtime.models.recurrent import FullyRecurrent
from throughtime.systems import recurrent as s
from throughtime_book.shared.words import Words

t_past, t_future = symbols(r"t_{\mathrm{past}} t_{\mathrm{future}}", integer=True)
REACHED = Words("there is an error signal")
LENGTH = 4


@cache
def _instances() -> tuple[Unrolled, ...]:
    return tuple(
        Unrolled(s.build(), {s.d_in: 1, s.d_out: units}, LENGTH, seed=seed) for seed, units in ((1, 2), (2, 3))
    )


def reached_exactly(future: int, past: int) -> bool:
    """Whether some network in rational numbers has an error signal other than 0 from E(future) at a z(past)."""
    for net in _instances():
        for unit in range(1, int(net.sizes[s.d_out]) + 1):
            try:
                if net.value(d(s.cost[Integer(future)], s.net[Integer(unit), Integer(past)]), {}) != 0:
                    return True
            except OutOfRange:
                continue
    return False


def reached_in_the_model(future: int, past: int) -> bool:
    """The same, asked of the library's error signals."""
    if not 0 <= past <= LENGTH:
        return False
    random = np.random.default_rng(3)
    model = FullyRecurrent(n_in=1, n_out=2, activation=tanh)
    mask = np.eye(LENGTH)[future - 1]
    data = model.init(random, 1.0), random.normal(size=(LENGTH, 1)), random.normal(size=(LENGTH, 2))
    return bool(np.any(model.error_signals(*data, mask).z[past]))


def error_reaches(formula: Boolean, reached=reached_exactly) -> bool:
    """Whether a formula in the two times and in `REACHED` is true of all net inputs of a short sequence."""
    return all(_true(formula, past, future, reached(future, past)) for past, future in _times())


def same_of_net_inputs(formula: Boolean, other: Boolean) -> bool:
    """Whether two formulas say the same of every net input, whether or not an error signal reaches it."""
    return all(
        _true(formula, *when, there) == _true(other, *when, there) for when in _times() for there in (True, False)
    )


def _times() -> list[tuple[int, int]]:
    """Times of a net input, from 1 to two past the end, each with that of an error."""
    return [(past, future) for future in range(1, LENGTH + 1) for past in range(1, LENGTH + 3)]


def _true(formula: Boolean, past: int, future: int, there: bool) -> bool:
    return formula.subs({t_past: past, t_future: future, REACHED: there}) == True  # noqa: E712


in_range = Equivalent(REACHED, And(Le(0, t_past), Le(t_past, t_future)))


def error_signal(setting: Setting) -> Statement:
    """lstm97-15: at which times there is an error signal."""
    return claim(
        "lstm97-15",
        in_range,
        decide=error_reaches,
        same=same_of_net_inputs,
        strictness=True,
        verdict="holds",
        proof=[
            Step(
                r"No error comes from the future: a net input does not depend on a later one.",
                Eq(Symbol(r"\frac{\mathrm{d} E(t)}{\mathrm{d} z_j(t+q)}"), 0),
                lambda: setting.reducer.equal(d(s.cost[s.t], s.net[s.j, s.t + 1]), Integer(0)),
            ),
            Step(
                r"From time 1 to that of the error the sum over paths is not zero, save by chance.",
                None,
                lambda: all(reached_exactly(future, past) for future in (1, 2, 3, 4) for past in range(1, future + 1)),
            ),
        ],
        instance=lambda: error_reaches(in_range),
        numeric=lambda: error_reaches(in_range, reached_in_the_model),
        assumptions=[
            r"$t_{\mathrm{past}} \ge 1$: the statement is about net inputs, and the first is $\mathrm{net}_k(1)$. "
            r"At time 0 stands the constant $y(0) = 0$, and nothing to take a derivative by.",
            r"The note says that the symbol is defined for these times; judged is that an error signal other than 0 "
            r"can be there at these times and at no others.",
        ],
    )


def flow_by_matrices(steps: int, *, errors: bool = False) -> bool:
    """Whether the sum over paths is the product of the matrices of links, in rational numbers.

    With `errors`, whether the transposed product takes the error signals of time t to those of time t - steps.
    """
    now = Integer(LENGTH)
    for net in _instances():
        units = [Integer(unit) for unit in range(1, int(net.sizes[s.d_out]) + 1)]

        def link(back: int, net=net, units=units) -> Matrix:
            entry = s.w[s.i, s.j] * s.f.prime(s.net[s.j, now - back], s.j)
            return Matrix([[_rational(net.value(entry, {s.i: u, s.j: v})) for v in units] for u in units])

        product = eye(len(units))
        for back in range(1, steps + 1):
            product *= link(back)
        if errors:
            late, early = (
                Matrix([_rational(net.value(d(s.cost[now], s.net[s.i, now - back]), {s.i: u})) for u in units])
                for back in (0, steps)
            )
            if product.T * late != early:
                return False
            continue
        paths = s.error_flow(s.i, s.j, Integer(steps))
        by_paths = Matrix([[_rational(net.value(paths, {s.i: u, s.j: v, s.t: now})) for v in units] for u in units])
        if by_paths != product:
            return False
    return True


def products_of_matrices() -> tuple[Step, ...]:
    """The error flow in block notation: what one step and the next one are, and how error signals come back."""
    return (
        Step(
            r"No step: the empty product is the identity, and the sum over paths of no link is the Kronecker delta. "
            r"One step: both are the link itself.",
            Eq(Symbol("F(1)"), Symbol("L_1")),
            lambda: flow_by_matrices(0) and flow_by_matrices(1),
        ),
        Step(
            r"From $n$ to $n + 1$: a path of $n + 1$ links is a path of $n$ links to some unit $l$ and a link from "
            r"$l$. Summing over $l$ is multiplying by the matrix $L_{n+1}$.",
            Eq(Symbol("F(n+1)_{u v}"), Symbol(r"\sum_{l} F(n)_{u l}\, (L_{n+1})_{l v}")),
            lambda: all(flow_by_matrices(steps) for steps in (2, 3)),
        ),
        Step(
            r"So the flow is a product of matrices, and errors, as column vectors, come back by its transpose.",
            r"\begin{aligned}F(n) &= L_1 L_2 \cdots L_n = \prod_{m=1}^{n} W D_m, \\ \vartheta(t-n) &= "
            r"F(n)^{\mathsf T}\, \vartheta(t) = D_n W^{\mathsf T} \cdots D_1 W^{\mathsf T}\, "
            r"\vartheta(t)\end{aligned}",
            lambda: all(flow_by_matrices(steps, errors=True) for steps in (1, 2, 3)),
        ),
    )


def not_the_derivative(paper: Statement) -> Step:
    """That the paper's order of subscripts, judged as a statement, does not give the derivative."""
    return Step(
        f"The paper's order does not give the derivative. {paper.counterexample}",
        chains_tex(paper.printed, "3.2", as_printed=True).replace("= ", r"\ne ", 1),
        lambda: paper.verdict == "corrected",
    )


def _rational(value):
    return Integer(value.numerator) / Integer(value.denominator)
