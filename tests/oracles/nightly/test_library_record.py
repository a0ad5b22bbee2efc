"""The record of what the libraries' LSTMs are, which the book shows, against the libraries that are installed."""

import library_lstms
import numpy as np
import pytest
import torch
from library_lstms import ERROR, LIBRARIES, RECORD
from throughtime.checks import relative_error

TOLERANCE = 1e-12


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_record_is_what_is_measured_afresh(library):
    afresh = [check._asdict() for check in LIBRARIES[library]()]
    recorded = [row for row in RECORD.read() if row["library"] == library]
    assert len(recorded) == len(afresh) > 5
    for row, now in zip(recorded, afresh, strict=True):
        assert {name: row[name] for name in row if name != "result"} == {
            name: now[name] for name in row if name != "result"
        }
        if now["kind"] == ERROR:
            assert float(row["result"]) <= TOLERANCE
            assert float(now["result"]) <= TOLERANCE
        else:
            assert row["result"] == now["result"]


def test_a_peephole_would_be_noticed():
    """The derivative by the state is another one as soon as a gate sees a state of its own cell, or of another."""
    weights, x, h, c = library_lstms.problem()
    net = weights["weight_ih_l0"] @ x[0] + weights["weight_hh_l0"] @ h + weights["bias_ih_l0"] + weights["bias_hh_l0"]
    expected = library_lstms.without_peepholes(weights, x[0], h, c)

    def step(state, peepholes):
        i, f, g, o = torch.tensor(net).chunk(4)
        seen = [matrix @ state for matrix in peepholes[:2]]
        new = torch.sigmoid(f + seen[1]) * state + torch.sigmoid(i + seen[0]) * torch.tanh(g)
        return torch.cat([new, torch.sigmoid(o + peepholes[2] @ new) * torch.tanh(new)])

    def error(*peepholes):
        found = torch.autograd.functional.jacobian(lambda s: step(s, peepholes), torch.tensor(c))
        return relative_error(found.numpy(), expected)

    none, own = torch.zeros(3, 3, dtype=torch.float64), torch.eye(3, dtype=torch.float64) * 0.1
    other = torch.tensor(np.eye(3)[[1, 2, 0]]) * 0.1
    assert error(none, none, none) <= TOLERANCE
    for matrix in (own, other):
        for place in range(3):
            gates = [none] * 3
            gates[place] = matrix
            assert error(*gates) > 1e-3
