"""The chapter on the LFMN's architecture: the typed forward pass."""

import numpy as np
import pytest
from throughtime.textbook.lfmn import LFMN


@pytest.mark.parametrize(("hidden", "output"), [((1, 1, 1), (1, 1, 1)), ((2, 0, 3), (1, 2, 0)), ((0, 2, 1), (2, 0, 3))])
def test_the_typed_forward_pass_is_the_librarys(run_cell, hidden, output):
    forward = run_cell("def forward(")["forward"]
    draw = np.random.default_rng(7)
    model = LFMN(2, hidden=hidden, output=output)
    theta, x = model.init(draw, 1.0), draw.normal(size=(9, 2))
    np.testing.assert_allclose(forward(model.layout.views(theta), x), model.forward(theta, x).y[1:], rtol=1e-12)
