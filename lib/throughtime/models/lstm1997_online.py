"""Gradients of the LSTM of 1997 while it runs: the paper's truncated one, and the exact one.

Neither stores the sequence. Truncation leaves one number for each state and each weight of its own row or of
its input gate, twice as many as cells have weights; the exact recursion keeps one for each unit and weight.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lstm1997_kernels as kernels
from ._online import OnlineSteps

if TYPE_CHECKING:
    from .lstm1997 import LSTM1997


class OnlineGradient(OnlineSteps):
    """The gradient one time step after another, in memory that never grows. A new sequence needs a new object.

    ``"truncated"`` is the paper's method (lstm97-44 to lstm97-73): the derivatives of s by the weights of its
    input gate and of its cell are kept, in time and memory proportional to the number of weights. ``"rtrl"`` is
    exact, and keeps the derivatives of every unit by every weight.

    >>> from throughtime.models.lstm1997 import LSTM1997
    >>> model = LSTM1997(n_in=1, blocks=1, cells=1, n_out=1)
    >>> online = OnlineGradient(model, model.init(0))
    >>> for x, target in [([0.5], None), ([-0.5], [0.25])]:
    ...     online.step(x, target)
    >>> online.time, online.gradient.shape == (model.layout.size,)
    (2, True)
    """

    def __init__(self, model: "LSTM1997", theta: np.ndarray, method: str = "truncated") -> None:
        """Start at time 0. ``theta`` is real, and copied; TypeError or ValueError if it or method does not fit."""
        super().__init__(model, theta, method)
        units, columns = self._weights[0].shape
        cells = model.blocks * model.cells
        source = np.zeros(columns)
        source[-1] = 1.0
        self._net, self._s, self._y = np.zeros(units), np.zeros(cells), np.zeros(model.n_out)
        if self.method == "truncated":
            made_from = (np.zeros(columns),)
            derivatives = np.zeros((cells, columns)), np.zeros((cells, columns))
        else:
            made_from = ()
            derivatives = np.zeros((units, units, columns)), np.zeros((cells, units, columns))
        self._kept = (source, *made_from, self._net, self._s, self._y, *derivatives)

    @property
    def s(self) -> np.ndarray:
        """The cell states at the present time, of shape (cells, blocks), a copy."""
        return self._s.reshape(self.model.cells, self.model.blocks).copy()

    def _loop(self, *arguments: Any) -> float:
        loop = kernels.run_truncated if self.method == "truncated" else kernels.run_online
        return loop(*arguments)
