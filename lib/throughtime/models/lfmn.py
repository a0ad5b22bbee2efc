"""The local feedback multilayered network (Frasconi, Gori, Soda 1992): forward pass, loss, exact gradients.

Each recurrent unit feeds back to itself alone, through one weight of its own: from its net input (u) or
from its activation (v). So the sensitivities of real-time recurrent learning are local, one number per
weight, and an online gradient costs a constant factor of the forward pass.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import _lfmn_kernels as kernels
from . import validate
from ._lfmn_kernels import Sensitivities, States, Weights
from ._online import OnlineSteps
from ._trace import Steps
from .activations import Activation, tanh_half
from .parameters import Layout, LossGradient

METHODS = ("bptt", "rtrl")


class Units(NamedTuple):
    """How many units of each kind a layer has; they stand in this order."""

    static: int = 0
    net: int = 0  # net-input feedback
    act: int = 0  # activation feedback

    @property
    def total(self) -> int:
        return self.static + self.net + self.act

    @property
    def recurrent(self) -> int:
        return self.net + self.act


@dataclass(frozen=True)
class Trace(Steps):
    """Every quantity of a forward pass. Row t of each array is time t = 0, ..., T; the arrays are read-only.

    Row 0 is all zero. The network has an initial state in its recurrent units only: the net input where
    that is fed back, the activation where that is. The other zeros of row 0 stand for no value, and nothing
    depends on them.
    """

    x: np.ndarray  # (T+1, n_in)
    current_hid: np.ndarray  # (T+1, d_hid): w_hid . x(t), the net input without feedback
    net_hid: np.ndarray  # (T+1, d_hid)
    h: np.ndarray  # (T+1, d_hid)
    current_out: np.ndarray  # (T+1, d_out): w_out . h(t) of static, W_out . x(t) of recurrent units
    net_out: np.ndarray  # (T+1, d_out)
    y: np.ndarray  # (T+1, d_out)


@dataclass(frozen=True)
class LFMN:
    """The architecture (lfmn-1 to lfmn-7). Parameters are a flat vector ``theta``, laid out by ``layout``.

    n_in        inputs, at least 1
    hidden      units of the hidden layer, (static, net-input feedback, activation feedback), any of them 0
    output      units of the output layer, likewise, at least one in all; static ones read the hidden layer,
                recurrent ones the inputs
    activation  f of every unit, tanh(z/2) in the paper

    Raises TypeError or ValueError, naming the argument, for counts that are no integers, negative or too few.
    """

    n_in: int
    hidden: Units | tuple[int, int, int]
    output: Units | tuple[int, int, int]
    activation: Activation = tanh_half

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_in", validate.count("n_in", self.n_in, minimum=1))
        object.__setattr__(self, "hidden", _units("hidden", self.hidden))
        object.__setattr__(self, "output", _units("output", self.output))
        if self.output.total == 0:
            raise ValueError("output: expected at least one unit, got (0, 0, 0)")
        if not isinstance(self.activation, Activation):
            raise TypeError(f"activation: expected an Activation, got {type(self.activation).__name__}")

    @property
    def n_out(self) -> int:
        """d_out, all outputs."""
        return self.output.total

    @cached_property
    def layout(self) -> Layout:
        """Names and shapes of the parameters, in the order of the flat vector."""
        return Layout(
            {
                "w_hid": (self.hidden.total, self.n_in),
                "u_hid": (self.hidden.net,),
                "v_hid": (self.hidden.act,),
                "w_out": (self.output.static, self.hidden.total),
                "W_out": (self.output.recurrent, self.n_in),
                "u_out": (self.output.net,),
                "v_out": (self.output.act,),
            }
        )

    def init(self, seed: int | np.random.Generator, scale: float = 0.1) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], scale > 0, by a seed >= 0 or a generator."""
        return self.layout.uniform(seed, scale)

    def forward(self, theta: np.ndarray, x: Any) -> Trace:
        """Run the network on x, of shape (T, n_in), row t-1 being x(t) (lfmn-1 to lfmn-6).

        ``theta`` and ``x`` may be complex, for the complex step. Raises TypeError or ValueError for what
        does not fit, FloatingPointError if a net input overflows.
        """
        theta = validate.flat_vector("theta", theta, self.layout.size, allow_complex=True)
        x = validate.array("x", x, ("T", self.n_in), allow_complex=True)
        dtype = np.result_type(theta, x)
        rows = len(x) + 1
        x_rows = np.zeros((rows, self.n_in), dtype)
        x_rows[1:] = x
        states = self._states(rows, dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.forward(self.activation.code, self._weights(theta.astype(dtype)), x_rows, states)
        validate.refuse_overflow(net_hid=states.net_hid, net_out=states.net_out)
        for rows_of in (x_rows, *states):
            rows_of.setflags(write=False)
        return Trace(x_rows, *states)

    def loss(self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """Sum over t of sigma_t |y(t) - d(t)|^2 (lfmn-7), analytic in complex ``theta`` and ``x``.

        targets     d, of shape (T, d_out), finite also where the mask is 0
        mask        sigma, T zeros and ones; None for all ones

        Errors as for ``forward``.
        """
        trace = self.forward(theta, x)
        targets, mask = self._goal(trace.length, targets, mask)
        return _squared_error(trace.y[1:] - targets, mask)

    def gradient(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, method: str = "bptt"
    ) -> LossGradient:
        """The loss and its exact gradient by ``theta``; arguments as for ``loss``, but real.

        ``"bptt"`` sweeps the adjoint back through a stored trace; ``"rtrl"`` is ``OnlineGradient`` over the
        sequence, the paper's local recursions. Errors as for ``forward``, ValueError for an unknown method.
        """
        validate.one_of("method", method, METHODS)
        theta = validate.flat_vector("theta", theta, self.layout.size)
        x = validate.array("x", x, ("T", self.n_in))
        if method == "rtrl":
            online = OnlineGradient(self, theta)
            online.run(x, targets, mask)
            return LossGradient(online.loss, online.gradient, method)
        return self._bptt(theta, x, *self._goal(len(x), targets, mask))

    def _bptt(self, theta: np.ndarray, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> LossGradient:
        trace = self.forward(theta, x)
        error = np.zeros_like(trace.y)
        difference = trace.y[1:] - targets
        error[1:] = 2.0 * mask[:, None] * difference
        gradient = np.zeros(self.layout.size)
        states = States(*(getattr(trace, name) for name in States._fields))
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.backward(
                self.activation.code, self._weights(theta), trace.x, states, error, self._weights(gradient)
            )
        validate.refuse_overflow(gradient=gradient)
        return LossGradient(_squared_error(difference, mask), gradient, "bptt")

    def _goal(self, length: int, targets: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
        targets = validate.array("targets", targets, (length, self.output.total))
        return targets, validate.binary("mask", mask, (length,))

    def _weights(self, theta: np.ndarray) -> Weights:
        # Contiguous and writable, so that every call meets the same compiled kernel.
        return Weights(**self.layout.views(np.require(theta, requirements=["C", "W"])))

    def _states(self, rows: int, dtype: np.dtype | type = np.float64) -> States:
        hidden, output = (rows, self.hidden.total), (rows, self.output.total)
        return States(*(np.zeros(shape, dtype) for shape in (hidden,) * 3 + (output,) * 3))


class OnlineGradient(OnlineSteps):
    """The gradient by the paper's local recursions, one time step after another, in memory that never grows.

    Kept between steps: the states of two time steps, one sensitivity for each weight into a recurrent unit,
    and the gradient so far (lfmn-8 to lfmn-14, corrected). A new sequence starts with a new object.

    >>> model = LFMN(1, hidden=(0, 0, 1), output=(1, 0, 0))
    >>> online = OnlineGradient(model, model.init(0))
    >>> for x, target in [([0.5], None), ([-0.5], [0.25])]:
    ...     online.step(x, target)
    >>> online.time, online.gradient.shape
    (2, (3,))
    """

    def __init__(self, model: LFMN, theta: np.ndarray) -> None:
        """Start at time 0. ``theta`` is real, and copied; TypeError or ValueError if it does not fit."""
        super().__init__(model, theta)
        self._gradient = (np.zeros(model.layout.size),)
        self._gradient_views = model._weights(*self._gradient)
        self._states = model._states(rows=2)
        self._sensitivities = tuple(
            Sensitivities(np.zeros((units.recurrent, model.n_in)), np.zeros(units.net), np.zeros(units.act))
            for units in (model.hidden, model.output)
        )
        p_hid, p_out = self._sensitivities
        self._kept = (*self._weights, *self._gradient, *self._states, *p_hid, *p_out)
        self._watched = {"net_hid": self._states.net_hid, "net_out": self._states.net_out}

    @property
    def y(self) -> np.ndarray:
        """The outputs at the present time, a copy; zeros at time 0."""
        return self._states.y[self.time % 2].copy()

    def _mask(self, sigma: Any) -> np.ndarray:
        return validate.binary("sigma", [sigma], (1,))  # for all outputs

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        code, kept = self.model.activation.code, (self._states, *self._sensitivities)
        return kernels.run_online(code, self._weights, x, targets, mask, self.time, *kept, self._gradient_views)


def _units(name: str, value: Any) -> Units:
    if not isinstance(value, tuple | list) or len(value) != 3:
        raise TypeError(f"{name}: expected three counts (static, net, act), got {value!r}")
    counts = zip(Units._fields, value, strict=True)
    return Units(*(validate.count(f"{name}.{kind}", number) for kind, number in counts))


def _squared_error(difference: np.ndarray, mask: np.ndarray) -> float | complex:
    with np.errstate(over="ignore", invalid="ignore"):
        loss = mask @ (difference * difference).sum(axis=1)
    validate.refuse_overflow(loss=loss)
    return loss.item()
