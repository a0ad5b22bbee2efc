"""Letters of a layer, and two cells that the book does not treat, as systems, for tests of programs.

gru_before   gated recurrent unit, its reset gate before the recurrent product (Cho et al. 2014)
slstm        exponential gates and a normalizer (Beck et al. 2024), whose states start from weights
"""

from __future__ import annotations

from throughtime.derivation import (
    LENGTH,
    Activation,
    Dimension,
    System,
    domain,
    exp,
    indices,
    parameter,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)

n, m = Dimension("n"), Dimension("m")
U, X = domain("U", n), domain("X", m)
i, k = indices("i k", U)
j = indices("j", X)
t, s = time("t"), time("s")
x, d = sequence("x", X), sequence("d", U)
h, loss = variable("h", U), scalar("L")
sigma, f = Activation("sigma", latex=r"\sigma"), Activation("f")


def _gate(name: str) -> tuple:
    """Net input, input weights, recurrent weights and bias of one gate."""
    weights = parameter(f"W{name}", U, X), parameter(f"U{name}", U, U), parameter(f"b{name}", U)
    return variable(f"a{name}", U), *weights


def closed(system: System) -> System:
    """The system with half the squared error of its states as a loss."""
    system[loss[()]] = sum_over((s, 1, LENGTH), i, (h[i, s] - d[i, s]) ** 2) / 2
    return system


def gru_before() -> System:
    system = System("GRU, reset before", t)
    z, reset, state = _gate("z"), _gate("r"), _gate("h")
    for a, W, V, b in (z, reset):
        system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + sum_over(k, V[i, k] * h[k, t - 1]) + b[i]
    a, W, V, b = state
    inner = sum_over(k, V[i, k] * sigma(reset[0][k, t]) * h[k, t - 1])
    system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + inner + b[i]
    system[h[i, t]] = sigma(z[0][i, t]) * h[i, t - 1] + (1 - sigma(z[0][i, t])) * f(a[i, t])
    return closed(system)


def slstm() -> System:
    system, gates = System("sLSTM", t), {name: _gate(name) for name in ("z", "i", "f", "o")}
    c, norm = variable("c", U), variable("n", U)
    for a, W, V, b in gates.values():
        system[a[i, t]] = sum_over(j, W[i, j] * x[j, t]) + sum_over(k, V[i, k] * h[k, t - 1]) + b[i]
    az, ai, af, ao = (gate[0] for gate in gates.values())
    kept, new = exp(af[i, t]), exp(ai[i, t])
    system[c[i, t]] = kept * c[i, t - 1] + new * f(az[i, t])
    system[norm[i, t]] = kept * norm[i, t - 1] + new
    system[h[i, t]] = sigma(ao[i, t]) * c[i, t] / norm[i, t]
    for state, start in ((c, parameter("c0", U)), (norm, parameter("n0", U))):
        system.initial(state[i, 0], start[i])
    return closed(system)
