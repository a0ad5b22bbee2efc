"""What the online gradients of the LSTMs share: steps, runs, and the numbers kept between them."""

from typing import Any

import numpy as np

from . import _validate

ONLINE_METHODS = ("truncated", "rtrl")


class OnlineSteps:
    """A model's gradient one time step after another. A subclass says which loop runs, and what it keeps.

    It sets ``_kept``, the states and their derivatives in the order in which ``_loop`` takes them, the last
    activation of the outputs among them as ``_y``.
    """

    _kept: tuple[np.ndarray, ...]
    _y: np.ndarray
    _s: np.ndarray

    def __init__(self, model: Any, theta: np.ndarray, method: str = "truncated") -> None:
        """Start at time 0. ``theta`` is real, and copied; TypeError or ValueError if it or method does not fit."""
        self.model = model
        self.method = _validate.one_of("method", method, ONLINE_METHODS)
        self.time = 0
        self.loss = 0.0
        self._weights = model._weights(_validate.flat_vector("theta", theta, model.layout.size))
        self._gradient = tuple(np.zeros_like(weights) for weights in self._weights)

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the loss so far, a copy."""
        return self.model._flat(*self._gradient)

    @property
    def y(self) -> np.ndarray:
        """The outputs at the present time, a copy; zeros at time 0."""
        return self._y.copy()

    @property
    def state_size(self) -> int:
        """How many numbers are kept between steps, the weights included (and a bias for each unit)."""
        return sum(kept.size for kept in (*self._weights, *self._gradient, *self._kept))

    def step(self, x: Any, target: Any = None, sigma: Any = 1) -> None:
        """Take the next step, on an input x of shape (n_in,).

        target      target of the step, of shape (n_out,), or None where there is nothing to predict
        sigma       1 if the step counts in the loss, 0 if not; or one for each output, of shape (n_out,)
        """
        outputs = self.model.n_out
        x = _validate.array("x", x, (self.model.n_in,))
        counts = _validate.binary("sigma", [sigma] * outputs if np.ndim(sigma) == 0 else sigma, (outputs,))
        if target is None:
            counts, target = np.zeros(outputs), np.zeros(outputs)
        target = _validate.array("target", target, (outputs,))
        self._run(x[None], target[None], counts[None])

    def run(self, x: Any, targets: Any, mask: Any = None) -> None:
        """Take as many steps as x has rows; arguments as for the model's ``loss``, but real."""
        x = _validate.array("x", x, ("T", self.model.n_in))
        self._run(x, *self.model._goal(len(x), targets, mask))

    def _loop(self, *arguments: Any) -> float:
        raise NotImplementedError

    def _run(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self.loss += self._loop(self.model._net, *self._weights, x, targets, mask, *self._kept, *self._gradient)
        self.time += len(x)
        _validate.refuse_overflow(net=self._net, s=self._s, y=self._y, loss=self.loss)
        for gradient in self._gradient:
            _validate.refuse_overflow(gradient=gradient)
