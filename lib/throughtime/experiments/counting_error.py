"""The mean error of the linear bit counter over all sequences of T bits, and how it curves at its minimum.

The answer misses the count by the sum of c_k x(T-k), with c_k = v_x v_f^k - 1. For independent bits, each 1 half of the
time, the mean of half its square is (sum c_k^2 + (sum c_k)^2) / 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def misses(v_x: Any, v_f: Any, length: int) -> list[Any]:
    """c_0, ..., c_{T-1}: by how much a one, k steps before the end, is counted wrong. Numbers, arrays or formulas."""
    if length < 1:
        raise ValueError(f"length: expected at least 1, got {length!r}")
    return [v_x * v_f**k - 1 for k in range(length)]


def mean_error(v_x: Any, v_f: Any, length: int) -> Any:
    """The mean of (yhat - y)^2 / 2 over all sequences of `length` >= 1 bits."""
    c = misses(v_x, v_f, length)
    return (sum(item * item for item in c) + sum(c) ** 2) / 8


def curvature(length: int) -> np.ndarray:
    """Second derivatives of the mean error by (v_x, v_f) at (1, 1), shape (2, 2)."""
    rows = np.array([np.ones(length), np.arange(length)])
    total = rows.sum(axis=1)
    return (rows @ rows.T + np.outer(total, total)) / 4
