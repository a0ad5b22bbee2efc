"""Nets of 1997 with one later idea: how their weights move, how forget gates begin, and a stored trial."""

import numpy as np
import pytest
from book.experiments import later
from book.experiments.net import Net
from book.experiments.reading import READINGS
from book.experiments.rows import Recent, Row
from book.experiments.system import BIASED
from book.experiments.tasks import Order
from book.experiments.trial import Trial
from throughtime.learning import Adam, clip_by_norm

TINY = later.LaterRow(Row("tiny", 0, Order(2), Net(1, 1, BIASED, 0.3), 1.0, Recent(2, window=50), 500, 17, 10, 3, 3000))


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", ["exact", "clip-0.01", "adam-0.01"])
def test_weights_move_as_the_library_moves_them(name: str) -> None:
    trial, idea = later.LaterTrial(TINY, name, 0), later.READINGS[name]
    net, theta, clipped = trial.learner.net, trial.learner.theta, []
    stream = trial.row.task.draw(3, trial.random)
    adam = Adam(net.layout.size, rate=idea.adam or 1.0)
    targets, mask, starts = stream.by_step()
    for begin, end in zip(stream.begins, stream.ends + 1, strict=True):
        problem = np.eye(net.n_in)[stream.x[begin:end]], targets[begin:end], mask[begin:end]
        slope = net.gradient(theta, *problem, method="bptt" if idea.exact else "truncated").gradient
        clipped.append(np.linalg.norm(slope) > idea.clip)
        slope = clip_by_norm(slope, idea.clip) if clipped[-1] else slope
        theta = adam.step(theta, slope) if idea.adam else theta - trial.row.rate * slope
    trial.learner.run(stream.x, targets, mask, starts)
    np.testing.assert_allclose(trial.learner.theta, theta, rtol=0, atol=1e-13)
    assert trial.learner.clipped == np.mean(clipped) == float(name.startswith("clip"))


@pytest.mark.usefixtures("interpreted")
def test_open_forget_gates_change_nothing_and_others_do() -> None:
    row = TINY.row
    plain, trial = Trial(row, READINGS["letter"], 0), later.LaterTrial(TINY, "forget-3", 0)
    net, stream = trial.learner.net, row.task.draw(2, np.random.default_rng(0))
    assert plain.random.random() == trial.random.random()
    x, theta, old = np.eye(net.n_in)[stream.x[: stream.lengths[0]]], trial.learner.theta, plain.learner
    views = net.layout.views(theta)
    assert views["b_forget"].tolist() == [3.0]
    y = old.net.forward(old.theta, x).y
    assert np.abs(net.forward(theta, x).y - y).max() > 1e-4
    views["b_forget"][...] = 50.0
    np.testing.assert_allclose(net.forward(theta, x).y, y, rtol=0, atol=1e-13)


def test_a_name_that_is_no_idea_is_refused() -> None:
    with pytest.raises(ValueError, match=r"reading: expected one of exact, forget-1, .*, got 'letter'"):
        TINY.open_to("letter")
