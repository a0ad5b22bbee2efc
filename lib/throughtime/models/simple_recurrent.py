"""Elman and Jordan networks: one hidden layer that reads, besides the input, its own or the output's last state.

    Elman     context(t) = f(t-1), the hidden activations of the step before
    Jordan    context(t) = g(t-1), the outputs of the step before

Both have biases, run over a batch of sequences of one length, and keep the source's form: rows are sequences and
multiply the weight matrices from the left. The usual way to train them is the truncated gradient, which takes the
context for one more input; the exact gradient also asks where the context came from.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from . import _simple_recurrent_kernels as kernels
from . import validate
from ._loss import goal, half_square
from ._trace import Quantities
from .activations import Activation, logistic
from .parameters import Layout, LossGradient

__all__ = ["METHODS", "Elman", "Jordan", "SimpleTrace"]

METHODS = ("bptt", "rtrl", "truncated")


@dataclass(frozen=True)
class SimpleTrace(Quantities):
    """Every quantity of a forward pass, sequence by time by component: [:, t] is time t; arrays are read-only.

    Times are 1 to T. Time 0 holds the first context, f(0) or g(0), and is zero otherwise.
    """

    extended_x: np.ndarray  # (I, T+1, 1 + N + context): [1, x(t), context(t)] (rnn-2, rnn-9)
    net_f: np.ndarray  # (I, T+1, K): net inputs of the hidden units (rnn-3, rnn-10)
    extended_f: np.ndarray  # (I, T+1, 1 + K): [1, f(t)] (rnn-5, rnn-12)
    net_g: np.ndarray  # (I, T+1, J): net inputs of the outputs (rnn-6, rnn-13)
    g: np.ndarray  # (I, T+1, J): outputs (rnn-7, rnn-14)

    @property
    def f(self) -> np.ndarray:
        """Hidden activations, (I, T+1, K) (rnn-4, rnn-11)."""
        return self.extended_f[:, :, 1:]


@dataclass(frozen=True)
class _SimpleRecurrent:
    """What both architectures share; they differ in what their context units copy."""

    jordan: ClassVar[bool]

    n_in: int
    n_hidden: int
    n_out: int
    hidden: Activation = logistic
    output: Activation = logistic
    start: float = 0.0

    def __post_init__(self) -> None:
        for name, minimum in (("n_in", 0), ("n_hidden", 1), ("n_out", 1)):
            object.__setattr__(self, name, validate.count(name, getattr(self, name), minimum))
        for name in ("hidden", "output"):
            if not isinstance(getattr(self, name), Activation):
                raise TypeError(f"{name}: expected an Activation, got {type(getattr(self, name)).__name__}")
        object.__setattr__(self, "start", validate.number("start", self.start))

    @property
    def n_context(self) -> int:
        """How many context units there are: K for Elman, J for Jordan."""
        return self.n_out if self.jordan else self.n_hidden

    @cached_property
    def layout(self) -> Layout:
        """Shapes of the parameters: v, whose rows read [1, x, context], and w, whose rows read [1, f]."""
        rows = 1 + self.n_in + self.n_context
        return Layout({"v": (rows, self.n_hidden), "w": (1 + self.n_hidden, self.n_out)})

    def init(self, seed: int | np.random.Generator, scale: float = 0.5) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], scale > 0, by a seed >= 0 or a generator."""
        return self.layout.uniform(seed, scale)

    def forward(self, theta: np.ndarray, x: Any) -> SimpleTrace:
        """Run the network on x, of shape (I, T, N): I sequences of T inputs, x[:, t-1] being x(t).

        ``theta`` and ``x`` may be complex, for the complex step. Raises TypeError or ValueError for what does not
        fit, FloatingPointError if a net input overflows.
        """
        theta = validate.flat_vector("theta", theta, self.layout.size, allow_complex=True)
        x = validate.array("x", x, ("I", "T", self.n_in), allow_complex=True)
        dtype = np.result_type(theta, x)
        trace = self._states(x, dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.forward_batch(self._codes, self.jordan, *self._weights(theta.astype(dtype)), *trace)
        validate.refuse_overflow(net_f=trace[1], net_g=trace[3])
        for values in trace:
            values.setflags(write=False)
        return SimpleTrace(*trace)

    def loss(self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """Half the sum of mask (g - target)^2 over sequences, steps and outputs, analytic in ``theta`` and ``x``.

        targets     (I, T, J), finite also where the mask is 0
        mask        zeros and ones, (T,) for whole steps or (I, T, J) one by one; None for all ones

        Errors as for ``forward``.
        """
        g = self.forward(theta, x).g[:, 1:]
        targets, mask = goal(targets, mask, g.shape)
        return half_square(g - targets, mask)

    def gradient(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, method: str = "bptt"
    ) -> LossGradient:
        """The loss and its gradient by ``theta``; arguments as for ``loss``, but real.

        ``"bptt"``      exact: the error is swept back through the stored trace
        ``"rtrl"``      exact: the derivatives of all activations by all parameters are carried forward
        ``"truncated"`` Elman's: the context counts as an input, so no error passes from a step to the one before

        Errors as for ``forward``; ValueError for an unknown method.
        """
        validate.one_of("method", method, METHODS)
        theta = validate.flat_vector("theta", theta, self.layout.size)
        x = validate.array("x", x, ("I", "T", self.n_in))
        trace = self.forward(theta, x)
        targets, mask = goal(targets, mask, trace.g[:, 1:].shape)
        error = np.zeros(trace.g.shape)  # the immediate derivative of the loss by g
        error[:, 1:] = trace.g[:, 1:] - targets
        loss = half_square(error[:, 1:], mask)
        error[:, 1:] *= mask
        gradient = np.zeros(self.layout.size)
        states = (trace.extended_x, trace.net_f, trace.extended_f, trace.net_g, error)
        weights = self._weights(theta)
        with np.errstate(over="ignore", invalid="ignore"):
            if method == "rtrl":
                kernels.online_batch(self._codes, self.jordan, *weights, *states, gradient)
            else:
                cut = method == "truncated"
                kernels.backward_batch(self._codes, self.jordan, cut, *weights, *states, *self._weights(gradient))
        validate.refuse_overflow(gradient=gradient)
        return LossGradient(loss, gradient, method)

    def _states(self, x: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, ...]:
        """Arrays for a trace, filled with what is known beforehand: ones, inputs and the first context."""
        sequences, length, _ = x.shape
        widths = (self.layout.shapes["v"][0], self.n_hidden, 1 + self.n_hidden, self.n_out, self.n_out)
        source, net_f, hidden, net_g, g = (np.zeros((sequences, length + 1, width), dtype) for width in widths)
        source[:, 1:, 0] = hidden[:, 1:, 0] = 1.0
        source[:, 1:, 1 : 1 + self.n_in] = x
        (g if self.jordan else hidden[:, :, 1:])[:, 0] = self.start
        return source, net_f, hidden, net_g, g

    @cached_property
    def _codes(self) -> np.ndarray:
        return np.array([self.hidden.code, self.output.code])

    def _weights(self, theta: np.ndarray) -> tuple[np.ndarray, ...]:
        # Contiguous and writable, so that every call meets the same compiled kernel.
        return tuple(self.layout.views(np.require(theta, requirements=["C", "W"])).values())


class Elman(_SimpleRecurrent):
    """The Elman network (rnn-1 to rnn-7): the context is a copy of the hidden layer of the step before.

    n_in        N inputs, at least 0
    n_hidden    K hidden units, at least 1
    n_out       J outputs, at least 1
    hidden      activation of the hidden units
    output      activation of the outputs
    start       the first context f(0), one number for all units; Elman took 0.5

    The parameters are a flat vector ``theta``, laid out by ``layout``. Raises TypeError or ValueError, naming the
    argument, for counts that are no integers or too small, for what is no activation and for a start that is not
    finite.

    >>> from throughtime.models.activations import identity
    >>> model = Elman(n_in=1, n_hidden=1, n_out=1, hidden=identity, output=identity)
    >>> theta = model.layout.flatten({"v": [[0.0], [1.0], [1.0]], "w": [[0.0], [1.0]]})  # sums its inputs
    >>> model.forward(theta, [[[1.0], [0.0], [1.0]]]).g[0, 1:, 0].tolist()
    [1.0, 1.0, 2.0]
    """

    jordan = False


class Jordan(_SimpleRecurrent):
    """The Jordan network (rnn-8 to rnn-14): the context is a copy of the outputs of the step before.

    Arguments, parameters and errors as for ``Elman``; ``start`` is g(0).
    """

    jordan = True
