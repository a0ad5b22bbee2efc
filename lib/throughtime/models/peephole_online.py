"""Gradients of the LSTM with forget gates and peepholes while it runs: the truncated one, and the exact one.

Neither stores the sequence. Truncation leaves one number for each state and each weight of its own row, of
its forget gate or of its input gate; the exact recursion keeps one for each unit and weight.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _peephole_kernels as kernels
from ._online import OnlineSteps

if TYPE_CHECKING:
    from .peephole import PeepholeLSTM


class OnlineGradient(OnlineSteps):
    """The gradient one time step after another, in memory that never grows. A new sequence needs a new object.

    ``"truncated"`` is the paper's method (peephole-7 to 11, 15 to 17), in time and memory proportional to the
    number of weights. ``"rtrl"`` is exact, and keeps the derivatives of every unit by every weight.

    >>> from throughtime.models.peephole import PeepholeLSTM
    >>> model = PeepholeLSTM(n_in=1, blocks=1, cells=1, n_out=1)
    >>> online = OnlineGradient(model, model.init(0))
    >>> for x, target in [([0.5], None), ([-0.5], [0.25])]:
    ...     online.step(x, target)
    >>> online.time, online.gradient.shape == (model.layout.size,)
    (2, True)
    """

    def __init__(self, model: "PeepholeLSTM", theta: np.ndarray, method: str = "truncated") -> None:
        """Start at time 0. ``theta`` is real, and copied; TypeError or ValueError if it or method does not fit."""
        super().__init__(model, theta, method)
        units, width = self._weights[0].shape
        cells = model.blocks * model.cells
        source = np.zeros(model._columns + 1)
        source[-1] = 1.0
        self._net, self._s, self._y = np.zeros(units), np.zeros(cells), np.zeros(model.n_out)
        shapes = [(cells, width)] * 3 if self.method == "truncated" else [(units, units, width), (cells, units, width)]
        self._kept = (source, self._net, self._s, np.zeros(units), self._y, *map(np.zeros, shapes))

    @property
    def s(self) -> np.ndarray:
        """The cell states at the present time, of shape (blocks, cells), a copy."""
        return self._s.reshape(self.model.blocks, self.model.cells).copy()

    def _loop(self, *arguments: Any) -> float:
        loop = kernels.run_truncated if self.method == "truncated" else kernels.run_online
        return loop(*arguments)
