"""Chains of formulas that are equated, as a source prints them, and bounds at their end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sympy import Expr

from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.given import expression


@dataclass(frozen=True)
class AtMost:
    """An upper bound in a chain: the member before it is at most `expr`.

    >>> import throughtime as tt
    >>> t, x, y = tt.time(), tt.sequence("x"), tt.variable("y")
    >>> print(tt.chain(tt.Modulus(y[t]), tt.AtMost(tt.Modulus(x[t]))))
    (|y(t)|, AtMost(expr=|x(t)|))
    """

    expr: Expr


Chain = Sequence[Expr | AtMost]


def chain(left: Expr, *right: Expr | AtMost) -> tuple[Expr | AtMost, ...]:
    """`left = right[0] = right[1] = ...`, as a source prints it; the last member may be `AtMost(...)`.

    Raises DerivationError without a right side, and for a member that is no formula.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> printed = tt.chain(tt.d(y[t], y[t - 1]), w[()])
    >>> print(printed)
    (dy(t)/dy(t-1), w)
    >>> print(tt.Bench(unit, [{}]).equation("an example", printed, numeric="no model is given").verdict)
    holds
    """
    if not right:
        comma = "; == is no equation, write a comma in its place" if isinstance(left, bool) else ""
        raise DerivationError(f"chain: {left} is equated with nothing, expected at least one right side{comma}")
    return tuple(member if isinstance(member, AtMost) else expression(member, "chain") for member in (left, *right))


def equations(chains: Iterable[Chain]) -> Iterator[tuple[Expr, Expr]]:
    """The first member of each chain with each further one that it is equated with."""
    return ((left, m) for left, *right in chains for m in right if not isinstance(m, AtMost))


def formula_of(member: Expr | AtMost) -> Expr:
    """The formula of a member of a chain, that of the bound where it is one."""
    return member.expr if isinstance(member, AtMost) else member


def bounds(chains: Iterable[Chain]) -> Iterator[tuple[Expr, Expr]]:
    """The first member of each chain with each upper bound."""
    return ((left, m.expr) for left, *right in chains for m in right if isinstance(m, AtMost))
