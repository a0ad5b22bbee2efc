"""The two systems of the chapter and of its page in print, and a step that both prove."""

import sympy as sp
from book.bptt.bench import ACTIVATIONS
from book.bptt.constant_error import checks
from book.shared.statements import SOURCES
from throughtime.derivation import Bench, Step, System, parameter, sum_over
from throughtime.systems.recurrent import cost, d_out, f, i, j, net, t, target, unit_cost, w, y

SIZES = [{d_out: 1}, {d_out: 3}]
ALONE = "Each unit reads its own output alone, and nothing else reads it."
C = parameter("C", y.domains[0])
"""The constant of an affine activation, one for each unit."""


def self_connected() -> Bench:
    """Units that read themselves alone, with small instances in rational numbers and a forward pass in NumPy."""
    units = System("self-connected units", t)
    units[net[j, t]] = w[j, j] * y[j, t - 1]
    units[y[j, t]] = f[j](net[j, t])
    units[unit_cost[i, t]] = (y[i, t] - target[i, t]) ** 2 / 2
    units[cost[t]] = sum_over(i, unit_cost[i, t])
    model = checks.alone(w_in=0.0)
    return Bench(units, SIZES, length=4, model=model, activations=ACTIVATIONS, assumptions=(ALONE,), sources=SOURCES)


def affine() -> Bench:
    """The same units with affine activation functions, on small instances alone."""
    units = System("affine units", t)
    units[net[j, t]] = w[j, j] * y[j, t - 1]
    units[y[j, t]] = (net[j, t] + C[j]) / w[j, j]
    units.initial(y, 2)
    return Bench(units, SIZES, length=4)


def no_other_solution() -> Step:
    """The step that no function but an affine one has the slope 1/w everywhere."""
    x, constant = sp.symbols("x C", real=True)
    g = sp.Function("g")
    equation, solution = checks.w * g(x).diff(x) - 1, (x + constant) / checks.w
    return Step(
        "There is no other solution: two of them differ by a function whose slope is 0, which is a constant. Its value "
        "is found at $x = 0$, $C = w_{j,j} f_j(0)$.",
        sp.Eq(checks.w * sp.Function("f_j")(x), x + constant),
        lambda: (
            sp.dsolve(equation, g(x)).rhs.diff(x) == 1 / checks.w
            and sp.dsolve(equation, g(x), ics={g(0): constant / checks.w}).rhs.equals(solution)
        ),
    )
