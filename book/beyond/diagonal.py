"""One template for diagonal recurrence: a state that reads no other state, s(t) = kappa(t) psi(s(t-1)) + v(t)."""

from __future__ import annotations

from dataclasses import dataclass

from throughtime import (
    LENGTH,
    Activation,
    Bench,
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

n, m, r = Dimension("n"), Dimension("m"), Dimension("r")
U, X, O = domain("U", n), domain("X", m), domain("O", r)
i, j, k, p = indices("i j k p", U)
g, q = indices("g q", X)
l = indices("l", O)
t, tau = time("t"), time("s")

x, target, counts = sequence("x", X), sequence("d", O, latex=r"\hat y"), sequence("c", mask=True)
W = {name: parameter(f"W_{name}", U, X, latex=rf"W^{{\mathrm{{{name}}}}}") for name in ("z", "c", "re", "im")}
b = {name: parameter(f"b_{name}", U, latex=rf"b^{{\mathrm{{{name}}}}}") for name in ("z", "c")}
self_weight, alpha, beta = (
    parameter("u", U),
    parameter("alpha", U, latex=r"\alpha"),
    parameter("beta", U, latex=r"\beta"),
)
nu, half = parameter("nu", U, latex=r"\nu"), parameter("chi", U, latex=r"\chi")
gamma = parameter("gamma", U, latex=r"\gamma")
V = parameter("V", U, U)

state, h = variable("s", U), variable("h", U)
re, im = variable("re", U, latex=r"s^{\mathrm{re}}"), variable("im", U, latex=r"s^{\mathrm{im}}")
sent = {name: variable(f"e_{name}", U, latex=rf"e^{{\mathrm{{{name}}}}}") for name in ("re", "im")}
net_gate, gate, candidate = variable("a", U), variable("z", U), variable("v", U)
W_out, b_out = parameter("W_out", O, U, latex=r"W^{\mathrm{out}}"), parameter("b_out", O, latex=r"b^{\mathrm{out}}")
W_out_im = parameter("W_out_im", O, U, latex=r"\tilde W^{\mathrm{out}}")
y, loss = variable("y", O), scalar("L")
sigma, phi = Activation("sigma", latex=r"\sigma"), Activation("phi", latex=r"\phi")

upper_weights, upper_self = (
    parameter("W_up", U, U, latex=r"W^{\mathrm{up}}"),
    parameter("u_up", U, latex=r"u^{\mathrm{up}}"),
)
upper = variable("s_up", U, latex=r"s^{\mathrm{up}}")


def read(name: str, to=i):
    """Net input of a unit from the inputs alone."""
    return sum_over(g, W[name][to, g] * x[g, t]) + b[name][to]


@dataclass(frozen=True)
class Unit:
    """One member of the template.

    feedback    "linear": a self weight and the state itself; "squashed": a self weight and phi of the state;
                "gate": a share that depends on the input; "pair": a complex self weight alpha + i beta;
                "polar": the same by modulus and phase, see `polar`;
                "dense": weights between all units, which is no member and stands for comparison
    """

    name: str
    feedback: str

    def build(self) -> System:
        """The system; every call returns a new one over the same quantities."""
        system = System(self.name, t)
        if self.feedback in ("pair", "polar"):
            real, imaginary = (alpha[i], beta[i]) if self.feedback == "pair" else polar()
            for name, one in sent.items():
                system[one[i, t]] = sum_over(g, W[name][i, g] * x[g, t])
            system[re[i, t]] = real * re[i, t - 1] - imaginary * im[i, t - 1] + gamma[i] * sent["re"][i, t]
            system[im[i, t]] = imaginary * re[i, t - 1] + real * im[i, t - 1] + gamma[i] * sent["im"][i, t]
            system[y[l, t]] = sum_over(i, W_out[l, i] * re[i, t] + W_out_im[l, i] * im[i, t]) + b_out[l]
            return closed(system)
        if self.feedback == "gate":
            system[net_gate[i, t]] = read("z")
            system[gate[i, t]] = sigma(net_gate[i, t])
            system[candidate[i, t]] = read("c")
            system[state[i, t]] = (1 - gate[i, t]) * state[i, t - 1] + gate[i, t] * candidate[i, t]
        else:
            before = {
                "linear": self_weight[i] * state[i, t - 1],
                "squashed": self_weight[i] * h[i, t - 1],
                "dense": sum_over(k, V[i, k] * h[k, t - 1]),
            }
            system[state[i, t]] = before[self.feedback] + read("c")
        bent = self.feedback in ("squashed", "dense")
        system[h[i, t]] = phi(state[i, t]) if bent else state[i, t]
        system[y[l, t]] = sum_over(i, W_out[l, i] * h[i, t]) + b_out[l]
        return closed(system)

    def make_bench(self) -> Bench:
        """Two units, one input and one output, for exact instances."""
        return Bench(self.build(), sizes=[{n: 2, m: 1, r: 1}])


def polar() -> tuple:
    """Real and imaginary part of a self weight with modulus exp(-exp(nu)) < 1 and phase 2 arctan(chi)."""
    modulus, square = exp(-exp(nu[i])), half[i] ** 2
    return modulus * (1 - square) / (1 + square), modulus * 2 * half[i] / (1 + square)


def closed(system: System) -> System:
    """The system with the squared error of the outputs at the times that count."""
    missed = sum_over(l, (y[l, tau] - target[l, tau]) ** 2) / 2
    system[loss[()]] = sum_over((tau, 1, LENGTH), counts[tau] * missed)
    return system


def stacked() -> System:
    """Two linear layers with diagonal recurrence, the upper one above phi of the lower one."""
    system = System("two diagonal layers", t)
    system[state[i, t]] = self_weight[i] * state[i, t - 1] + read("c")
    system[h[i, t]] = phi(state[i, t])
    system[upper[i, t]] = upper_self[i] * upper[i, t - 1] + sum_over(k, upper_weights[i, k] * h[k, t])
    system[y[l, t]] = sum_over(i, W_out[l, i] * upper[i, t]) + b_out[l]
    return closed(system)


UNITS = {
    "real linear": Unit("real linear unit", "linear"),
    "complex linear": Unit("complex linear unit", "pair"),
    "IndRNN": Unit("IndRNN", "squashed"),
    "minGRU": Unit("minGRU", "gate"),
}
POLAR = Unit("complex linear unit, modulus and phase", "polar")
DENSE = Unit("fully recurrent net", "dense")
