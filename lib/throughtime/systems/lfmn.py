"""Local feedback multilayered network (Frasconi, Gori, Soda 1992) as a system of recurrences, lfmn-1 to lfmn-7.

Hidden units come in three kinds, in this order: static, with net-input feedback, with activation feedback; so do
output units. Static outputs read the hidden layer; the other outputs read the input directly.
"""

from __future__ import annotations

from throughtime.derivation import Dimension, Index, System, domain, union
from throughtime.derivation.formulas.nodes import Activation, parameter, scalar, sequence, sum_over, variable
from throughtime.systems.letters import T, s, t

# dimensions and the domains made of them
d_in = Dimension("d_in", r"d_{\mathrm{in}}")
n_h, r_h, a_h = Dimension("n_h", "n_{h}", count=True), Dimension("r_h", "r_{h}"), Dimension("a_h", "a_{h}")
n_y, r_y, a_y = Dimension("n_y", "n_{y}", count=True), Dimension("r_y", "r_{y}"), Dimension("a_y", "a_{y}")

X = domain("X", d_in)
H_static = domain("H_static", n_h)
H_net = domain("H_net", r_h, after=H_static)
H_act = domain("H_act", a_h, after=H_net)
H = union("H", H_static, H_net, H_act)
Y_static = domain("Y_static", n_y)
Y_net = domain("Y_net", r_y, after=Y_static)
Y_act = domain("Y_act", a_y, after=Y_net)
Y_rec = union("Y_rec", Y_net, Y_act)
Y = union("Y", Y_static, Y_rec)

# indices, one letter a layer; the suffix says which kind of unit it is restricted to
i, j, k = Index("i", Y), Index("j", H), Index("k", X)
i_s, i_n, i_a, i_r = (i.within(part) for part in (Y_static, Y_net, Y_act, Y_rec))
j_s, j_n, j_a = (j.within(part) for part in (H_static, H_net, H_act))

# given sequences, parameters, quantities
x = sequence("x", X)
target = sequence("d", Y, latex="d")
mask = sequence("sigma", latex=r"\sigma", mask=True)
w_hid = parameter("w_hid", H, X, latex=r"w^{\mathrm{hid}}")
u_hid = parameter("u_hid", H_net, latex=r"u^{\mathrm{hid}}")
v_hid = parameter("v_hid", H_act, latex=r"v^{\mathrm{hid}}")
w_out = parameter("w_out", Y_static, H, latex=r"w^{\mathrm{out}}")
u_out = parameter("u_out", Y_net, latex=r"u^{\mathrm{out}}")
v_out = parameter("v_out", Y_act, latex=r"v^{\mathrm{out}}")
W_out = parameter("W_out", Y_rec, X, latex=r"W^{\mathrm{out}}")

current = variable("c", H, latex="c")
net_hid = variable("h~", H_net, latex=r"\tilde h")
act_hid = variable("h-", H_act, latex=r"\bar h")
h = variable("h", H)
net_out = variable("y~", Y_net, latex=r"\tilde y")
act_out = variable("y-", Y_act, latex=r"\bar y")
static_out = variable("a", Y_static, latex="a")
y = variable("y", Y)
cost = variable("C")
loss = scalar("loss", latex=r"\mathrm{loss}")
f = Activation("f")


def build() -> System:
    """The whole network; every call returns a new system with the same quantities."""
    net = System("LFMN", t)
    net[current[j, t]] = sum_over(k, w_hid[j, k] * x[k, t])
    net[h[j_s, t]] = f(current[j_s, t])
    net[net_hid[j_n, t]] = u_hid[j_n] * net_hid[j_n, t - 1] + current[j_n, t]
    net[h[j_n, t]] = f(net_hid[j_n, t])
    net[act_hid[j_a, t]] = v_hid[j_a] * h[j_a, t - 1] + current[j_a, t]
    net[h[j_a, t]] = f(act_hid[j_a, t])
    net[static_out[i_s, t]] = sum_over(j, w_out[i_s, j] * h[j, t])
    net[y[i_s, t]] = f(static_out[i_s, t])
    net[net_out[i_n, t]] = u_out[i_n] * net_out[i_n, t - 1] + sum_over(k, W_out[i_n, k] * x[k, t])
    net[y[i_n, t]] = f(net_out[i_n, t])
    net[act_out[i_a, t]] = v_out[i_a] * y[i_a, t - 1] + sum_over(k, W_out[i_a, k] * x[k, t])
    net[y[i_a, t]] = f(act_out[i_a, t])
    net[cost[t]] = sum_over(i, (y[i, t] - target[i, t]) ** 2)
    net[loss[()]] = sum_over((s, 1, T), mask[s] * cost[s])
    return net
