"""The local feedback multilayered network (Frasconi, Gori, Soda 1992): forward pass, loss, exact gradients.

Each recurrent unit feeds back to itself alone, through one weight of its own: from its net input (u) or
from its activation (v). So the sensitivities of real-time recurrent learning are local, one number per
weight, and an online gradient costs a constant factor of the forward pass.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import Activation, named, tanh_half
from throughtime.arrays.network import Arrays, Network, Quantities, from_time_zero
from throughtime.arrays.online import OnlineGradient
from throughtime.arrays.parameters import Layout
from throughtime.models import _lfmn_kernels as kernels
from throughtime.models._lfmn_kernels import Architecture, Sensitivities, States, Weights

METHODS = ("bptt", "rtrl")


class Units(NamedTuple):
    """Numbers of units of each kind in a layer; they stand in this order."""

    static: int = 0
    net: int = 0  # net-input feedback
    act: int = 0  # activation feedback

    @property
    def total(self) -> int:
        """Number of all units."""
        return sum(self)

    @property
    def recurrent(self) -> int:
        """Number of units with feedback."""
        return self.net + self.act


@dataclass(frozen=True)
class Trace(Quantities):
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
class LFMN(Network):
    """The architecture (lfmn-1 to lfmn-7). Parameters are a flat vector ``theta``, laid out by ``layout``.

    n_in        inputs, at least 1
    hidden      units of the hidden layer, (static, net-input feedback, activation feedback), any of them 0
    output      units of the output layer, likewise, at least one in all; inputs of static ones are the hidden units,
                inputs of recurrent ones are those of the network
    activation  f of every unit, an Activation or its name; tanh(z/2) in the paper

    Unlike the other models the loss is the sum of squares without a factor 1/2: lfmn-7 is the note's definition.
    ``gradient`` by ``"rtrl"`` is the paper's: local recursions, one sensitivity for each weight into a recurrent unit
    (lfmn-8 to lfmn-14, corrected).

    Raises TypeError or ValueError, naming the argument, for counts that are no integers, negative or too few.

    The forward pass as a textbook has it:

    >>> def textbook(model, theta, x):
    ...     p, f, y = model.layout.views(theta), model.activation, [np.zeros(model.n_out)]
    ...     h, y_net, h_net = np.zeros(model.hidden.total), y[0], np.zeros(model.hidden.total)
    ...     for x_t in x:
    ...         h_net = p["w_hid"] @ x_t + feedback(model.hidden, p["u_hid"], p["v_hid"], h_net, h)
    ...         h = f(h_net)
    ...         current = np.concatenate([p["w_out"] @ h, p["W_out"] @ x_t])
    ...         y_net = current + feedback(model.output, p["u_out"], p["v_out"], y_net, y[-1])
    ...         y.append(f(y_net))
    ...     return np.array(y)
    >>> def feedback(units, u, v, net, act):  # of the previous step: nothing to static units
    ...     return np.concatenate([np.zeros(units[0]), u * net[units[0] :][: units[1]], v * act[units[0] + units[1] :]])
    >>> model = LFMN(1, hidden=(1, 1, 1), output=(1, 0, 1))
    >>> theta, x = model.init(seed=0, scale=1.0), np.array([[1.0], [0.5], [-1.0]])
    >>> np.allclose(textbook(model, theta, x), model.forward(theta, x).y)
    True
    """

    METHODS = METHODS
    TRACE = Trace
    CHECKED: ClassVar[dict[str, int]] = {"net_hid": 2, "net_out": 5}
    FACTOR = 1.0

    n_in: int
    hidden: Units | tuple[int, int, int]
    output: Units | tuple[int, int, int]
    activation: Activation | str = tanh_half

    def __post_init__(self) -> None:
        self._check_counts(n_in=1)
        object.__setattr__(self, "hidden", _units("hidden", self.hidden))
        object.__setattr__(self, "output", _units("output", self.output))
        if sum(self.output) == 0:
            raise ValueError("output: expected at least one unit, got (0, 0, 0)")
        self._check_activations("activation")

    @property
    def n_out(self) -> int:
        """d_out, all outputs."""
        return sum(self.output)

    @cached_property
    def layout(self) -> Layout:
        """Names and shapes of the parameters, in the order of the flat vector."""
        hidden, output = Units(*self.hidden), Units(*self.output)
        return Layout(
            {
                "w_hid": (hidden.total, self.n_in),
                "u_hid": (hidden.net,),
                "v_hid": (hidden.act,),
                "w_out": (output.static, hidden.total),
                "W_out": (output.recurrent, self.n_in),
                "u_out": (output.net,),
                "v_out": (output.act,),
            }
        )

    def unpack(self, theta: np.ndarray) -> Weights:
        """Views of a checked ``theta``, as the loops take them: u and v of a layer, which lie together, are one."""
        views, place = self.layout.split(theta), self.layout.slice
        own = {f"own_{layer}": theta[place(f"u_{layer}").start : place(f"v_{layer}").stop] for layer in ("hid", "out")}
        return Weights(**own, **{name: views[name] for name in ("w_hid", "w_out", "W_out")})

    @cached_property
    def architecture(self) -> Architecture:
        """Description of the network for the loops."""
        hidden, output = Units(*self.hidden), Units(*self.output)
        code = named("activation", self.activation).code
        return Architecture(code, hidden.static + hidden.net, output.static + output.net)

    def run(self, weights: Arrays, x: np.ndarray) -> Arrays:
        """States of a forward pass over a batch x, (B, T, n_in): the fields of ``Trace``, each (B, T+1, units)."""
        inputs = from_time_zero(x).astype(weights[0].dtype, copy=False)
        states = self.empty(inputs.shape[:2], inputs.dtype)
        kernels.forward(self.architecture, Weights(*weights), inputs, states)
        return inputs, *states

    def sweep(self, weights: Arrays, states: Arrays, error: np.ndarray, method: str) -> np.ndarray:
        """The gradient, a flat vector, from ``error``, the immediate dL/dy, (B, T+1, n_out)."""
        x, *rows = states
        gradient = np.zeros(self.layout.size)
        kernels.backward(self.architecture, Weights(*weights), x, States(*rows), error, self.unpack(gradient))
        return gradient

    def begin(self, weights: Arrays, method: str) -> OnlineGradient:
        """An ``OnlineGradient`` at time 0."""
        return _OnlineGradient(self, weights, method)

    def empty(self, rows: tuple[int, ...], dtype: np.dtype | type = np.float64) -> States:
        """States of zeros, of shapes (*rows, units), for the inner protocol; ``rows`` are sequences and times."""
        return States(*(np.zeros((*rows, sum(units)), dtype) for units in (self.hidden, self.output) for _ in "123"))

    def _cost(self, squares: np.ndarray) -> np.number:
        steps = squares.sum(axis=-1).ravel()
        return np.ones_like(steps) @ steps


class _OnlineGradient(OnlineGradient):
    """Online gradient; keeps the states of two time steps and one sensitivity for each weight into a recurrent unit."""

    __slots__ = ("_sensitivities", "_states")

    def _start(self) -> None:
        model = self.model
        self._states = model.empty((1, 2))
        p_hid, p_out = (
            Sensitivities(np.zeros((units.recurrent, model.n_in)), np.zeros(units.recurrent))
            for units in (model.hidden, model.output)
        )
        self._sensitivities = p_hid, p_out
        self._memory = (*self._states, *p_hid, *p_out)
        self._watched = {"net_hid": self._states.net_hid[0], "net_out": self._states.net_out[0]}

    @property
    def y(self) -> np.ndarray:
        """The outputs at the present time, a copy; zeros at time 0."""
        return self._states.y[0, self.time % 2].copy()

    def _loop(self, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> float:
        given = (self.model.architecture, self._weights, x, targets, mask, self.time)
        return kernels.run_online(*given, self._states, *self._sensitivities, self._gradient)


def _units(name: str, value: Units | tuple[int, int, int]) -> Units:
    if not isinstance(value, tuple | list) or len(value) != 3:
        raise TypeError(f"{name}: expected three counts (static, net, act), got {value!r}")
    counts = zip(Units._fields, value, strict=True)
    return Units(*(validate.count(f"{name}.{kind}", number) for kind, number in counts))
