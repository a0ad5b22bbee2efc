"""Programs in JavaScript, run by QuickJS, beside the same in Python."""

from __future__ import annotations

import json

import cells
import numpy as np
import pytest
import quickjs
import throughtime as tt
from throughtime.programs import build
from throughtime.systems import lfmn, lstm1997

SQUASHED = dict.fromkeys(("f_hid", "f_ig", "f_og", "f_out"), "logistic") | {"g": "twice_tanh_half", "h": "tanh_half"}
T = 6


@pytest.fixture(scope="module", autouse=True)
def plain():
    """Python's programs as plain Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "COMPILED", False)
        patch.setattr(build, "CACHE", None)
        yield


def cell(name: str) -> tt.CompiledNetwork:
    system = getattr(cells, name)().system
    wanted = {one.name for one in tt.programs.plan.Plan(system, cells.loss, {cells.n: 3, cells.m: 2}).activations()}
    functions = {of: rule for of, rule in {"sigma": "logistic", "f": "tanh"}.items() if of in wanted}
    return tt.compile(system, cells.loss, {cells.n: 3, cells.m: 2}, activations=functions)


def local_feedback() -> tt.CompiledNetwork:
    sizes = {lfmn.d_in: 2, lfmn.n_h: 1, lfmn.r_h: 2, lfmn.a_h: 1, lfmn.n_y: 2, lfmn.r_y: 1, lfmn.a_y: 1}
    return tt.compile(lfmn.build(), lfmn.loss, sizes, activations={"f": "tanh_half"})


def lstm() -> tt.CompiledNetwork:
    sizes = {lstm1997.d_in: 2, lstm1997.d_hid: 1, lstm1997.d_cell: 2, lstm1997.n_cell: 2, lstm1997.d_out: 2}
    cuts = {"truncated": lstm1997.cuts()}
    return tt.compile(lstm1997.build(), lstm1997.loss, sizes, activations=SQUASHED, cuts=cuts)


NETS = {name: lambda name=name: cell(name) for name in cells.CELLS} | {"lfmn": local_feedback, "lstm1997": lstm}


@pytest.mark.parametrize("name", NETS)
def test_the_same_loss_and_gradient(name: str) -> None:
    net, random = NETS[name](), np.random.default_rng(2)
    theta = net.init(random, 0.5) + 0.6 * name.startswith("slstm")
    x, d = random.normal(size=(T, net.n_in)), random.normal(size=(T, net.n_out))
    given = net._shared(net.unpack(theta), x, d, np.ones((T, max(1, net.n_out))))
    arguments = ", ".join(json.dumps(np.atleast_1d(array).tolist()) for array in given)
    for method in net.METHODS:
        context = quickjs.Context()
        context.eval(net.source(method, "javascript"))
        context.eval("function flat(a) { return typeof a === 'number' ? [a] : Array.from(a).flatMap(flat); }")
        found = json.loads(context.eval(f"JSON.stringify(flat(gradient({arguments})))"))
        wanted = net.gradient(theta, x, d, method=method)
        scale = np.abs(wanted.gradient).max()
        assert found[0] == pytest.approx(wanted.loss, rel=1e-12)
        np.testing.assert_allclose(found[1:], wanted.gradient, rtol=1e-11, atol=1e-13 * scale)
