"""Truncation in print: what is missing in (47), the path through the state, and hidden units without their cut."""

from pathlib import Path

import pytest
from book.lstm1997.truncation import checks as p
from sympy import Eq, Integer, Piecewise
from throughtime.derivation import Delta, Truncated, d, holds_on
from throughtime.systems import lstm1997 as s

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "truncation-in-print.ipynb"
i, j, k, k_star, t = s.i, s.j, s.k, s.k_star, s.t


@pytest.fixture(scope="module")
def bench():
    return p.small()


@pytest.fixture(scope="module")
def typed(run_page):
    return run_page("whole = equals(")


def test_the_note_leaves_out_the_path_through_the_old_state(typed):
    assert not p.is_true(typed["exact"][2])
    assert p.is_true(typed["whole"])
    assert "it lacks 0.006906" in p.omission()


def test_each_step_of_the_proof_can_fail(typed):
    assert not p.general(
        "the output gate is cut, its exact derivative is not zero", typed["exact"][1].lhs, Integer(0)
    ).check()
    assert not p.by_definition("too little", s.s[k, i, t + 1], d(s.s[k, i, t], p.WEIGHT)).check()


@pytest.mark.parametrize("unit", [s.y_hid[s.j_hid, t], s.y_og[j, t], s.y_cell[k_star, j, t]])
def test_no_unit_but_an_input_gate_reaches_a_cell_one_step_later(bench, unit):
    assert bench.reducer.equal(p.cut(s.y_cell[k, i, t + 1], unit), Integer(0))


def test_an_input_gate_does_through_the_state(bench):
    derived = bench.derive(s.y_cell[k, i, t + 1], s.y_ig[j, t], cuts=p.CUTS).result
    through_state = s.y_og[i, t + 1] * s.h.prime(s.s[k, i, t + 1], k, i) * s.g[k, i](s.net_cell[k, i, t])
    assert bench.reducer.equal(derived, Delta(i, j) * through_state)


def test_without_their_cut_hidden_units_run_rtrl(bench):
    left = Truncated(s.y_hid[s.i_hid, t + 1], p.WEIGHT, *p.GATES_AND_CELLS)
    own = s.f_hid.prime(s.net_hid[s.i_hid, t + 1], s.i_hid) * Delta(s.i_hid, s.p_hid) * s.r[s.m, t + 1]
    assert bench.reducer.equal(p.cut(left.target, p.WEIGHT), own)
    assert not holds_on(bench.witnesses, [(left, own)]).passed


def test_a_step_is_no_kronecker_delta():
    assert not p.is_kronecker(Eq(p.delta(p.a, p.b), Piecewise((1, p.a <= p.b), (0, True)), evaluate=False))
