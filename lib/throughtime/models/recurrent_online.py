"""Gradients of the fully recurrent network while it runs: real-time recurrent learning and truncated BPTT.

Neither stores the sequence. The first carries the derivatives of all activations by all weights forward, the
second keeps a ring of the latest states and goes back through it at every step that has a target.
"""

from typing import TYPE_CHECKING

import numpy as np

from . import _recurrent_kernels as kernels
from . import validate
from ._online import OnlineSteps

if TYPE_CHECKING:
    from .recurrent import FullyRecurrent


class OnlineGradient(OnlineSteps):
    """The gradient one time step after another, in memory that never grows. A new sequence needs a new object.

    Without a window it is exact, by real-time recurrent learning (Williams and Zipser 1989): kept between
    steps are dy_k(t)/dW_ij, of third order in the units, and a step takes a time of fourth order. With a
    window it is truncated back-propagation through time as ``FullyRecurrent.gradient`` defines it: kept are
    the last window + 2 states, and from a step with a target the error goes back at most window steps.

    >>> from throughtime.models.recurrent import FullyRecurrent
    >>> model = FullyRecurrent(n_in=1, n_out=1)
    >>> online = OnlineGradient(model, model.init(0))
    >>> for x, target in [([0.5], None), ([-0.5], [0.25])]:
    ...     online.step(x, target)
    >>> online.time, online.gradient.shape
    (2, (2,))
    """

    def __init__(self, model: "FullyRecurrent", theta: np.ndarray, window: int | None = None) -> None:
        """Start at time 0. ``theta`` is real, and copied; TypeError or ValueError if it or window does not fit."""
        super().__init__(model, theta)
        self.window = window if window is None else validate.count("window", window)
        states = 2 if self.window is None else self.window + 2
        self._source = np.zeros((states, model.n_in + model.n_out))
        self._net = np.zeros((states, model.n_out))
        self._p = np.zeros((2 if self.window is None else 0, model.n_out, *self._weights.shape))
        self._gradient = (np.zeros_like(self._weights),)
        self._kept = (self._weights, *self._gradient, self._source, self._net, self._p)
        self._watched = {"z": self._net}

    @property
    def y(self) -> np.ndarray:
        """The activations at the present time, a copy; zeros at time 0."""
        return self._source[self.time % len(self._source), self.model.n_in :].copy()

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        start = (self.model._codes, self._weights, x, targets, mask, self.time)
        if self.window is None:
            return kernels.run_online(*start, self._source, self._net, self._p, *self._gradient)
        return kernels.run_truncated(*start, self.window, self._source, self._net, *self._gradient)
