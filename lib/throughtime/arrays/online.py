"""Gradients while a network runs: the base of online objects, and of the networks that have them."""

from math import isfinite
from typing import Any, ClassVar

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.network import Arrays, Network, goal
from throughtime.arrays.parameters import LossGradient


class OnlineGradient:
    """The gradient of one sequence, one time step after another, in memory that never grows; of ``model.online``.

    Steps and runs may alternate. A new sequence needs a new object. Only ``theta`` can be set, to new weights between
    two steps; all else is read-only. Then the states and the derivatives carried so far stay those of the old weights,
    as in the on-line learning of Williams and Zipser (1989): the sum over steps is no longer the gradient of one
    function, but close to it as long as the weights change slowly.

    An object that raised FloatingPointError has overflowed and cannot go on.

    ``model.unpack(theta)`` gives the weights as the loops have them, ``model.pack`` is its inverse. A subclass sets up
    its memory in ``_start``, runs its loop in ``_loop``, and has the outputs as ``y``.
    """

    __slots__ = ("_gradient", "_loss", "_memory", "_method", "_model", "_time", "_watched", "_weights")

    _memory: tuple[np.ndarray, ...]  # all arrays kept between steps besides weights and gradient
    _watched: dict[str, np.ndarray]  # those among them, by name, in which an overflow is looked for

    def __init__(self, model: Any, weights: tuple[np.ndarray, ...], method: str) -> None:
        """Start at time 0. ``weights`` are those of ``model.unpack``, and copied."""
        self._model, self._method = model, method
        self._time, self._loss = 0, 0.0
        self._weights = model.unpack(model.pack(weights))
        self._gradient = model.unpack(np.zeros(model.layout.size))
        self._start()

    def __repr__(self) -> str:
        return f"OnlineGradient({self._model!r}, method={self._method!r}, time={self._time})"

    @property
    def model(self) -> Any:
        """The network."""
        return self._model

    @property
    def method(self) -> str:
        """The method of ``model.gradient`` that is carried out."""
        return self._method

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
        return self._model.pack(self._gradient)

    @property
    def theta(self) -> np.ndarray:
        """The weights of the next step, a copy; may be set, with errors as for ``model.gradient``."""
        return self._model.pack(self._weights)

    @theta.setter
    def theta(self, theta: Any) -> None:
        theta = validate.array("theta", theta, (self._model.layout.size,))
        self._weights = self._model.unpack(theta.copy())

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
        x = validate.array("x", x, (self._model.n_in,))
        self.advance(x[None], *(array[None] for array in self._model.goal_of_step(target, mask)))

    def run(self, x: Any, targets: Any, mask: Any = None) -> None:
        """Take as many steps as x has rows; arguments and errors as for the model's ``gradient``, one sequence."""
        x = validate.array("x", x, ("T", self._model.n_in))
        self.advance(x, *self._model.goal(targets, mask, x.shape[:1]))

    @np.errstate(over="ignore", invalid="ignore")
    def advance(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> None:
        """``run`` on checked arguments, (T, n_in) and as the model's ``goal`` leaves them; for the library itself."""
        self._loss += self._loop(x, targets, mask)
        self._time += len(x)
        if not isfinite(self._loss):
            validate.check_overflow(**self._watched, loss=self._loss)
        for gradient in self._gradient:
            validate.check_overflow(gradient=gradient)

    def _start(self) -> None:
        """Set ``_memory`` and ``_watched``."""
        raise NotImplementedError

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        """Take the steps, add to ``_gradient`` and return the added loss, NaN where a net input or state overflows."""
        raise NotImplementedError


class OnlineNetwork(Network):
    """Base of networks that also carry derivatives forward, one time step after another."""

    SWEPT: ClassVar[tuple[str, ...]] = ("bptt",)  # the methods that work on the states of all times

    def online(self, theta: Any, method: str = "rtrl") -> OnlineGradient:
        """An object that takes the steps of one sequence and has the gradient of the steps so far.

        ``method`` is one of ``METHODS`` but ``"bptt"``, else ValueError. ``theta`` is real, and copied.
        """
        return self.begin(self._real_weights(theta), self._online_method(method))

    def begin(self, weights: Arrays, method: str) -> OnlineGradient:
        """An ``OnlineGradient`` at time 0, of weights in the shapes of ``unpack``."""
        raise NotImplementedError

    def goal_of_step(self, target: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
        """What ``goal`` returns for one step, each of shape (n_out,); arguments as for ``OnlineGradient.step``."""
        shape = (self.n_out,)
        mask = validate.binary("mask", each(mask, *shape), shape)
        if target is None:
            return np.zeros(shape), np.zeros(shape)
        return goal(validate.array("target", target, shape), mask, shape)

    def _online_method(self, method: str) -> str:
        return validate.one_of("method", method, [name for name in self.METHODS if name != "bptt"])

    def _computed(self, weights: Arrays, *problem: np.ndarray, **how: Any) -> tuple[float, np.ndarray]:
        compute = self._swept if how["method"] in self.SWEPT else self._carried
        return compute(weights, *problem, **how)

    def _carried(self, weights: Arrays, *problem: np.ndarray, **how: Any) -> tuple[float, np.ndarray]:
        """Loss and gradient by one online object for each sequence."""
        loss, gradient = 0.0, np.zeros(self.layout.size)
        for sequence in zip(*problem, strict=True):
            online = self.begin(weights, **how)
            online.advance(*sequence)
            loss, gradient = loss + online.loss, gradient + online.gradient
        validate.check_overflow(loss=loss)
        return loss, gradient


def each(mask: Any, units: int) -> Any:
    """A mask that is one number, for each unit; others, and None, as they are."""
    return mask if mask is None or np.ndim(mask) else np.repeat(mask, units)
