"""The chapter on the forward pass: wrong places in [x; y] are refused, and the code of the page."""

from pathlib import Path

import numpy as np
import pytest
from book.bptt.bench import make_bench
from book.bptt.forward import checks as p
from book.bptt.forward import figures
from book.shared.reading import equals
from throughtime import FullyRecurrent
from throughtime.derivation import CheckError, chain, d, holds_in_general, sum_over, time
from throughtime.systems import recurrent as s

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "bptt" / "forward.ipynb"
i, t = s.i, p.t
j_x, j_y = p.column.within(s.X), p.column.within(p.COLUMNS_OF_Y)
INPUTS = sum_over(j_x, p.W[i, j_x] * p.x[j_x, t])


def of_outputs(term):
    return equals(p.z[i, t + 1], INPUTS + sum_over(j_y, term))


WRONG = {
    "the position taken for the number": of_outputs(p.W[i, j_y] * p.y[j_y, t]),
    "an output one position on": of_outputs(p.W[i, j_y] * p.y_at[j_y + 1, t]),
    "an output one position back": of_outputs(p.W[i, j_y] * p.y_at[j_y - 1, t]),
    "the column of an input": of_outputs(p.W[i, j_y - s.d_in] * p.y_at[j_y, t]),
    "an output of the same step": of_outputs(p.W[i, j_y] * p.y_at[j_y, t + 1]),
    "one output for all": of_outputs(p.W[i, j_y] * p.y[i, t]),
}


@pytest.mark.parametrize("equation", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("is_true", [p.holds_exactly, p.holds_in_library])
def test_another_place_is_refused(is_true, equation):
    assert not is_true(equation)


def test_an_equation_that_can_nowhere_be_read_does_not_hold():
    assert not p.holds(equals(p.z[i, t + 100], INPUTS))


def test_the_factor_one_half_and_the_times_of_the_loss_are_checked():
    bench, r = make_bench(masked=False), time("t")
    difference = s.y[s.i, s.t + 1] - s.target[s.i, s.t + 1]
    with pytest.raises(CheckError):
        bench.equation("bptt-1", chain(s.cost[s.t + 1], sum_over(s.i, difference**2)))
    with pytest.raises(CheckError):
        bench.equation("bptt-2", chain(s.loss[()], sum_over((r, 1, s.T - 1), s.cost[r + 1])))


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_sum_over_times_may_start_anywhere(start):
    bench, r = make_bench(masked=False), time("r")
    shifted = sum_over((r, start, s.T + start - 1), s.cost[r + 1 - start])
    assert holds_in_general(bench.reducer, [chain(s.loss[()], shifted)]).passed
    late = sum_over((r, start, s.T), s.cost[r + 2 - start])
    assert not holds_in_general(bench.reducer, [chain(s.loss[()], late)]).passed


def test_a_chain_that_speaks_of_the_next_step_is_proved_like_one_that_speaks_of_this():
    bench, L = make_bench(masked=False), s.loss[()]
    for when in (s.t, s.t + 1, s.t + 2):
        error = s.y[s.i, when] - s.target[s.i, when]
        right = error + sum_over(s.k, s.w[s.k, s.i] * d(L, s.net[s.k, when + 1]))
        assert holds_in_general(bench.reducer, [chain(d(L, s.y[s.i, when]), right)]).passed
        assert not holds_in_general(bench.reducer, [chain(d(L, s.y[s.i, when]), error)]).passed


def test_the_unrolled_net_is_drawn_the_same_each_time():
    words = {text.get_text() for text in figures.unrolled(2).axes[0].texts}
    assert {"$x(0)$", "$x(1)$", "$z(1)$", "$z(2)$", "$y(0) = 0$", "$E(2)$"} <= words
    assert not {"$x(2)$", "$z(0)$", "$E(0)$"} & words


@pytest.fixture(scope="module")
def typed(run_page):
    """The names of the visible cells up to the numbers of the example, as a reader types them."""
    return run_page("by_library")


def test_the_system_of_the_page_is_that_of_the_part(typed):
    assert [(a.left, a.right) for a in typed["system"].all_definitions()] == [
        (a.left, a.right) for a in make_bench(masked=False).system.all_definitions()
    ]


def test_the_typed_forward_pass_is_that_of_the_library(typed):
    random = np.random.default_rng(2)
    net, x, targets = FullyRecurrent(2, 4), random.normal(size=(6, 2)), random.uniform(size=(6, 4))
    theta = net.init(random, scale=2.0)
    weights = net.layout.views(theta)["W"]
    nets, outputs = typed["forward"](weights[:, :2], weights[:, 2:], x)
    trace = net.forward(theta, x)
    np.testing.assert_allclose(nets, trace.z[1:], rtol=1e-12)
    np.testing.assert_allclose(outputs, trace.y[1:], rtol=1e-12)
    assert typed["errors"](outputs, targets).sum() == pytest.approx(net.loss(theta, x, targets), rel=1e-12)


def test_the_numbers_worked_by_hand(typed):
    nets, outputs = typed["nets"], typed["outputs"]
    assert nets[0].tolist() == [1.0, 0.5]
    assert outputs[0] == pytest.approx([0.7311, 0.6225], abs=5e-5)
    assert nets[1, 0] == pytest.approx(0.4621, abs=1e-4)
    assert typed["errors"](outputs, typed["targets"])[0] == pytest.approx(0.2299, abs=5e-5)
    for row in typed["rows"]:
        assert row[-1] == pytest.approx(row[-2], rel=1e-12)


def test_when_the_units_first_respond():
    net, x = FullyRecurrent(n_in=1, n_out=4), np.zeros((6, 1))
    moved = x.copy()
    moved[0] = 1.0
    ring = np.roll(np.eye(4), 1, axis=0)
    for to_units, weights, first in (
        (np.ones(4), ring, [1, 1, 1, 1]),
        (np.eye(4)[0], np.ones((4, 4)), [1, 2, 2, 2]),
        (np.eye(4)[0], ring, [1, 2, 3, 4]),
    ):
        theta = net.layout.flatten({"W": np.hstack([to_units[:, None], weights])})
        change = net.forward(theta, moved).y - net.forward(theta, x).y
        assert [int(np.flatnonzero(column)[0]) for column in change.T] == first
