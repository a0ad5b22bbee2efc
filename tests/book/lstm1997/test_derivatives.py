"""The chapter on derivatives under truncation: its table, and its claims in independent arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from book.lstm1997.bench import make_bench
from book.lstm1997.derivatives import checks
from sympy import Add, Equality, Mul
from throughtime.derivation import Reducer
from throughtime.derivation.deriving.structure import ZERO
from throughtime.systems import lstm1997 as s
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "derivatives.ipynb"


@pytest.mark.parametrize(
    ("right", "true"),
    [
        (checks.to_gate + checks.to_cell, True),
        (checks.to_gate * checks.to_cell, False),
        (checks.to_gate, False),
        (2 * (checks.to_gate + checks.to_cell), False),
    ],
)
def test_factor_of_the_step_before(right, true):
    bench, formula = make_bench(), Equality(checks.factor, right, evaluate=False)
    assert checks.exactly(bench, formula) is true
    assert checks.in_numbers(bench, formula) is true
    assert all(step.check() for step in checks.proof(bench, formula)) is true


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


def test_uncut_hidden_units_lose_their_own_row_only(reducer):
    cut, uncut = (claims(reducer, cuts) for cuts in (s.cuts(), tuple(c for c in s.cuts() if c.into != s.net_hid)))
    assert {unit for (unit, _), claim in uncut.items() if claim != cut[unit, _]} == {"y_hid"}


# ---- the deltas, on a net written down here: one block, two cells, two steps


@pytest.fixture(scope="module")
def bench():
    return make_bench()


def test_the_sum_of_the_deltas_is_right_and_the_product_is_not(bench):
    of_paper, of_note = (Equality(checks.factor, f(checks.to_gate, checks.to_cell)) for f in (Add, Mul))
    assert checks.is_true(bench, of_paper)
    assert not checks.is_true(bench, of_note)
    assert (checks.largest(bench, of_paper), checks.largest(bench, of_note)) == (1, 0)


def test_product_of_the_deltas_would_lose_the_past():
    """ds(2)/dw of a weight of the input gate is the sum of the contributions of both steps, in plain NumPy."""
    net = LSTM1997(n_in=1, blocks=1, cells=2, n_out=1)
    theta, x = net.init(3, scale=1.0), np.array([[0.7], [-0.4]])
    trace = net.forward(theta, x)
    source = [0.7, -0.4]
    added = [
        trace.y_ig[n, 0] * (1 - trace.y_ig[n, 0]) * (4 / (1 + np.exp(-trace.net_cell[n, 0, 0])) - 2) * source[n - 1]
        for n in (1, 2)
    ]
    held = np.array(net.layout.views(theta)["w_ig"][0])
    rest = [held[1:] @ np.concatenate([trace.y_ig[n], trace.y_og[n], trace.y_cell[n].ravel()]) for n in (0, 1)]

    def state(weight):
        """s(2) of the first cell with the sources held constant."""
        gates = [1 / (1 + np.exp(-(weight * source[n] + rest[n]))) for n in (0, 1)]
        return sum(gates[n] * (4 / (1 + np.exp(-trace.net_cell[n + 1, 0, 0])) - 2) for n in (0, 1))

    assert state(held[0]) == pytest.approx(trace.s[2, 0, 0], rel=1e-13)
    slope = state(held[0] + 1e-30j).imag / 1e-30
    assert slope == pytest.approx(sum(added), rel=1e-12)
    assert abs(slope - added[1]) > 0.01  # the only term left by the product of the deltas


# ---- the two recursions, as a reader types them


def test_the_typed_recursions_are_the_truncated_derivatives_of_the_states(run_cell):
    names = run_cell("def states(")
    draw = np.random.default_rng(12)
    net = LSTM1997(n_in=1, blocks=2, cells=2, n_out=1, hidden=1)
    theta, x = net.init(draw, scale=1.0), draw.normal(size=(7, 1))
    views = net.layout.views(theta)
    state, by_gate, by_cell = names["states"]({name.removeprefix("w_"): view for name, view in views.items()}, x)
    run = net.forward(theta, x)
    np.testing.assert_allclose(state, run.s[-1], rtol=1e-13)
    units = [getattr(run, f"y_{kind}")[:-1].reshape(7, -1) for kind in ("hid", "ig", "og", "cell")]
    read = np.hstack([x, *units])
    added = net.f.derivative(run.net_ig[1:])[:, None] * net.g(run.net_cell[1:])
    np.testing.assert_allclose(by_gate, np.einsum("tkb,tq->kbq", added, read), rtol=1e-12)
    added = run.y_ig[1:][:, None] * net.g.derivative(run.net_cell[1:])
    np.testing.assert_allclose(by_cell, np.einsum("tkb,tq->kbq", added, read), rtol=1e-12)
