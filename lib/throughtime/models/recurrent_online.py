"""Gradients of the fully recurrent network while it runs: real-time recurrent learning and truncated BPTT.

Neither stores the sequence. The first carries the derivatives of all activations by all weights forward, the
second keeps a ring of the latest states and goes back through it at every step that has a target.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _recurrent_kernels as kernels
from . import _validate

if TYPE_CHECKING:
    from .recurrent import FullyRecurrent


class OnlineGradient:
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
        self.model = model
        self.window = window if window is None else _validate.count("window", window)
        self.time = 0
        self.loss = 0.0
        self._weights = model._weights(_validate.flat_vector("theta", theta, model.layout.size).copy())
        self._gradient = np.zeros_like(self._weights)
        states = 2 if self.window is None else self.window + 2
        self._source = np.zeros((states, model.n_in + model.n_out))
        self._net = np.zeros((states, model.n_out))
        sensitivities = 2 if self.window is None else 0
        self._p = np.zeros((sensitivities, model.n_out, *self._weights.shape))

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the loss so far, a copy."""
        return self._gradient.flatten()

    @property
    def y(self) -> np.ndarray:
        """The activations at the present time, a copy; zeros at time 0."""
        return self._source[self.time % len(self._source), self.model.n_in :].copy()

    @property
    def state_size(self) -> int:
        """How many numbers are kept between steps, the weights included."""
        return sum(kept.size for kept in (self._weights, self._gradient, self._source, self._net, self._p))

    def step(self, x: Any, target: Any = None, sigma: Any = 1) -> None:
        """Go from time t to t+1 on x(t), of shape (n_in,).

        target      target at t+1, of shape (n_out,), or None where there is nothing to predict
        sigma       1 if the step counts in the loss, 0 if not; or one for each unit, of shape (n_out,)
        """
        units = self.model.n_out
        x = _validate.array("x", x, (self.model.n_in,))
        counts = _validate.binary("sigma", [sigma] * units if np.ndim(sigma) == 0 else sigma, (units,))
        if target is None:
            counts, target = np.zeros(units), np.zeros(units)
        target = _validate.array("target", target, (units,))
        self._run(x[None], target[None], counts[None])

    def run(self, x: Any, targets: Any, mask: Any = None) -> None:
        """Take as many steps as x has rows; arguments as for ``FullyRecurrent.loss``, but real."""
        x = _validate.array("x", x, ("T", self.model.n_in))
        self._run(x, *self.model._goal(len(x), targets, mask))

    def _run(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> None:
        start = (self.model._codes, self._weights, x, targets, mask, self.time)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.window is None:
                loss = kernels.run_online(*start, self._source, self._net, self._p, self._gradient)
            else:
                loss = kernels.run_truncated(*start, self.window, self._source, self._net, self._gradient)
        self.loss += loss
        self.time += len(x)
        _validate.refuse_overflow(z=self._net, loss=self.loss, gradient=self._gradient)
