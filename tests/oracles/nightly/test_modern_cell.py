"""The net of `book.lstm1997.later.experiment` moves its weights as a plain loop in PyTorch does."""

import numpy as np
import pytest
import torch
from book.experiments.rows import ROWS
from book.lstm1997.later.experiment import BATCH, Modern


@pytest.mark.parametrize("forget", [5.0, None])
def test_a_net_that_learns_in_batches_is_that_of_a_plain_loop(forget):
    stream = ROWS["6a"].task.draw(3 * BATCH, np.random.default_rng(0))
    modern = Modern(8, 4, 4, 0.01, forget, 0)
    torch.manual_seed(0)
    cell, out = torch.nn.LSTM(8, 4), torch.nn.Linear(4, 4)
    if forget is not None:
        with torch.no_grad():
            cell.bias_ih_l0[4:8], cell.bias_hh_l0[4:8] = forget, 0.0
    weights = [*cell.parameters(), *out.parameters()]
    adam, seen = torch.optim.Adam(weights, lr=0.01), []
    for first in range(0, len(stream.lengths), BATCH):
        errors = []
        for one in range(first, first + BATCH):
            begin, end = stream.begins[one], stream.ends[one]
            y = out(cell(torch.eye(8)[stream.x[begin : end + 1]])[0][-1])
            seen.append(torch.softmax(y, 0).detach().numpy())
            errors.append(torch.nn.functional.cross_entropy(y, torch.tensor(int(stream.targets[one].argmax()))))
        adam.zero_grad()
        torch.stack(errors).mean().backward()
        adam.step()
    watched = modern.run(stream.x, *stream.by_step()).watched
    np.testing.assert_allclose(watched[stream.ends], seen, rtol=0, atol=1e-5)
    for mine, plain in zip(modern.net.parameters(), weights, strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), plain.detach().numpy(), rtol=0, atol=1e-5)
