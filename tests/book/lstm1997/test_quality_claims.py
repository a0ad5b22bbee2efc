"""Gates and gradients in training: agreement with traces, stored runs and ranks computed by hand."""

import numpy as np
import pytest
from throughtime.models.lstm1997 import Cut
from throughtime.tasks import AtEnd
from throughtime_book.lstm1997.quality import claims as q
from throughtime_book.lstm1997.quality import experiment
from throughtime_book.lstm1997.training.tasks import LATCH_20


def test_openness_is_the_mean_gate():
    model, sequences = LATCH_20.model(), experiment.probes(LATCH_20)
    theta = np.zeros(model.layout.size)
    views = model.layout.views(theta)
    views["b_ig"][:], views["b_og"][:] = (0.0, np.log(3.0)), -np.log(4.0)
    assert q.openness(model, theta, sequences) == pytest.approx(((0.5 + 0.75) / 2, 0.2))


def test_random_nets_without_shifts_are_those_of_the_experiment():
    found = [quality.cosine for quality in q.of_random_nets(8, range(4))]
    assert found == experiment.random_nets(1.0, 8, range(4), per_net=1)


def test_a_shift_is_that_of_the_gate_it_names():
    spread = {}
    for ig, og in ((0.0, 0.0), (-4.0, 0.0), (0.0, -4.0)):
        spread[ig, og] = np.ptp([quality.ratio for quality in q.of_random_nets(20, range(12), ig, og)])
    assert spread[0.0, -4.0] < spread[-4.0, 0.0] < spread[0.0, 0.0]


def test_rank_correlation():
    assert q.rank_correlation([1, 2, 3, 4], [10, 20, 50, 51]) == pytest.approx(1)
    assert q.rank_correlation([1, 2, 3, 4], [3, 2, 1, -5]) == pytest.approx(-1)
    assert q.rank_correlation([1, 2, 3], [2, 1, 3]) == pytest.approx(0.5)


def test_a_single_way_restores_all_where_no_other_is_there():
    """``undoing_net`` has one recurrent weight."""
    model, theta, x, targets, _ = experiment.undoing_net(-16.0)
    sequences = AtEnd(x[None], np.array([2]), targets[-1:])
    assert q.share_restored(model, theta, sequences, Cut("net_cell", "y_cell")) == pytest.approx(1)
    assert q.share_restored(model, theta, sequences, Cut("net_ig", "y_cell")) == 0
