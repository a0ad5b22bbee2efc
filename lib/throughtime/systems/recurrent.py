"""The fully recurrent network as a system of recurrences: bptt-forward, bptt-1, bptt-2, and lstm97-1 to lstm97-4.

Units read the inputs and all outputs of the previous step. The notes write one weight matrix over both; here it is in
two blocks, `w_in` for the inputs and `w` for the outputs, so that an index has one meaning.
"""

from __future__ import annotations

from throughtime.derivation import Dimension, Index, System, domain, indices
from throughtime.derivation.formulas.nodes import Activation, Paths, parameter, scalar, sequence, sum_over, variable
from throughtime.systems.letters import T, s, t
from throughtime.systems.letters import m as link_number

d_in = Dimension("d_in", r"d_{\mathrm{in}}")
d_out = Dimension("d_out", r"d_{\mathrm{out}}")
X = domain("X", d_in)
U = domain("U", d_out)
i, j, k, p = indices("i j k p", U)
q = indices("q", X)

x = sequence("x", X)
target = sequence("d", U, latex=r"\hat y")
mask = sequence("sigma", latex=r"\sigma", mask=True)
w_in = parameter("w_in", U, X, latex=r"w^{\mathrm{in}}")
w = parameter("w", U, U)
net = variable("z", U, latex="z")
y = variable("y", U)
unit_cost = variable("E_unit", U, latex="E")
cost = variable("E", latex="E")
loss = scalar("L", latex=r"\mathcal{L}")
f = Activation("f", U)

before, after = Index("l-", U, "l_{m-1}"), Index("l+", U, "l_{m}")


def build(*, masked: bool = True) -> System:
    """The network with an activation of its own for each unit. Inputs have the times 0 to T - 1, the rest 1 to T.

    A mask says which steps count in the loss; without it all do, as in the notes.
    """
    system = System("recurrent network", t)
    system.given_from(x, 0)
    system[net[i, t]] = sum_over(q, w_in[i, q] * x[q, t - 1]) + sum_over(j, w[i, j] * y[j, t - 1])
    system[y[i, t]] = f[i](net[i, t])
    system[unit_cost[i, t]] = (y[i, t] - target[i, t]) ** 2 / 2
    system[cost[t]] = sum_over(i, unit_cost[i, t])
    system[loss[()]] = sum_over((s, 1, T), mask[s] * cost[s] if masked else cost[s])
    return system


def error_flow(start: Index, end: Index, steps, when=t) -> Paths:
    """The factor by which an error at net input `start` of time `when` arrives at `end`, `steps` earlier."""
    link = w[before, after] * f.prime(net[after, when - link_number], after)
    return Paths(link, before, after, link_number, start, end, steps)
