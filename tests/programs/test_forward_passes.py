"""Compiled cells beside the NumPy programs of one step that `tests/reading` has, written there from the papers.

Neither engine nor generated code computes what is expected: these programs and the complex step do.
"""

from collections.abc import Callable

import gated_cells  # noqa: F401  registers its cells
import normalized_cells  # noqa: F401  registers its cells
import numpy as np
import plain_cells  # noqa: F401  registers its cells
import pytest
import throughtime as tt
from numbers_of import Arrays
from printed import CELLS

T = 4
# Texts: maximum and exponential; mean and root; two steps of outputs, and inputs kept for a step; a matrix of memories,
# and gates without index; a function with a kink; reset gates before and after a product; a softmax of the state;
# states that start from weights, one of which nothing feeds back; a weight of three indices. Programs read a row of a
# sequence at its own step alone.
SQUASHED = {"slstm_stable": ["phi"], "layer_norm": ["f"], "narx": ["f"]}  # by tanh
OTHERS = ("mlstm", "indrnn", "gru_before", "gru_after", "mgu", "hopfield", "slstm")
TEXTS = {name: CELLS[name].text for name in (*SQUASHED, *OTHERS)}
TEXTS["narx"] = "p_t = x_t\n" + TEXTS["narx"].replace("x_{t-1}", "p_{t-1}") + "\np_0 = q"
TEXTS["slstm"] = TEXTS["slstm"].replace(r"\varphi", "tanh") + "\nc_0 = p\nn_0 = q"
TEXTS["products"] = "s_i(t) = tanh(sum_{j,k} W_{ijk} s_j(t-1) x_k(t) + b_i)"
STARTS = {"slstm": {"c": "p", "n": "q"}, "narx": {"x": "q"}}
STEPS = {name: CELLS[name].step for name in (*SQUASHED, *OTHERS)} | {
    "products": lambda w, now, past: {"s": np.tanh(np.einsum("ijk,j,k->i", w.W, past("s"), now.x) + w.b)}
}


def outputs(name: str, read: tt.Reading, sizes: dict, learnt: Arrays, x: np.ndarray) -> np.ndarray:
    """The last state at all times, by the program of one step."""
    start = {state: np.zeros([len(over.elements(sizes)) for over in read[state].domains]) for state in read.states}
    start |= {state: learnt[weight] for state, weight in STARTS.get(name, {}).items()}
    trace = [{"x": np.zeros(x.shape[1])} | start] * 2
    for now in x:
        past: Callable = lambda of, lag=1: trace[-lag][of]  # noqa: E731
        trace.append(STEPS[name](learnt, Arrays(x=now), past) | {"x": now})
    return np.array([one[read.states[-1]] for one in trace[2:]])


@pytest.mark.parametrize("name", TEXTS)
def test_losses_and_gradients_are_those_of_a_program_by_hand(name: str) -> None:
    read = tt.read(TEXTS[name], name=name)
    sizes = {size: number for number, size in enumerate(read.sizes, 2)}
    named = {size.name: number for size, number in sizes.items()}
    net = read.compile(named, activations=dict.fromkeys(SQUASHED.get(name, ()), "tanh"))
    random = np.random.default_rng(11)
    theta, x, d = (random.normal(size=size) for size in (net.layout.size, (T, net.n_in), (T, net.n_out)))

    def loss(point: np.ndarray) -> complex:
        return ((outputs(name, read, sizes, Arrays(net.layout.views(point)), x) - d) ** 2).sum() / 2

    assert net.loss(theta, x, d) == pytest.approx(loss(theta), rel=1e-13)
    true = tt.complex_step(loss, theta)
    assert np.abs(true).max() > 1e-2
    for method in net.METHODS:
        found = net.gradient(theta, x, d, method=method).gradient
        np.testing.assert_allclose(found, true, rtol=1e-12, atol=1e-12 * np.abs(true).max())
