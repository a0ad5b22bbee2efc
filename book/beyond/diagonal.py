"""One template for diagonal recurrence: a state that reads no other state, s(t) = kappa(t) psi(s(t-1)) + v(t)."""

from dataclasses import dataclass

import throughtime as tt

n, m, r = tt.Dimension("n"), tt.Dimension("m"), tt.Dimension("r")
U, X, O = tt.domain("U", n), tt.domain("X", m), tt.domain("O", r)
i, k, p = tt.indices("i k p", U)
g, q = tt.indices("g q", X)
l = tt.indices("l", O)
t, tau = tt.time("t"), tt.time("s")

x, target, counts = tt.sequence("x", X), tt.sequence("d", O, latex=r"\hat y"), tt.sequence("c", mask=True)
W = {name: tt.parameter(f"W_{name}", U, X, latex=rf"W^{{\mathrm{{{name}}}}}") for name in ("z", "c", "re", "im")}
b = {name: tt.parameter(f"b_{name}", U, latex=rf"b^{{\mathrm{{{name}}}}}") for name in ("z", "c")}
self_weight = tt.parameter("u", U)
alpha, beta = tt.parameter("alpha", U, latex=r"\alpha"), tt.parameter("beta", U, latex=r"\beta")
nu, half = tt.parameter("nu", U, latex=r"\nu"), tt.parameter("chi", U, latex=r"\chi")
gamma = tt.parameter("gamma", U, latex=r"\gamma")
V = tt.parameter("V", U, U)

state, h = tt.variable("s", U), tt.variable("h", U)
re, im = tt.variable("re", U, latex=r"s^{\mathrm{re}}"), tt.variable("im", U, latex=r"s^{\mathrm{im}}")
sent = {name: tt.variable(f"e_{name}", U, latex=rf"e^{{\mathrm{{{name}}}}}") for name in ("re", "im")}
net_gate, gate, candidate = tt.variable("a", U), tt.variable("z", U), tt.variable("v", U)
W_out = tt.parameter("W_out", O, U, latex=r"W^{\mathrm{out}}")
b_out = tt.parameter("b_out", O, latex=r"b^{\mathrm{out}}")
W_out_im = tt.parameter("W_out_im", O, U, latex=r"\tilde W^{\mathrm{out}}")
y, loss = tt.variable("y", O), tt.scalar("L")
sigma, phi = tt.Activation("sigma", latex=r"\sigma"), tt.Activation("phi", latex=r"\phi")

upper_weights = tt.parameter("W_up", U, U, latex=r"W^{\mathrm{up}}")
upper_self = tt.parameter("u_up", U, latex=r"u^{\mathrm{up}}")
upper = tt.variable("s_up", U, latex=r"s^{\mathrm{up}}")


def read(name: str, to=i):
    """Net input of a unit from the inputs alone."""
    return tt.sum_over(g, W[name][to, g] * x[g, t]) + b[name][to]


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

    def build(self) -> tt.System:
        """The system; every call returns a new one over the same quantities."""
        system = tt.System(self.name, t)
        if self.feedback in ("pair", "polar"):
            real, imaginary = (alpha[i], beta[i]) if self.feedback == "pair" else polar()
            for name, one in sent.items():
                system[one[i, t]] = tt.sum_over(g, W[name][i, g] * x[g, t])
            system[re[i, t]] = real * re[i, t - 1] - imaginary * im[i, t - 1] + gamma[i] * sent["re"][i, t]
            system[im[i, t]] = imaginary * re[i, t - 1] + real * im[i, t - 1] + gamma[i] * sent["im"][i, t]
            system[y[l, t]] = tt.sum_over(i, W_out[l, i] * re[i, t] + W_out_im[l, i] * im[i, t]) + b_out[l]
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
                "dense": tt.sum_over(k, V[i, k] * h[k, t - 1]),
            }
            system[state[i, t]] = before[self.feedback] + read("c")
        bent = self.feedback in ("squashed", "dense")
        system[h[i, t]] = phi(state[i, t]) if bent else state[i, t]
        system[y[l, t]] = tt.sum_over(i, W_out[l, i] * h[i, t]) + b_out[l]
        return closed(system)

    def make_bench(self) -> tt.Bench:
        """Two units, one input and one output, for exact instances."""
        return tt.Bench(self.build(), sizes=[{n: 2, m: 1, r: 1}])


def polar() -> tuple:
    """Real and imaginary part of a self weight with modulus exp(-exp(nu)) < 1 and phase 2 arctan(chi)."""
    modulus, square = tt.exp(-tt.exp(nu[i])), half[i] ** 2
    return modulus * (1 - square) / (1 + square), modulus * 2 * half[i] / (1 + square)


def closed(system: tt.System) -> tt.System:
    """The system with the squared error of the outputs at the times that count."""
    missed = tt.sum_over(l, (y[l, tau] - target[l, tau]) ** 2) / 2
    system[loss[()]] = tt.sum_over((tau, 1, tt.LENGTH), counts[tau] * missed)
    return system


def stacked() -> tt.System:
    """Two linear layers with diagonal recurrence, the upper one above phi of the lower one."""
    system = tt.System("two diagonal layers", t)
    system[state[i, t]] = self_weight[i] * state[i, t - 1] + read("c")
    system[h[i, t]] = phi(state[i, t])
    system[upper[i, t]] = upper_self[i] * upper[i, t - 1] + tt.sum_over(k, upper_weights[i, k] * h[k, t])
    system[y[l, t]] = tt.sum_over(i, W_out[l, i] * upper[i, t]) + b_out[l]
    return closed(system)


UNITS = {
    "real linear": Unit("real linear unit", "linear"),
    "complex linear": Unit("complex linear unit", "pair"),
    "IndRNN": Unit("IndRNN", "squashed"),
    "minGRU": Unit("minGRU", "gate"),
}
POLAR = Unit("complex linear unit, modulus and phase", "polar")
DENSE = Unit("fully recurrent net", "dense")
