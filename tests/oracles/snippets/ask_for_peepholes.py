import torch

torch.manual_seed(0)
cell = torch.nn.LSTMCell(input_size=2, hidden_size=3)
x, h, c = torch.randn(2), torch.randn(3), torch.randn(3)


def step(c):
    """The new c and the new h, for a given old c."""
    new_h, new_c = cell(x, (h, c))
    return torch.cat([new_c, new_h])


asked = torch.autograd.functional.jacobian(step, c)

net = cell.weight_ih @ x + cell.bias_ih + cell.weight_hh @ h + cell.bias_hh
_, f, _, o = net.chunk(4)  # rows: input, forget, cell, output
new_c = step(c)[:3]
of_c = torch.diag(torch.sigmoid(f))
of_h = torch.diag(torch.sigmoid(o) * (1 - new_c.tanh() ** 2)) @ of_c
without = torch.cat([of_c, of_h])

print("PyTorch", torch.__version__.split("+")[0])
for name, value in cell.named_parameters():
    print(f"{name}: {tuple(value.shape)}")
print("d new c / d old c:", asked[:3], sep="\n")
print("as without peepholes:", torch.allclose(asked, without, atol=1e-6))
