"""The chapter on truncation: what the cut leaves, and agreement of cuts by hand with the library."""

from pathlib import Path

import numpy as np
import pytest
from book.lstm1997 import example
from book.lstm1997.truncation import checks as p
from book.lstm1997.truncation import figures
from sympy import Eq, Integer
from throughtime.derivation import Delta, DerivationError, Lemma, Truncated, holds_on, lag
from throughtime.systems import lstm1997 as s
from throughtime.textbook.lstm1997 import LSTM1997

PAGE = Path(__file__).parents[3] / "book" / "lstm1997" / "truncation.ipynb"
DATA = (example.THETA, example.X, example.TARGETS, example.LAST)
i, j, k, k_star, t = s.i, s.j, s.k, s.k_star, s.t


@pytest.fixture(scope="module")
def bench():
    return p.small()


@pytest.fixture(scope="module")
def typed(run_page):
    return run_page("versions = [")


def test_a_true_equation_between_what_does_not_vanish_is_no_zero():
    state = s.s[k, i, t]
    assert p.is_zero(Eq(p.cut(state, p.WEIGHT), Integer(0), evaluate=False))
    assert not p.is_zero(Eq(state, state, evaluate=False))


def test_the_error_along_a_state_is_constant_unless_an_input_gate_is_left_open(bench):
    q = lag("q")
    kept = Delta(i, j) * Delta(k, k_star) + 0 * q
    for held in (p.CUTS, p.GATES_AND_CELLS):
        Lemma(Truncated(s.s[k, i, t], s.s[k_star, j, t - q], *held), kept, q).prove(bench.reducer)
    held = tuple(item for item in p.CUTS if item.into != s.net_ig)
    one_back = Truncated(s.s[k, i, t + 1], s.s[k_star, j, t], *held)
    gate = s.f_ig.prime(s.net_ig[i, t + 1], i) * s.w_ig[i, s.cell_column(k_star, j)]
    back = s.g[k, i](s.net_cell[k, i, t + 1]) * gate * s.y_og[j, t] * s.h.prime(s.s[k_star, j, t], k_star, j)
    assert holds_on(bench.witnesses, [(one_back, kept + back)]).passed
    assert not holds_on(bench.witnesses, [(one_back, kept)]).passed


def test_the_error_along_the_states_is_as_the_page_describes_it():
    cut, exact = figures.signals(60, 6)
    np.testing.assert_allclose(cut, 1.0, rtol=1e-14)
    assert exact.max() > 50
    assert 0.14 < exact.min() < 0.16
    assert exact[:, 1:5].max() > 5


def test_the_page_reads_its_table_right(typed):
    exact, open_, cut = typed["versions"]
    off = {
        u: [
            round(100 * abs(c / e - 1)) for c, e in zip(*(v[u].reshape(-1, 6)[:, 0] for v in (cut, exact)), strict=True)
        ]
        for u in typed["KINDS"]
    }
    assert off == {"hid": [89], "ig": [13], "og": [25], "cell": [16, 15]}
    assert not np.allclose(open_["hid"], cut["hid"])
    np.testing.assert_allclose(exact["out"], cut["out"], rtol=1e-13)


@pytest.mark.parametrize(("scale", "within", "interval"), [(0.1, 190, (0.91, 0.97)), (1.0, 66, (0.27, 0.40))])
def test_how_many_errors_stay_within_a_factor_of_two(scale, within, interval):
    last = figures.signals(figures.STEPS, figures.NETS, scale)[1][:, -1]
    count, total, z2 = int(((last >= 0.5) & (last <= 2)).sum()), figures.NETS, 1.959964**2
    middle = (count + z2 / 2) / (total + z2)
    half = np.sqrt(z2 * (count * (total - count) / total + z2 / 4)) / (total + z2)
    assert count == within
    assert (round(middle - half, 2), round(middle + half, 2)) == interval


# --- (A.39): scaled on entering and on leaving, by nothing in between


@pytest.mark.parametrize("steps_back", [0, 1, 2, 5])
def test_an_error_is_scaled_on_entering_and_on_leaving_a_cell(steps_back):
    """The library's truncated error signals against the formula, for blocks of two cells."""
    draw = np.random.default_rng(39)
    net = LSTM1997(n_in=2, blocks=2, cells=2, n_out=1, hidden=1)
    theta, x, steps = net.init(draw, scale=1.0), draw.normal(size=(9, 2)), 9
    mask = np.eye(1, steps, steps - 1)[0]
    run = net.forward(theta, x)
    signal = net.error_signals(theta, x, np.zeros((steps, 1)), mask, method="truncated")
    to_cell = net.layout.views(theta)["w_out"][0, net.output_sources["y_cell"]].reshape(2, 2)
    arrives = signal.net_out[steps, 0] * to_cell
    enters = run.y_og[steps - 1] * net.h.derivative(run.s[steps - 1])
    then = steps - 1 - steps_back
    by_cell = run.y_ig[then] * net.g.derivative(run.net_cell[then])
    by_gate = net.g(run.net_cell[then]) * net.f.derivative(run.net_ig[then])
    np.testing.assert_allclose(signal.net_cell[then], arrives * enters * by_cell, rtol=1e-13)
    np.testing.assert_allclose(signal.net_ig[then], (arrives * enters * by_gate).sum(axis=0), rtol=1e-13)
    if steps_back:  # the output gate scales what enters, and passes nothing back
        np.testing.assert_array_equal(signal.net_og[then], 0.0)


def test_a_factor_between_would_be_noticed(bench):
    q = lag("q")
    kept = Delta(i, j) * Delta(k, k_star)
    then = s.net_cell[k_star, j, t - q]
    leaves = s.y_ig[j, t - q] * s.g.prime(then, k_star, j)
    Lemma(p.cut(s.s[k, i, t], then), kept * leaves, q).prove(bench.reducer)
    with pytest.raises(DerivationError, match="induction"):
        Lemma(p.cut(s.s[k, i, t], then), kept * leaves * s.y_ig[j, t], q).prove(bench.reducer)


# --- the program in the text


@pytest.mark.parametrize(("cut", "method"), [(("hid", "ig", "og", "cell"), "truncated"), ((), "bptt")])
def test_the_typed_detach_gives_both_gradients(typed, cut, method):
    draw = np.random.default_rng(8)
    net = LSTM1997(n_in=2, blocks=2, cells=2, n_out=2, hidden=1)
    theta, x, goal = net.init(draw, scale=1.0), draw.normal(size=(6, 2)), draw.normal(size=(6, 2))
    weights = {name.removeprefix("w_"): view for name, view in net.layout.views(theta).items()}
    found = typed["gradient"](weights, x, goal[-1], cut)
    library = net.layout.views(net.gradient(theta, x, goal, np.eye(1, 6, 5)[0], method=method).gradient)
    for kind, values in found.items():
        np.testing.assert_allclose(values, library[f"w_{kind}"], rtol=1e-11, atol=1e-14)


def test_the_bounds_of_the_last_exercise():
    f, g, h = example.NET.f, example.NET.g, example.NET.h
    assert (f.derivative(0.0), g.derivative(0.0), h.derivative(0.0)) == (0.25, 1.0, 0.5)
    assert g.bounds == (-2, 2)
