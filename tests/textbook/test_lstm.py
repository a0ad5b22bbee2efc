"""Both LSTMs against their statements written out, the complex step, and any paths held constant."""

import pickle
from itertools import product

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS, identity, logistic, tanh, tanh_half, twice_tanh_half
from throughtime.checks import STEP, complex_step, relative_error
from throughtime.textbook.lstm1997 import LSTM1997, TIMINGS, LSTM1997Cut
from throughtime.textbook.peephole import FEEDBACK, GATE_BIASES, PeepholeCut, PeepholeLSTM

TOLERANCE = 1e-12
FUNCTIONS = [*ACTIVATIONS.values()]
NETWORKS = [LSTM1997(2, 2, 3, 2, 1, timing=timing, bias=True) for timing in TIMINGS]
NETWORKS += [LSTM1997(0, 1, 2, 1, timing=timing, bias=["cell", "out"], h=tanh) for timing in TIMINGS]
NETWORKS += [
    LSTM1997(1, 2, 1, 1, 2, f=f, g=g, h=h, f_hid=h, f_out=g)
    for f, g, h in zip(FUNCTIONS, FUNCTIONS[1:] + FUNCTIONS[:1], FUNCTIONS[2:] + FUNCTIONS[:2], strict=True)
]
NETWORKS += [
    PeepholeLSTM(2, 2, 3, 2, peepholes, feedback, direct, bias, h=h)
    for (peepholes, feedback, direct, bias), h in zip(
        product((True, False, ["fg", "og"]), FEEDBACK, (True, False), (True, ["ig"])), FUNCTIONS * 5, strict=False
    )
]
NETWORKS += [PeepholeLSTM(1, 2, 1, 1, f=f, g=g, f_out=g) for f, g in zip(FUNCTIONS, FUNCTIONS[::-1], strict=True)]
NETWORKS += [PeepholeLSTM(0, 1, 2, 1, bias=["out"])]
every_network = pytest.mark.parametrize("net", NETWORKS, ids=range(len(NETWORKS)))
BOTH = [LSTM1997(2, 2, 2, 2, 1, bias=True), PeepholeLSTM(2, 2, 2, 2, bias=True)]


def problem(net, *lead, seed=0):
    """theta, x, targets and a mask by output, of shape (T,) or (B, T) before their last axis."""
    rng = np.random.default_rng(seed)
    theta, x = net.layout.uniform(rng, 1.0), rng.normal(size=(*lead, net.n_in))
    return theta, x, rng.normal(size=(*lead, net.n_out)), rng.integers(0, 2, (*lead, net.n_out))


def transcribed(net, thetas, x, cuts=(), bumps=None):
    """lstm97-36 to 43, peephole-1 to 5, 13, 14 for each row of ``thetas``: arrays (T+1, rows, ...) by name.

    Where a path is cut, a net input reads activations and states of the first row, without their imaginary parts.
    ``bumps`` are numbers, of the same shapes, added to net inputs and states.
    """
    first, rows, cut = isinstance(net, LSTM1997), len(thetas), {(path.net, path.source) for path in cuts}
    p = {name: thetas[:, net.layout.slice(name)].reshape(rows, *shape) for name, shape in net.layout.shapes.items()}
    units = ("hid", "ig", "og", "cell") if first else ("fg", "ig", "og", "cell")
    fed = units if net.feedback == "all" else ("cell",)
    shapes = {kind: (len(x) + 1, *p[f"w_{kind}"].shape[:-1]) for kind in (*units, "out")}
    q = {f"{letter}_{kind}": np.zeros(shape, complex) for kind, shape in shapes.items() for letter in ("net", "y")}
    bumps = {name: 0.0 * values for name, values in {**q, "s": q["net_cell"]}.items()} | (bumps or {})
    q["s"] = bumps["s"].astype(complex)

    def each(gate):
        return gate[:, None] if first else gate[..., None]

    def read(values, net_input, source):
        return np.repeat(values[:1].real, rows, axis=0) if (net_input, source) in cut else values

    def net_input(kind, t, sources, at, seen=None, direct=True):
        name, parts = f"net_{kind}", [np.repeat(x[t - 1][None], rows, axis=0)] * direct
        parts += [read(q[f"y_{source}"][at].reshape(rows, -1), name, f"y_{source}") for source in sources]
        q[name][t] = np.einsum("n...j,nj->n...", p[f"w_{kind}"], np.hstack(parts)) + p.get(f"b_{kind}", 0.0)
        if f"u_{kind}" in p:
            q[name][t] += (p[f"u_{kind}"] * read(q["s"][seen], name, "s")).sum(axis=-1)
        q[name][t] += bumps[name][t]
        return q[name][t]

    for t in range(1, len(x) + 1):
        for kind in units[: units.index("og")]:
            f = net.f_hid if kind == "hid" else net.f
            q[f"y_{kind}"][t] = f(net_input(kind, t, fed, t - 1, seen=t - 1))
        q["s"][t] += q["s"][t - 1] if first else each(q["y_fg"][t]) * q["s"][t - 1]
        q["s"][t] += each(q["y_ig"][t]) * net.g(net_input("cell", t, fed, t - 1))
        q["y_og"][t] = net.f(net_input("og", t, fed, t - 1, seen=t))
        q["y_cell"][t] = each(q["y_og"][t]) * net.h(q["s"][t])
        at, sources = t - (net.timing == "previous"), ("hid", "cell") if first else ("cell",)
        q["y_out"][t] = net.f_out(net_input("out", t, sources, at, direct=net.direct))
    return q | {"y": q.pop("y_out")}


def by_step(q, targets, mask):
    """Derivatives of the loss along all rows but the first; below the step there is but its own error, of order h^2."""
    loss = (mask[:, None] * (q["y"][1:] - targets[:, None]) ** 2 / 2).sum(axis=(0, 2))
    derivative = loss[1:].imag / STEP
    return np.where(np.abs(derivative) < STEP, 0.0, derivative)


def gradient_with(cuts, net, theta, x, targets, mask):
    """The gradient by the complex step on the statements, all directions at once."""
    steps = np.vstack([np.zeros_like(theta), np.eye(theta.size)])
    return by_step(transcribed(net, theta + 1j * STEP * steps, x, cuts), targets, mask)


@every_network
def test_a_trace_is_what_the_statements_say(net):
    theta, x, *_ = problem(net, 6)
    for moved in (0.0, 1e-3j):  # analytic in parameters and inputs
        trace, expected = net.forward(theta + moved, x - moved), transcribed(net, (theta + moved)[None], x - moved)
        assert {name for name, _ in trace.items()} == {"x", *expected}
        for name, values in expected.items():
            assert relative_error(getattr(trace, name), values[:, 0]) <= TOLERANCE, name
        assert np.array_equal(trace.x[isinstance(net, PeepholeLSTM) :], x - moved)
        assert not any(values.flags.writeable for _, values in trace.items())


@every_network
def test_gradients_exact_and_with_any_paths_held_are_those_of_the_complex_step(net):
    arguments = theta, x, targets, mask = problem(net, 5)
    exact, truncated = (net.gradient(*arguments, method=method) for method in ("bptt", "truncated"))
    assert relative_error(exact.gradient, complex_step(lambda z: net.loss(z, x, targets, mask), theta)) <= TOLERANCE
    assert relative_error(exact.gradient, gradient_with((), net, *arguments)) <= TOLERANCE
    assert relative_error(truncated.gradient, gradient_with(truncated.cuts, net, *arguments)) <= TOLERANCE
    assert (exact.method, exact.cuts, truncated.method) == ("bptt", (), "truncated")
    assert exact.loss == truncated.loss == net.loss(theta, x, targets, mask)
    rng = np.random.default_rng(1)
    for share in (0.2, 0.8):
        some = [cut for cut in truncated.cuts if rng.random() < share]
        found = net.gradient_with_cuts(*arguments, cuts={*some})
        assert found.cuts == tuple(some)
        assert relative_error(found.gradient, gradient_with(some, net, *arguments)) <= TOLERANCE


@pytest.mark.parametrize(("net", "count"), [(BOTH[0], 16), (BOTH[1], 19)], ids=["1997", "2002"])
def test_every_listed_cut_matters(net, count):
    arguments = problem(net, 6, seed=5)
    cuts = net.cuts("truncated")
    assert len(cuts) == count
    for cut in cuts:
        left = net.gradient_with_cuts(*arguments, cuts=[other for other in cuts if other != cut])
        assert relative_error(left.gradient, net.gradient(*arguments, method="truncated").gradient) > 1e-6, cut


@pytest.mark.parametrize("method", ["bptt", "truncated"])
@pytest.mark.parametrize("net", [*BOTH, *NETWORKS[2:4], *NETWORKS[12:16]], ids=range(8))
def test_error_signals_are_derivatives_by_an_added_number(net, method):
    theta, x, targets, mask = problem(net, 4)
    signals = net.error_signals(theta, x, targets, mask, method=method)._asdict()
    assert {*signals} == {"s", *(name for name, _ in net.forward(theta, x).items() if name.startswith("net"))}
    for name, signal in signals.items():
        steps = np.eye(signal.size + 1)[:, 1:].reshape(signal.size + 1, *signal.shape)  # row 0 is without a step
        bumps = {name: 1j * STEP * np.moveaxis(steps, 0, 1)}
        q = transcribed(net, np.repeat(theta[None], len(steps), axis=0), x, net.cuts(method), bumps)
        assert relative_error(signal, by_step(q, targets, mask).reshape(signal.shape)) <= TOLERANCE, name


def test_layouts_have_the_columns_of_the_notes():
    net, columns = LSTM1997(n_in=3, blocks=2, cells=4, n_out=5, hidden=6, bias=["out", "ig"]), 3 + 6 + (2 + 4) * 2
    shapes = {"w_hid": (6, columns), "w_ig": (2, columns), "w_og": (2, columns), "w_cell": (4, 2, columns)}
    assert net.layout.shapes == shapes | {"w_out": (5, 3 + 6 + 4 * 2), "b_ig": (2,), "b_out": (5,)}
    assert [*net.layout.names][-2:] == ["b_ig", "b_out"]
    assert {name: (part.start, part.stop) for name, part in net.sources.items()} == {
        "x": (0, 3), "y_hid": (3, 9), "y_ig": (9, 11), "y_og": (11, 13), "y_cell": (13, 21)
    }  # fmt: skip
    assert [(part.start, part.stop) for part in net.output_sources.values()] == [(0, 3), (3, 9), (9, 17)]
    net, columns = PeepholeLSTM(3, 2, 4, 5, peepholes=["og", "fg"], bias=["cell"]), 3 + 2 * (3 + 4)
    shapes = {f"w_{gate}": (2, columns) for gate in ("fg", "ig", "og")} | {"w_cell": (2, 4, columns)}
    shapes |= {"w_out": (5, 3 + 2 * 4), "u_fg": (2, 4), "u_og": (2, 4), "b_cell": (2, 4)}
    assert net.layout.shapes == shapes
    net = PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)
    assert [*net.sources] == ["x", "y_cell"]
    assert net.output_sources["x"] == slice(0, 0)
    assert net.layout.size == 4 * 3 + 3 + 2 == 17  # that of the experiments


def test_cuts_are_named():
    cuts, kinds = LSTM1997(1, 1, 1, 1).cuts("truncated"), ("ig", "og", "cell")
    assert cuts == tuple(LSTM1997Cut(f"net_{net}", f"y_{source}") for net in kinds for source in kinds)
    cuts, kinds = PeepholeLSTM(1, 1, 1, 1, feedback="cells").cuts("truncated"), ("fg", "ig", "og", "cell")
    seen = (PeepholeCut("net_fg", "s", 1), PeepholeCut("net_ig", "s", 1), PeepholeCut("net_og", "s", 0))
    assert cuts == (*(PeepholeCut(f"net_{kind}", "y_cell", 1) for kind in kinds), *seen)
    assert len(PeepholeLSTM(1, 1, 1, 1, peepholes=False).cuts("truncated")) == 16


def test_networks_are_their_options_as_the_papers_have_them_unless_given():
    net = LSTM1997(1, 1, 1, 1)
    assert (net.f, net.g, net.h, net.f_hid, net.f_out) == (logistic, twice_tanh_half, tanh_half, logistic, logistic)
    net = PeepholeLSTM(1, 1, 1, 1)
    assert (net.f, net.g, net.h, net.f_out) == (logistic, twice_tanh_half, identity, logistic)
    assert (net.peepholes, PeepholeLSTM(1, 1, 1, 1, peepholes=False).peepholes) == (("fg", "ig", "og"), ())
    assert LSTM1997(1, 1, 1, 1, bias=["out", "ig"], g="tanh") == LSTM1997(1, 1, 1, 1, bias=("ig", "out"), g=tanh)
    for net in BOTH:
        copy, x = pickle.loads(pickle.dumps(net)), np.ones((3, 2))
        assert hash(copy) == hash(net)
        assert np.array_equal(copy.forward(copy.init(0), x).y, net.forward(net.init(0), x).y)
        assert "Activation" not in repr(net)


def test_gate_biases_start_as_in_the_paper_unless_given():
    net = PeepholeLSTM(1, 2, 1, 1, bias=["fg", "ig", "og", "cell"])
    paper, drawn, own = (
        net.layout.views(net.init(0, **how)) for how in ({}, {"gate_biases": {}}, {"gate_biases": {"fg": 1.0}})
    )
    assert GATE_BIASES == {"fg": -2.0, "ig": 0.0, "og": 2.0}
    assert {gate: [*paper[f"b_{gate}"]] for gate in GATE_BIASES} == {gate: [b, b] for gate, b in GATE_BIASES.items()}
    assert own["b_fg"].tolist() == [1.0, 1.0]
    for name in ("w_fg", "w_cell", "b_cell", "u_og"):
        assert np.array_equal(paper[name], drawn[name])
    assert np.array_equal(own["b_og"], drawn["b_og"])


SMALL = {"n_in": 1, "blocks": 1, "cells": 1, "n_out": 1}
NO_NETWORKS = [
    (LSTM1997, {"hidden": -1}, ValueError, "hidden: expected at least 0, got -1"),
    (LSTM1997, {"timing": "now"}, ValueError, "timing: expected one of 'previous', 'same', got 'now'"),
    (LSTM1997, {"bias": ["fg"]}, ValueError, "bias: expected one of 'hid', 'ig', 'og', 'cell', 'out', got 'fg'"),
    (LSTM1997, {"bias": "ig"}, TypeError, "bias: expected True, False or a sequence of kinds, got 'ig'"),
    (LSTM1997, {"f_hid": np.tanh}, TypeError, "f_hid: expected an ActivationFunction or the name of one, got ufunc"),
    (PeepholeLSTM, {"n_in": -1}, ValueError, "n_in: expected at least 0, got -1"),
    (PeepholeLSTM, {"blocks": 0}, ValueError, "blocks: expected at least 1, got 0"),
    (PeepholeLSTM, {"cells": [2]}, TypeError, r"cells: expected an integer, got \[2\]"),
    (PeepholeLSTM, {"feedback": "gates"}, ValueError, "feedback: expected one of 'all', 'cells', got 'gates'"),
    (PeepholeLSTM, {"direct": 1}, TypeError, "direct: expected True or False, got 1"),
    (PeepholeLSTM, {"peepholes": ["cell"]}, ValueError, "peepholes: expected one of 'fg', 'ig', 'og', got 'cell'"),
    (PeepholeLSTM, {"bias": ["hid"]}, ValueError, "bias: expected one of 'fg', .*'out', got 'hid'"),
    (PeepholeLSTM, {"g": "sine"}, ValueError, "g: expected one of .*, got 'sine'"),
]


@pytest.mark.parametrize(("kind", "change", "error", "message"), NO_NETWORKS)
def test_an_impossible_network_is_refused(kind, change, error, message):
    with pytest.raises(error, match=message):
        kind(**SMALL | change)


@pytest.mark.parametrize("net", BOTH, ids=["1997", "2002"])
def test_unknown_methods_and_cuts_are_refused(net):
    theta, x, targets, _ = problem(net, 2)
    for call in (net.gradient, net.error_signals):
        with pytest.raises(ValueError, match="method: expected one of 'truncated', 'bptt', got 'rtrl'"):
            call(theta, x, targets, method="rtrl")
    cuts = net.cuts("truncated")
    for wrong in (None, "all", iter(cuts)):
        with pytest.raises(TypeError, match="cuts: expected a collection of cuts, got"):
            net.gradient_with_cuts(theta, x, targets, cuts=wrong)
    for wrong in (cuts[0], [[1]], [type(cuts[0])("net_out", "y_cell")]):
        with pytest.raises(ValueError, match="cuts: expected some of those of the truncated gradient, got"):
            net.gradient_with_cuts(theta, x, targets, cuts=wrong)


@pytest.mark.parametrize(
    ("biases", "error", "message"),
    [
        (None, TypeError, "gate_biases: expected a mapping"),
        ({"cell": 0.0}, ValueError, "gate_biases: expected one of 'fg', 'ig', 'og', got 'cell'"),
        ({"fg": np.nan}, ValueError, r"gate_biases\['fg'\]: expected a number in .*, got nan"),
    ],
)
def test_gate_biases_that_do_not_fit_are_refused(biases, error, message):
    with pytest.raises(error, match=message):
        PeepholeLSTM(**SMALL, bias=True).init(0, gate_biases=biases)


LINEAR = [LSTM1997(1, 1, 1, 1, timing="same", g=identity, h=identity), PeepholeLSTM(1, 1, 1, 1, g=identity)]


@pytest.mark.parametrize("net", LINEAR, ids=["1997", "2002"])
def test_a_state_or_a_derivative_that_overflows_alone_is_an_error(net):
    """Gates are at 1/2: s grows by a factor of more than 3 along the weight 12 of the cell from itself."""
    theta = np.zeros(net.layout.size)
    theta[net.layout.index("w_cell", 0, 0, net.sources["y_cell"].start)] = 12.0
    theta[net.layout.index("w_out", 0, 1)] = 1.0
    x, targets, last = np.zeros((700, 1)), np.ones((700, 1)), np.arange(700) == 699
    assert not net.forward(theta, x).s.any()  # without input the state stays zero
    with pytest.raises(FloatingPointError, match="error_signal"):
        net.error_signals(theta, x, targets, last)
    with pytest.raises(FloatingPointError, match="gradient"):
        net.gradient(theta, x, targets, last)
    assert np.isfinite(net.error_signals(theta, x, targets, last, method="truncated").s).all()
    theta[net.layout.index("w_cell", 0, 0, 0)] = 1.0
    with pytest.raises(FloatingPointError, match=r"net_ig\[\d+, 0\] overflows float64"):
        net.forward(theta, np.eye(700, 1))
