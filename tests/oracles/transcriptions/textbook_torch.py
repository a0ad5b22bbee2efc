"""The networks of the textbook, and windows of a leaky one, in PyTorch, in float64; a cut is ``detach``."""

import torch
from throughtime.textbook import LFMN, LSTM1997, Elman, FullyRecurrent, Jordan, PeepholeLSTM

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: torch.tanh(z / 2),
    "twice_tanh_half": lambda z: 2 * torch.tanh(z / 2),
}


def zeros(*shape):
    return torch.zeros(shape, dtype=torch.float64)


def fully_recurrent(net, p, x, read):
    """bptt-forward."""
    y = zeros(net.n_out)
    for x_t in x:
        z = p["W"] @ torch.cat([x_t, read("z", "y", y)])
        y = torch.stack([FUNCTIONS[f.name](z_i) for f, z_i in zip(net.activation, z, strict=True)])
        yield y


def simple(net, p, x, read):
    """rnn-2 to rnn-7, rnn-9 to rnn-14."""
    context, one = zeros(net.n_context) + net.start, zeros(1) + 1
    for x_t in x:
        f = FUNCTIONS[net.f_hid.name](torch.cat([one, x_t, read("net_f", "context", context)]) @ p["v"])
        g = FUNCTIONS[net.f_out.name](torch.cat([one, f]) @ p["w"])
        context = g if net.jordan else f
        yield g


def local_feedback(net, p, x, read):
    """lfmn-1 to lfmn-6, each kind of unit by itself."""
    f, before = FUNCTIONS[net.activation.name], {}

    def layer(name, current, counts):
        static, z, a = torch.split(current, [*counts])
        z = z + p[f"u_{name}"] * before.get((name, "net"), zeros(1))
        a = f(a + p[f"v_{name}"] * before.get((name, "act"), zeros(1)))
        before[name, "net"], before[name, "act"] = z, a
        return torch.cat([f(static), f(z), a])

    for x_t in x:
        h = layer("hid", p["w_hid"] @ x_t, net.hidden)
        yield layer("out", torch.cat([p["w_out"] @ h, p["W_out"] @ x_t]), net.output)


def lstm(net, p, x, read):
    """lstm97-36 to 43; peephole-1 to 5, 13, 14."""
    first = isinstance(net, LSTM1997)
    f = {name: FUNCTIONS[getattr(net, name).name] for name in ("f", "g", "h", "f_out")}
    units = ("hid" if first else "fg", "ig", "og", "cell")
    y = {kind: zeros(*p[f"w_{kind}"].shape[:-1]) for kind in units}
    s = zeros(*net.cell_axes)

    def each(gates):
        return gates if first else gates[:, None]  # beside cells in blocks

    def into(kind, r, s):
        fed = units if net.feedback == "all" else ("cell",)
        r = torch.cat([x_t, *(read(f"net_{kind}", f"y_{source}", r[source]).flatten() for source in fed)])
        z = p[f"w_{kind}"] @ r + p.get(f"b_{kind}", 0.0)
        return z + (p[f"u_{kind}"] * read(f"net_{kind}", "s", s)).sum(dim=1) if f"u_{kind}" in p else z

    for x_t in x:
        r, y = y, {}
        for kind in units[:2]:
            y[kind] = (FUNCTIONS[net.f_hid.name] if kind == "hid" else f["f"])(into(kind, r, s))
        s = (s if first else each(y["fg"]) * s) + each(y["ig"]) * f["g"](into("cell", r, s))
        y["og"] = f["f"](into("og", r, s))
        y["cell"] = each(y["og"]) * f["h"](s)
        seen = r if net.timing == "previous" else y
        seen = [seen[kind].flatten() for kind in ("hid", "cell") if kind in seen]
        yield f["f_out"](p["w_out"] @ torch.cat([x_t, *seen] if net.direct else seen) + p.get("b_out", 0.0))


RULES = {FullyRecurrent: fully_recurrent, Elman: simple, Jordan: simple, LFMN: local_feedback}
RULES |= {LSTM1997: lstm, PeepholeLSTM: lstm}


def gradient(net, theta, x, targets, mask, cuts):
    """The loss and its gradient, without what passes the cuts: pairs of a net input and of what it reads, by name."""
    theta = torch.tensor(theta, requires_grad=True)
    p = {name: theta[net.layout.slice(name)].reshape(shape) for name, shape in net.layout.shapes.items()}

    def read(into, source, value):
        return value.detach() if (into, source) in cuts else value

    y = torch.stack([*RULES[type(net)](net, p, torch.tensor(x), read)])
    loss = net.FACTOR * (torch.tensor(mask) * (y - torch.tensor(targets)) ** 2).sum()
    loss.backward()
    return {"loss": loss.item(), "gradient": theta.grad.numpy()}


def windows(W, W_in, W_out, x, d, tau, steps):
    """The gradient by W and W_in of the loss of the leaky network, each error going back so many steps."""
    W, W_in = (torch.tensor(given, requires_grad=True) for given in (W, W_in))
    W_out, x, d = map(torch.tensor, (W_out, x, d))
    states, loss = [zeros(len(W))], 0.0

    def run(state, inputs):
        for x_t in inputs:
            state = (1 - 1 / tau) * state + torch.tanh(W @ state + W_in @ x_t) / tau
        return state

    for t in range(1, len(x) + 1):
        first = max(t - steps, 0)
        states.append(run(states[first].detach(), x[first:t]))
        loss = loss + ((d[t - 1] - W_out @ states[t]) ** 2).sum() / 2
    loss.backward()
    return {"loss": loss.item(), "W": W.grad.numpy(), "W_in": W_in.grad.numpy()}
