"""What a cut loses, as equations of one step that sum up, and the claim of e-prop that follows from them."""

from __future__ import annotations

from functools import cache

from sympy import Equality, Expr, Integer
from sympy.core.basic import Basic
from throughtime.derivation import (
    LENGTH,
    AsNumber,
    CheckError,
    DerivationError,
    Setting,
    Step,
    Truncated,
    Witness,
    chain,
    d,
    derived,
    holds_on,
    sum_over,
)
from throughtime_book.beyond.online_rules import setting as settings
from throughtime_book.beyond.online_rules import system as s
from throughtime_book.shared.reading import equals

L, T = s.loss[()], AsNumber(LENGTH)
NO_NODES = "the programs tell derivatives with respect to weights and no others"


def trace(when: Expr) -> Expr:
    """The eligibility trace of the weight from b to a in RFLO: the truncated derivative of unit a."""
    return Truncated(s.h[s.a, when], s.W[s.a, s.b], *s.RFLO)


def seen(when: Expr) -> Expr:
    """The derivative of the loss by unit a through the error of its own time alone."""
    return -sum_over(s.l, s.W_out[s.l, s.a] * s.error[s.l, when]) / T


def returning(when: Expr) -> Expr:
    """The error that the cut edges would bring back to unit a from the net inputs of a time."""
    return sum_over(s.i, s.W[s.i, s.a] * d(L, s.u[s.i, when]))


def lost() -> Equality:
    """Exact and truncated derivative by a recurrent weight, and their difference."""
    exact, kept = d(L, s.W[s.a, s.b]), Truncated(L, s.W[s.a, s.b], *s.RFLO)
    return equals(exact, kept + sum_over((s.s, 1, LENGTH), returning(s.s) * trace(s.s - 1)))


def proof_of_lost(S: Setting) -> tuple[Step, ...]:
    """Exact and truncated derivative as sums over time, and the difference of their terms as a difference in time."""
    t = s.t

    def carried(when: Expr) -> Expr:
        return (1 - 1 / s.tau) * d(L, s.h[s.a, when]) * trace(when - 1)

    uses = sum_over((s.s, 1, LENGTH), d(L, s.u[s.a, s.s]) * s.h[s.b, s.s - 1])
    use, left = d(L, s.u[s.a, t]) * s.h[s.b, t - 1], seen(t) * trace(t) + returning(t + 1) * trace(t)
    return (
        derived("The exact derivative:", S, chain(d(L, s.W[s.a, s.b]), uses), numeric=NO_NODES),
        derived(
            "The truncated one:",
            S,
            chain(Truncated(L, s.W[s.a, s.b], *s.RFLO), sum_over((s.s, 1, LENGTH), seen(s.s) * trace(s.s))),
        ),
        derived(
            "One time of each, and what is lost:", S, chain(use + carried(t), left + carried(t + 1)), numeric=NO_NODES
        ),
        _summed(S, lost(), "no trace is there before time 1, and no error after time $T$"),
    )


def ideal(first: int = 1) -> Equality:
    """The factorization of e-prop: a trace times the total derivative of the loss by the spike, summed over time."""
    signals = d(L, s.spike[s.j, s.s]) * _e(s.spike, s.s)
    return equals(d(L, s.V[s.j, s.i]), sum_over((s.s, first, LENGTH), signals))


def without_time_1(mutant: Basic, _: Basic) -> bool:
    """Whether a formula leaves out time 1 alone, at which the trace is 0, since no spike came before."""
    none = [(_e(s.spike, Integer(1)), Integer(0))]
    return mutant == ideal(first=2) and _spiking().on_instances(none).passed is True


def _e(quantity, when: Expr) -> Expr:
    return Truncated(quantity[s.j, when], s.V[s.j, s.i], *s.EPROP)


def proof_of_ideal(E: Setting) -> tuple[Step, ...]:
    """The factorization of e-prop, by the same difference in time."""
    t, j = s.t, s.j

    def carried(when: Expr) -> Expr:
        by_voltage = d(L, s.voltage[j, when]) * s.alpha * _e(s.voltage, when - 1)
        own = s.rho * _e(s.adaptation, when - 1) + _e(s.local, when - 1)
        return by_voltage + d(L, s.adaptation[j, when]) * own

    uses = sum_over((s.s, 1, LENGTH), d(L, s.voltage[j, s.s]) * s.spike[s.i, s.s - 1])
    use, left = d(L, s.voltage[j, t]) * s.spike[s.i, t - 1], d(L, s.spike[j, t]) * _e(s.spike, t)
    return (
        derived("Every use of the weight:", E, chain(d(L, s.V[j, s.i]), uses), numeric=NO_NODES),
        derived(
            "One time of it, and of the claim:", E, chain(use + carried(t), left + carried(t + 1)), numeric=NO_NODES
        ),
        _summed(E, ideal(), "no trace is there before time 1, and no error after time $T$"),
    )


def _summed(S: Setting, result: Equality, why: str) -> Step:
    words = f"Summed over all times, what is carried cancels but for the first and the last, which are 0: {why}."
    return Step(words, chain(*result.args), lambda: holds(S, result))


def holds(S: Setting, equation: Basic) -> bool:
    """Whether an equation is true on the exact instances, of which some are longer; False for what is none."""
    if not isinstance(equation, Equality):
        return False
    try:
        witnesses: list[Witness] = [*S.witnesses, *S.exact.of([equation.args], 2)]
        return holds_on(witnesses, [equation.args]).passed is True
    except (DerivationError, CheckError, LookupError):
        return False


@cache
def _spiking() -> Setting:
    return settings.of_spiking()


def decides_ideal(equation: Basic) -> bool:
    """`holds` for the units of e-prop."""
    return holds(_spiking(), equation)


def on_the_program(equation: Equality) -> bool:
    """Whether the factorization holds of the program; the total derivatives by spikes come from the complex step."""
    model = _spiking().model
    names = {quantity.name: model.parameters[quantity.name] for quantity in (s.V, s.V_in, s.W_out)}
    moved = settings.spikes_moved(names, model.inputs)
    weights, units = names["w"].shape
    for j in range(weights):
        for i in range(units):
            env = {s.j: Integer(j + 1), s.i: Integer(i + 1)}
            exact = model.value(equation.lhs, env)
            parts = (
                moved[when - 1, j] * model.value(_e(s.spike, s.t), env | {s.t: Integer(when)})
                for when in range(1, model.length + 1)
            )
            if abs(exact - sum(parts)) > 1e-12:
                return False
    return True
