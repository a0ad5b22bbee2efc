"""Programs in JavaScript, run by QuickJS, beside the same in Python.

Nothing is kept of QuickJS: letters in the text of a program depend on what was derived before it.
"""

import json

import cells
import numpy as np
import pytest
import quickjs
import throughtime as tt
from cell_systems import compiled
from throughtime.systems import lfmn, lstm1997

SQUASHED = dict.fromkeys(("f_hid", "f_ig", "f_og", "f_out"), "logistic") | {"g": "twice_tanh_half", "h": "tanh_half"}
T = 6


def local_feedback() -> tt.CompiledNetwork:
    sizes = {lfmn.d_in: 2, lfmn.n_h: 1, lfmn.r_h: 2, lfmn.a_h: 1, lfmn.n_y: 2, lfmn.r_y: 1, lfmn.a_y: 1}
    return tt.compile(lfmn.build(), lfmn.loss, sizes, activations={"f": "tanh_half"})


def lstm() -> tt.CompiledNetwork:
    sizes = {lstm1997.d_in: 2, lstm1997.d_hid: 1, lstm1997.d_cell: 2, lstm1997.n_cell: 2, lstm1997.d_out: 2}
    cuts = {"truncated": lstm1997.cuts()}
    return tt.compile(lstm1997.build(), lstm1997.loss, sizes, activations=SQUASHED, cuts=cuts)


NETS = {name: lambda builder=builder: compiled(builder) for name, builder in cells.CELLS.items()}
NETS |= {"lfmn": local_feedback, "lstm1997": lstm}


def run(source: str, arguments: list[np.ndarray]) -> dict:
    """Loss and flat gradient by the function ``gradient`` of a program."""
    context = quickjs.Context()
    context.eval(source)
    context.eval("function flat(a) { return typeof a === 'number' ? [a] : Array.from(a).flatMap(flat); }")
    given = ", ".join(json.dumps(array.tolist()) for array in arguments)
    loss, *slopes = json.loads(context.eval(f"JSON.stringify(flat(gradient({given})))"))
    return {"loss": float(loss), "gradient": list(map(float, slopes))}


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("name", NETS)
def test_the_same_loss_and_gradient(name: str) -> None:
    net, random = NETS[name](), np.random.default_rng(2)
    theta = net.init(random, 0.5) + 0.6 * name.startswith("slstm")
    x, d = random.normal(size=(T, net.n_in)), random.normal(size=(T, net.n_out))
    given = net._shared(net.unpack(theta), x, d, np.ones((T, max(1, net.n_out))))
    arguments = [np.atleast_1d(array) for array in given]
    for method in net.METHODS:
        source = net.source(method, "javascript")
        theirs = run(source, arguments)
        wanted = net.gradient(theta, x, d, method=method)
        scale = np.abs(wanted.gradient).max()
        assert theirs["loss"] == pytest.approx(wanted.loss, rel=1e-12)
        np.testing.assert_allclose(theirs["gradient"], wanted.gradient, rtol=1e-11, atol=1e-13 * scale)
