"""Gradients of the LSTM of 1997 while it runs: the paper's truncated one, and the exact one.

Neither stores the sequence. Truncation leaves one number for each state and each weight of its own row or of
its input gate, twice as many as cells have weights; the exact recursion keeps one for each unit and weight.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _lstm1997_kernels as kernels
from . import _validate
from .lfmn import _refuse_overflow

if TYPE_CHECKING:
    from .lstm1997 import LSTM1997

ONLINE_METHODS = ("truncated", "rtrl")


class OnlineGradient:
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
        self.model = model
        self.method = _validate.one_of("method", method, ONLINE_METHODS)
        self.time = 0
        self.loss = 0.0
        self._weights = model._weights(_validate.flat_vector("theta", theta, model.layout.size))
        self._gradient = tuple(np.zeros_like(weights) for weights in self._weights)
        units, columns = self._weights[0].shape
        cells = model.blocks * model.cells
        self._source = np.zeros(columns)
        self._source[-1] = 1.0
        self._net = np.zeros(units)
        self._s = np.zeros(cells)
        self._y = np.zeros(model.n_out)
        if self.method == "truncated":
            self._made_from = (np.zeros(columns),)
            self._p = np.zeros((cells, columns)), np.zeros((cells, columns))
        else:
            self._made_from = ()
            self._p = np.zeros((units, units, columns)), np.zeros((cells, units, columns))

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the loss so far, a copy."""
        return self.model._flat(*self._gradient)

    @property
    def y(self) -> np.ndarray:
        """The outputs at the present time, a copy; zeros at time 0."""
        return self._y.copy()

    @property
    def s(self) -> np.ndarray:
        """The cell states at the present time, of shape (cells, blocks), a copy."""
        return self._s.reshape(self.model.cells, self.model.blocks).copy()

    @property
    def state_size(self) -> int:
        """How many numbers are kept between steps, the weights included (and a bias for each unit)."""
        states = (self._source, *self._made_from, self._net, self._s, self._y)
        return sum(kept.size for kept in (*self._weights, *self._gradient, *states, *self._p))

    def step(self, x: Any, target: Any = None, sigma: Any = 1) -> None:
        """Go from time t to t+1 on x(t), of shape (n_in,).

        target      target at t+1, of shape (n_out,), or None where there is nothing to predict
        sigma       1 if the step counts in the loss, 0 if not; or one for each output, of shape (n_out,)
        """
        outputs = self.model.n_out
        x = _validate.array("x", x, (self.model.n_in,))
        counts = _validate.binary("sigma", [sigma] * outputs if np.ndim(sigma) == 0 else sigma, outputs)
        if target is None:
            counts, target = np.zeros(outputs), np.zeros(outputs)
        target = _validate.array("target", target, (outputs,))
        self._run(x[None], target[None], counts[None])

    def run(self, x: Any, targets: Any, mask: Any = None) -> None:
        """Take as many steps as x has rows; arguments as for ``LSTM1997.loss``, but real."""
        x = _validate.array("x", x, ("T", self.model.n_in))
        self._run(x, *self.model._goal(len(x), targets, mask))

    def _run(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> None:
        loop = kernels.run_truncated if self.method == "truncated" else kernels.run_online
        states = (self._source, *self._made_from, self._net, self._s, self._y)
        with np.errstate(over="ignore", invalid="ignore"):
            self.loss += loop(self.model._net, *self._weights, x, targets, mask, *states, *self._p, *self._gradient)
        self.time += len(x)
        _refuse_overflow(net=self._net, s=self._s, y=self._y, loss=self.loss)
        for gradient in self._gradient:
            _refuse_overflow(gradient=gradient)
