"""Random networks: the typed exponent, and what the text says beside its tables."""

import numpy as np
import pytest
from book.bptt import networks as ef
from book.bptt.vanishing import experiment as random_nets
from throughtime.arrays.activations import identity, logistic, tanh


def test_the_typed_exponent_is_the_growth_of_the_flow(page_cell):
    typed = {"np": np}
    exec(page_cell("def exponent(").split("\n\n\n")[0], typed)
    w = 2.0 * random_nets.gaussian(32, 1, seed=0)
    run = random_nets.slopes(w, tanh, 400)[:, 0]
    size = np.log(ef.norms(ef.flow(ef.links(w[0], run[:200])))[-1]) / 200
    assert typed["exponent"](w[0], run[::-1]) == pytest.approx(size, abs=0.05)
    assert typed["exponent"](np.eye(2), np.full((8, 2), 0.5)) == pytest.approx(np.log(0.5))


def test_what_the_text_says_beside_the_tables():
    assert random_nets.rate(identity, 0.7) == pytest.approx(np.log(0.7))  # a linear network: the spectral radius
    assert random_nets.variance(identity, 0.7) == pytest.approx(0.01 / (1 - 0.49))
    assert random_nets.log_norms(logistic, 12.0, (60,)).mean() < 0  # 32 units turn later than the theory
    linear = np.linalg.svd(random_nets.flows(random_nets.orthogonal(32, 20, 0), identity, (20,)), compute_uv=False)
    np.testing.assert_allclose(linear, 1, rtol=1e-10)
