"""The chapter on error flow through states: its lemmas and slips in them, the factor, the stored runs, the figures."""

from itertools import islice

import numpy as np
import pytest
from book.peephole.error_flow import checks, experiment, figures
from book.peephole.error_flow.checks import flow, links
from book.peephole.factors import d_tr
from book.shared.intervals import counted
from sympy import Integer, Symbol
from throughtime.arrays.activations import logistic
from throughtime.checks import complex_step, relative_error
from throughtime.derivation import Delta, DerivationError, Lemma, Reducer, lag, product_over
from throughtime.systems import lstm_family as s

k, l, j, c, t = s.k, s.l, s.j, s.c, s.t
n, m = lag("n"), Symbol("m", integer=True)


def lemma(gate, first, own=True):
    passed = Delta(k, l) * (Delta(j, c) if own else Integer(1))
    gates = product_over((m, 1, n), s.gate[gate][k, t - m + first])
    return Lemma(d_tr(s.LSTM2002, s.s[k, j, t], s.s[l, c, t - n]), passed * gates, n)


def test_with_all_cuts_the_error_meets_the_forget_gates():
    reducer = Reducer(s.LSTM2002.build())
    lemma("fg", 1).prove(reducer)
    for wrong in (lemma("ig", 1), lemma("fg", 0), lemma("fg", 1, own=False)):
        with pytest.raises(DerivationError, match="induction: the"):
            wrong.prove(reducer)


@pytest.mark.parametrize("u", figures.WEIGHTS)
def test_the_factor_is_the_derivative_of_one_step(u):
    for state in (-2.0, 0.3, 4.0):
        expected = complex_step(lambda z: complex(logistic(u * z[0] - 0.5) * z[0]), np.array([state]))
        assert relative_error(expected, figures.factor(np.array([state]), u, -0.5)) <= 1e-12


def test_the_factor_exceeds_one_where_the_page_says():
    assert figures.factor(np.array([1.27, 1.29]), 1.0).tolist() == pytest.approx([0.998, 1.002], abs=2e-3)
    assert figures.factor(np.array([1.27]), 1.0) < 1 < figures.factor(np.array([1.29]), 1.0)
    assert figures.factor(np.linspace(-9, 9, 9001), 1.0).max() == pytest.approx(1.0998, abs=1e-4)


# ---------------------------------------------------------------- the experiment


def test_kinds_of_cuts_are_all_of_them_and_both_are_the_truncated_gradient():
    net, data = experiment.model(), experiment.streams(0)
    kinds = experiment.kinds_of_cuts(net)
    assert set(kinds["peepholes"]) | set(kinds["cell outputs"]) == set(kinds["both"]) == set(net.cuts("truncated"))
    assert [len(kind) for kind in kinds.values()] == [7, 3, 4]
    theta = net.init(0, 1.0)
    truncated = net.gradient(theta, *data, method="truncated").gradient
    assert relative_error(experiment.gradient(net, theta, data, kinds["both"]), truncated) <= 1e-12
    exact = net.gradient(theta, *data).gradient
    assert relative_error(experiment.gradient(net, theta, data), exact) <= 1e-12
    assert experiment.inner(net, exact).size == 15


def test_a_comparison_with_no_cuts_would_be_perfect_and_with_cuts_is_not():
    net, data = experiment.model(), experiment.streams(1)
    theta = net.init(1, 1.0, gate_biases=experiment.STARTS["open"])
    exact = experiment.inner(net, experiment.gradient(net, theta, data))
    assert experiment.quality(exact, exact) == pytest.approx((1.0, 1.0), abs=1e-14)
    assert all(found.cosine < 1 - 1e-6 for found in experiment.compare(net, theta, data).values())


def test_starts_differ_in_the_forget_gate_alone():
    biases = {name: experiment.model().init(0, gate_biases=start) for name, start in experiment.STARTS.items()}
    (place,) = np.flatnonzero(biases["shut"] != biases["open"])
    assert experiment.model().layout.labels()[place] == "b_fg[0]"
    assert [biases[name][place] for name in ("shut", "open")] == [-2.0, 2.0]


def test_training_follows_the_exact_gradient_and_ends_where_it_is_zero(monkeypatch):
    steps = list(islice(experiment.training("open", 0), 3))
    net, data = experiment.model(), experiment.streams(0)
    for theta, exact in steps:
        assert np.array_equal(exact, experiment.gradient(net, theta, data))
    assert not np.array_equal(steps[0][0], steps[1][0])
    monkeypatch.setattr(experiment, "inner", lambda net, vector: np.zeros(1))
    assert list(experiment.training("open", 0)) == []


def test_the_record_is_complete_and_its_beginning_comes_out_again():
    rows = experiment.RECORD.read()
    runs = {(row["start"], int(row["seed"])) for row in rows}
    assert runs == {(start, seed) for start in experiment.STARTS for seed in range(experiment.SEEDS)}
    recorded = {(row["epoch"], row["cut"]): row for row in rows if (row["start"], row["seed"]) == ("shut", "7")}
    again = list(experiment.looks("shut", 7, upto=3))
    assert len(again) == 6
    for line in again:
        old = recorded[str(line["epoch"]), line["cut"]]
        for name in ("cosine", "ratio", "exact_norm", "loss", "right"):
            assert line[name] == pytest.approx(float(old[name]), rel=1e-6)


def test_stages_are_told_apart_by_loss_and_gradient():
    row = {"loss": "12.5", "exact_norm": "0.2"}
    assert experiment.stage(row) == "learning"
    assert experiment.stage(row | {"exact_norm": "0.0009"}) == "at rest"
    assert experiment.stage(row | {"loss": "0.1"}) == experiment.stage({"loss": "0", "exact_norm": "0"}) == "finished"


def test_a_gradient_whose_square_underflows_still_has_an_angle():
    """The finished net of seed 25: components of 1e-182, with norms that a sum of squares would find to be zero."""
    net, data = experiment.model(), experiment.streams(25)
    theta, exact = next(islice(experiment.training("open", 25), 300, None))
    assert 0 < np.abs(experiment.inner(net, exact)).max() < 1e-170
    found = experiment.compare(net, theta, data)
    assert all(0.9 < quality.cosine <= 1 + 1e-12 for quality in found.values())


ROWS = experiment.RECORD.read()


def at(start, epoch, cut="both", wanted="learning"):
    return checks.looks_at(ROWS, start, cut, epoch, wanted)


def stages(start, epoch):
    return [len(at(start, epoch, wanted=stage)) for stage in checks.STAGES]


def test_the_record_has_the_stages_that_the_page_tells():
    assert [stages("open", epoch) for epoch in experiment.LOOKS] == [
        [100, 0, 0], [99, 1, 0], [99, 1, 0], [98, 2, 0], [87, 2, 11], [55, 2, 42]
    ]  # fmt: skip
    assert [stages("shut", epoch) for epoch in (0, 30, 300)] == [[93, 7, 0], [6, 94, 0], [26, 73, 0]]


def test_at_the_start_next_to_nothing_is_lost():
    starts = {name: [row for row in ROWS if row["epoch"] == "0" and row["start"] == name] for name in experiment.STARTS}
    cosines = {name: checks.column((r for r in rows if r["cut"] == "both"), "cosine") for name, rows in starts.items()}
    assert cosines["shut"].min() > 0.9
    assert (cosines["open"] > 0.9).sum() == 99
    (least,) = (row for row in starts["open"] if row["cut"] == "both" and float(row["cosine"]) < 0.9)
    assert (least["seed"], round(float(least["cosine"]), 2)) == ("28", 0.64)


def test_nets_that_learn_lose_the_angle_and_the_norm():
    cosines = {epoch: checks.column(at("open", epoch), "cosine") for epoch in experiment.LOOKS}
    assert [round(float(np.median(cosines[epoch])), 2) for epoch in (0, 3, 30, 100, 300)] == [
        1.0,
        1.0,
        0.86,
        0.84,
        0.47,
    ]
    shut = checks.column(at("shut", 300), "cosine")
    assert [len(shut), int((shut < 0).sum()), round(float(np.median(shut)), 2)] == [26, 12, 0.13]
    norms = [round(float(np.median(checks.column(at("open", epoch), "ratio"))), 2) for epoch in (30, 300)]
    assert norms == [0.40, 0.30]
    uphill = [int((cosines[epoch] < 0).sum()) for epoch in (30, 100, 300)]
    assert uphill == [18, 14, 17]
    alone = {
        cut: [checks.column(at("open", epoch, cut), "cosine") for epoch in experiment.LOOKS] for cut in figures.CUTS
    }
    assert min(np.median(values) for values in alone["peepholes"]) > 0.97
    assert [int((alone[cut][-1] < 0).sum()) for cut in ("peepholes", "cell outputs")] == [4, 16]


def test_finished_nets_would_hide_it():
    finished = checks.column(at("open", 300, wanted="finished"), "cosine")
    assert ((finished > 0).sum(), len(finished), round(float(np.median(finished)), 2)) == (41, 42, 1.0)
    every = [row for row in ROWS if (row["start"], row["epoch"], row["cut"]) == ("open", "300", "both")]
    assert round(float(np.median(checks.column(every, "cosine"))), 2) == 0.90


def test_the_two_nets_without_a_last_look_had_finished():
    for start, seed in (("shut", "4"), ("open", "24")):
        assert not [row for row in ROWS if (row["start"], row["seed"], row["epoch"]) == (start, seed, "300")]
        net, data = experiment.model(), experiment.streams(int(seed))
        *_, (theta, _) = experiment.training(start, int(seed))
        assert net.loss(theta, *data) < 1e-30


def test_nets_at_rest_where_the_truncated_gradient_need_not_be():
    first, second = at("open", 300, wanted="at rest")
    assert (first["seed"], second["seed"]) == ("4", "82")
    assert float(first["ratio"]) == pytest.approx(1e4, rel=0.1)
    assert float(second["ratio"]) < 1


def test_fewer_nets_finish_by_the_truncated_gradient():
    by_truncated = {row["seed"] for row in experiment.TRUNCATED.read() if float(row["loss"]) <= experiment.FINISHED}
    by_exact = {row["seed"] for row in at("open", 300, wanted="finished")} | {"24"}
    assert [len(by_exact), len(by_truncated), len(by_exact & by_truncated)] == [43, 11, 5]
    assert [len(by_exact - by_truncated), len(by_truncated - by_exact)] == [38, 6]
    assert [counted(count, 100) for count in (43, 11)] == ["43 of 100 (34 to 53 %)", "11 of 100 (6 to 19 %)"]


def test_training_by_the_truncated_gradient_comes_out_again():
    recorded = {row["seed"]: row for row in experiment.TRUNCATED.read()}
    assert len(recorded) == experiment.SEEDS
    again = experiment.truncated(2)
    assert again["loss"] == pytest.approx(float(recorded["2"]["loss"]), rel=1e-5)
    assert (again["epoch"], again["right"]) == (int(recorded["2"]["epoch"]), float(recorded["2"]["right"]))


def best_constant(seed):
    """The delays that are 1, and the least loss of a constant output over the streams of a seed."""
    _, targets, mask = experiment.streams(seed)
    delays = targets[mask == 1]
    assert len(delays) == experiment.STREAMS * experiment.SPIKES == 100
    return delays.sum(), ((delays - delays.mean()) ** 2).sum() / 2


def test_shut_nets_at_rest_give_the_best_constant():
    for row in at("shut", 30, wanted="at rest"):
        assert float(row["loss"]) == pytest.approx(best_constant(int(row["seed"]))[1], abs=5e-5)
    assert all(11 < best_constant(seed)[1] <= 12.5 for seed in range(experiment.SEEDS))
    row = at("open", 300, wanted="at rest")[0]
    assert (row["seed"], best_constant(4)[0], float(row["loss"])) == ("4", 36, pytest.approx(best_constant(4)[1]))


def test_the_net_of_the_page_sends_more_error_back_than_it_gets():
    net, (x, _, mask) = experiment.model(), (part[0] for part in experiment.streams(5))
    x = x[: np.flatnonzero(mask)[-1] + 1]
    theta, _ = next(islice(experiment.training("open", 5), 100, None))
    whole, alone = (flow(links(net, theta, x, peepholes=way), len(x)).ravel() for way in (True, False))
    assert 30 <= whole.argmax() <= 35  # it grows over the last thirty steps
    assert whole.max() > 1.3
    assert (np.diff(alone) < 0).all()
    assert 1 - alone[-1] / whole[-1] == pytest.approx(0.9, abs=0.02)  # nine tenths are hidden


# ---------------------------------------------------------------- figures


def test_every_look_is_a_mark_and_every_median_is_drawn():
    top, bottom = figures.lost(ROWS, "open").axes
    marks = [line for line in top.lines if line.get_marker() in ("o", "s", "x")]
    assert sum(len(line.get_ydata()) for line in marks) == 599
    medians = next(line for line in bottom.lines if line.get_color() == figures.CUTS["both"]).get_ydata()
    assert medians.tolist() == [np.median(checks.column(at("open", epoch), "cosine")) for epoch in experiment.LOOKS]
