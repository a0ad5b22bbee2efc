"""The worked example of the LSTM of 1997: one block of two cells, one input, hidden unit and output, four steps."""

import numpy as np
from throughtime.textbook.lstm1997 import LSTM1997, LSTM1997Trace

NET = LSTM1997(n_in=1, blocks=1, cells=2, n_out=1, hidden=1)
WEIGHTS = {
    "w_hid": [[1.0, -0.5, 0.5, 0.5, 1.0, -1.0]],
    "w_ig": [[2.0, 0.5, -1.0, 0.5, 1.0, 0.5]],
    "w_og": [[1.0, 1.0, 0.5, -0.5, -1.0, 1.0]],
    "w_cell": [[[1.5, 1.0, -0.5, 0.5, 0.5, -1.0]], [[-1.0, 0.5, 1.0, 0.5, 1.0, 0.5]]],
    "w_out": [[0.5, 1.0, 2.0, -1.0]],
}
THETA = NET.layout.flatten({name: np.array(rows) for name, rows in WEIGHTS.items()})
X = np.array([[1.0], [-0.5], [0.5], [1.0]])
TARGETS = np.zeros((4, 1))
LAST = np.array([0.0, 0.0, 0.0, 1.0])

READ = "x", r"y^{\mathrm{hid}}", r"y^{\mathrm{ig}}", r"y^{\mathrm{og}}", r"y^{\mathrm{cell}}_1", r"y^{\mathrm{cell}}_2"
"""LaTeX of the sources r of hidden unit, gates and cells, in the note's order of columns."""
READ_BY_OUTPUT = (READ[0], READ[1], READ[4], READ[5])


def trace(theta: np.ndarray = THETA) -> LSTM1997Trace:
    """The forward pass of ``NET`` on ``X``, four steps."""
    return NET.forward(theta, X)


def terms(kind: str, t: int, cell: int = 1) -> list[tuple[str, float, float, float]]:
    """The terms of a net input at time t, one per source: symbol with its time, value, weight, product of both."""
    run, weights = trace(), NET.layout.views(THETA)[f"w_{kind}"]
    read = [run.x[t - 1], run.y_hid[t - 1], run.y_ig[t - 1], run.y_og[t - 1], run.y_cell[t - 1].ravel()]
    symbols = READ
    if kind == "out":
        read, symbols = [read[0], read[1], read[4]], READ_BY_OUTPUT
    row = weights[cell - 1, 0] if kind == "cell" else weights[0]
    values = np.concatenate(read)
    return [
        (f"${symbol}({t - 1})$", float(value), float(weight), float(value * weight))
        for symbol, value, weight in zip(symbols, values, row, strict=True)
    ]
