"""The LSTM as section 5 of the paper of 1997 ran it: a step sets the inputs, then gates and cells, then the outputs.

Input gates, output gates and cells read the inputs of the step and r(t-1), all gates and cells of the step before;
the outputs read the cells of the same step ("architecture F"). There is no forget gate, unless one is added. Letters
follow section 4 of the paper: net_in, y_in, net_out, y_out, net_c, s, y_c; k numbers outputs, j blocks, v the cells of
a block.
"""

from collections.abc import Collection

from sympy import Expr, Integer, Rational
from throughtime.derivation import Dimension, Index, System, cut, domain, indices, union
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.formulas.functions import exp, log
from throughtime.derivation.formulas.nodes import Activation, Delta, parameter, scalar, sequence, sum_over, variable
from throughtime.systems.letters import T, roman, t, tau

BIASED = ("gates", "cells", "outputs")

d_in, d_out = Dimension("d_in", r"d_{\mathrm{in}}"), Dimension("d_out", r"d_{\mathrm{out}}")
blocks, cells = (Dimension(f"n_{name}", rf"n_{{\mathrm{{{name}}}}}", count=True) for name in ("blocks", "cells"))
X, O, B, V = domain("X", d_in), domain("O", d_out), domain("B", blocks), domain("V", cells)

R_out = domain("R_out", blocks, after=B)  # r is [y_in; y_out; y_c]
R_cell = domain("R_cell", blocks * cells, after=R_out)
R = union("R", B, R_out, R_cell)

m, q, k = indices("m", X), indices("q", R), indices("k", O)
j, l = indices("j l", B)
v, u = indices("v u", V)

x, target, mask = sequence("x", X), sequence("t", O, latex=r"t"), sequence("mu", latex=r"\mu", mask=True)
GATES = ("in", "out")
FORGET = "forget"  # of the year 2000: it reads what the others read, and no unit reads it
w = {name: parameter(f"w_{name}", B, X, latex=roman("w", name)) for name in (*GATES, FORGET)}
w_rec = {name: parameter(f"r_{name}", B, R, latex=roman("v", name)) for name in (*GATES, FORGET)}
b = {name: parameter(f"b_{name}", B, latex=roman("b", name)) for name in (*GATES, FORGET)}
w_c, b_c = parameter("w_c", B, V, X, latex=roman("w", "c")), parameter("b_c", B, V, latex=roman("b", "c"))
w_rec_c = parameter("r_c", B, V, R, latex=roman("v", "c"))
w_k, b_k = parameter("w_k", O, B, V, latex="w"), parameter("b_k", O, latex="b")

r = variable("r", R, latex=r"[y^{\mathrm{in}}; y^{\mathrm{out}}; y^{\mathrm{c}}]", lag=1)
net = {name: variable(f"net_{name}", B, latex=roman(r"\mathrm{net}", name)) for name in (*GATES, FORGET)}
y_gate = {name: variable(f"y_{name}", B, latex=roman("y", name)) for name in (*GATES, FORGET)}
net_c = variable("net_c", B, V, latex=roman(r"\mathrm{net}", "c"))
s, y_c = variable("s", B, V), variable("y_c", B, V, latex=roman("y", "c"))
net_k, y = variable("net_k", O, latex=r"\mathrm{net}"), variable("y", O)
cost, loss = variable("E"), scalar("L")
f, f_out, g, h = Activation("f"), Activation("f_out", latex=r"f_{\mathrm{k}}"), Activation("g"), Activation("h")


def outputs(system: System, read: Expr, slope: bool = True) -> None:
    """Add the outputs, which are functions of what they read, and their loss.

    slope       the error of an output is f'(net) (t - y), that of half the squared error; else t - y, which logistic
                outputs have from their cross-entropy
    """
    system[net_k[k, t]] = read
    system[y[k, t]] = f_out(net_k[k, t])
    squared = (y[k, t] - target[k, t]) ** 2 / 2
    entropy = log(1 + exp(net_k[k, t])) - target[k, t] * net_k[k, t]
    system[cost[t]] = mask[t] * sum_over(k, squared if slope else entropy)
    system[loss[()]] = sum_over((tau, 1, T), cost[tau])


def build(biased: Collection[str] = BIASED, reset: str = "0", slope: bool = True, forget: bool = False) -> System:
    """The network.

    biased      units that have a bias: some of ``BIASED``
    reset       "0" or "1/2": the activations of gates and cells before a sequence; states are 0
    slope       of ``outputs``
    forget      whether a forget gate multiplies the states of its block

    ValueError for others.
    """
    if unknown := {*biased} - {*BIASED}:
        raise ValueError(f"biased: expected some of {BIASED}, got {sorted(unknown)}")
    if reset not in ("0", "1/2"):
        raise ValueError(f"reset: expected '0' or '1/2', got {reset!r}")
    system = System("LSTM of 1997 in three phases", t)
    letter: Index = q.within(B)
    system[r[letter, t]] = y_gate["in"][letter, t - 1]
    letter = q.within(R_out)
    system[r[letter, t]] = sum_over(l, Delta(letter, blocks + l) * y_gate["out"][l, t - 1])
    letter = q.within(R_cell)
    system[r[letter, t]] = sum_over(u, l, Delta(letter, (1 + u) * blocks + l) * y_c[l, u, t - 1])

    for name in (*GATES, FORGET) if forget else GATES:
        read = sum_over(m, w[name][j, m] * x[m, t]) + sum_over(q, w_rec[name][j, q] * r[q, t])
        system[net[name][j, t]] = read + int("gates" in biased) * b[name][j]
        system[y_gate[name][j, t]] = f(net[name][j, t])
    read = sum_over(m, w_c[j, v, m] * x[m, t]) + sum_over(q, w_rec_c[j, v, q] * r[q, t])
    system[net_c[j, v, t]] = read + int("cells" in biased) * b_c[j, v]
    kept = y_gate[FORGET][j, t] * s[j, v, t - 1] if forget else s[j, v, t - 1]
    system[s[j, v, t]] = kept + y_gate["in"][j, t] * g(net_c[j, v, t])
    system[y_c[j, v, t]] = y_gate["out"][j, t] * h(s[j, v, t])

    read = sum_over(j, v, w_k[k, j, v] * y_c[j, v, t])
    outputs(system, read + int("outputs" in biased) * b_k[k], slope)

    if reset != "0":
        for activation in (y_gate["in"][j, 0], y_gate["out"][j, 0], y_c[j, v, 0]):
            system.initial(activation, Rational(reset) + Integer(0))
    return system


def cuts(forget: bool = False) -> tuple[Cut, ...]:
    """The truncation of the paper: what gates and cells read of the step before is held constant."""
    gates = (*GATES, FORGET) if forget else GATES
    return tuple(cut(r[q, t], into=one) for one in (*(net[name] for name in gates), net_c))
