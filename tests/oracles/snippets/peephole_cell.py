import torch


class PeepholeLSTMCell(torch.nn.Module):
    """LSTM cell with peepholes to the gates of the own cell, as in 2002.

    The squashing function h = tanh is kept; leave out the last tanh to
    drop it. The optional cut holds what a gate sees or reads constant.
    """

    def __init__(self, inputs, units):
        super().__init__()
        self.read = torch.nn.Linear(inputs + units, 4 * units)
        self.u = torch.nn.Parameter(torch.zeros(3, units))

    def forward(self, x, state, truncate=False):
        h, c = state
        h, seen = (h.detach(), c.detach()) if truncate else (h, c)
        i, f, g, o = self.read(torch.cat([x, h], -1)).chunk(4, -1)
        i = torch.sigmoid(i + self.u[0] * seen)
        f = torch.sigmoid(f + self.u[1] * seen)
        c = f * c + i * torch.tanh(g)
        seen = c.detach() if truncate else c
        o = torch.sigmoid(o + self.u[2] * seen)
        return o * torch.tanh(c), c
