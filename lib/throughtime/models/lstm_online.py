"""Gradients of both LSTMs while they run: the truncated one of the papers, and the exact one.

Neither stores the sequence. Truncation leaves one number for each state and each weight of its own row, of its input
gate or of its forget gate; the exact recursion keeps one for each unit and weight.
"""

import numpy as np

from throughtime.arrays.online import OnlineGradient
from throughtime.models import lstm_online_kernels as kernels
from throughtime.models.lstm_kernels import Architecture


class LSTMOnlineGradient(OnlineGradient):
    """The gradient of an LSTM, one time step after another; see ``OnlineGradient``.

    ``"truncated"`` is the papers' method (lstm97-44 to lstm97-73; peephole-7 to 11, 15 to 17): the derivatives of s
    with respect to the weights of its gates and of its cell are kept, in time and memory proportional to the number of
    weights. ``"rtrl"`` is exact, and keeps the derivatives of every unit with respect to every weight.

    >>> from throughtime.models.lstm1997 import LSTM1997
    >>> model = LSTM1997(n_in=1, blocks=1, cells=1, n_out=1)
    >>> online = model.online(model.init(0), "truncated")
    >>> for x, target in [([0.5], None), ([-0.5], [0.25])]:
    ...     online.step(x, target)
    >>> online.time, online.gradient.shape == (model.layout.size,)
    (2, True)
    """

    __slots__ = ()

    def _start(self) -> None:
        self._memory = memory(self.model.architecture, self.model.n_out, exact=self.method == "rtrl")
        self._watched = dict(zip(("net", "s", "y"), self._memory[2:], strict=False))

    @property
    def y(self) -> np.ndarray:
        """The outputs at the present time, of shape (n_out,), a copy; zeros at time 0."""
        return self._watched["y"].copy()

    @property
    def s(self) -> np.ndarray:
        """The cell states at the present time, with the axes of the model's w_cell, a copy."""
        return self._watched["s"].reshape(self.model.cell_axes).copy()

    @property
    def derivatives(self) -> dict[str, np.ndarray]:
        """The kept derivatives themselves (no copies), a row and a column for each weight.

        Truncated: of each state with respect to the weights of its input gate, its own row and its forget gate, if any,
        under "ig", "cell" and "fg". Exact: of each activation, and of each state, with respect to the weights of all
        units, under "y" and "s".
        """
        *_, by_act, by_state = self._memory
        return {"y": by_act, "s": by_state} if by_act.size else dict(zip(("ig", "cell", "fg"), by_state, strict=False))

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        weights, out_weights = self._weights
        given = self.model.architecture, weights, out_weights, x, targets, mask
        return kernels.run(*given, *self._memory, *self._gradient)


def memory(lstm: Architecture, n_out: int, *, exact: bool) -> tuple[np.ndarray, ...]:
    """Memory of ``lstm_online_kernels.run`` between steps, at time 0, in the order of its arguments.

    row (columns of x, units and 1,), source (its columns,), net (units,), s (cells,), y (n_out,) and derivatives, with
    a last axis of the columns of weights: exact (units, units, ...) and (cells, units, ...), or truncated (0, ...) and
    (2, cells, ...), or 3 with forget gates. Exact recursions keep no source.
    """
    units, cells, width = lstm.units, lstm.blocks * lstm.cells, lstm.columns + lstm.seen
    row = np.zeros(lstm.n_in + units + 1)
    row[-1] = 1.0
    kept = (units, units), (cells, units)
    if not exact:
        kept = (0, 0), (3 if lstm.fg < lstm.ig else 2, cells)
    shapes = (0 if exact else lstm.columns,), (units,), (cells,), (n_out,), *((*rows, width) for rows in kept)
    return row, *map(np.zeros, shapes)
