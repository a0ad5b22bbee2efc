"""The LFMN's loss and gradients against PyTorch's autograd of a forward pass (transcriptions/lfmn_torch.py)."""

import numpy as np
import pytest
from throughtime.arrays.activations import ACTIVATIONS
from throughtime.textbook.lfmn import LFMN

TOLERANCE = 1e-12


ARCHITECTURES = [
    (1, (1, 0, 0), (1, 0, 0)),
    (1, (0, 1, 0), (1, 0, 0)),
    (1, (0, 0, 1), (1, 0, 0)),
    (2, (0, 0, 0), (0, 1, 0)),
    (2, (0, 0, 0), (0, 0, 1)),
    (3, (2, 0, 3), (2, 1, 0)),
    (2, (3, 2, 1), (1, 2, 3)),
    (4, (0, 5, 4), (3, 2, 2)),
]


@pytest.mark.parametrize("activation", ACTIVATIONS.values(), ids=ACTIVATIONS)
@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 17])
def test_gradients_are_those_of_autograd(architecture, activation, length, kept):
    model = LFMN(*architecture, activation)
    rng = np.random.default_rng(length)
    theta, x = model.init(rng, 1.2), rng.normal(size=(length, model.n_in))
    targets, mask = rng.normal(size=(length, model.output.total)), rng.integers(0, 2, length)
    mask[-1] = 1
    theirs = kept("lfmn_torch.gradients", model, theta, x, targets, mask)
    result = model.gradient(theta, x, targets, mask)
    assert theirs.error("loss", result.loss) <= TOLERANCE
    assert theirs.error("gradient", result.gradient) <= TOLERANCE
