"""Gradients of both LSTMs while they run: the truncated one of the papers, and the exact one.

Neither stores the sequence. Truncation leaves one number for each state and each weight of its own row, of its input
gate or of its forget gate; the exact recursion keeps one for each unit and weight.
"""

from typing import TYPE_CHECKING

import numpy as np

from . import lstm_online_kernels as kernels
from . import validate
from ._online import OnlineSteps

if TYPE_CHECKING:
    from .lstm import LSTM

ONLINE_METHODS = ("truncated", "rtrl")


class OnlineGradient(OnlineSteps):
    """The gradient one time step after another, in memory that never grows. A new sequence needs a new object.

    ``"truncated"`` is the papers' method (lstm97-44 to lstm97-73; peephole-7 to 11, 15 to 17): the derivatives of s by
    the weights of its gates and of its cell are kept, in time and memory proportional to the number of weights.
    ``"rtrl"`` is exact, and keeps the derivatives of every unit by every weight.

    >>> from throughtime.models.lstm1997 import LSTM1997
    >>> model = LSTM1997(n_in=1, blocks=1, cells=1, n_out=1)
    >>> online = OnlineGradient(model, model.init(0))
    >>> for x, target in [([0.5], None), ([-0.5], [0.25])]:
    ...     online.step(x, target)
    >>> online.time, online.gradient.shape == (model.layout.size,)
    (2, True)
    """

    def __init__(self, model: "LSTM", theta: np.ndarray, method: str = "truncated") -> None:
        """Start at time 0. ``theta`` is real, and copied; TypeError or ValueError if it or method does not fit."""
        self.method = validate.one_of("method", method, ONLINE_METHODS)
        super().__init__(model, theta)
        self._gradient = tuple(np.zeros_like(weights) for weights in self._weights)
        units, width = self._weights[0].shape
        cells = model.blocks * model.cells
        row = np.zeros(model.n_in + units + 1)
        row[-1] = 1.0
        self._watched = {"net": np.zeros(units), "s": np.zeros(cells), "y": np.zeros(model.n_out)}
        if method == "truncated":
            made_from = (np.zeros(model._columns + 1),)
            by_gates_and_cells = (cells if model._net.fg < model._net.ig else 0, cells, cells)
            self._derivatives = tuple(np.zeros((rows, width)) for rows in by_gates_and_cells)
        else:
            made_from = ()
            self._derivatives = tuple(np.zeros((rows, units, width)) for rows in (units, cells))
        self._states = (row, *made_from, *self._watched.values(), *self._derivatives)
        self._kept = (*self._weights, *self._gradient, *self._states)

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the loss so far, a copy."""
        return self.model._flat(*self._gradient)

    @property
    def y(self) -> np.ndarray:
        """The outputs at the present time, a copy; zeros at time 0."""
        return self._watched["y"].copy()

    @property
    def s(self) -> np.ndarray:
        """The cell states at the present time, with the axes of the model's w_cell, a copy."""
        return self._watched["s"].reshape(self.model._cell_axes).copy()

    @property
    def derivatives(self) -> dict[str, np.ndarray]:
        """The kept derivatives themselves, by what they are taken by, a row and a column for each weight.

        Truncated: of each state by the weights of its forget gate, if any, its input gate and its own row, under
        "fg", "ig" and "cell". Exact: of each activation, and of each state, by the weights of all units, under "y"
        and "s".
        """
        names = ("fg", "ig", "cell") if self.method == "truncated" else ("y", "s")
        return {name: array for name, array in zip(names, self._derivatives, strict=True) if array.size}

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        loop = kernels.run_truncated if self.method == "truncated" else kernels.run_online
        return loop(self.model._net, *self._weights, x, targets, mask, *self._states, *self._gradient)
