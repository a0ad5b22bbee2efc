"""Recurrent cells that the book does not treat, as systems, for measurements and tests of the engine.

gru_before, gru_after   gated recurrent unit, its reset gate before or after the recurrent product
                        (Cho et al. 2014; Chung et al. 2014)
mgu                     minimal gated unit (Zhou et al. 2016)
slstm                   exponential gates and a normalizer (Beck et al. 2024), states carried over at the start: if they
                        start at 0, a common factor of all input gates cancels, and dh/db_i is 0
slstm_stable            the same with the stabilizer, which cancels in h: dL/dm is 0
layer_norm              layer normalization inside a recurrent cell (Ba et al. 2016)
narx                    outputs and inputs at two lags (Lin et al. 1996)
stacked                 two recurrent layers, one on top of the other
"""

from __future__ import annotations

from dataclasses import dataclass

from throughtime.derivation import (
    LENGTH,
    Activation,
    Bench,
    Dimension,
    Ref,
    System,
    cut,
    domain,
    exp,
    indices,
    maximum,
    parameter,
    scalar,
    sequence,
    sqrt,
    sum_over,
    time,
    variable,
)

n, m = Dimension("n"), Dimension("m")
U, X = domain("U", n), domain("X", m)
i, k, p, r = indices("i k p r", U)
j, q = indices("j q", X)
t, s = time("t"), time("s")
x, d = sequence("x", X), sequence("d", U)
h, loss = variable("h", U), scalar("L")
sigma, f = Activation("sigma", latex=r"\sigma"), Activation("f")


@dataclass
class Cell:
    """A system, its states and weights at generic elements, and the cuts of its truncated derivatives."""

    system: System
    weights: list[Ref]
    nodes: list[Ref]
    cuts: list
    state: Ref = h[i, t]

    def make_bench(self) -> Bench:
        """Two units and one input over three times, as a user would choose them."""
        return Bench(self.system, sizes=[{n: 2, m: 1}])


def _gate(name: str) -> tuple:
    """Net input, input weights, recurrent weights and bias of one gate."""
    weights = parameter(f"W{name}", U, X), parameter(f"U{name}", U, U), parameter(f"b{name}", U)
    return variable(f"a{name}", U), *weights


def closed(system: System) -> System:
    """The system with half the squared error of its states as a loss."""
    system[loss[()]] = sum_over((s, 1, LENGTH), i, (h[i, s] - d[i, s]) ** 2) / 2
    return system


def _elements(*gates: tuple) -> list[Ref]:
    return [weight for _, W, V, b in gates for weight in (W[p, q], V[p, r], b[p])]


def _gru(name: str, *, before: bool) -> Cell:
    system = System(name, t)
    z, reset, state = _gate("z"), _gate("r"), _gate("h")
    for a, W, V, b in (z, reset):
        system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + sum_over(k, V[i, k] * h[k, t - 1]) + b[i]
    a, W, V, b = state
    if before:
        inner = sum_over(k, V[i, k] * sigma(reset[0][k, t]) * h[k, t - 1])
    else:
        inner = sigma(reset[0][i, t]) * sum_over(k, V[i, k] * h[k, t - 1])
    system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + inner + b[i]
    system[h[i, t]] = sigma(z[0][i, t]) * h[i, t - 1] + (1 - sigma(z[0][i, t])) * f(a[i, t])
    cuts = [cut(h[k, t - 1], into=gate[0]) for gate in (z, reset)]
    return Cell(closed(system), _elements(z, reset, state), [h[i, t], a[i, t], z[0][i, t], reset[0][i, t]], cuts)


def gru_before() -> Cell:
    return _gru("GRU, reset before", before=True)


def gru_after() -> Cell:
    return _gru("GRU, reset after", before=False)


def mgu() -> Cell:
    system, gate, state = System("MGU", t), _gate("f"), _gate("h")
    a, W, V, b = gate
    system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + sum_over(k, V[i, k] * h[k, t - 1]) + b[i]
    c, W, V, b = state
    inner = sum_over(k, V[i, k] * sigma(a[k, t]) * h[k, t - 1])
    system[c[i, t]] = sum_over(j, W[i, j] * x[j, t]) + inner + b[i]
    system[h[i, t]] = (1 - sigma(a[i, t])) * h[i, t - 1] + sigma(a[i, t]) * f(c[i, t])
    return Cell(closed(system), _elements(gate, state), [h[i, t], a[i, t], c[i, t]], [cut(h[k, t - 1], into=a)])


def slstm(stable: bool = False) -> Cell:
    system, gates = System("sLSTM", t), {name: _gate(name) for name in ("z", "i", "f", "o")}
    c, norm, top = variable("c", U), variable("n", U), variable("m", U)
    for a, W, V, b in gates.values():
        system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + sum_over(k, V[i, k] * h[k, t - 1]) + b[i]
    az, ai, af, ao = (gate[0] for gate in gates.values())
    kept, new = exp(af[i, t]), exp(ai[i, t])
    if stable:
        system[top[i, t]] = maximum(af[i, t] + top[i, t - 1], ai[i, t])
        kept, new = exp(af[i, t] + top[i, t - 1] - top[i, t]), exp(ai[i, t] - top[i, t])
    system[c[i, t]] = kept * c[i, t - 1] + new * f(az[i, t])
    system[norm[i, t]] = kept * norm[i, t - 1] + new
    system[h[i, t]] = sigma(ao[i, t]) * c[i, t] / norm[i, t]
    starts = parameter("c0", U), parameter("n0", U)
    for state, start in zip((c, norm), starts, strict=True):
        system.initial(state[i, 0], start[i])
    states = [h[i, t], c[i, t], norm[i, t], ai[i, t]]
    cuts = [cut(h[k, t - 1], into=gate[0]) for gate in gates.values()]
    return Cell(closed(system), [*_elements(*gates.values()), *(start[p] for start in starts)], states, cuts)


def slstm_stable() -> Cell:
    return slstm(stable=True)


def layer_norm() -> Cell:
    system, gain = System("layer norm", t), parameter("g", U)
    a, W, V, b = gate = _gate("h")
    mean, variance, root = variable("mu"), variable("v"), variable("s")
    system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + sum_over(k, V[i, k] * h[k, t - 1])
    system[mean[t]] = sum_over(i, a[i, t]) / n
    system[variance[t]] = sum_over(i, (a[i, t] - mean[t]) ** 2) / n
    system[root[t]] = sqrt(variance[t] + 1)
    system[h[i, t]] = f(gain[i] * (a[i, t] - mean[t]) / root[t] + b[i])
    states = [h[i, t], a[i, t], variance[t], mean[t]]
    return Cell(closed(system), [*_elements(gate), gain[p]], states, [cut(h[k, t - 1], into=a)])


def narx() -> Cell:
    system, delayed = System("NARX", t), variable("x1", X)
    a, W, V, b = gate = _gate("h")
    W1, V1 = parameter("W1", U, X), parameter("U1", U, U)
    system[delayed[j, t]] = x[j, t]
    inputs = sum_over(j, W[i, j] * x[j, t]) + sum_over(j, W1[i, j] * delayed[j, t - 1])
    outputs = sum_over(k, V[i, k] * h[k, t - 1]) + sum_over(k, V1[i, k] * h[k, t - 2])
    system[a[i, t]] = inputs + outputs + b[i]
    system[h[i, t]] = f(a[i, t])
    return Cell(closed(system), [*_elements(gate), W1[p, q], V1[p, r]], [h[i, t], a[i, t]], [cut(h[k, t - 2], into=a)])


def stacked() -> Cell:
    system, lower, upper = System("stacked", t), _gate("1"), _gate("2")
    first = variable("h1", U)
    (a, W, V, b), (c, _, V2, b2) = lower, upper
    W2 = parameter("W2", U, U)
    system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + sum_over(k, V[i, k] * first[k, t - 1]) + b[i]
    system[first[i, t]] = f(a[i, t])
    system[c[i, t]] = sum_over(k, W2[i, k] * first[k, t]) + sum_over(k, V2[i, k] * h[k, t - 1]) + b2[i]
    system[h[i, t]] = f(c[i, t])
    weights = [*_elements(lower), W2[p, r], V2[p, r], b2[p]]
    return Cell(closed(system), weights, [h[i, t], first[i, t], a[i, t], c[i, t]], [cut(first[k, t], into=c)])


CELLS = {
    build.__name__: build for build in (gru_before, gru_after, mgu, slstm, slstm_stable, layer_norm, narx, stacked)
}
