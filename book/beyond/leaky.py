"""The networks of the chapter on online learning rules, and the cuts that make the rules, in the letters of RFLO.

leaky        a leaky recurrent network (Murray 2019, equations 1 and 2); 1/tau = 1 makes it a plain one
feedback     the same values with the readout's way back replaced by a given matrix
chunked      the same values with chunks of time apart from each other
windowed     the same values with each unit twice, for a window of two steps
spiking      adaptive leaky integrate-and-fire units (Bellec et al. 2020), with one smooth function for the spike
"""

import throughtime as tt
from sympy import Expr, S
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.formulas.nodes import INPUT, Quantity

n, m, r = tt.Dimension("n"), tt.Dimension("m"), tt.Dimension("r")
U, X, O = tt.domain("U", n), tt.domain("X", m), tt.domain("O", r)
a, b, i, j, k = tt.indices("a b i j k", U)
g, q = tt.indices("g q", X)
l = tt.indices("l", O)
t, s = tt.time("t"), tt.time("s")

W = tt.parameter("W", U, U)
W_in = tt.parameter("W_in", U, X, latex=r"W^{\mathrm{in}}")
W_out = tt.parameter("W_out", O, U, latex=r"W^{\mathrm{out}}")
x, target = tt.sequence("x", X), tt.sequence("d", O, latex=r"\hat y")
counts = tt.sequence("c", mask=True)
u, others, h = tt.variable("u", U), tt.variable("o", U), tt.variable("h", U)
y, error, cost = tt.variable("y", O), tt.variable("e", O, latex=r"\varepsilon"), tt.variable("E")
loss = tt.scalar("L")
phi = tt.Activation("phi", latex=r"\phi")


def constant(name: str, *domains, latex: str | None = None) -> Quantity:
    """A number, or an array of numbers, that is given and no weight."""
    return Quantity(name, *domains, timed=False, role=INPUT, latex=latex)


tau = constant("tau", latex=r"\tau")[()]
B = constant("B", U, O)
copy = tt.variable("f", U, latex=r"\bar h")


def leaky(*, masked: bool = False) -> tt.System:
    """The network; `o` is what the other units contribute to a net input, for a cut of its own.

    The loss is the mean over time of the squared error, or with a mask `c` the sum over the steps that count.
    """
    system = tt.System("leaky recurrent network", t)
    system[others[i, t]] = tt.sum_over(k, W[i, k] * h[k, t - 1]) - W[i, i] * h[i, t - 1]
    system[u[i, t]] = tt.sum_over(g, W_in[i, g] * x[g, t]) + W[i, i] * h[i, t - 1] + others[i, t]
    system[h[i, t]] = (1 - 1 / tau) * h[i, t - 1] + phi(u[i, t]) / tau
    return _closed(system, masked)


def _closed(system: tt.System, masked: bool, seen: Quantity = h, more: Expr = S.Zero) -> tt.System:
    """The system with the readout of what is seen, and the loss."""
    system[y[l, t]] = tt.sum_over(i, W_out[l, i] * seen[i, t]) + more
    system[error[l, t]] = target[l, t] - y[l, t]
    system[cost[t]] = tt.sum_over(l, error[l, t] ** 2) / 2
    whole = tt.sum_over((s, 1, tt.LENGTH), counts[s] * cost[s] if masked else cost[s])
    system[loss[()]] = whole if masked else whole / tt.AsNumber(tt.LENGTH)
    return system


def feedback(*, masked: bool = False) -> tt.System:
    """The same network, read out from a copy of its states; what is added to the readout has the value 0."""
    system = leaky(masked=masked)
    made = tt.System("leaky recurrent network with given feedback", t)
    for case in system.all_definitions():
        if case.left.quantity not in (y, error, cost, loss):
            made[case.left] = case.right
    made[copy[i, t]] = h[i, t]
    given = tt.sum_over(i, B[i, l] * (h[i, t] - copy[i, t]))
    return _closed(made, masked, copy, given)


kappa = tt.sequence("kappa", latex=r"\kappa")


def chunked() -> tt.System:
    """The same network in chunks of time: a first step of a chunk, where `kappa` is 0, reads copies of the states."""
    system = tt.System("leaky recurrent network in chunks", t)
    read = {k_: kappa[t] * h[k_, t - 1] + (1 - kappa[t]) * copy[k_, t - 1] for k_ in (i, k)}
    system[u[i, t]] = tt.sum_over(g, W_in[i, g] * x[g, t]) + tt.sum_over(k, W[i, k] * read[k])
    system[h[i, t]] = (1 - 1 / tau) * read[i] + phi(u[i, t]) / tau
    system[copy[i, t]] = h[i, t]
    return _closed(system, masked=True)


early = tt.variable("v", U, latex=r"\bar u")
TWICE = (early, copy, u, h)


def windowed() -> tt.System:
    """The same network with each unit twice: the copies are computed from the units, and the units from the copies."""
    system = tt.System("leaky recurrent network, each unit twice", t)
    for net_input, unit, source in ((early, copy, h), (u, h, copy)):
        system[net_input[i, t]] = tt.sum_over(g, W_in[i, g] * x[g, t]) + tt.sum_over(k, W[i, k] * source[k, t - 1])
        system[unit[i, t]] = (1 - 1 / tau) * source[i, t - 1] + phi(net_input[i, t]) / tau
    return _closed(system, masked=True)


def state(lag: int = 1) -> tt.Ref:
    """A unit of an earlier step, as a cut names it."""
    return h[k, t - lag]


SNAP = tt.cut_set("snap", tt.cut(state(), into=others))
RFLO = tt.cut_set("rflo", tt.cut(state(), into=others), tt.cut(state(), into=u))
ONE = tt.cut_set("one", tt.cut(state(), into=others), tt.cut(state(), into=u), tt.cut(state(), into=h))
FED = tt.cut_set("fed", *RFLO, tt.cut(copy[k, t], into=y))
CHUNK = tt.cut_set("chunk", tt.cut(copy[k, t - 1], into=u), tt.cut(copy[k, t - 1], into=h))
WINDOW = tt.cut_set("win", tt.cut(state(), into=early), tt.cut(state(), into=copy))
CUTS: dict[str, tuple[Cut, ...]] = {"snap": SNAP, "rflo": RFLO, "one": ONE}

V, V_in = tt.parameter("w", U, U, latex="W"), tt.parameter("w_in", U, X, latex=r"W^{\mathrm{in}}")
alpha, rho = constant("alpha", latex=r"\alpha")[()], constant("rho", latex=r"\rho")[()]
beta, threshold = constant("beta", latex=r"\beta")[()], constant("theta", latex=r"\vartheta")[()]
voltage, adaptation = tt.variable("p", U, latex="v"), tt.variable("b", U)
spike, local = tt.variable("z", U), tt.variable("zeta", U, latex=r"\bar z")
H = tt.Activation("H")


def spiking() -> tt.System:
    """Units with a voltage, an adaptation and a spike; `zeta` is the spike as its own adaptation sees it."""
    system = tt.System("adaptive integrate-and-fire units", t)
    sent = tt.sum_over(k, V[i, k] * spike[k, t - 1]) + tt.sum_over(g, V_in[i, g] * x[g, t])
    system[voltage[i, t]] = alpha * voltage[i, t - 1] + sent - threshold * spike[i, t - 1]
    system[adaptation[i, t]] = rho * adaptation[i, t - 1] + local[i, t - 1]
    system[spike[i, t]] = H(voltage[i, t] - beta * adaptation[i, t])
    system[local[i, t]] = H(voltage[i, t] - beta * adaptation[i, t])
    return _closed(system, masked=False, seen=spike)


EPROP = tt.cut_set("e", tt.cut(spike[k, t - 1], into=voltage))
