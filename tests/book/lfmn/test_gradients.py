"""The chapter on the LFMN's gradients: those of its figure, and what a second net input would do to (11)."""

from dataclasses import replace

import numpy as np
import pytest
from book.lfmn.gradients import checks as lfmn_both
from book.lfmn.gradients.figures import hidden_gradients
from throughtime.arrays.activations import tanh_half
from throughtime.checks import complex_step, relative_error
from throughtime.derivation import CheckError, System, chain, d, refs, sum_over
from throughtime.systems import lfmn
from throughtime.textbook.lfmn import LFMN


def test_both_gradients_of_the_figure():
    """One is right; the other, at one step and output, is that over the slope, and with small weights twice that."""

    def found(outputs, scale, steps):
        draw = np.random.default_rng(12)
        model = LFMN(2, hidden=(1, 1, 1), output=(outputs, 0, 0))
        theta, x, targets = model.init(draw, scale), draw.normal(size=(steps, 2)), draw.normal(size=(steps, outputs))
        truth = complex_step(lambda weights: model.loss(weights, x, targets), theta)
        hidden = np.concatenate([truth[model.layout.slice(group)] for group in ("w_hid", "u_hid", "v_hid")])
        derived, printed = hidden_gradients(model, theta, x, targets)
        assert relative_error(derived, hidden) < 1e-12
        return derived, printed, tanh_half.derivative(model.forward(theta, x).net_out[1, 0])

    derived, printed, _ = found(2, 0.01, 6)
    assert relative_error(printed, 2 * derived) < 1e-3
    derived, printed, at_output = found(1, 1.0, 1)
    assert np.allclose(printed * at_output, derived, rtol=1e-12)


def equation_11():
    """lfmn-11, in derivatives of net inputs."""
    i, k, t = lfmn.i_r, lfmn.k, lfmn.t
    w, tilde, bar = lfmn.W_out[i, k], lfmn_both.net_out[i, t], lfmn_both.act_out[i, t]
    error = 2 * lfmn.mask[t] * (lfmn.y[i, t] - lfmn.target[i, t])
    own = lfmn.f.prime(tilde) * d(tilde, w) + lfmn.f.prime(bar) * d(bar, w)
    return chain(d(lfmn.mask[t] * lfmn.cost[t], w), error * own)


def test_in_a_unit_with_a_second_net_input_of_its_own_equation_11_is_refused():
    """What the reading keeps out: a net input of the other kind, computed beside the first and read by nothing."""
    both = lfmn_both.both_kinds()
    i, k, t = lfmn.i_a, lfmn.k, lfmn.t
    beside = System("LFMN with a second net input", t)
    for definition in lfmn_both.build().all_definitions():
        if definition.left.quantity is not lfmn_both.net_out or definition.left.indices[0] != i:
            beside[definition.left] = definition.right
    beside[lfmn_both.net_out[i, t]] = sum_over(k, lfmn.W_out[i, k] * lfmn.x[k, t])
    with pytest.raises(CheckError, match="is wrong as printed"):
        replace(both, system=beside, model=None).equation("eleven", equation_11())


def test_the_net_input_that_a_unit_does_not_have_is_zero_and_read_by_nothing():
    net = lfmn_both.build().check()
    absent = {(lfmn_both.net_out, lfmn.Y_act), (lfmn_both.act_out, lfmn.Y_net)}
    found = {
        (one.left.quantity, one.left.indices[0].domain): one.right for one in net.all_definitions() if one.left.indices
    }
    assert all(found[pair] == 0 for pair in absent)
    for definition in net.all_definitions():
        assert not {(ref.quantity, ref.indices[0].domain) for ref in refs(definition.right) if ref.indices} & absent
    assert len(net.all_definitions()) == len(lfmn.build().all_definitions()) + 2
