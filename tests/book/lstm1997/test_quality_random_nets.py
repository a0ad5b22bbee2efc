"""Two gradients of a net compared: angle and ratio, without the weights of the outputs."""

import numpy as np
import pytest
from book.lstm1997.quality import checks as q
from throughtime.textbook.lstm1997 import LSTM1997


def test_quality_is_cosine_and_ratio_of_norms():
    assert q.quality(np.array([3.0, 0.0]), np.array([3.0, 4.0])) == pytest.approx((0.6, 0.6))
    assert q.quality(np.array([-1.0]), np.array([2.0])) == (-1.0, 0.5)
    with pytest.raises(ValueError, match="gradients: an angle needs two that are not zero"):
        q.quality(np.zeros(2), np.ones(2))


def test_hidden_part_leaves_out_the_outputs_only():
    model = LSTM1997(1, 2, 2, 1, hidden=1, bias=True)
    gradient = np.arange(1.0, model.layout.size + 1)
    views = model.layout.views(gradient)
    kept = q.hidden_part(model, gradient)
    assert len(kept) == model.layout.size - views["w_out"].size - views["b_out"].size
    assert not set(kept) & {*views["w_out"].ravel(), *views["b_out"]}
