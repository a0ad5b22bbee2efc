"""Every network, exact and with its cuts, beside PyTorch's autograd, where a cut is ``detach``."""

import numpy as np
import pytest
import throughtime as tt
from book.beyond import leaky
from throughtime.arrays.activations import ACTIVATIONS, identity, tanh
from throughtime.checks import relative_error
from throughtime.textbook import LFMN, LSTM1997, Elman, FullyRecurrent, Jordan, PeepholeLSTM
from throughtime.textbook.lstm import LSTM
from throughtime.textbook.lstm1997 import TIMINGS
from throughtime.textbook.peephole import FEEDBACK

TOLERANCE = 1e-12
FUNCTIONS = [*ACTIVATIONS.values()]
NETWORKS = [FullyRecurrent(2, len(FUNCTIONS), FUNCTIONS), LFMN(2, (3, 2, 1), (1, 2, 3)), LFMN(2, (0, 0, 1), (1, 0, 0))]
NETWORKS += [kind(2, 3, 2, f, g, 0.25) for kind in (Elman, Jordan) for f, g in ((tanh, identity), ("logistic", tanh))]
NETWORKS += [LSTM1997(2, 3, 2, 2, 1, timing=timing, bias=bias) for timing in TIMINGS for bias in (True, ["og"])]
NETWORKS += [LSTM1997(2, 2, 1, 1, g=tanh, h=identity, f_out=tanh)]
NETWORKS += [PeepholeLSTM(2, 3, 2, 2, p, fed, bias=True) for p in (False, True, ["og"]) for fed in FEEDBACK]
NETWORKS += [PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)]  # 2002's experiments


def gradients(net, *problem):
    """Paths held constant, and the gradient without them: none, all that the authors cut, some of them."""
    yield [], net.gradient(*problem)
    if isinstance(net, Elman | Jordan):
        yield [("net_f", "context")], net.gradient(*problem, method="truncated")
    elif isinstance(net, LSTM):
        cuts, rng = net.cuts("truncated"), np.random.default_rng(0)
        yield cuts, net.gradient(*problem, method="truncated")
        some = [cut for cut in cuts if rng.random() < 0.5]
        yield some, net.gradient_with_cuts(*problem, cuts=some)


@pytest.mark.parametrize("net", NETWORKS, ids=range(len(NETWORKS)))
def test_losses_and_gradients_with_any_cuts_are_those_of_autograd(net, kept):
    rng, length = np.random.default_rng(9), 9
    theta, x = net.layout.uniform(rng, 0.9), rng.normal(size=(length, net.n_in))
    problem = theta, x, rng.normal(size=(length, net.n_out)), rng.integers(0, 2, (length, net.n_out))
    found = []
    for cuts, ours in gradients(net, *problem):
        theirs = kept("textbook_torch.gradient", net, *problem, [cut[:2] for cut in cuts])
        assert theirs.error("loss", ours.loss) <= TOLERANCE
        assert theirs.error("gradient", ours.gradient) <= TOLERANCE
        found.append(ours.gradient)
    assert all(relative_error(found[0], other) > 1e-3 for other in found[1:])


WINDOWS = [(1, leaky.leaky(masked=True), leaky.ONE), (2, leaky.windowed(), leaky.WINDOW)]


@pytest.mark.parametrize(("steps", "system", "cuts"), WINDOWS, ids=[1, 2])
def test_a_compiled_window_of_so_many_steps_is_a_state_detached(steps, system, cuts, kept, plain):
    rng, sizes = np.random.default_rng(steps), {leaky.n: 3, leaky.m: 2, leaky.r: 2}
    how = {"activations": {"phi": "tanh"}, "given": {"tau": np.array(2.5)}, "cuts": {"window": cuts}}
    net, T = tt.compile(system, leaky.loss, sizes, **how), 7
    weights = {name: rng.normal(size=shape) for name, shape in net.layout.shapes.items()}
    x, d = rng.normal(size=(T, 2)), rng.normal(size=(T, 2))
    for method, held in (("window", steps), ("bptt", T)):
        found = net.gradient(net.layout.flatten(weights), x, d, method=method)
        theirs = kept("textbook_torch.windows", *(weights[name] for name in ("W", "W_in", "W_out")), x, d, 2.5, held)
        assert theirs.error("loss", found.loss) <= TOLERANCE
        for name in ("W", "W_in"):
            assert theirs.error(name, net.layout.views(found.gradient)[name]) <= TOLERANCE
