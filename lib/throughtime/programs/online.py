"""Gradients while a compiled network runs: what it carries forward, one time step after another."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.network import Arrays, quiet
from throughtime.arrays.parameters import LossGradient


class OnlineGradient:
    """The gradient of one sequence, one time step after another, in memory that never grows; of ``net.online``.

    Kept are the states of the present step and of those before it that are read, and derivatives. A state of the
    present step is an attribute by its name, a copy.

    Steps and runs may alternate. A new sequence needs a new object. Only ``theta`` can be set, to new weights between
    two steps; all else is read-only. Then the states and the derivatives carried so far stay those of the old weights,
    as in the on-line learning of Williams and Zipser (1989): the sum over steps is no longer the gradient of one
    function, but close to it as long as the weights change slowly.

    An object that raised FloatingPointError has overflowed and cannot go on.
    """

    __slots__ = ("_gradient", "_loss", "_memory", "_method", "_net", "_time", "_watched", "_weights")

    def __init__(self, net: Any, weights: Arrays, method: str) -> None:
        """Start at time 0. ``weights`` are those of ``net.unpack``, and copied."""
        self._net, self._method = net, method
        self._time, self._loss = 0, 0.0
        self._weights = net.unpack(net.pack(weights))
        self._gradient = net.unpack(np.zeros(net.layout.size))
        (_, steps), _ = net._written(method)
        arrays = net._new(steps, 0)
        self._memory = arrays[: len(arrays) - len(self._gradient)]
        self._watched = {name: self._memory[[*steps.arrays].index(name)] for name in net.STATES}
        nothing = (np.zeros((0, width)) for width in (net.n_in, net.n_out, net._n_mask))
        net._module(method, 0).start(0, *net._shared(self._weights, *nothing), *self._memory, *self._gradient)

    def __repr__(self) -> str:
        return f"OnlineGradient({self._net!r}, method={self._method!r}, time={self._time})"

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):  # of an object that is not whole yet, as in a copy
            raise AttributeError(name)
        if name in self._watched:
            return self._watched[name].copy()
        raise AttributeError(f"no attribute {name!r}; the states are {sorted(self._watched)}")

    @property
    def time(self) -> int:
        """Number of steps taken."""
        return self._time

    @property
    def loss(self) -> float:
        """The loss of the steps so far, or since ``take``."""
        return self._loss

    @property
    def gradient(self) -> np.ndarray:
        """The gradient of the loss so far, or since ``take``, with respect to theta; a copy."""
        return self._net.pack(self._gradient)

    @property
    def theta(self) -> np.ndarray:
        """The weights of the next step, a copy; may be set, with errors as for ``net.gradient``."""
        return self._net.pack(self._weights)

    @theta.setter
    def theta(self, theta: Any) -> None:
        theta = validate.array("theta", theta, (self._net.layout.size,))
        self._weights = self._net.unpack(theta.copy())

    @property
    def state_size(self) -> int:
        """Count of the numbers kept between steps, weights and gradient included."""
        return sum(kept.size for kept in (*self._weights, *self._gradient, *self._memory))

    def take(self) -> LossGradient:
        """The loss and gradient of the steps since the last ``take``, or the start; both sums begin anew."""
        taken = LossGradient(self.loss, self.gradient, self._method)
        self._loss = 0.0
        for gradient in self._gradient:
            gradient[...] = 0.0
        return taken

    def step(self, x: Any, target: Any = None, mask: Any = None) -> None:
        """Take the next step, on an input x of shape (n_in,).

        target      target of the step, of shape (n_out,), or None where there is none
        mask        1 if the step counts in the loss, as it does for None, 0 if not; or one for each output, (n_out,)

        TypeError or ValueError for what does not fit; the object is then as before. FloatingPointError on overflow.
        """
        x = validate.array("x", x, (self._net.n_in,))
        self.advance(x[None], *(array[None] for array in self._net.goal_of_step(target, mask)))

    def run(self, x: Any, targets: Any, mask: Any = None) -> None:
        """Take as many steps as x has rows; arguments and errors as for the network's ``gradient``, one sequence."""
        x = validate.array("x", x, ("T", self._net.n_in))
        self.advance(x, *self._net.goal(targets, mask, x.shape[:1]))

    @quiet
    def advance(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> None:
        """``run`` on checked arguments, (T, n_in) and as the network's ``goal`` leaves them; for the library itself."""
        shared = self._net._shared(self._weights, x, targets, mask)
        self._loss += self._net._module(self._method, len(x)).steps(len(x), *shared, *self._memory, *self._gradient)
        self._time += len(x)
        if not isfinite(self._loss):
            validate.check_overflow(**self._watched, loss=self._loss)
        for gradient in self._gradient:
            validate.check_overflow(gradient=gradient)
