"""Long programs in parts: they compute the same to the last bit, and what is compiled grows with the states alone."""

from functools import cache

import cells
import compiled
import numpy as np
import pytest
import throughtime as tt
from throughtime.programs import CompiledNetwork, moving, parts


@cache
def gru() -> CompiledNetwork:
    return tt.compile(cells.gru_before(), cells.loss, {cells.n: 3, cells.m: 2}, activations={"f": "tanh"})


NETS = {"LSTM 1997": cache(compiled.lstm1997), "peephole cell": cache(compiled.peephole), "GRU": gru}


def lines(net: CompiledNetwork) -> list[int]:
    """Of each function that takes steps of real-time recurrent learning, comments left out."""
    bodies = [one for one in net.source("rtrl").split("\ndef ") if one.startswith(("steps", "_steps"))]
    return [sum("# " not in line for line in body.splitlines()) for body in bodies]


@pytest.mark.parametrize(("name", "method"), [(name, method) for name in NETS for method in NETS[name]().METHODS])
def test_parts_compute_what_the_whole_does(name: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    net, found = NETS[name](), []
    random = np.random.default_rng(1)
    weights = net.unpack(random.normal(size=net.layout.size))
    shared = net._shared(weights, *(random.normal(size=(5, width)) for width in (net.n_in, net.n_out, net._n_mask)))
    for long, block in ((10**6, 1), (parts.LONG, parts.BLOCK), (0, 1)):
        monkeypatch.setattr(parts, "LONG", long)
        monkeypatch.setattr(parts, "BLOCK", block)
        program: dict = {}
        exec(net.source(method), program)
        loss, *gradient = program["gradient"](*shared)
        found.append((loss, *(array.tolist() for array in gradient)))
    assert found[0] == found[1] == found[2]
    assert np.isfinite(found[0][0])


@pytest.mark.parametrize("name", NETS)
def test_an_equation_is_compiled_once_for_several_weights(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    net = NETS[name]()
    found = lines(net)
    monkeypatch.setattr(parts, "LONG", 10**6)
    [whole] = lines(net)
    assert sum(found) < 0.8 * whole
    assert max(found) < 0.4 * whole


def test_a_long_step_of_a_learner_keeps_its_loops_and_is_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written out, that of LSTM 1997 by real-time recurrent learning would have 16 000 lines for its 113 weights."""
    net, random, found = NETS["LSTM 1997"](), np.random.default_rng(1), []
    x, d = random.normal(size=(3, net.n_in)), random.normal(size=(3, net.n_out))
    for long in (moving.LONG, 10**6):
        monkeypatch.setattr(moving, "LONG", long)
        learner = net.learner(net.init(0, 0.3), "rtrl", rate=0.1)
        learner.run(x, d)
        found.append((learner.source.count("def _learn_") > 30, learner.state.tolist()))
    assert found == [(True, found[1][1]), (False, found[0][1])]
