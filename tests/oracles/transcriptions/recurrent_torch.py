"""The fully recurrent network in PyTorch, in float64: a forward pass written from its equations."""

import torch

FUNCTIONS = {
    "identity": lambda z: z,
    "logistic": torch.sigmoid,
    "tanh": torch.tanh,
    "tanh_half": lambda z: torch.tanh(z / 2),
    "twice_tanh_half": lambda z: 4 * torch.sigmoid(z) - 2,
}


def activate(model, z):
    return torch.stack([FUNCTIONS[f.name](z_i) for f, z_i in zip(model.activation, z.unbind(), strict=True)])


def run(model, theta, x, y):
    """Net inputs and activations of all steps from the state y on, as lists; each keeps its gradient."""
    w_in, w_rec = theta.reshape(model.n_out, -1).split([model.n_in, model.n_out], dim=1)
    zs, ys = [], []
    for x_t in x:
        z = w_in @ x_t + w_rec @ y
        y = activate(model, z)
        zs.append(z)
        ys.append(y)
        for quantity in (z, y):
            quantity.retain_grad()
    return zs, ys


def loss_of(ys, targets, mask):
    return sum((m * (y - d) ** 2).sum() / 2 for y, d, m in zip(ys, targets, mask, strict=True))


def exact(model, theta, x, targets, mask):
    """Loss, gradient, and the derivatives with respect to all z and y, from time 0 on."""
    leaf = torch.tensor(theta, requires_grad=True)
    start = torch.zeros(model.n_out, dtype=torch.float64, requires_grad=True)
    zs, ys = run(model, leaf, torch.tensor(x), start)
    loss = loss_of(ys, torch.tensor(targets), torch.tensor(mask))
    loss.backward()
    by_z = torch.stack([torch.zeros_like(start), *(z.grad for z in zs)])
    by_y = torch.stack([start.grad, *(y.grad for y in ys)])
    return {"loss": loss.item(), "gradient": leaf.grad.numpy(), "z": by_z.numpy(), "y": by_y.numpy()}


def error_flow(model, theta, x):
    """dz(t) / dz(s) for all s <= t, under the names "t, s"."""
    zero = torch.zeros(model.n_out, dtype=torch.float64)
    zs, _ = run(model, torch.tensor(theta, requires_grad=True), torch.tensor(x), zero)

    def jacobian(t, s):
        rows = [torch.autograd.grad(z, zs[s - 1], retain_graph=True)[0] for z in zs[t - 1]]
        return torch.stack(rows).numpy()

    return {f"{t}, {s}": jacobian(t, s) for t in range(1, len(x) + 1) for s in range(1, t + 1)}
