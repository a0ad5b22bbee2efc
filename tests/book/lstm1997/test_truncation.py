"""The chapter on truncation: what its checks refuse, and the errors of its figure."""

import numpy as np
from book.lstm1997.truncation import checks as p
from book.lstm1997.truncation import figures
from sympy import Eq, Integer, Piecewise
from throughtime.derivation import Delta, Truncated, d, holds_on
from throughtime.systems import lstm1997 as s

i, j, k, k_star, t = s.i, s.j, s.k, s.k_star, s.t


def test_a_step_is_no_kronecker_delta():
    assert not p.is_kronecker(Eq(p.delta(p.a, p.b), Piecewise((1, p.a <= p.b), (0, True)), evaluate=False))


def test_each_step_of_the_proof_can_fail():
    gate = s.f_og[i](s.net_og[i, t + 1])
    wrong = "the output gate is cut, its exact derivative is not zero"
    assert not p.general(wrong, d(gate, p.WEIGHT), Integer(0)).check()
    assert not p.by_definition("too little", s.s[k, i, t + 1], d(s.s[k, i, t], p.WEIGHT)).check()


def test_a_true_equation_between_what_does_not_vanish_is_no_zero():
    state = s.s[k, i, t]
    assert p.is_zero(Eq(p.cut(state, p.WEIGHT), Integer(0), evaluate=False))
    assert not p.is_zero(Eq(state, state, evaluate=False))


def test_the_error_along_a_state_is_not_constant_where_an_input_gate_is_left_open():
    witnesses = p.small().witnesses
    kept = Delta(i, j) * Delta(k, k_star)
    held = tuple(item for item in p.CUTS if item.into != s.net_ig)
    one_back = Truncated(s.s[k, i, t + 1], s.s[k_star, j, t], *held)
    gate = s.f_ig.prime(s.net_ig[i, t + 1], i) * s.w_ig[i, s.cell_column(k_star, j)]
    back = s.g[k, i](s.net_cell[k, i, t + 1]) * gate * s.y_og[j, t] * s.h.prime(s.s[k_star, j, t], k_star, j)
    assert holds_on(witnesses, [(one_back, kept + back)]).passed
    assert not holds_on(witnesses, [(one_back, kept)]).passed


def test_the_error_along_the_states_is_as_the_page_describes_it():
    cut, exact = (figures.signals(60, 6, method=method) for method in ("truncated", "bptt"))
    np.testing.assert_allclose(cut, 1.0, rtol=1e-14)
    assert exact.max() > 50
    assert 0.14 < exact.min() < 0.16
    assert exact[:, 1:5].max() > 5
