"""Comparison of a truncated with the exact gradient of an LSTM: cosine of the angle and ratio of the norms."""

from typing import NamedTuple

import numpy as np
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.peephole import PeepholeLSTM


class Quality(NamedTuple):
    """Cosine and norm ratio of the truncated to the exact gradient."""

    cosine: float  # of the angle between both, from -1 to 1
    ratio: float  # |truncated| / |exact|


def quality(truncated: np.ndarray, exact: np.ndarray) -> Quality:
    """Cosine and norm ratio of two flat gradients of one shape; ValueError if one of them is zero."""
    norms = np.linalg.norm(truncated), np.linalg.norm(exact)
    if not min(norms) > 0:
        raise ValueError(f"gradients: an angle needs two that are not zero, got the norms {norms[0]} and {norms[1]}")
    return Quality(float(truncated @ exact / norms[0] / norms[1]), float(norms[0] / norms[1]))


def hidden_part(model: LSTM1997 | PeepholeLSTM, gradient: np.ndarray) -> np.ndarray:
    """The part of a flat gradient with respect to the parameters of gates, cells and hidden units.

    The rest, with respect to the parameters of the outputs, is the same for every cut.
    """
    return np.concatenate([part.ravel() for name, part in model.layout.views(gradient).items() if "out" not in name])
