"""The local feedback multilayered network (Frasconi, Gori, Soda 1992): forward pass, loss, exact gradient.

Each recurrent unit feeds back to itself alone, through one weight of its own: from its net input (u) or
from its activation (v). So the sensitivities of real-time recurrent learning are local, one number per
weight, and an online gradient costs a constant factor of the forward pass.

Sources: lfmn-1 to lfmn-8.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import FORMULAS, ActivationFunction, named, tanh_half
from throughtime.arrays.network import Arrays, Network, Quantities, from_time_zero
from throughtime.arrays.parameters import Layout


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
class LFMNTrace(Quantities):
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
    activation  f of every unit, an ActivationFunction or its name; tanh(z/2) in the paper

    Unlike the other models the loss is the sum of squares without a factor 1/2: lfmn-7 is the note's definition. The
    paper's gradient, carried forward by local recursions (lfmn-8 to lfmn-14, corrected), is ``"rtrl"`` of the compiled
    network.

    Raises TypeError or ValueError, naming the argument, for counts that are no integers, negative or too few.

    >>> net = LFMN(n_in=1, hidden=(0, 0, 0), output=(0, 1, 0))
    >>> net.layout.names, net.forward([1.0, 0.5], [[2.0], [0.0], [0.0]]).net_out[:, 0].tolist()
    (('w_hid', 'u_hid', 'v_hid', 'w_out', 'W_out', 'u_out', 'v_out'), [0.0, 2.0, 1.0, 0.5])
    """

    TRACE = LFMNTrace
    CHECKED: ClassVar[dict[str, int]] = {"net_hid": 2, "net_out": 5}
    FACTOR = 1.0

    n_in: int
    hidden: Units | tuple[int, int, int]
    output: Units | tuple[int, int, int]
    activation: ActivationFunction | str = tanh_half

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

    def run(self, weights: Arrays, x: np.ndarray) -> Arrays:
        """States of a forward pass over a batch x, (B, T, n_in): the fields of ``LFMNTrace``, each (B, T+1, units)."""
        w_hid, u_hid, v_hid, w_out, W_out, u_out, v_out = weights
        x = from_time_zero(x).astype(w_hid.dtype, copy=False)
        current_hid = x @ w_hid.T
        net_hid, h = self._layer(_Feedback.of(self.hidden, u_hid, v_hid), current_hid)  # lfmn-1 to lfmn-3
        current_out = np.concatenate([h @ w_out.T, x @ W_out.T], axis=2)
        net_out, y = self._layer(_Feedback.of(self.output, u_out, v_out), current_out)  # lfmn-4 to lfmn-6
        return x, current_hid, net_hid, h, current_out, net_out, y

    def sweep(self, weights: Arrays, states: Arrays, error: np.ndarray, method: str) -> np.ndarray:
        """The gradient, a flat vector, from ``error``, the immediate dL/dy, (B, T+1, n_out)."""
        _, u_hid, v_hid, w_out, _, u_out, v_out = weights
        x, _, net_hid, h, _, net_out, y = states
        static = len(w_out)
        by_net_out, by_u_out, by_v_out = self._back(_Feedback.of(self.output, u_out, v_out), net_out, y, error)
        by_h = by_net_out[..., :static] @ w_out
        by_net_hid, by_u_hid, by_v_hid = self._back(_Feedback.of(self.hidden, u_hid, v_hid), net_hid, h, by_h)
        by_w_hid = np.tensordot(by_net_hid, x, axes=([0, 1], [0, 1]))
        by_w_out = np.tensordot(by_net_out[..., :static], h, axes=([0, 1], [0, 1]))  # lfmn-8
        by_W_out = np.tensordot(by_net_out[..., static:], x, axes=([0, 1], [0, 1]))
        return self.pack((by_w_hid, by_u_hid, by_v_hid, by_w_out, by_W_out, by_u_out, by_v_out))

    def _layer(self, feedback: "_Feedback", current: np.ndarray) -> Arrays:
        """Net inputs and activations of a layer, (B, T+1, units), from its net inputs without feedback."""
        f, _ = self._formulas
        net, act = np.zeros_like(current), np.zeros_like(current)
        for t in range(1, current.shape[1]):
            net[:, t] = current[:, t] + feedback.own * feedback.read(net[:, t - 1], act[:, t - 1])
            act[:, t] = f(net[:, t])
        return net, act

    def _back(self, feedback: "_Feedback", net: np.ndarray, act: np.ndarray, error: np.ndarray) -> Arrays:
        """dL/dnet, dL/du and dL/dv of a layer, from ``error``, dL/dact without the unit's own feedback."""
        slopes, by_net = self._formulas[1](net), np.zeros_like(net)
        later = np.zeros_like(net[:, 0])  # dL by what is fed back
        for t in range(net.shape[1] - 1, 0, -1):
            by_net[:, t] = slopes[:, t] * (error[:, t] + feedback.of_act * later) + feedback.of_net * later
            later = feedback.own * by_net[:, t]
        by_own = (by_net[:, 1:] * feedback.read(net[:, :-1], act[:, :-1])).sum(axis=(0, 1))
        return by_net, by_own[feedback.of_net == 1.0], by_own[feedback.of_act == 1.0]

    @property
    def _formulas(self) -> tuple:
        """f and f'."""
        return FORMULAS[named("activation", self.activation).name]


class _Feedback(NamedTuple):
    """What each unit of a layer feeds back to itself: its net input or its activation, times its own weight."""

    own: np.ndarray  # u, v, or 0 of a static unit
    of_net: np.ndarray  # 1 for a unit with net-input feedback, 0 for others
    of_act: np.ndarray  # 1 for a unit with activation feedback

    @classmethod
    def of(cls, units: tuple[int, int, int], u: np.ndarray, v: np.ndarray) -> "_Feedback":
        """That of a layer with these counts."""
        own = np.concatenate([np.zeros(units[0]), u, v])
        return cls(own, *(np.repeat(kind, units) for kind in ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0])))

    def read(self, net: np.ndarray, act: np.ndarray) -> np.ndarray:
        """What is fed back; 0 for a static unit."""
        return self.of_net * net + self.of_act * act


def _units(name: str, value: Units | tuple[int, int, int]) -> Units:
    if not isinstance(value, tuple | list) or len(value) != 3:
        raise TypeError(f"{name}: expected three counts (static, net, act), got {value!r}")
    counts = zip(Units._fields, value, strict=True)
    return Units(*(validate.count(f"{name}.{kind}", number) for kind, number in counts))
