"""The fully recurrent network: forward pass, loss, error signals, exact and truncated gradients.

Inputs of every unit are all inputs and all units of the previous step, so its error travels along a number of paths
that grows exponentially with the lag. Back-propagation through time sums them backwards, in the memory of the
whole sequence; real-time recurrent learning forwards, in memory cubic in the units and no more.
Elman and Jordan networks, of one hidden layer and a context, are in ``simple_recurrent``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import Activation, logistic, named
from throughtime.arrays.network import Arrays, Network, Quantities, check_overflow, quiet, shown
from throughtime.arrays.online import OnlineGradient
from throughtime.arrays.parameters import Layout, LossGradient
from throughtime.models import _recurrent_kernels as kernels

METHODS = ("bptt", "rtrl", "truncated")


@dataclass(frozen=True)
class Trace(Quantities):
    """Every quantity of a forward pass. Row t of each array is time t; the arrays are read-only.

    Inputs have the times 0, ..., T-1, the others 0, ..., T. y(0) is the zero initial state; there is no z(0),
    its row is zero and nothing depends on it.
    """

    x: np.ndarray  # (T, n_in)
    z: np.ndarray  # (T+1, n_out): net inputs
    y: np.ndarray  # (T+1, n_out): activations


class ErrorSignals(NamedTuple):
    """Total derivatives of the loss, time by unit: row t is time t = 0, ..., T.

    Row 0 of ``y`` is the derivative with respect to the initial state; that of ``z`` is zero, for there is no z(0).
    """

    z: np.ndarray  # (T+1, n_out): dL/dz(t)
    y: np.ndarray  # (T+1, n_out): dL/dy(t)


class RecurrentOnlineGradient(OnlineGradient):
    """The gradient of a ``FullyRecurrent`` network, one time step after another; see ``OnlineGradient``.

    Neither method stores the sequence.

    ``"rtrl"`` is exact, by real-time recurrent learning (Williams and Zipser 1989): kept between steps are
    dy_k(t)/dW_ij, cubic in the units, and a step takes a time of fourth order. ``"truncated"`` keeps the last
    window + 2 states, and from a step with a target the error goes back at most window steps.

    >>> model = FullyRecurrent(n_in=1, n_out=1)
    >>> online = model.online(model.init(0))
    >>> for x, target in [([0.5], None), ([-0.5], [0.25])]:
    ...     online.step(x, target)
    >>> online.time, online.gradient.shape
    (2, (2,))
    """

    __slots__ = ("_window",)

    def __init__(self, model: Any, weights: tuple[np.ndarray, ...], method: str, window: int | None) -> None:
        self._window = window
        super().__init__(model, weights, method)

    @property
    def window(self) -> int | None:
        """Steps that the error goes back at most; None if the method is exact."""
        return self._window

    def _start(self) -> None:
        rows, carried = (2, 2) if self.window is None else (self.window + 2, 0)
        states = self.model.empty((rows,))
        self._memory = (*states, np.zeros((carried, self.model.n_out, *self._weights[0].shape)))
        self._watched = {"z": states[1]}

    @property
    def y(self) -> np.ndarray:
        """The activations at the present time, a copy; zeros at time 0."""
        source = self._memory[0]
        return source[self.time % len(source), self.model.n_in :].copy()

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        given = self.model.codes, self._weights[0], x, targets, mask, self.time
        return kernels.run_online(*given, *self._memory, *self._gradient)


@dataclass(frozen=True)
class FullyRecurrent(Network):
    """The architecture (bptt-forward): z(t+1) = W . [x(t); y(t)], y_i(t+1) = f_i(z_i(t+1)), y(0) = 0.

    n_in        inputs, at least 0
    n_out       units, at least 1; any of them may have a target
    activation  f, one for all units or a sequence of one for each, by name or as an Activation; kept as a tuple

    The parameters are a flat vector ``theta``, laid out by ``layout``: W alone, row by row. The loss is that of bptt-2.
    Beside ``"bptt"`` and ``"rtrl"``, the exact methods of ``gradient``, there is

    ``"truncated"`` the error of each step t is carried back at most ``window`` steps: its loss is
                    differentiated through z(t), ..., z(t - window), and y(t - window - 1) is held constant.
                    window = 0 is the immediate derivative, window >= T-1 is exact. (BPTT(h) of Williams
                    and Peng 1990 is window = h - 1.)

    Raises TypeError or ValueError, naming the argument, for counts that are no integers or too small and for what is no
    activation.

    The forward pass as a textbook has it:

    >>> def textbook(model, theta, x):
    ...     W, y = theta.reshape(model.n_out, -1), [np.zeros(model.n_out)]
    ...     for x_t in x:
    ...         z = W @ np.concatenate([x_t, y[-1]])
    ...         y.append([f(z_i) for f, z_i in zip(model.activation, z)])
    ...     return np.array(y)
    >>> model = FullyRecurrent(n_in=1, n_out=2, activation="tanh")
    >>> theta, x = model.init(seed=0, scale=1.0), np.array([[1.0], [0.5], [-1.0]])
    >>> np.allclose(textbook(model, theta, x), model.forward(theta, x).y)
    True
    """

    METHODS = METHODS
    TRACE = Trace
    CHECKED: ClassVar[dict[str, int]] = {"z": 1}

    n_in: int
    n_out: int
    activation: Activation | str | Sequence[Activation | str] = logistic

    def __post_init__(self) -> None:
        self._check_counts(n_in=0, n_out=1)
        object.__setattr__(self, "activation", _one_per_unit(self.activation, self.n_out))

    @cached_property
    def layout(self) -> Layout:
        """Name and shape of the parameters: W, (n_out, n_in + n_out), its columns by ``sources``."""
        return Layout({"W": (self.n_out, self.n_in + self.n_out)})

    @property
    def sources(self) -> dict[str, slice]:
        """The columns of W with the weights of the inputs, ``"x"``, and of the units of the previous step, ``"y"``."""
        return {"x": slice(0, self.n_in), "y": slice(self.n_in, self.n_in + self.n_out)}

    def recurrent_weights(self, theta: np.ndarray) -> np.ndarray:
        """The square part of W, from unit (column) to unit (row), as a view of ``theta``, a float64 vector."""
        return self.layout.views(theta)["W"][:, self.n_in :]

    def gradient(
        self, theta: Any, x: Any, targets: Any, mask: Any = None, method: str = "bptt", window: int | None = None
    ) -> LossGradient:
        """As for every ``Network``; ``"truncated"`` needs a ``window`` of at least 0, as described in the class.

        ValueError for a negative window and a window without truncation, TypeError for truncation without one.
        """
        validate.one_of("method", method, METHODS)
        return self._gradient(theta, x, targets, mask, method, **_window(method, window))

    def online(self, theta: Any, method: str = "rtrl", window: int | None = None) -> RecurrentOnlineGradient:
        """As for every ``Network``; arguments and errors of ``window`` as for ``gradient``."""
        method = self._online_method(method)
        return self.begin(self._real_weights(theta), method, **_window(method, window))

    @quiet
    def error_signals(self, theta: Any, x: Any, targets: Any, mask: Any = None) -> ErrorSignals:
        """dL/dz(t) and dL/dy(t), total derivatives through all later steps; arguments and errors as for ``gradient``.

        With a mask of step t_f alone, ``z[t_p, k]`` is the notes' error signal of unit k from t_f back at t_p.
        """
        theta, x, targets, mask, single = self._problem(theta, x, targets, mask)
        weights = self.unpack(theta)
        states, difference = self._difference(weights, x, targets)
        z, y = self._signals(weights, states, self._immediate(difference, mask))
        check_overflow({"error_signal_z": z, "error_signal_y": y})
        return shown(ErrorSignals, single, {"z": z, "y": y})

    @quiet
    def error_flow(self, theta: np.ndarray, x: Any, t: int, s: int) -> np.ndarray:
        """dz(t)/dz(s), of shape (n_out, n_out), for times 1 <= s <= t <= T: row k is z_k(t), column i is z_i(s).

        It is the product of W_rec diag f'(z(q)) over q = t-1, ..., s, the identity for s = t, W_rec being
        ``recurrent_weights``. Its transpose takes the error signal of a loss at t from z(t) back to z(s), so
        entry [k_0, k_n] for s = t-n is the notes' error-flow factor (bptt-13, bptt-14). Errors as for
        ``gradient``, ValueError for a time out of range.
        """
        x = validate.array("x", x, ("T", self.n_in))
        weights = self._real_weights(theta)
        t, s = validate.count("t", t, minimum=1), validate.count("s", s, minimum=1)
        if not s <= t <= len(x):
            raise ValueError(f"t, s: expected s <= t <= T = {len(x)}, got t = {t} and s = {s}")
        net = self._states(weights, x[None, :t])[1][0]
        activations = _one_per_unit(self.activation, self.n_out)
        slopes = np.stack([f.derivative(z) for f, z in zip(activations, net.T, strict=True)], axis=1)
        recurrent = weights[0][:, self.n_in :]
        flow = np.eye(self.n_out)
        for q in range(t - 1, s - 1, -1):
            flow = flow @ (recurrent * slopes[q])
        validate.check_overflow(error_flow=flow)
        return flow

    def run(self, weights: Arrays, x: np.ndarray) -> Arrays:
        """States of a forward pass over a batch x, (B, T, n_in): those of ``empty``, filled."""
        states = self.empty((len(x), x.shape[1] + 1), weights[0].dtype)
        states[0][:, :-1, : self.n_in] = x
        for sequence in zip(*states, strict=True):
            kernels.forward(self.codes, *weights, *sequence)
        return states

    def show(self, states: Arrays) -> dict[str, np.ndarray]:
        """The fields of ``Trace`` by name, with a first axis of sequences: (B, T, n_in) for x, else (B, T+1, n_out)."""
        source, net = states
        return {"x": source[:, :-1, : self.n_in], "z": net, "y": self.outputs(states)}

    def outputs(self, states: Arrays) -> np.ndarray:
        return states[0][:, :, self.n_in :]

    def sweep(self, weights: Arrays, states: Arrays, error: np.ndarray, method: str) -> np.ndarray:
        """The gradient, a flat vector, from ``error``, the immediate dL/dy, (B, T+1, n_out)."""
        by_net, _ = self._signals(weights, states, error)
        gradient = np.zeros_like(weights[0])
        for sequence in zip(by_net, states[0], strict=True):
            kernels.add_weight_gradient(*sequence, gradient)
        return gradient.ravel()

    def begin(self, weights: Arrays, method: str, window: int | None = None) -> RecurrentOnlineGradient:
        """A ``RecurrentOnlineGradient`` at time 0."""
        return RecurrentOnlineGradient(self, weights, method, window)

    def empty(self, rows: tuple[int, ...], dtype: np.dtype | type = np.float64) -> Arrays:
        """[x; y] and z, zero, of shapes (*rows, n_in + n_out) and (*rows, n_out), for the inner protocol."""
        return tuple(np.zeros((*rows, width), dtype) for width in (self.n_in + self.n_out, self.n_out))

    @cached_property
    def codes(self) -> np.ndarray:
        """The numbers of the activations, for the inner protocol."""
        return np.array([f.code for f in _one_per_unit(self.activation, self.n_out)])

    def _carried(self, weights: Arrays, *problem: np.ndarray, **how: Any) -> tuple[float, np.ndarray]:
        if "window" in how:  # one longer than the sequences would keep rows that are never used
            how["window"] = min(how["window"], problem[0].shape[1] - 1)
        return super()._carried(weights, *problem, **how)

    def _signals(self, weights: Arrays, states: Arrays, error: np.ndarray) -> Arrays:
        """dL/dz and dL/dy from the immediate derivative of the loss with respect to y."""
        _, net = states
        by_net, by_act = np.zeros_like(net), np.zeros_like(net)
        for sequence in zip(net, error, by_net, by_act, strict=True):
            kernels.error_signals(self.codes, weights[0], *sequence)
        return by_net, by_act


def _window(method: str, window: Any) -> dict[str, int | None]:
    """The option of truncation, checked."""
    if method == "truncated":
        return {"window": validate.count("window", window)}
    if window is not None:
        raise ValueError(f"window: expected None for method {method!r}, got {window!r}")
    return {}


def _one_per_unit(value: Any, units: int) -> tuple[Activation, ...]:
    activations = (value,) * units if isinstance(value, Activation | str) else value
    if not isinstance(activations, tuple | list):
        raise TypeError(
            f"activation: expected an Activation, the name of one or a sequence of them, got {type(value).__name__}"
        )
    if len(activations) != units:
        raise ValueError(f"activation: expected {units}, one for each unit, got {len(activations)}")
    return tuple(named(f"activation[{i}]", f) for i, f in enumerate(activations))
