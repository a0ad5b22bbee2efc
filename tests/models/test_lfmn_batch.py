import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from throughtime.models.lfmn import LFMN
from throughtime.models.lfmn_batch import batch_gradient, batch_outputs

COUNTS = st.tuples(*[st.integers(0, 2)] * 3)


@settings(deadline=None)
@given(COUNTS, COUNTS.filter(any), st.integers(1, 4), st.integers(1, 6), st.integers(0, 2**32))
def test_a_batch_is_the_sum_of_its_sequences(hidden, output, count, length, seed):
    random = np.random.default_rng(seed)
    model = LFMN(2, hidden, output)
    theta = model.init(random, scale=1.5)
    x = random.normal(size=(count, length, 2))
    targets = random.normal(size=(count, length, model.output.total))
    mask = random.integers(0, 2, length)
    batch = batch_gradient(model, theta, x, targets, mask)
    single = [model.gradient(theta, a, d, mask) for a, d in zip(x, targets, strict=True)]
    np.testing.assert_allclose(batch.gradient, sum(r.gradient for r in single), rtol=1e-12, atol=1e-12)
    assert batch.loss == pytest.approx(sum(r.loss for r in single), rel=1e-12, abs=1e-14)
    last = [model.forward(theta, a).y[-1] for a in x]
    assert np.array_equal(batch_outputs(model, theta, x), last)


def test_no_mask_counts_every_step():
    model = LFMN(1, (0, 0, 1), (1, 0, 0))
    theta, x = model.init(0), np.ones((2, 3, 1))
    targets = np.zeros((2, 3, 1))
    everywhere = batch_gradient(model, theta, x, targets, np.ones(3))
    assert batch_gradient(model, theta, x, targets).loss == everywhere.loss > 0


def test_what_does_not_fit_is_refused_by_name():
    model = LFMN(2, (0, 0, 1), (1, 0, 0))
    theta, x = model.init(0), np.zeros((3, 4, 2))
    with pytest.raises(ValueError, match=r"x: expected shape \(N, T, 2\)"):
        batch_gradient(model, theta, x[0], np.zeros((3, 4, 1)))
    with pytest.raises(ValueError, match=r"targets: expected shape \(3, 4, 1\)"):
        batch_gradient(model, theta, x, np.zeros((3, 4, 2)))
    with pytest.raises(ValueError, match="mask: expected shape"):
        batch_gradient(model, theta, x, np.zeros((3, 4, 1)), np.ones(3))
    with pytest.raises(ValueError, match="theta: expected shape"):
        batch_outputs(model, theta[1:], x)


def test_overflow_is_an_error():
    model = LFMN(1, (0, 1, 0), (1, 0, 0))
    theta = model.init(0)
    model.layout.views(theta)["u_hid"][:] = 1e4
    with pytest.raises(FloatingPointError):
        batch_gradient(model, theta, np.ones((1, 100, 1)), np.zeros((1, 100, 1)))
