"""Programs in JavaScript, run by QuickJS, beside the same in Python.

Nothing is kept of QuickJS: letters in the text of a program depend on what was derived before it.
"""

import json
from functools import partial

import compiled
import gated_cells  # noqa: F401  registers its cells
import normalized_cells  # noqa: F401  registers its cells
import numpy as np
import plain_cells  # noqa: F401  registers its cells
import pytest
import quickjs
import throughtime as tt
from printed import CELLS

T = 6
STARTS = "\nc_0 = p\nn_0 = q"  # at 0 a common factor of all input gates would cancel
TEXTS = {name: CELLS[name].text for name in ("gru_before", "gru_after", "mgu", "lstm_stacked", "indrnn")}
TEXTS |= {name: CELLS[name].text.replace(r"\varphi", "tanh") + STARTS for name in ("slstm", "slstm_stable")}
TEXTS["layer_norm"] = CELLS["layer_norm"].text.replace("f(", "tanh(")
TEXTS["two lags, two layers"] = "h_t = tanh(W x_t + U h_{t-1} + V h_{t-2})\ny_t = tanh(A h_t + B y_{t-1} + b)"


def made(text: str) -> tt.CompiledNetwork:
    read = tt.read(text)
    return read.compile({size.name: number for number, size in enumerate(read.sizes, 2)})


NETS = {name: partial(made, text) for name, text in TEXTS.items()}
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
        found = net._outward(np.array(theirs["gradient"]))
        np.testing.assert_allclose(found, wanted.gradient, rtol=1e-11, atol=1e-13 * scale)
