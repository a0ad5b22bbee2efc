"""Error flow through the states of the peephole LSTM, and trained nets counted by stage.

The activations of the previous step are held constant.

Within a block, one step back is a matrix: the forget gate on its diagonal, and what the peepholes of the forget and
the input gate add. Several steps back are a product of such matrices. Nothing passes from block to block.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from book.peephole.error_flow.experiment import stage
from book.shared.intervals import median_interval
from throughtime.textbook.peephole import PeepholeLSTM


def links(model: PeepholeLSTM, theta: np.ndarray, x: Any, peepholes: bool = True) -> np.ndarray:
    """ds_j(t)/ds_c(t-1) within each block, of shape (T+1, blocks, cells j, cells c); row 0 is zero.

    With ``peepholes=False`` what they carry is cut, and the forget gate is left. Errors as for ``model.forward``.
    """
    trace, parts = model.forward(theta, x), model.layout.views(theta)
    found = trace.y_fg[..., None, None] * np.eye(model.cells)
    before = np.zeros_like(trace.s)
    before[1:] = trace.s[:-1]
    through = {"fg": before, "ig": model.g(trace.net_cell)}
    for gate in set(model.peepholes) & set(through) if peepholes else ():
        slope = model.f.derivative(getattr(trace, f"net_{gate}"))
        found = found + (slope[..., None] * through[gate])[..., None] * parts[f"u_{gate}"][:, None, :]
    found[0] = 0.0
    return found


def flow(found: np.ndarray, end: int) -> np.ndarray:
    """ds(end)/ds(end-n) for the lags n = 0 to ``end`` from ``links``, of shape (end+1, blocks, cells, cells)."""
    products = [np.broadcast_to(np.eye(found.shape[-1]), found.shape[1:])]
    for t in range(end, 0, -1):
        products.append(products[-1] @ found[t])
    return np.array(products)


# ---- looks at trained nets

Row = Mapping[str, str]
STAGES = ("learning", "at rest", "finished")


def looks_at(rows: Iterable[Row], start: str, cut: str, epoch: int, wanted: str = "learning") -> list[Row]:
    """The rows of one start, kind of cut and epoch whose net is at a stage of ``STAGES``."""
    same = (row for row in rows if (row["start"], row["cut"], row["epoch"]) == (start, cut, str(epoch)))
    return [row for row in same if stage(row) == wanted]


def column(rows: Iterable[Row], name: str) -> np.ndarray:
    """One column of the rows as numbers."""
    return np.array([float(row[name]) for row in rows])


def middle(values: np.ndarray) -> str:
    """A median with its interval, as in "0.47 (0.22 to 0.77)"; a dash for fewer than 6 values."""
    if len(values) < 6:
        return "-"
    low, high = median_interval(values.tolist())
    return f"{np.median(values):.2f} ({low:.2f} to {high:.2f})"
