"""The chapter on error flow through states: its lemmas and slips in them, the factor, the stored runs, the figures."""

from itertools import islice

import numpy as np
import pytest
from sympy import Integer, Symbol
from throughtime.checks import complex_step, relative_error
from throughtime.derivation import Delta, DerivationError, Lemma, Reducer, lag, product_over
from throughtime.models.activations import logistic
from throughtime.systems import lstm_family as s
from throughtime_book.peephole.error_flow import experiment, figures
from throughtime_book.peephole.error_flow.numbers import flow, links
from throughtime_book.peephole.setting import d_tr
from throughtime_book.shared.figure_style import to_png

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
    net, data = experiment.model(), experiment.streams(0)[:2]
    kinds = experiment.kinds_of_cuts(net)
    assert set(kinds["peepholes"]) | set(kinds["cell outputs"]) == set(kinds["both"]) == set(net.cuts("truncated"))
    assert [len(kind) for kind in kinds.values()] == [7, 3, 4]
    theta = net.init(0, 1.0)
    truncated = sum(net.gradient(theta, *stream, method="truncated").gradient for stream in data)
    assert relative_error(experiment.gradient(net, theta, data, kinds["both"]), truncated) <= 1e-12
    exact = sum(net.gradient(theta, *stream, method="rtrl").gradient for stream in data)
    assert relative_error(experiment.gradient(net, theta, data), exact) <= 1e-12
    assert experiment.inner(net, exact).size == 15


def test_a_comparison_with_no_cuts_would_be_perfect_and_with_cuts_is_not():
    net, data = experiment.model(), experiment.streams(1)[:3]
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


def test_the_record_says_what_the_page_reads_from_it():
    rows = experiment.RECORD.read()

    def median(start, epoch, cut, column):
        return figures.quartiles(rows, start, cut, column)[epoch][1]

    assert min(float(row["cosine"]) for row in rows if row["epoch"] == "0") > 0.98
    assert round(median("open", 30, "both", "cosine"), 2) == 0.83
    assert median("open", 30, "both", "ratio") == pytest.approx(0.5, abs=0.05)
    assert (
        min(median(start, epoch, "peepholes", "cosine") for start in experiment.STARTS for epoch in experiment.LOOKS)
        > 0.97
    )
    assert min(float(row["cosine"]) for row in rows if row["cut"] == "peepholes") < 0  # single nets
    whole = {
        start: [row for row in rows if row["start"] == start and row["cut"] == "both"] for start in experiment.STARTS
    }
    assert [len(found) for found in whole.values()] == [119, 120]
    assert sum(float(row["cosine"]) < 0 for row in whole["open"]) == 15  # one look of eight
    unfinished = experiment.unfinished(rows)
    late = [row for row in unfinished if row["start"] == "open" and int(row["epoch"]) >= 30 and row["cut"] == "both"]
    assert (sum(float(row["cosine"]) < 0 for row in late), len(late)) == (14, 49)
    left = {epoch: sum(row["epoch"] == epoch for row in late) for epoch in ("30", "100", "300")}
    assert left == {"30": 20, "100": 18, "300": 11}

    def last(cut, column):
        return figures.quartiles(unfinished, "open", cut, column)[300][1]

    assert [round(last(cut, "cosine"), 2) for cut in ("both", "cell outputs")] == [0.20, 0.52]
    assert last("both", "ratio") == pytest.approx(1 / 3, abs=0.03)
    assert all(
        figures.quartiles(unfinished, "open", "peepholes", "cosine")[epoch][1] > 0.97 for epoch in (30, 100, 300)
    )
    large = [row["seed"] for row in unfinished if row["cut"] == "both" and float(row["ratio"]) > 10]
    assert sorted(large) == ["2", "4", "4"]
    right = [float(row["right"]) for row in whole["shut"] if row["epoch"] == "300"]
    assert np.mean(right) < 0.5  # fewer than half


def test_the_net_of_the_page_sends_more_error_back_than_it_gets():
    net, stream = experiment.model(), experiment.streams(5)[0]
    theta, _ = next(islice(experiment.training("open", 5), 100, None))
    whole, alone = (flow(links(net, theta, stream.x, peepholes=way), len(stream.x)).ravel() for way in (True, False))
    assert 30 <= whole.argmax() <= 35  # it grows over the last thirty steps
    assert whole.max() > 1.3
    assert (np.diff(alone) < 0).all()
    assert 1 - alone[-1] / whole[-1] == pytest.approx(0.9, abs=0.02)  # nine tenths are hidden


# ---------------------------------------------------------------- figures


def test_quartiles_are_those_of_the_chosen_rows():
    rows = [{"start": "open", "cut": "both", "epoch": "3", "cosine": str(value)} for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
    rows += [{**rows[0], "start": "shut", "cosine": "99"}, {**rows[0], "cut": "peepholes", "cosine": "99"}]
    (found,) = figures.quartiles(rows, "open", "both", "cosine").items()
    assert found[0] == 3
    assert found[1].tolist() == [2.0, 3.0, 4.0]


def test_figures_draw_the_same_again():
    some = np.linspace(1.0, 0.5, 20)
    for draw, arguments in (
        (figures.fading, (some[1:], some[1:], some, some**2)),
        (figures.lost, (experiment.RECORD.read(), "open")),
    ):
        assert to_png(draw(*arguments)) == to_png(draw(*arguments))
