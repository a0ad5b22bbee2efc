"""The states that a gate depends on: derived from the equations of a cell, and read from the record of libraries."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

from sympy import And, Eq, Expr, Integer, Ne, Symbol
from sympy.core.basic import Basic
from throughtime.derivation import Delta, Index, Reducer, Truncated, cut
from throughtime.systems import lstm_family as s
from throughtime.systems.lstm_family import LIBRARY, Member

RECORD = Path(__file__).parents[2] / "data" / "library_lstms.csv"
ROUNDING = 1e-12

k, l, c = s.k, s.l, s.c


def _held(cell: str) -> Symbol:
    net = r"\partial \mathrm{net}^{\mathrm{gate}}_k"
    return Symbol(rf"\left. \frac{{{net}}}{{\partial {cell}}} \right|_{{h(t-1)}}", real=True)


OWN, OTHER = _held("c_k"), _held(r"c_l")
FULLY = And(Ne(OWN, 0), Ne(OTHER, 0))
NOT_AT_ALL = And(Eq(OWN, 0), Eq(OTHER, 0))
OWN_ONLY = And(Ne(OWN, 0), Eq(OTHER, 0))


def held_outputs(gate: str, block: Index, member: Member) -> Truncated:
    """The derivative of a gate's net_k with respect to a state of ``block``, earlier cell outputs held constant."""
    when = s.t if gate == "og" else s.t - 1
    return Truncated(s.net[gate][k, s.t], s.s[block, c, when], cut(s.y_cell[l, c, s.t - 1], into=s.source))


@cache
def sees(member: Member) -> tuple[bool, bool]:
    """Whether gates depend on states of their own block, and on those of others: exactly, by the engine.

    ValueError for a member whose gates see states in another way, through other gates say.
    """
    reducer = Reducer(member.build())

    def all_gates(weight: Callable[[str], Expr]) -> bool:
        return all(reducer.equal(held_outputs(gate, l, member), weight(gate)) for gate in s.GATES)

    if all_gates(lambda gate: Integer(0)):
        return False, False
    if all_gates(lambda gate: Delta(k, l) * s.u[gate][k, c]):
        return True, False
    raise ValueError(f"member: expected gates that see no state or that of their block, got {member.name}")


def decide(formula: Basic, member: Member = LIBRARY) -> bool:
    """Whether a formula in ``OWN`` and ``OTHER`` is true of a member; a state that is seen has some weight u."""
    weight = Symbol("u", nonzero=True)
    values = {symbol: weight if seen else Integer(0) for symbol, seen in zip((OWN, OTHER), sees(member), strict=True)}
    return formula.subs(values) == True  # noqa: E712 - a formula that stays open is not true


def record() -> list[dict[str, str]]:
    """The lines of the record."""
    with RECORD.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def recorded(check: str) -> dict[str, str]:
    """The results of one check by library and cell."""
    return {f"{row['library']} {row['cell']}": row["result"] for row in record() if row["check"] == check}


def confirmed(check: str) -> bool:
    """Whether the record has such a check, and every cell passed it to rounding."""
    errors = [float(result) for result in recorded(check).values()]
    return bool(errors) and max(errors) <= ROUNDING


def counts(n_in: int, units: int) -> dict[str, int]:
    """How many parameters a layer has with no peepholes, with those of 2002 and with all states to all gates."""
    none = 4 * units * (n_in + units) + 8 * units
    return {"none": none, "own": none + 3 * units, "all": none + 3 * units**2}
