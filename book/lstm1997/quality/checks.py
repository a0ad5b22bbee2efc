"""The truncated gradient of the LSTM of 1997 beside the exact one: angles, shares of what is lost, error flow.

Of the error flow: outside the carousels from activations to activations, all states of the previous step held
constant; returned, from the states of the first step to those of the last through all paths, without the carousels.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from book.lstm1997.tasks import Setup
from book.shared.alignment import Quality, hidden_part, quality
from throughtime.tasks import AtEnd
from throughtime.textbook.lstm1997 import LSTM1997, LSTM1997Cut, LSTM1997Trace


def mean_gradient(model: LSTM1997, theta: np.ndarray, sequences: AtEnd, cuts: Iterable[LSTM1997Cut]) -> np.ndarray:
    """The mean gradient of the sequences with the paths in ``cuts`` held constant; flat like ``theta``.

    What lies behind a sequence has no target, and so does not count.
    """
    found = model.gradient_with_cuts(theta, sequences.x, *sequences.by_step(), cuts=tuple(cuts))
    return found.gradient / len(sequences.x)


def compare(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> dict[str, float]:
    """Cosines and norm ratio of the truncated to the exact gradient.

    cosine                          of the means over the sequences, all parameters
    hidden_cosine, hidden_ratio     of the means over the sequences, parameters of gates, cells and hidden units
    worst                           smallest hidden cosine of a single sequence
    """
    whole = quality(*(mean_gradient(model, theta, sequences, cuts) for cuts in (model.cuts("truncated"), ())))
    hidden = between(model, theta, sequences)
    worst = min(between(model, theta, AtEnd(*(part[n : n + 1] for part in sequences))) for n in range(len(sequences.x)))
    return {"cosine": whole.cosine, "hidden_cosine": hidden.cosine, "hidden_ratio": hidden.ratio, "worst": worst.cosine}


def share_lost(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> dict[str, float]:
    """Change of the gradient when the cuts into one kind of net input are removed, relative to |exact - truncated|.

    By kind of net input, such as "net_ig"; gradients are means over the sequences with respect to the hidden
    parameters. "together" is the rest of exact - truncated: paths through net inputs of more than one kind. "y_cell" is
    the part of "net_cell" that one cut takes away: that of cells from the outputs of cells.
    """
    cuts = model.cuts("truncated")
    opened = {kind: [cut for cut in cuts if cut.net == kind] for kind in dict.fromkeys(cut.net for cut in cuts)}
    opened["y_cell"] = [LSTM1997Cut("net_cell", "y_cell")]
    ways = [cuts, (), *([cut for cut in cuts if cut not in some] for some in opened.values())]
    truncated, exact, *found = (hidden_part(model, mean_gradient(model, theta, sequences, way)) for way in ways)
    lost = exact - truncated
    parts = {name: mean - truncated for name, mean in zip(opened, found, strict=True)}
    alone = parts.pop("y_cell")
    parts |= {"together": lost - sum(parts.values()), "y_cell": alone}
    return {name: float(np.linalg.norm(part) / np.linalg.norm(lost)) for name, part in parts.items()}


def undoing_net(weight: float) -> tuple[LSTM1997, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A net of one cell with a recurrent weight against its state: model, theta, inputs, targets and mask.

    One input line, 2 at the first of two steps and 0 at the second; no biases. All weights are 0 except the output
    weight of the cell, which is 1, and the recurrent weight of the cell, which is ``weight``.
    """
    model = LSTM1997(1, 1, 1, 1, timing="same")
    theta = np.zeros(model.layout.size)
    views = model.layout.views(theta)
    views["w_cell"][..., model.sources["y_cell"]] = weight
    views["w_out"][:, model.output_sources["y_cell"]] = 1.0
    return model, theta, np.array([[2.0], [0.0]]), np.ones((2, 1)), np.array([0, 1])


def openness(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> tuple[float, float]:
    """Means of input and output gates over blocks, steps and sequences."""
    trace = model.forward(theta, sequences.x)
    ends = [*enumerate(sequences.lengths)]
    ig, og = (float(np.mean([gate[n, 1 : end + 1].mean() for n, end in ends])) for gate in (trace.y_ig, trace.y_og))
    return ig, og


def between(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> Quality:
    """Cosine and ratio of the mean gradients with respect to the weights of gates, cells and hidden units."""
    means = (mean_gradient(model, theta, sequences, cuts) for cuts in (model.cuts("truncated"), ()))
    return quality(*(hidden_part(model, mean) for mean in means))


def side_by_side(model: LSTM1997, nets: int) -> tuple[LSTM1997, np.ndarray]:
    """One net that holds ``nets`` of the model as parts, and where the parameters of each part stand, (nets, size).

    With all other parameters 0 the parts do not meet. For models without hidden units.
    """
    whole = replace(model, n_in=nets * model.n_in, blocks=nets * model.blocks, n_out=nets * model.n_out)
    at, first, own = whole.layout.views(np.arange(1.0 * whole.layout.size)), whole.sources, []
    for n in range(nets):
        sizes = model.n_in, model.blocks, model.n_out
        x, block, outputs = (np.arange(n * size, (n + 1) * size) for size in sizes)
        cells = np.concatenate([block + k * whole.blocks for k in range(model.cells)])
        r = np.concatenate([x, first["y_ig"].start + block, first["y_og"].start + block, first["y_cell"].start + cells])
        o = np.concatenate([x, whole.output_sources["y_cell"].start + cells])
        rows = {"hid": slice(0), "ig": block, "og": block, "cell": (slice(None), block), "out": outputs}
        part = {name: array[rows[name[2:]]] for name, array in at.items()}
        part |= {name: array[..., o if name == "w_out" else r] for name, array in part.items() if name[0] == "w"}
        own.append(np.concatenate([part[name].ravel() for name in model.layout.names]))
    return whole, np.array(own, int)


def random_nets(
    length: int, seeds: Iterable[int], ig: float = 0.0, og: float = 0.0, scale: float = 1.0
) -> list[Quality]:
    """``between`` for a net of each seed, all at once: two blocks, weights uniform on [-scale, scale], one sequence."""
    setup = Setup(1.0, "latch", length, ig=(ig, ig), og=(og, og), scale=scale)
    model, draws = setup.model(), map(np.random.default_rng, seeds)
    starts, drawn = zip(*((setup.start(random), setup.draw(1, random)) for random in draws), strict=True)
    whole, own = side_by_side(model, len(starts))
    theta = np.zeros(whole.layout.size)
    theta[own] = starts
    x, targets = np.concatenate([s.x for s in drawn], axis=2), np.concatenate([s.targets for s in drawn], axis=1)
    sequence = AtEnd(x, drawn[0].lengths, targets)
    found = (mean_gradient(whole, theta, sequence, cuts)[own] for cuts in (whole.cuts("truncated"), ()))
    return [quality(*(hidden_part(model, gradient) for gradient in pair)) for pair in zip(*found, strict=True)]


def rank_correlation(one: Iterable[float], other: Iterable[float]) -> float:
    """Spearman's: the correlation of the ranks, from -1 to 1; no value may occur twice."""
    ranks = [np.argsort(np.argsort(list(values))) for values in (one, other)]
    return float(np.corrcoef(*ranks)[0, 1])


# ---- error flow

LAGS = (1, 2, 5, 10)


class Flow(NamedTuple):
    """Spectral norms, medians over sequences; ``outside`` by the lags of ``LAGS``."""

    outside: tuple[float, ...]  # of dy(T)/dy(T - q) with every state held constant before it is read out
    returned: float  # of ds(T)/ds(1) minus the identity


def jacobians(model: LSTM1997, theta: np.ndarray, trace: LSTM1997Trace) -> np.ndarray:
    """Exact derivatives of (y_ig, y_og, y_cell, s) of the times 1 to T with respect to those one step earlier.

    Shape (T, n, n) with n = 2 blocks + 2 states; states are ordered as ``s[t].ravel()``. For nets without hidden units.
    """
    views, blocks, states = model.layout.views(theta), model.blocks, model.blocks * model.cells
    units = 2 * blocks + states
    w_ig, w_og = (views[name][:, model.n_in : model.n_in + units] for name in ("w_ig", "w_og"))
    w_cell = views["w_cell"].reshape(states, -1)[:, model.n_in : model.n_in + units]
    block = np.tile(np.arange(blocks), model.cells)  # of each state
    found = np.zeros((trace.length, units + states, units + states))
    for J, t in zip(found, range(1, trace.length + 1), strict=True):
        ig = model.f.derivative(trace.net_ig[t])[:, None] * w_ig
        og = model.f.derivative(trace.net_og[t])[:, None] * w_og
        net, s = trace.net_cell[t].ravel(), trace.s[t].ravel()
        s_by_y = model.g(net)[:, None] * ig[block]
        s_by_y += (trace.y_ig[t][block] * model.g.derivative(net))[:, None] * w_cell
        read_out = trace.y_og[t][block] * model.h.derivative(s)
        J[:blocks, :units], J[blocks : 2 * blocks, :units] = ig, og
        J[units:, :units], J[units:, units:] = s_by_y, np.eye(states)
        J[2 * blocks : units, :units] = model.h(s)[:, None] * og[block] + read_out[:, None] * s_by_y
        J[2 * blocks : units, units:] = np.diag(read_out)
    return found


def state_to_state(model: LSTM1997, theta: np.ndarray, trace: LSTM1997Trace) -> np.ndarray:
    """ds(T)/ds(1) through all paths, shape (states, states); cells and units of time 1 follow their state."""
    states = model.blocks * model.cells
    units, block = 2 * model.blocks + states, np.tile(np.arange(model.blocks), model.cells)
    s = trace.s[1].ravel()
    flow = np.zeros((units + states, states))
    flow[2 * model.blocks : units] = np.diag(trace.y_og[1][block] * model.h.derivative(s))
    flow[units:] = np.eye(states)
    for J in jacobians(model, theta, trace)[1:]:
        flow = J @ flow
    return flow[units:]


def flow(model: LSTM1997, theta: np.ndarray, sequences: AtEnd) -> Flow:
    """Both kinds of flow, back from the last step of each sequence."""
    units, outside, returned = 2 * model.blocks + model.blocks * model.cells, [], []
    for x, end in zip(sequences.x, sequences.lengths, strict=True):
        trace = model.forward(theta, x[:end])
        product, norms = np.eye(units), []
        for J in jacobians(model, theta, trace)[: -max(LAGS) - 1 : -1]:
            product = product @ J[:units, :units]
            norms.append(np.linalg.norm(product, 2))
        outside.append([norms[lag - 1] for lag in LAGS])
        whole = state_to_state(model, theta, trace)
        returned.append(np.linalg.norm(whole - np.eye(len(whole)), 2))
    return Flow(tuple(map(float, np.median(outside, axis=0))), float(np.median(returned)))
