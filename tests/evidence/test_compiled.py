"""A network of the textbook and its compiled one are two pieces of work with one answer, in one layout of theta."""

from dataclasses import replace

import numpy as np
import pytest
import throughtime as tt
from throughtime.arrays.activations import identity, tanh
from throughtime.evidence.compiled import Compiled, parts

TOLERANCE = 1e-12
NETWORKS = [
    tt.FullyRecurrent(2, 3, tanh),
    tt.FullyRecurrent(0, 2),
    tt.Elman(2, 3, 2, tanh, "logistic", start=0.3),
    tt.Jordan(2, 3, 2, "logistic", "twice_tanh_half", start=0.5),
    tt.LFMN(2, (1, 2, 1), (2, 1, 1)),
    tt.LFMN(2, (0, 0, 2), (1, 0, 0), identity),
    tt.LSTM1997(2, 1, 2, 2, 1, bias=["og", "out"], f_hid="tanh"),
    tt.LSTM1997(1, 2, 1, 1, timing="same", bias=True, f="tanh_half"),
    tt.PeepholeLSTM(2, 2, 1, 2, bias=True, h="tanh"),
    tt.PeepholeLSTM(1, 1, 2, 1, peepholes=False, feedback="cells", direct=False),
]


@pytest.mark.parametrize("net", NETWORKS, ids=repr)
def test_loss_and_gradients_are_the_same(net):
    rng, made = np.random.default_rng(0), net.compile()
    theta, x, targets = net.init(rng, 0.9), rng.normal(size=(2, 6, net.n_in)), rng.normal(size=(2, 6, net.n_out))
    mask = rng.integers(0, 2, (2, 6))
    assert made.layout == net.layout
    assert {*net.METHODS} < {*made.METHODS}
    assert made.loss(theta, x, targets, mask) == pytest.approx(net.loss(theta, x, targets, mask), rel=1e-13)
    assert np.array_equal(made.pack(made.unpack(theta)), theta)
    for method in made.METHODS:
        ours = net.gradient(theta, x, targets, mask, "bptt" if method == "rtrl" else method)
        theirs = made.gradient(theta, x, targets, mask, method)
        assert theirs.loss == pytest.approx(ours.loss, rel=1e-13)
        assert tt.relative_error(theirs.gradient, ours.gradient) <= TOLERANCE, method


@pytest.mark.parametrize("net", [NETWORKS[6], NETWORKS[8]], ids=["1997", "2002"])
def test_gradients_with_half_of_the_cuts_are_the_same(net):
    """One of the system is several of the textbook: all that a net input reads, or all that read a source."""
    made, (rng, length) = parts(net), (np.random.default_rng(1), 4)
    some = made.cuts["truncated"][::2]
    made = Compiled(net, replace(made, cuts={"half": some}))
    theta, x, targets = net.init(rng, 0.9), rng.normal(size=(length, net.n_in)), rng.normal(size=(length, net.n_out))
    held = [cut for cut in net.cuts("truncated") if any(same(one, cut) for one in some)]
    ours = net.gradient_with_cuts(theta, x, targets, cuts=held)
    theirs = made.gradient(theta, x, targets, method="half")
    assert 0 < len(held) < len(net.cuts("truncated"))
    assert tt.relative_error(theirs.gradient, ours.gradient) <= TOLERANCE


def same(one, cut):
    """Whether a cut of a system holds what a cut of the textbook does."""
    into, source = one.into.name, one.quantity.name.replace("block", "cell")
    return into in ("r", cut.net) and source in ("r", cut.source) and (cut.source == "s") == (source == "s")


def test_a_learner_has_the_layout_of_the_textbook():
    net, rng = tt.Elman(1, 2, 1), np.random.default_rng(0)
    theta, x, targets = net.init(rng, 0.9), rng.normal(size=(4, 1)), rng.normal(size=(4, 1))
    learner = net.compile().learner(theta, rate=0.5, moved="sequence")
    assert np.array_equal(learner.theta, theta)
    learner.run(x, targets)
    moved = theta - 0.5 * net.gradient(theta, x, targets).gradient
    assert tt.relative_error(learner.theta, moved) <= TOLERANCE


def test_what_has_no_system_is_refused():
    with pytest.raises(ValueError, match=r"activation: expected one for all units, got \[tanh, logistic\]"):
        tt.FullyRecurrent(1, 2, ["tanh", "logistic"]).compile()
    with pytest.raises(ValueError, match=r"peepholes: expected all or none, got \('og',\)"):
        tt.PeepholeLSTM(1, 1, 1, 1, peepholes=["og"]).compile()
    with pytest.raises(ValueError, match=r"bias: expected all or none, got \('ig',\)"):
        tt.PeepholeLSTM(1, 1, 1, 1, bias=["ig"]).compile()
    with pytest.raises(TypeError, match="network: expected a network of the textbook, got Compiled"):
        NETWORKS[0].compile().compile()
