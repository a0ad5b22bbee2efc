"""The nets of experiments 2a and 2b: outputs that read the inputs, and one hidden unit or memory cell, without biases.

A cell and its input gate read the inputs alone, has no output gate, and the outputs read its state, since h is the
identity: so the paper's 10 504 weights are found, and nothing is left to truncate. A unit reads the inputs and itself.
"""

from book.experiments import system as s
from sympy import Expr
from throughtime.derivation import System
from throughtime.derivation.formulas.nodes import parameter, sum_over, variable
from throughtime.systems.letters import roman, t

KINDS = {"none": "", "cell": "fg", "unit": "f"}  # hidden units, and the functions that they apply

W = parameter("W", s.O, s.X)
w_in, w_c = parameter("w_in", s.X, latex=roman("w", "in")), parameter("w_c", s.X)
w, u = parameter("w", s.X), parameter("u")
w_k = parameter("w_k", s.O)
net_in, y_in = variable("net_in", latex=roman(r"\mathrm{net}", "in")), variable("y_in", latex=roman("y", "in"))
net_c, state = variable("net_c", latex=r"\mathrm{net}_c"), variable("s")
net_h, h = variable("net_h", latex=r"\mathrm{net}_h"), variable("h")


def build(hidden: str, slope: bool = True) -> System:
    """The net with a memory cell, with one self-recurrent unit, or without a hidden unit, as ``hidden`` says.

    slope       of ``system.outputs``

    ValueError for another hidden unit.
    """
    if hidden not in KINDS:
        raise ValueError(f"hidden: expected one of {', '.join(KINDS)}, got {hidden!r}")
    system = System(f"Net of experiment 2a, hidden: {hidden}", t)
    m = s.m
    read: Expr = sum_over(m, W[s.k, m] * s.x[m, t])
    if hidden == "cell":
        system[net_in[t]] = sum_over(m, w_in[m] * s.x[m, t])
        system[y_in[t]] = s.f(net_in[t])
        system[net_c[t]] = sum_over(m, w_c[m] * s.x[m, t])
        system[state[t]] = state[t - 1] + y_in[t] * s.g(net_c[t])
        read += w_k[s.k] * state[t]
    if hidden == "unit":
        system[net_h[t]] = sum_over(m, w[m] * s.x[m, t]) + u[()] * h[t - 1]
        system[h[t]] = s.f(net_h[t])
        read += w_k[s.k] * h[t]
    s.outputs(system, read, slope)
    return system
