"""What the online gradients share: steps, runs, and the numbers kept between them."""

from typing import Any

import numpy as np

from . import validate


class OnlineSteps:
    """A model's gradient one time step after another. A subclass says what it keeps, and which loop runs.

    It sets ``_gradient``, the sums so far, ``_kept``, all arrays that are kept between steps, and ``_watched``, those
    among them, by name, in which an overflow is an error.
    """

    _gradient: tuple[np.ndarray, ...]
    _kept: tuple[np.ndarray, ...]
    _watched: dict[str, np.ndarray]

    def __init__(self, model: Any, theta: np.ndarray) -> None:
        """Start at time 0. ``theta`` is real, and copied; TypeError or ValueError if it does not fit."""
        self.model = model
        self.time = 0
        self.loss = 0.0
        self._weights = model._weights(validate.flat_vector("theta", theta, model.layout.size).copy())

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the loss so far, a copy."""
        return self._gradient[0].flatten()

    @property
    def state_size(self) -> int:
        """How many numbers are kept between steps, the weights included."""
        return sum(kept.size for kept in self._kept)

    def step(self, x: Any, target: Any = None, sigma: Any = 1) -> None:
        """Take the next step, on an input x of shape (n_in,).

        target      target of the step, of shape (n_out,), or None where there is nothing to predict
        sigma       1 if the step counts in the loss, 0 if not; or one for each output, of shape (n_out,)
        """
        x = validate.array("x", x, (self.model.n_in,))
        mask = self._mask(sigma)
        if target is None:
            mask, target = np.zeros_like(mask), np.zeros(self.model.n_out)
        target = validate.array("target", target, (self.model.n_out,))
        self._run(x[None], target[None], mask)

    def run(self, x: Any, targets: Any, mask: Any = None) -> None:
        """Take as many steps as x has rows; arguments as for the model's ``loss``, but real."""
        x = validate.array("x", x, ("T", self.model.n_in))
        self._run(x, *self.model._goal(len(x), targets, mask))

    def _mask(self, sigma: Any) -> np.ndarray:
        """The mask of one step."""
        outputs = self.model.n_out
        return validate.binary("sigma", [sigma] * outputs if np.ndim(sigma) == 0 else sigma, (outputs,))[None]

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        """Take the steps, add to the gradient and return the added loss."""
        raise NotImplementedError

    def _run(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            self.loss += self._loop(x, targets, mask)
        self.time += len(x)
        validate.refuse_overflow(**self._watched, loss=self.loss)
        for gradient in self._gradient:
            validate.refuse_overflow(gradient=gradient)
