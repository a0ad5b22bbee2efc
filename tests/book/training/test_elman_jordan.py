"""The chapter on Elman's and Jordan's nets: its verdicts, and the angles in its figure."""

from pathlib import Path

import numpy as np
from throughtime.models.simple_recurrent import Elman, Jordan
from throughtime_book.reference.ledger import read_notebook
from throughtime_book.training.elman_jordan import figures

BOOK = Path(__file__).parents[3] / "book"
PAGE = BOOK / "training" / "elman-jordan.ipynb"


def test_verdicts_of_the_page():
    records = {judged.id: judged.record for judged in read_notebook(PAGE, BOOK)}
    assert records.keys() == {"rnn-xor", *(f"rnn-{number}" for number in range(1, 15))}
    for id, record in records.items():
        assert record["verdict"] == "holds"
        assert record["checks"]["general"]["passed"] is True
        assert record["checks"]["numeric"]["passed"] is (None if id == "rnn-xor" else True)
        assert record["mutants"]["survivors"] == []
        assert record["mutants"]["tried"] == record["mutants"]["rejected"] >= 2
        needs_a_reading = id in ("rnn-2", "rnn-9")
        assert any("time at which it is taken" in words for words in record["assumptions"]) == needs_a_reading


def test_the_angles_of_the_page():
    elman, jordan = figures.angles(jordan=False), figures.angles(jordan=True)
    assert elman.shape == (len(figures.SCALES), figures.NETS)
    for found, medians, beyond in ((elman, (3.88, 23.3), 2), (jordan, (0.142, 1.59), 1)):
        assert np.allclose(np.median(found, axis=1)[[0, -1]], medians, rtol=0.01)
        assert (found[-1] > 90).sum() == beyond
    assert np.all(np.median(elman, axis=1) > np.median(jordan, axis=1))


def test_without_context_weights_nothing_is_cut():
    draw = np.random.default_rng(0)
    for kind in (Elman, Jordan):
        net = kind(n_in=2, hidden=3, n_out=2)
        theta = net.init(1, scale=2.0)
        net.layout.views(theta)["v"][3:] = 0.0
        data = draw.normal(size=(2, 5, 2)), draw.uniform(size=(2, 5, 2))
        exact, cut = (net.gradient(theta, *data, method=method).gradient for method in ("bptt", "truncated"))
        assert np.abs(exact - cut).max() < 1e-14


def test_the_truncated_gradient_of_the_last_error_reads_the_last_step_only():
    net = Elman(n_in=1, hidden=2, n_out=1)
    theta = net.init(2, scale=2.0)
    x = np.array([[[0.3], [0.9], [-0.4], [1.0]]])
    targets, last = np.full((1, 4, 1), 0.2), np.eye(4)[3]
    trace = net.forward(theta, x)
    exact, cut = (
        net.layout.views(net.gradient(theta, x, targets, last, method=method).gradient)["v"]
        for method in ("bptt", "truncated")
    )
    error = (trace.g[0, 4] - 0.2) * trace.g[0, 4] * (1 - trace.g[0, 4])
    f, w = trace.f[0, 4], net.layout.views(theta)["w"][1:, 0]
    by_hand = np.outer(trace.extended_x[0, 4], error * w * f * (1 - f))
    assert np.allclose(cut, by_hand, rtol=1e-12)
    assert np.abs(exact - by_hand).max() > 0.01 * np.abs(exact).max()
