"""What the chapter on the two derivatives claims beside equations of its system: the telescope, and descent."""

from __future__ import annotations

from itertools import pairwise

from sympy import Derivative, Eq, Expr, Function, Integer, Sum, Symbol, expand, symbols
from throughtime.derivation import (
    Setting,
    Sigma,
    Statement,
    Step,
    Truncated,
    chain,
    chains_tex,
    claim,
    close,
    cut,
    cut_set,
    d,
    derived,
    holds_in_general,
    holds_on,
    identity,
    sum_over,
    time,
)
from throughtime.systems.recurrent import T, cost, i, j, k, loss, t, target, y
from throughtime.systems.recurrent import net as z
from throughtime_book.bptt.forward import prints as p

ARGUMENTS = (
    r"$\mathcal{L}$ is a function of the outputs, its arguments: $\partial$ is the truncated derivative, in which the "
    "net inputs hold the outputs that they read."
)
NO_NUMBERS = "the library has no derivative with the other outputs held"


def telescope() -> Step:
    """The differences of a sequence add up to the difference of its ends."""
    flow, (when, end) = Function("F"), symbols("t T", integer=True, positive=True)
    inner = Sum(flow(when + 1) - flow(when), (when, 1, end))
    return identity("Add up over the times 1 to $T$. All inner borders cancel:", inner, flow(end + 1) - flow(1))


def outer_borders(setting: Setting, flow) -> Step:
    """Nothing crosses the border before time 1, and none that behind time T; ``flow`` is the flow at a time."""
    borders = [chain(flow(Integer(1)), Integer(0)), chain(flow(T + 1), Integer(0))]
    return Step(
        "Nothing crosses the outer borders: before the first step nothing depends on the weight, "
        "and after the last nothing reaches the loss.",
        chains_tex(borders, None),
        lambda: holds_on(setting.witnesses, borders).passed and holds_on([setting.model], borders, close).passed,
    )


HELD = cut_set("held", cut(y[j, t - 1], into=z))
"""The outputs as arguments of their own: none depends on another."""


def by_argument(of: Expr, wrt: Expr) -> Expr:
    """The derivative of a function of the outputs by one of them, the others held."""
    return Truncated(of, wrt, *HELD)


def objective(setting: Setting) -> Statement:
    """bptt-3: the derivative of the objective, as a function of the outputs, by one of its arguments."""
    when, now = time("s"), Symbol("t", integer=True, nonnegative=True)
    difference = y[i, now + 1] - target[i, now + 1]
    members = (
        by_argument(loss[()], y[i, now + 1]),
        sum_over((when, 0, T - 1), by_argument(cost[when + 1], y[i, now + 1])),
        by_argument(cost[now + 1], y[i, now + 1]),
        sum_over(k, by_argument((y[k, now + 1] - target[k, now + 1]) ** 2, y[i, now + 1])) / 2,
        by_argument(difference**2, y[i, now + 1]) / 2,
        difference,
    )
    whole, one = (chain(*(side.xreplace({now: t}) for side in (members[n], difference))) for n in (0, 2))
    places = holds_on(setting.witnesses, [chain(difference, difference)]).count

    def decide(line: Eq) -> bool:
        """Whether a line is true at all times; there is no error of time 0, which the engine would count as 0."""
        first = [total.args[2] for total in line.atoms(Sigma) if total.args[1] == when]
        found = holds_on(setting.witnesses, [chain(*line.args)])
        return found.passed and found.count >= places and all(time >= 0 for time in first)

    def without_cuts(mutant: Eq, line: Eq) -> bool:
        """Whether a slip only lets the outputs depend on one another, and it is proved that nothing changes."""
        uncut, other = (side.replace(Truncated, lambda of, wrt, *_: d(of, wrt)) for side in (line, mutant))
        proved = holds_in_general(setting.reducer, [chain(*mutant.xreplace({now: t}).args)])
        return uncut == other and bool(proved.passed)

    return claim(
        "bptt-3",
        [Eq(left, right, evaluate=False) for left, right in pairwise(members)],
        decide=decide,
        same=without_cuts,
        verdict="holds",
        proof=[
            derived("All errors but that of time $t + 1$ lack this argument:", setting, whole, numeric=NO_NUMBERS),
            derived("and of the error of that time one square alone has it:", setting, one, numeric=NO_NUMBERS),
        ],
        instance=lambda: holds_on(setting.witnesses, [members]).passed,
        numeric=NO_NUMBERS,
        assumptions=[ARGUMENTS],
    )


def gradient_descent() -> Statement:
    """lstm97-14: the step along -g lowers the error at the rate |g|^2 if g is the total derivative."""
    a, g, h = symbols("alpha g_1 g_2", real=True)
    u, v = symbols("w_1 w_2", real=True)
    error = Function("E")
    along = error(u - a * g, v - a * h).diff(a).subs(a, 0).doit()
    du, dv = Derivative(error(u, v), u), Derivative(error(u, v), v)
    rule = p.equals(p.new, p.old - p.rate * p.slope)
    return claim(
        "lstm97-14",
        rule,
        decide=p.descends,
        verdict="holds",
        proof=[
            Step(
                "How fast the error changes as one sets out along $-g$, for two weights (any number likewise):",
                Eq(Derivative(error(u - a * g, v - a * h), a).subs(a, 0), -g * du - h * dv, evaluate=False),
                lambda: expand(along + g * du + h * dv) == 0,
            ),
            Step(
                "If $g$ is the gradient, that is negative wherever $g$ is not zero, so a small enough step goes down:",
                Eq(-g * du - h * dv, -(g**2) - h**2, evaluate=False),
                lambda: expand(along.subs({du: g, dv: h}) + g**2 + h**2) == 0,
            ),
        ],
        instance="the rule is judged by how the error of a net falls along it, which has no exact numbers",
        numeric=lambda: p.descends(rule),
        assumptions=[
            r"$g_{ij}$ is the total derivative $\mathrm{d}E(t+1)/\mathrm{d}w_{ij}$, not the one printed in (13).",
            r"The rate $\alpha > 0$ is small enough.",
        ],
    )
