"""Elman and Jordan networks on a batch of sequences as systems of recurrences, rnn-1 to rnn-14.

The source multiplies rows by weight matrices from the left, so a weight's first index is where it comes from. It
writes one matrix over [1, input, context]; here it is in three blocks, so that an index has one meaning.
"""

from __future__ import annotations

from sympy import Expr

from throughtime.derivation import Dimension, System, domain, indices
from throughtime.derivation.formulas.nodes import Activation, parameter, scalar, sequence, sum_over, variable
from throughtime.systems.letters import T, s, t

I, N, K, J = (Dimension(name) for name in "INKJ")
B, X, H, Y = domain("batch", I), domain("inputs", N), domain("hidden", K), domain("outputs", J)
i, n = indices("i", B), indices("n", X)
k, l, p = indices("k l p", H)
j, m = indices("j m", Y)

x = sequence("x", B, X)
target = sequence("d", B, Y)
mask = sequence("mask", latex=r"\mu", mask=True)
v_0 = parameter("v_0", H, latex="v^{0}")
v_x = parameter("v_x", X, H, latex="v^{x}")
v_f = parameter("v_f", H, H, latex="v^{f}")
v_g = parameter("v_g", Y, H, latex="v^{g}")
w_0 = parameter("w_0", Y, latex=r"\omega^{0}")
w = parameter("w", H, Y, latex=r"\omega")

net_f = variable("xx", B, H, latex=r"\bar{\bar x}")
f = variable("f", B, H)
net_g = variable("ff", B, Y, latex=r"\bar{\bar f}")
g = variable("g", B, Y)
cost = variable("E")
loss = scalar("L", latex=r"\mathcal{L}")
sigma = Activation("sigma", latex=r"\sigma")


def build(*, jordan: bool, outer: Activation = sigma, start: Expr | int = 0, masked: bool = False) -> System:
    """One of the two nets, with half the squared error of all sequences, outputs and times.

    The context is f(t-1) in Elman's net and g(t-1) in Jordan's; at time 0 both are `start`. The activation of the
    outputs is `outer`. A mask says which steps count in the loss; without it all do, as in the notes.
    """
    net = System("Jordan network" if jordan else "Elman network", t)
    context = sum_over(m, g[i, m, t - 1] * v_g[m, k]) if jordan else sum_over(l, f[i, l, t - 1] * v_f[l, k])
    net[net_f[i, k, t]] = v_0[k] + sum_over(n, x[i, n, t] * v_x[n, k]) + context
    net[f[i, k, t]] = sigma(net_f[i, k, t])
    net[net_g[i, j, t]] = w_0[j] + sum_over(k, f[i, k, t] * w[k, j])
    net[g[i, j, t]] = outer(net_g[i, j, t])
    net[cost[t]] = sum_over(i, j, (g[i, j, t] - target[i, j, t]) ** 2) / 2
    net[loss[()]] = sum_over((s, 1, T), mask[s] * cost[s] if masked else cost[s])
    if start != 0:
        net.initial(g if jordan else f, start)
    return net
