"""The linear Elman network that counts the ones of a sequence (rnn-15 to rnn-26): one unit and two weights.

    f_t = v_f f_{t-1} + v_x x_t, f_0 = 0; the answer is f_T, and v_x = v_f = 1 counts

The state is a polynomial in v_f, so the loss and its gradient have closed forms: the smallest recurrent network in
which vanishing, explosion and their remedies can be followed by hand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from throughtime.models import validate
from throughtime.models.parameters import Layout, LossGradient

METHODS = ("closed", "rtrl")
LAYOUT = Layout({"v_x": (), "v_f": ()})


@dataclass(frozen=True)
class CounterTrace:
    """A forward pass: [:, t] is time t, from 0; arrays are read-only."""

    x: np.ndarray  # (I, T+1): inputs, 0 at time 0
    f: np.ndarray  # (I, T+1): states
    answer: np.ndarray  # (I,): the state at the end

    def items(self) -> Iterator[tuple[str, np.ndarray]]:
        """Pairs of name and array."""
        return iter((("x", self.x), ("f", self.f), ("answer", self.answer)))


class BitCounter:
    """The network; ``theta`` is [v_x, v_f].

    >>> BitCounter().forward(np.array([1.0, 1.0]), [[1, 0, 1, 1]]).answer.tolist()
    [3.0]
    """

    layout = LAYOUT

    def forward(self, theta: np.ndarray, x: Any) -> CounterTrace:
        """Run on x, of shape (I, T) (rnn-16). ``theta`` may be complex.

        TypeError or ValueError for what does not fit, FloatingPointError on overflow.
        """
        theta = validate.flat_vector("theta", theta, 2, allow_complex=True)
        x = validate.array("x", x, ("I", "T"))
        x = np.concatenate([np.zeros((len(x), 1)), x], axis=1)
        f = np.zeros(x.shape, theta.dtype)
        v_x, v_f = theta
        with np.errstate(over="ignore", invalid="ignore"):
            for t in range(1, x.shape[1]):
                f[:, t] = v_f * f[:, t - 1] + v_x * x[:, t]
        validate.refuse_overflow(f=f)
        trace = CounterTrace(x, f, f[:, -1].copy())
        for _, values in trace.items():
            values.setflags(write=False)
        return trace

    def loss(self, theta: np.ndarray, x: Any, targets: Any = None) -> float | complex:
        """Half the squared error, summed over sequences (rnn-17); ``targets``, (I,), are the counts if not given."""
        trace = self.forward(theta, x)
        error = trace.answer - self._goal(trace, targets)
        with np.errstate(over="ignore", invalid="ignore"):
            loss = 0.5 * (error * error).sum()
        validate.refuse_overflow(loss=loss)
        return loss.item()

    def gradient(self, theta: np.ndarray, x: Any, targets: Any = None, *, method: str = "closed") -> LossGradient:
        """The loss and its gradient by [v_x, v_f]; errors as for ``loss``.

        ``"closed"``  the sums over time of error times power of v_f (rnn-22, rnn-26)
        ``"rtrl"``    the derivatives of the state by both weights, carried forward
        """
        validate.one_of("method", method, METHODS)
        theta = validate.flat_vector("theta", theta, 2)
        trace = self.forward(theta, x)
        loss = self.loss(theta, x, targets)
        error = trace.answer - self._goal(trace, targets)
        with np.errstate(over="ignore", invalid="ignore"):
            gradient = (_closed if method == "closed" else _forward)(theta, trace, error)
        validate.refuse_overflow(gradient=gradient)
        return LossGradient(loss, gradient, method)

    def _goal(self, trace: CounterTrace, targets: Any) -> np.ndarray:
        return trace.x.sum(axis=1) if targets is None else validate.array("targets", targets, trace.answer.shape)


def _closed(theta: np.ndarray, trace: CounterTrace, error: np.ndarray) -> np.ndarray:
    powers = theta[1] ** np.arange(trace.x.shape[1] - 2, -1, -1)
    by_time = error @ trace.x[:, 1:], error @ trace.f[:, :-1]  # rnn-22, rnn-26
    # A power may overflow where its factor is 0, and so has no part in the sum.
    return np.array([factors @ np.where(factors == 0.0, 0.0, powers) for factors in by_time])


def _forward(theta: np.ndarray, trace: CounterTrace, error: np.ndarray) -> np.ndarray:
    by_v_x, by_v_f = np.zeros_like(error), np.zeros_like(error)
    for t in range(1, trace.x.shape[1]):
        by_v_x = theta[1] * by_v_x + trace.x[:, t]
        by_v_f = theta[1] * by_v_f + trace.f[:, t - 1]
    return np.array([error @ by_v_x, error @ by_v_f])
