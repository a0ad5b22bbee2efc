"""The bench of the chapters on the LSTM of 1997: quantities map to the library; truncated derivatives in two ways."""

from dataclasses import replace

import numpy as np
import pytest
from book.lstm1997.bench import LENGTH, SIZES, make_bench
from book.lstm1997.derivatives import checks as deltas
from book.lstm1997.updates.experiment import gradient_from_trace
from sympy import Equality, Integer
from throughtime.checks import relative_error
from throughtime.derivation import CheckError, OutOfRange, Truncated, Unreadable, chain, close, cut, d, holds_on
from throughtime.systems import lstm1997 as s
from throughtime.textbook.lstm1997 import LSTM1997

t, CUTS = s.t, s.cuts()
WEIGHTS = {"w_hid": s.w_hid[s.p_hid, s.q], "w_ig": s.w_ig[s.p, s.q], "w_og": s.w_og[s.p, s.q]}
WEIGHTS |= {"w_cell": s.w_cell[s.k_star, s.p, s.q], "w_out": s.w_out[s.p_out, s.q_out]}


@pytest.fixture(scope="module")
def bench():
    return make_bench()


@pytest.fixture(scope="module")
def model(bench):
    return bench.model.model


def tr(target, weight):
    return Truncated(target, weight, *CUTS)


def places(bench, *letters):
    return bench.model.places(letters)


def test_the_witness_is_the_models_trace(bench, model):
    trace = model.net.forward(model.theta, model.x)
    kinds = [
        (s.s[s.k, s.i, t], trace.s),
        (s.y_cell[s.k, s.i, t], trace.y_cell),
        (s.net_cell[s.k, s.i, t], trace.net_cell),
    ]
    kinds += [(s.y_ig[s.i, t], trace.y_ig), (s.y_hid[s.i_hid, t], trace.y_hid), (s.y[s.i_out, t], trace.y)]
    for ref, array in kinds:
        for env in places(bench, *ref.indices):
            found = [bench.model.value(ref, {**env, t: Integer(n)}) for n in range(LENGTH + 1)]
            at = tuple(int(env[index]) - 1 for index in ref.indices)
            np.testing.assert_allclose(found, array[(slice(None), *at)], rtol=1e-14)


def test_sources_stand_in_the_columns_that_the_library_reads(bench, model):
    trace = model.net.forward(model.theta, model.x)
    weights = model.net.layout.views(model.theta)["w_cell"][1, 0]
    columns = ({s.q: Integer(column + 1), t: Integer(2)} for column in range(len(weights)))
    net = weights @ [bench.model.value(s.r[s.q, t], env) for env in columns]
    assert net == pytest.approx(trace.net_cell[2, 1, 0], rel=1e-13)
    column = int(s.out_column(Integer(2), Integer(1)).xreplace({k: Integer(v) for k, v in SIZES.items()}))
    assert bench.model.value(s.o[s.q_out, t], {s.q_out: Integer(column), t: Integer(3)}) == trace.y_cell[2, 1, 0]


def test_system_runs_as_the_library_does(bench, model):
    """The definitions of the system hold for the library's trace, for all indices and times."""
    for case in s.build().all_definitions():
        if case.left.quantity.timed:
            for env in bench.model.environments(case.left):
                left, right = (bench.model.value(side, env) for side in (case.left, case.right))
                assert left == pytest.approx(right, rel=1e-12), case


def test_the_clone_runs_as_the_network_and_its_past_stands_still(bench, model):
    held = bench.model.held
    for name in ("s", "y_cell", "y", "net_cell", "r", "o"):
        own = model.forward(model.parameters(), model.inputs())[name]
        np.testing.assert_allclose(held._run(None)[-1][name], own, rtol=1e-13)
    env = {s.q: Integer(2), t: Integer(3), s.p: Integer(1)}
    column = {s.q_out: Integer(3)}
    for read, zero in ((s.r[s.q, t], True), (s.o[s.q_out, t], False)):
        weight = s.w_og[s.p, Integer(1)]
        assert (held.derivative(d(read, weight), {**env, **column}) == 0.0) is zero


def test_costs_are_the_librarys_losses_under_masks(bench, model):
    costs = model.forward(model.parameters(), model.inputs())["E_unit"]
    for time, unit in np.ndindex(LENGTH, model.net.n_out):
        loss = model.net.loss(model.theta, model.x, model.targets, model.only(time + 1, unit))
        assert costs[time + 1, unit] == pytest.approx(loss, rel=1e-14)
    assert not costs[0].any()


@pytest.mark.parametrize("name", WEIGHTS)
def test_both_ways_to_a_truncated_derivative_agree(bench, name):
    weight, target = WEIGHTS[name], s.y[s.i_out, t]
    found = []
    for env in places(bench, s.i_out, *weight.indices):
        at = {**env, t: Integer(LENGTH)}
        found.append((bench.model.value(tr(target, weight), at), bench.model.held.value(d(target, weight), at)))
    one, other = np.array(found).T
    assert relative_error(one, other) <= 1e-12
    assert np.abs(one).max() > 1e-3


def test_truncated_and_exact_differ_where_something_is_cut(bench):
    env = {s.i_out: Integer(1), s.p: Integer(1), s.q: Integer(1), t: Integer(LENGTH)}
    truncated, exact = (bench.model.value(of(s.y[s.i_out, t], s.w_ig[s.p, s.q]), env) for of in (tr, d))
    assert abs(truncated - exact) > 1e-3 * abs(exact)


def test_error_signals_are_the_librarys(bench, model):
    env = {s.k: Integer(2), s.i: Integer(1)}
    for method, of in (("truncated", tr), ("bptt", d)):
        signals = model.net.error_signals(model.theta, model.x, model.targets, method=method).s
        for time in range(1, LENGTH + 1):
            value = bench.model.value(of(s.loss[()], s.s[s.k, s.i, t]), {**env, t: Integer(time)})
            assert value == pytest.approx(signals[time, 1, 0], rel=1e-13)
        assert bench.model.value(of(s.loss[()], s.s[s.k, s.i, t]), {**env, t: Integer(LENGTH + 1)}) == 0.0


def test_what_the_library_cannot_tell_is_unreadable(bench):
    env = {s.p: Integer(1), s.q: Integer(1), s.i: Integer(1), s.k: Integer(1), t: Integer(2)}
    other = Truncated(s.s[s.k, s.i, t], s.w_ig[s.p, s.q], cut(s.r[s.q, t], into=s.net_ig))
    for node in (other, tr(s.s[s.k, s.i, t], s.net_ig[s.p, t]), d(s.loss[()], s.y_ig[s.p, t])):
        with pytest.raises(Unreadable):
            bench.model.value(node, env)
    with pytest.raises(OutOfRange):
        bench.model.value(tr(s.y[s.i_out, t], s.w_ig[s.p, s.q]), {**env, s.i_out: Integer(1), t: Integer(LENGTH + 1)})


def test_a_library_that_cuts_nothing_is_found_out(bench, monkeypatch):
    target, weight = s.y[s.i_out, t], s.w_ig[s.p, s.q]
    statement = chain(tr(target, weight), bench.derive(target, weight, cuts=CUTS).result)
    assert holds_on([bench.model], [statement], close).passed is True
    right = LSTM1997.gradient
    monkeypatch.setattr(LSTM1997, "gradient", lambda *data, method: right(*data, method="bptt"))
    assert holds_on([make_bench().model], [statement], close).passed is False


def test_a_forgotten_past_is_refused(bench):
    small = replace(bench, sizes=bench.sizes[1:], model=None)
    state, weight = s.s[s.k, s.i, t], s.w_ig[s.i, s.q]
    added = s.g[s.k, s.i](s.net_cell[s.k, s.i, t]) * s.f_ig.prime(s.net_ig[s.i, t], s.i) * s.r[s.q, t]
    with pytest.raises(CheckError, match="wrong as printed"):
        small.equation("no past", chain(tr(state, weight), added), numeric="not asked")


# ---- the deltas of A.12 and A.13, and the updates


@pytest.mark.parametrize(
    ("right", "true"),
    [
        (deltas.to_gate + deltas.to_cell, True),
        (deltas.to_gate * deltas.to_cell, False),
        (deltas.to_gate, False),
        (2 * (deltas.to_gate + deltas.to_cell), False),
    ],
)
def test_factor_of_the_step_before(bench, right, true):
    formula = Equality(deltas.factor, right, evaluate=False)
    assert deltas.exactly(bench, formula) is true
    assert deltas.in_library(bench, formula) is true
    assert all(step.check() for step in deltas.proof(bench, formula)) is true


@pytest.mark.parametrize("timing", ["previous", "same"])
def test_updates_of_the_paper_are_the_librarys_gradient(timing):
    draw = np.random.default_rng(5)
    net = LSTM1997(n_in=2, blocks=3, cells=2, n_out=2, hidden=1, timing=timing)
    theta, x, targets = net.init(draw, scale=1.0), draw.normal(size=(9, 2)), draw.uniform(size=(9, 2))
    errors = net.forward(theta, x).y[1:] - targets
    found = gradient_from_trace(net, theta, x, errors)
    assert relative_error(found, net.gradient(theta, x, targets, method="truncated").gradient) <= 1e-12
    assert relative_error(found, net.gradient(theta, x, targets, method="bptt").gradient) > 1e-3
    ones = gradient_from_trace(net, theta, x, np.ones_like(errors))
    by_outputs = net.gradient(theta, x, net.forward(theta, x).y[1:] - 1.0, method="truncated").gradient
    assert relative_error(ones, by_outputs) <= 1e-12
