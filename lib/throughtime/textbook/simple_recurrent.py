"""Elman and Jordan networks: one hidden layer that reads, besides the input, its own or the output's last state.

    Elman     context(t) = f(t-1), the hidden activations of the previous step
    Jordan    context(t) = g(t-1), the outputs of the previous step

Both have biases and keep the source's form: rows are sequences and multiply the weight matrices from the left. The
usual way to train them is the truncated gradient, which takes the context for one more input; the exact gradient also
asks where the context came from.

Sources: Elman 1990, Jordan 1986; rnn-1 to rnn-14.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import FORMULAS, ActivationFunction, logistic, named
from throughtime.arrays.network import Arrays, Network, Quantities
from throughtime.arrays.parameters import Layout


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
    METHODS = ("bptt", "truncated")
    TRACE = SimpleTrace
    CHECKED: ClassVar[dict[str, int]] = {"net_f": 1, "net_g": 3}

    n_in: int
    hidden: int
    n_out: int
    f_hid: ActivationFunction | str = logistic
    f_out: ActivationFunction | str = logistic
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
        (v, w), (f, _), (f_out, _) = weights, *self._formulas
        widths = len(v), self.hidden, len(w), self.n_out, self.n_out
        source, net_f, hidden, net_g, g = states = tuple(
            np.zeros((len(x), x.shape[1] + 1, width), v.dtype) for width in widths
        )
        context = source[..., self.sources["context"]]
        fed_back = g if self.jordan else hidden[..., 1:]
        fed_back[:, 0] = self.start
        source[:, 1:, 0] = hidden[:, 1:, 0] = 1.0
        source[:, 1:, self.sources["x"]] = x
        for t in range(1, x.shape[1] + 1):
            context[:, t] = fed_back[:, t - 1]  # rnn-2, rnn-9
            net_f[:, t] = source[:, t] @ v  # rnn-3, rnn-10
            hidden[:, t, 1:] = f(net_f[:, t])  # rnn-4, rnn-11
            net_g[:, t] = hidden[:, t] @ w  # rnn-6, rnn-13
            g[:, t] = f_out(net_g[:, t])  # rnn-7, rnn-14
        return states

    def sweep(self, weights: Arrays, states: Arrays, error: np.ndarray, method: str) -> np.ndarray:
        """The gradient, a flat vector, from ``error``, the immediate dL/dy, (B, T+1, n_out).

        ``"truncated"`` stops the error where it would enter the context.
        """
        (v, w), (source, net_f, hidden, net_g, _) = weights, states
        slope_f, slope_g = (slope(net) for (_, slope), net in zip(self._formulas, (net_f, net_g), strict=True))
        by_net_f, by_net_g, by_g = np.zeros_like(net_f), np.zeros_like(net_g), error.copy()
        back = v[self.sources["context"]].T
        by_f = np.zeros_like(net_f)
        by_fed_back = by_g if self.jordan else by_f
        for t in range(error.shape[1] - 1, 0, -1):
            by_net_g[:, t] = slope_g[:, t] * by_g[:, t]
            by_f[:, t] += by_net_g[:, t] @ w[1:].T
            by_net_f[:, t] = slope_f[:, t] * by_f[:, t]
            if method == "bptt":
                by_fed_back[:, t - 1] += by_net_f[:, t] @ back
        pairs = (source, by_net_f), (hidden, by_net_g)
        return self.pack(tuple(np.tensordot(read, by_net, axes=([0, 1], [0, 1])) for read, by_net in pairs))

    @property
    def _formulas(self) -> tuple:
        """f and f' of the hidden units, and of the outputs."""
        return tuple(FORMULAS[named(name, getattr(self, name)).name] for name in ("f_hid", "f_out"))


class Elman(SimpleRecurrent):
    """The Elman network (rnn-1 to rnn-7): the context is a copy of the hidden layer of the previous step.

    n_in        N inputs, at least 0
    hidden      K hidden units, at least 1
    n_out       J outputs, at least 1
    f_hid       activation of the hidden units, an ActivationFunction or its name
    f_out       activation of the outputs
    start       the first context f(0), one number for all units; Elman took 0.5

    The parameters are a flat vector ``theta``, laid out by ``layout``. Beside the exact gradient, ``"bptt"``, there is
    ``"truncated"``, Elman's: the context counts as an input, so no error passes from a step to the one before. Raises
    TypeError or ValueError, naming the argument, for counts that are no integers or too small, for what is no
    activation and for a start that is not finite.

    A linear unit that reads its own last state counts:

    >>> net = Elman(n_in=1, hidden=1, n_out=1, f_hid="identity", f_out="identity")
    >>> net.forward([0.0, 1.0, 1.0, 0.0, 1.0], [[1.0], [0.0], [1.0], [1.0]]).y[1:, 0].tolist()
    [1.0, 1.0, 2.0, 3.0]
    """

    jordan = False


class Jordan(SimpleRecurrent):
    """The Jordan network (rnn-8 to rnn-14): the context is a copy of the outputs of the previous step.

    Arguments, parameters and errors as for ``Elman``; ``start`` is g(0).
    """

    jordan = True
