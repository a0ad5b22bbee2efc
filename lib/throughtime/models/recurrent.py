"""The fully recurrent network: forward pass, loss, error signals, exact and truncated gradients.

Every unit reads every input and every unit of the step before, so its error travels along a number of paths
that grows exponentially with the lag. Back-propagation through time sums them backwards, in the memory of the
whole sequence; real-time recurrent learning forwards, in memory of third order in the units and no more.
Elman and Jordan networks, of one hidden layer and a context, are in ``simple_recurrent``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import _recurrent_kernels as kernels
from . import validate
from ._loss import goal, half_square
from ._trace import Steps
from .activations import Activation, logistic
from .parameters import Layout, LossGradient
from .recurrent_online import OnlineGradient
from .simple_recurrent import Elman, Jordan, SimpleTrace

__all__ = ["METHODS", "Elman", "ErrorSignals", "FullyRecurrent", "Jordan", "OnlineGradient", "SimpleTrace", "Trace"]

METHODS = ("bptt", "rtrl", "truncated")


@dataclass(frozen=True)
class Trace(Steps):
    """Every quantity of a forward pass. Row t of each array is time t; the arrays are read-only.

    Inputs have the times 0, ..., T-1, the others 0, ..., T. y(0) is the zero initial state; there is no z(0),
    its row is zero and nothing depends on it.
    """

    x: np.ndarray  # (T, n_in)
    z: np.ndarray  # (T+1, n_out): net inputs
    y: np.ndarray  # (T+1, n_out): activations


class ErrorSignals(NamedTuple):
    """Total derivatives of the loss, time by unit: row t is time t = 0, ..., T.

    Row 0 of ``y`` is the derivative by the initial state; that of ``z`` is zero, for there is no z(0).
    """

    z: np.ndarray  # (T+1, n_out): dL/dz(t)
    y: np.ndarray  # (T+1, n_out): dL/dy(t)


@dataclass(frozen=True)
class FullyRecurrent:
    """The architecture (bptt-forward): z(t+1) = W . [x(t); y(t)], y_i(t+1) = f_i(z_i(t+1)), y(0) = 0.

    n_in        inputs, at least 0
    n_out       units, at least 1; any of them may have a target
    activation  f, one for all units or a sequence of one for each; kept as a tuple of n_out

    The parameters are a flat vector ``theta``, laid out by ``layout``: W alone, row by row. Raises TypeError
    or ValueError, naming the argument, for counts that are no integers or too small and for what is no
    activation.

    >>> model = FullyRecurrent(n_in=1, n_out=2)
    >>> theta = model.layout.flatten({"W": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]})
    >>> model.forward(theta, [[0.0], [0.0]]).y[1:, 0].tolist()
    [0.5, 0.5]
    """

    n_in: int
    n_out: int
    activation: Activation | Sequence[Activation] = logistic

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_in", validate.count("n_in", self.n_in))
        object.__setattr__(self, "n_out", validate.count("n_out", self.n_out, minimum=1))
        object.__setattr__(self, "activation", _one_per_unit(self.activation, self.n_out))

    @cached_property
    def layout(self) -> Layout:
        """Name and shape of the parameters: the columns of W are first the inputs, then the units."""
        return Layout({"W": (self.n_out, self.n_in + self.n_out)})

    def recurrent_weights(self, theta: np.ndarray) -> np.ndarray:
        """The square part of W, from unit (column) to unit (row), as a view of ``theta``."""
        return self.layout.views(theta)["W"][:, self.n_in :]

    def init(self, seed: int | np.random.Generator, scale: float = 0.1) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], scale > 0, by a seed >= 0 or a generator."""
        return self.layout.uniform(seed, scale)

    def forward(self, theta: np.ndarray, x: Any) -> Trace:
        """Run the network on x, of shape (T, n_in), row t being x(t) (bptt-forward).

        ``theta`` and ``x`` may be complex, for the complex step. Raises TypeError or ValueError for what
        does not fit, FloatingPointError if a net input overflows.
        """
        source, net = self._forward(theta, x)
        source.setflags(write=False)
        net.setflags(write=False)
        return Trace(source[:-1, : self.n_in], net, source[:, self.n_in :])

    def loss(self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """Half the sum of mask (y - target)^2 over steps and units (bptt-2), analytic in ``theta`` and ``x``.

        targets     (T, n_out), row t-1 being the target at time t, finite also where the mask is 0
        mask        zeros and ones, of shape (T,) for whole steps or (T, n_out) unit by unit; None for all ones

        Errors as for ``forward``.
        """
        y = self.forward(theta, x).y[1:]
        targets, mask = self._goal(len(y), targets, mask)
        return half_square(y - targets, mask)

    def gradient(
        self,
        theta: np.ndarray,
        x: Any,
        targets: Any,
        mask: Any = None,
        *,
        method: str = "bptt",
        window: int | None = None,
    ) -> LossGradient:
        """The loss and its gradient by ``theta``; arguments as for ``loss``, but real.

        ``"bptt"``      exact: the error signals, swept back through a stored trace; time and memory linear in T
        ``"rtrl"``      exact: ``OnlineGradient`` over the sequence; memory for the recursion independent of T
        ``"truncated"`` the error of each step t is carried back at most ``window`` steps: its loss is
                        differentiated through z(t), ..., z(t - window), and y(t - window - 1) is held constant.
                        window = 0 is the immediate derivative, window >= T-1 is exact. (BPTT(h) of Williams
                        and Peng 1990 is window = h - 1.)

        Errors as for ``forward``; ValueError for an unknown method, a negative window and a window without
        truncation, TypeError for truncation without a window.
        """
        validate.one_of("method", method, METHODS)
        if method == "truncated":
            window = validate.count("window", window)
        elif window is not None:
            raise ValueError(f"window: expected None for method {method!r}, got {window!r}")
        theta = validate.flat_vector("theta", theta, self.layout.size)
        x = validate.array("x", x, ("T", self.n_in))
        if method == "bptt":
            return self._bptt(theta, x, *self._goal(len(x), targets, mask))
        online = OnlineGradient(self, theta, None if window is None else min(window, len(x) - 1))
        online.run(x, targets, mask)
        return LossGradient(online.loss, online.gradient, method)

    def error_signals(self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> ErrorSignals:
        """dL/dz(t) and dL/dy(t), total derivatives through all later steps; arguments and errors as for ``gradient``.

        With a mask of step t_f alone, ``z[t_p, k]`` is the notes' error signal of unit k from t_f back at t_p.
        """
        theta = validate.flat_vector("theta", theta, self.layout.size)
        x = validate.array("x", x, ("T", self.n_in))
        targets, mask = self._goal(len(x), targets, mask)
        source, net = self._forward(theta, x)
        signals = self._error_signals(theta, net, mask * (source[1:, self.n_in :] - targets))
        for rows in signals:
            rows.setflags(write=False)
        return signals

    def error_flow(self, theta: np.ndarray, x: Any, t: int, s: int) -> np.ndarray:
        """dz(t)/dz(s), of shape (n_out, n_out), for times 1 <= s <= t <= T: row k is z_k(t), column i is z_i(s).

        It is the product of W_rec diag f'(z(q)) over q = t-1, ..., s, the identity for s = t, W_rec being
        ``recurrent_weights``. Its transpose takes the error signal of a loss at t from z(t) back to z(s), so
        entry [k_0, k_n] for s = t-n is the notes' error-flow factor (bptt-13, bptt-14). Errors as for
        ``gradient``, ValueError for a time out of range.
        """
        theta = validate.flat_vector("theta", theta, self.layout.size)
        x = validate.array("x", x, ("T", self.n_in))
        t, s = validate.count("t", t, minimum=1), validate.count("s", s, minimum=1)
        if not s <= t <= len(x):
            raise ValueError(f"t, s: expected s <= t <= T = {len(x)}, got t = {t} and s = {s}")
        _, net = self._forward(theta, x[:t])
        slopes = np.stack([f.derivative(z) for f, z in zip(self.activation, net.T, strict=True)], axis=1)
        recurrent = self.recurrent_weights(theta)
        flow = np.eye(self.n_out)
        with np.errstate(over="ignore", invalid="ignore"):
            for q in range(t - 1, s - 1, -1):
                flow = flow @ (recurrent * slopes[q])
        validate.refuse_overflow(error_flow=flow)
        return flow

    def _bptt(self, theta: np.ndarray, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> LossGradient:
        source, net = self._forward(theta, x)
        difference = source[1:, self.n_in :] - targets
        loss = half_square(difference, mask)
        signals = self._error_signals(theta, net, mask * difference)
        gradient = np.zeros(self.layout.size)
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.add_weight_gradient(signals.z, source, self._weights(gradient))
        validate.refuse_overflow(gradient=gradient)
        return LossGradient(loss, gradient, "bptt")

    def _error_signals(self, theta: np.ndarray, net: np.ndarray, error: np.ndarray) -> ErrorSignals:
        """``error`` is the immediate derivative of the loss by y(1), ..., y(T)."""
        signals = ErrorSignals(np.zeros_like(net), np.zeros_like(net))
        immediate = np.concatenate([np.zeros_like(net[:1]), error])
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.error_signals(self._codes, self._weights(theta), net, immediate, *signals)
        validate.refuse_overflow(error_signal_z=signals.z, error_signal_y=signals.y)
        return signals

    def _forward(self, theta: np.ndarray, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows [x(t); y(t)] and z(t) of the times 0 to T, the unused x(T) being zero."""
        theta = validate.flat_vector("theta", theta, self.layout.size, allow_complex=True)
        x = validate.array("x", x, ("T", self.n_in), allow_complex=True)
        dtype = np.result_type(theta, x)
        source = np.zeros((len(x) + 1, self.n_in + self.n_out), dtype)
        source[:-1, : self.n_in] = x
        net = np.zeros((len(x) + 1, self.n_out), dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.forward(self._codes, self._weights(theta.astype(dtype)), source, net)
        validate.refuse_overflow(z=net)
        return source, net

    def _goal(self, length: int, targets: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
        return goal(targets, mask, (length, self.n_out))

    @cached_property
    def _codes(self) -> np.ndarray:
        return np.array([f.code for f in self.activation])

    def _weights(self, theta: np.ndarray) -> np.ndarray:
        # Contiguous and writable, so that every call meets the same compiled kernel.
        return self.layout.views(np.require(theta, requirements=["C", "W"]))["W"]


def _one_per_unit(value: Any, units: int) -> tuple[Activation, ...]:
    activations = (value,) * units if isinstance(value, Activation) else value
    if not isinstance(activations, tuple | list):
        raise TypeError(f"activation: expected an Activation or a sequence of them, got {type(value).__name__}")
    if len(activations) != units:
        raise ValueError(f"activation: expected {units}, one for each unit, got {len(activations)}")
    for i, f in enumerate(activations):
        if not isinstance(f, Activation):
            raise TypeError(f"activation[{i}]: expected an Activation, got {type(f).__name__}")
    return tuple(activations)
