"""Programs in JavaScript, run by QuickJS, beside the same in Python.

Nothing is kept of QuickJS: letters in the text of a program depend on what was derived before it.
"""

import json
from collections.abc import Callable
from functools import partial

import cells
import compiled
import numpy as np
import pytest
import quickjs
import throughtime as tt

T = 6


def made(build: Callable[[], cells.Cell]) -> tt.CompiledNetwork:
    return tt.compile(build().system, cells.loss, {cells.n: 3, cells.m: 2}, activations={"f": "tanh"})


NETS = {name: partial(made, build) for name, build in cells.CELLS.items()}
NETS |= {"lfmn": compiled.lfmn, "lstm1997": compiled.lstm1997}


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
