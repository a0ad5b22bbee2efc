"""One template for gated cells: a state that is the weighted mean of its past and a candidate."""

from dataclasses import dataclass

import throughtime as tt

n, m, r = tt.Dimension("n"), tt.Dimension("m"), tt.Dimension("r")
U, X, O = tt.domain("U", n), tt.domain("X", m), tt.domain("O", r)
i, k, p, q = tt.indices("i k p q", U)
g = tt.indices("g", X)
l = tt.indices("l", O)
t, s = tt.time("t"), tt.time("s")

x, target, counts = tt.sequence("x", X), tt.sequence("d", O, latex=r"\hat y"), tt.sequence("c", mask=True)
GATES = ("z", "r", "o", "i", "f", "a")
"""Keeping, reset and output gate, the two exponential gates, and the candidate."""
W = {name: tt.parameter(f"W_{name}", U, X, latex=rf"W^{name}") for name in GATES}
V = {name: tt.parameter(f"V_{name}", U, U, latex=rf"V^{name}") for name in GATES}
b = {name: tt.parameter(f"b_{name}", U, latex=rf"b^{name}") for name in GATES}
net = {name: tt.variable(f"net_{name}", U, latex=name if name == "a" else rf"a^{name}") for name in GATES}
W_out = tt.parameter("W_out", O, U, latex=r"W^{\mathrm{out}}")
b_out = tt.parameter("b_out", O, latex=r"b^{\mathrm{out}}")

z, reset, out = tt.variable("z", U), tt.variable("rho", U, latex=r"\rho"), tt.variable("o", U)
norm, state, h = tt.variable("n", U, latex=r"\nu"), tt.variable("s", U), tt.variable("h", U)
y, loss = tt.variable("y", O), tt.scalar("L")
sigma, phi = tt.Activation("sigma", latex=r"\sigma"), tt.Activation("phi", latex=r"\phi")
state_0, norm_0 = tt.parameter("s_0", U, latex="s^0"), tt.parameter("n_0", U, latex=r"\nu^0")


@dataclass(frozen=True)
class Cell:
    """One cell: what its candidate reads, whether it has an output gate, and where the share z that it keeps is from.

    reset         "" for none; "before" or "after" the recurrent product; "shared" for 1 - z before the product
    output        the state is seen through an output gate
    exponential   z is made of two exponential gates and a normalizer
    starts        the state (and the normalizer) of time 0 are weights; otherwise they are 0
    """

    name: str
    reset: str = ""
    output: bool = False
    squash: bool = False
    exponential: bool = False
    starts: bool = False

    def build(self) -> tt.System:
        """The system; every call returns a new one over the same quantities."""
        system = tt.System(self.name, t)
        self._gates(system)
        self._candidate(system)
        system[state[i, t]] = z[i, t] * state[i, t - 1] + (1 - z[i, t]) * phi(net["a"][i, t])
        seen = phi(state[i, t]) if self.squash else state[i, t]
        if self.output:
            system[net["o"][i, t]] = read("o")
            system[out[i, t]] = sigma(net["o"][i, t])
            seen = out[i, t] * seen
        system[h[i, t]] = seen
        if self.starts:
            system.initial(state[i, 0], state_0[i])
            if self.exponential:
                system.initial(norm[i, 0], norm_0[i])
        system[y[l, t]] = tt.sum_over(i, W_out[l, i] * h[i, t]) + b_out[l]
        missed = tt.sum_over(l, (y[l, s] - target[l, s]) ** 2) / 2
        system[loss[()]] = tt.sum_over((s, 1, tt.LENGTH), counts[s] * missed)
        return system

    def _gates(self, system: tt.System) -> None:
        if not self.exponential:
            system[net["z"][i, t]] = read("z")
            system[z[i, t]] = sigma(net["z"][i, t])
            return
        for name in ("f", "i"):
            system[net[name][i, t]] = read(name)
        kept = tt.exp(net["f"][i, t]) * norm[i, t - 1]
        system[norm[i, t]] = kept + tt.exp(net["i"][i, t])
        system[z[i, t]] = kept / norm[i, t]

    def _candidate(self, system: tt.System) -> None:
        from_inputs = tt.sum_over(g, W["a"][i, g] * x[g, t]) + b["a"][i]
        if self.reset in ("before", "after"):
            system[net["r"][i, t]] = read("r")
            system[reset[i, t]] = sigma(net["r"][i, t])
        past = h[k, t - 1]
        from_units = {
            "": tt.sum_over(k, V["a"][i, k] * past),
            "before": tt.sum_over(k, V["a"][i, k] * reset[k, t] * past),
            "after": reset[i, t] * tt.sum_over(k, V["a"][i, k] * past),
            "shared": tt.sum_over(k, V["a"][i, k] * (1 - z[k, t]) * past),
        }
        system[net["a"][i, t]] = from_inputs + from_units[self.reset]

    def make_bench(self) -> tt.Bench:
        """Two units, one input and one output, for exact instances."""
        return tt.Bench(self.build(), sizes=[{n: 2, m: 1, r: 1}])


def read(name: str):
    """Net input of a gate: inputs, outputs of all units at the previous step, and a bias."""
    from_inputs = tt.sum_over(g, W[name][i, g] * x[g, t])
    return from_inputs + tt.sum_over(k, V[name][i, k] * h[k, t - 1]) + b[name][i]


CELLS = {
    "GRU, reset after": Cell("GRU, reset after", reset="after"),
    "GRU, reset before": Cell("GRU, reset before", reset="before"),
    "MGU": Cell("MGU", reset="shared"),
    "coupled LSTM": Cell("LSTM with coupled gates", output=True, squash=True),
    "sLSTM": Cell("sLSTM", output=True, exponential=True, starts=True),
}
