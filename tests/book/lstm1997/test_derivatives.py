"""The chapter on derivatives under truncation: its table, and the checks of the factor one by one."""

from __future__ import annotations

import pytest
from book.lstm1997.bench import make_bench
from book.lstm1997.derivatives import checks
from sympy import Equality
from throughtime.derivation import Reducer
from throughtime.derivation.deriving.structure import ZERO
from throughtime.systems import lstm1997 as s


@pytest.mark.parametrize("right", [checks.to_gate * checks.to_cell, checks.to_gate])
def test_each_check_of_the_factor_refuses_another(right):
    bench, formula = make_bench(), Equality(checks.factor, right, evaluate=False)
    assert not checks.exactly(bench, formula)
    assert not checks.in_numbers(bench, formula)
    assert not all(step.check() for step in checks.proof(bench, formula))


# ---- the first table, and which thirteen derivatives are not zero


UNITS = (s.y[s.i_out, s.t], s.y_hid[s.i_hid, s.t], s.y_ig[s.i, s.t], s.y_og[s.i, s.t], s.s[s.k, s.i, s.t])
UNITS += (s.y_cell[s.k, s.i, s.t],)
WEIGHTS = (s.w_out[s.p_out, s.q_out], s.w_hid[s.p_hid, s.q], s.w_ig[s.p, s.q], s.w_og[s.p, s.q])
WEIGHTS += (s.w_cell[s.k_star, s.p, s.q],)


@pytest.fixture(scope="module")
def reducer():
    return Reducer(s.build())


def claims(reducer, cuts):
    return {
        (unit.quantity.name, weight.quantity.name): reducer.forward(weight, cuts).structure.claim(unit)
        for unit in UNITS
        for weight in WEIGHTS
    }


def test_thirteen_derivatives_survive_and_twenty_five_without_cuts(reducer):
    found = claims(reducer, s.cuts())
    assert sum(claim != ZERO for claim in found.values()) == 13
    assert {pair for pair, claim in found.items() if claim not in (ZERO, frozenset())} == {
        ("y", "w_out"), ("y_hid", "w_hid"), ("y_ig", "w_ig"), ("y_og", "w_og"), ("s", "w_ig"), ("s", "w_cell"),
        ("y_cell", "w_ig"), ("y_cell", "w_og"), ("y_cell", "w_cell"),
    }  # fmt: skip
    exact = claims(reducer, ())
    assert all(claim == frozenset() for (_, weight), claim in exact.items() if weight != "w_out")
    assert [unit for (unit, weight), claim in exact.items() if weight == "w_out" and claim != ZERO] == ["y"]
