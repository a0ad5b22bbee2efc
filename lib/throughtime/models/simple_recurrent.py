"""Elman and Jordan networks: one hidden layer that reads, besides the input, its own or the output's last state.

    Elman     context(t) = f(t-1), the hidden activations of the previous step
    Jordan    context(t) = g(t-1), the outputs of the previous step

Both have biases and keep the source's form: rows are sequences and multiply the weight matrices from the left. The
usual way to train them is the truncated gradient, which takes the context for one more input; the exact gradient also
asks where the context came from.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import Activation, logistic, named
from throughtime.arrays.network import Arrays, Network, Quantities
from throughtime.arrays.online import OnlineGradient
from throughtime.arrays.parameters import Layout
from throughtime.models import _simple_recurrent_kernels as kernels

METHODS = ("bptt", "rtrl", "truncated")


@dataclass(frozen=True)
class SimpleTrace(Quantities):
    """Every quantity of a forward pass: row t of each array is time t, after the axis of sequences if there is one.

    Times are 1 to T. Time 0 holds the first context, f(0) or g(0), and is zero otherwise. The arrays are read-only.
    """

    extended_x: np.ndarray  # (T+1, 1 + N + context): [1, x(t), context(t)] (rnn-2, rnn-9)
    net_f: np.ndarray  # (T+1, K): net inputs of the hidden units (rnn-3, rnn-10)
    extended_f: np.ndarray  # (T+1, 1 + K): [1, f(t)] (rnn-5, rnn-12)
    net_g: np.ndarray  # (T+1, J): net inputs of the outputs (rnn-6, rnn-13)
    g: np.ndarray  # (T+1, J): outputs (rnn-7, rnn-14)

    @property
    def f(self) -> np.ndarray:
        """Hidden activations, (T+1, K) (rnn-4, rnn-11)."""
        return self.extended_f[..., 1:]

    @property
    def y(self) -> np.ndarray:
        """The outputs g under the name that they have in every trace."""
        return self.g


@dataclass(frozen=True)
class SimpleRecurrent(Network):
    """Base of ``Elman`` and ``Jordan``, which differ in the units that their context copies."""

    jordan: ClassVar[bool]
    METHODS = METHODS
    SWEPT = METHODS
    TRACE = SimpleTrace
    CHECKED: ClassVar[dict[str, int]] = {"net_f": 1, "net_g": 3}

    n_in: int
    hidden: int
    n_out: int
    f_hid: Activation | str = logistic
    f_out: Activation | str = logistic
    start: float = 0.0

    def __post_init__(self) -> None:
        self._check_counts(n_in=0, hidden=1, n_out=1)
        self._check_activations("f_hid", "f_out")
        object.__setattr__(self, "start", validate.number("start", self.start))

    @property
    def n_context(self) -> int:
        """Number of context units: K for Elman, J for Jordan."""
        return self.n_out if self.jordan else self.hidden

    @property
    def sources(self) -> dict[str, slice]:
        """The rows of v by source: the biases, ``"1"``, the inputs, ``"x"``, and the ``"context"``."""
        first = 1 + self.n_in
        return {"1": slice(0, 1), "x": slice(1, first), "context": slice(first, first + self.n_context)}

    @cached_property
    def layout(self) -> Layout:
        """Shapes of the parameters: v, from [1, x, context] (rows) to hidden units, and w, from [1, f] to outputs."""
        rows = 1 + self.n_in + self.n_context
        return Layout({"v": (rows, self.hidden), "w": (1 + self.hidden, self.n_out)})

    def run(self, weights: Arrays, x: np.ndarray) -> Arrays:
        """States of a forward pass over a batch x, (B, T, n_in): the fields of ``SimpleTrace``."""
        states = self.empty((len(x), x.shape[1] + 1), weights[0].dtype)
        states[0][:, 1:, self.sources["x"]] = x
        for sequence in zip(*states, strict=True):
            kernels.forward(self.codes, self.jordan, *weights, *sequence)
        return states

    def sweep(self, weights: Arrays, states: Arrays, error: np.ndarray, method: str) -> np.ndarray:
        """The gradient, a flat vector, from ``error``, the immediate dL/dy, (B, T+1, n_out)."""
        gradient = np.zeros(self.layout.size)
        parts = self.unpack(gradient)
        for sequence in zip(*states[:-1], error, strict=True):
            if method == "rtrl":
                context = np.zeros((self.n_context, gradient.size))
                given = (*weights, *sequence, context, gradient)
                kernels.online(self.codes, self.jordan, *given)
            else:
                kernels.backward(self.codes, self.jordan, method == "truncated", *weights, *sequence, *parts)
        return gradient

    def begin(self, weights: Arrays, method: str) -> OnlineGradient:
        """An ``OnlineGradient`` at time 0, ``weights`` being arrays of the shapes in ``layout``."""
        return _OnlineGradient(self, weights, method)

    def empty(self, rows: tuple[int, ...], dtype: np.dtype | type = np.float64) -> Arrays:
        """States of shapes (*rows, width), zero but for ones and the first context; the last of ``rows`` is time."""
        widths = (self.layout.shapes["v"][0], self.hidden, 1 + self.hidden, self.n_out, self.n_out)
        source, net_f, hidden, net_g, g = (np.zeros((*rows, width), dtype) for width in widths)
        source[..., 1:, 0] = hidden[..., 1:, 0] = 1.0
        (g if self.jordan else hidden[..., 1:])[..., 0, :] = self.start
        return source, net_f, hidden, net_g, g

    @cached_property
    def codes(self) -> np.ndarray:
        """The numbers of both activations, for the inner protocol."""
        return np.array([named("f_hid", self.f_hid).code, named("f_out", self.f_out).code])


class Elman(SimpleRecurrent):
    """The Elman network (rnn-1 to rnn-7): the context is a copy of the hidden layer of the previous step.

    n_in        N inputs, at least 0
    hidden      K hidden units, at least 1
    n_out       J outputs, at least 1
    f_hid       activation of the hidden units, an Activation or its name
    f_out       activation of the outputs
    start       the first context f(0), one number for all units; Elman took 0.5

    The parameters are a flat vector ``theta``, laid out by ``layout``. Beside ``"bptt"`` and ``"rtrl"``, the exact
    methods of ``gradient``, there is ``"truncated"``, Elman's: the context counts as an input, so no error passes
    from a step to the one before. Raises TypeError or ValueError, naming the argument, for counts that are no integers
    or too small, for what is no activation and for a start that is not finite.

    The forward pass as a textbook has it:

    >>> def textbook(model, theta, x):
    ...     p = model.layout.views(theta)
    ...     f, g = np.full(model.hidden, model.start), [np.zeros(model.n_out)]
    ...     for x_t in x:
    ...         f = model.f_hid(np.concatenate([[1.0], x_t, f]) @ p["v"])
    ...         g.append(model.f_out(np.concatenate([[1.0], f]) @ p["w"]))
    ...     return np.array(g)
    >>> model = Elman(n_in=1, hidden=2, n_out=1, start=0.5)
    >>> theta, x = model.init(seed=0, scale=1.0), np.array([[1.0], [0.5], [-1.0]])
    >>> np.allclose(textbook(model, theta, x), model.forward(theta, x).y)
    True
    """

    jordan = False


class Jordan(SimpleRecurrent):
    """The Jordan network (rnn-8 to rnn-14): the context is a copy of the outputs of the previous step.

    Arguments, parameters and errors as for ``Elman``; ``start`` is g(0). The forward pass as a textbook has it:

    >>> def textbook(model, theta, x):
    ...     p = model.layout.views(theta)
    ...     g = [np.full(model.n_out, model.start)]
    ...     for x_t in x:
    ...         f = model.f_hid(np.concatenate([[1.0], x_t, g[-1]]) @ p["v"])
    ...         g.append(model.f_out(np.concatenate([[1.0], f]) @ p["w"]))
    ...     return np.array(g)
    >>> model = Jordan(n_in=1, hidden=2, n_out=1, start=0.5)
    >>> theta, x = model.init(seed=0, scale=1.0), np.array([[1.0], [0.5], [-1.0]])
    >>> np.allclose(textbook(model, theta, x), model.forward(theta, x).y)
    True
    """

    jordan = True


class _OnlineGradient(OnlineGradient):
    """Online gradient; keeps the states of two time steps and, if exact, the derivatives of the context."""

    __slots__ = ()

    def _start(self) -> None:
        model = self.model
        states, carried = model.empty((2,)), model.n_context if self.method == "rtrl" else 0
        self._gradient = (np.zeros(model.layout.size),)  # one vector, by whose parameters the context is derived
        self._memory = (*states, np.zeros((carried, model.layout.size)))
        self._watched = {"net_f": states[1], "net_g": states[3]}

    @property
    def y(self) -> np.ndarray:
        """The outputs at the present time, a copy; at time 0 zeros, or the first context of a Jordan network."""
        return self._memory[4][0].copy()

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        given = (self.model.codes, self.model.jordan, *self._weights, x, targets, mask)
        return kernels.run_online(*given, *self._memory, *self._gradient)
