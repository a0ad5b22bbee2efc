"""The LSTM with forget gates (2000) and peepholes (2002): forward pass, loss, truncated and exact gradients.

A forget gate lets a cell's state decay. A peephole lets a gate see the states of its own block, also while the
output gate is shut. Gers and his co-authors cut the error where it would leave the cells, peepholes included:
the gradient that is left is carried forward with the net, in memory that does not grow.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import _peephole_kernels as kernels
from . import _validate
from ._loss import goal, half_square
from .activations import Activation, identity, logistic, twice_tanh_half
from .parameters import Layout
from .peephole_online import OnlineGradient
from .peephole_results import Cut, CutGradient, ErrorSignals, Trace, chosen

__all__ = ["GATES", "GATE_BIASES", "KINDS", "METHODS", "SOURCES", "PeepholeLSTM"]
__all__ += ["Cut", "CutGradient", "ErrorSignals", "OnlineGradient", "Trace"]

METHODS = ("truncated", "bptt", "rtrl")
SOURCES = ("all", "cells")
GATES = ("fg", "ig", "og")
INNER_KINDS = (*GATES, "cell")  # units with a state or an activation that is fed back, in the order of the note
KINDS = (*INNER_KINDS, "out")
GATE_BIASES = {"fg": -2.0, "ig": 0.0, "og": 2.0}  # at the start of the experiments of 2002
_SIGNALS = ("error_signal_net", "error_signal_s", "error_signal_out")


@dataclass(frozen=True)
class PeepholeLSTM:
    """The architecture (peephole-1 to 5, 13, 14), all at zero at time 0. With r(t) = [x(t); y(t-1) of the units read]:

    net_u(t) = w_u . r(t) + b_u, and for the gates of block k besides u_fg . s_k(t-1), u_ig . s_k(t-1), u_og . s_k(t),
    y_fg = f(net_fg), y_ig = f(net_ig), s(t) = y_fg(t) s(t-1) + y_ig(t) g(net_cell(t)), then y_og = f(net_og),
    y_cell(t) = y_og(t) h(s(t)), net_out(t) = w_out . [x(t); y_cell(t)] + b_out, y = f_out(net_out).

    n_in        inputs, at least 0
    blocks      blocks, at least 1, each with its three gates: the note's n_block, its index k
    cells       cells of each block, at least 1: the note's d_block, its index i
    n_out       outputs, at least 1
    peepholes   True, False (the LSTM of 2000), or the gates that have them, of ``GATES``; kept as a tuple
    sources     ``"all"``: gates and cells read the gates and the cells at t-1, as in the equations;
                ``"cells"``: the cells alone, as in the experiments of 2002. They always read the inputs.
    direct      whether the outputs read the inputs; in the experiments they do not
    bias        True, False, or the kinds with a bias, of ``KINDS``; kept as a tuple
    f, g, h     of the gates, of what enters and of what leaves a cell; h is the identity in 2002
    f_out       of the outputs

    The parameters are a flat vector ``theta``, laid out by ``layout``. Raises TypeError or ValueError, naming
    the argument, for counts that are no integers or too small, unknown words, or no activation.

    The net of the experiments of 2002:

    >>> model = PeepholeLSTM(1, 1, 1, 1, sources="cells", direct=False, bias=True, g=identity)
    >>> model.layout.size
    17
    """

    n_in: int
    blocks: int
    cells: int
    n_out: int
    peepholes: bool | Collection[str] = True
    sources: str = "all"
    direct: bool = True
    bias: bool | Collection[str] = False
    f: Activation = logistic
    g: Activation = twice_tanh_half
    h: Activation = identity
    f_out: Activation = logistic

    def __post_init__(self) -> None:
        for name, minimum in {"n_in": 0, "blocks": 1, "cells": 1, "n_out": 1}.items():
            object.__setattr__(self, name, _validate.count(name, getattr(self, name), minimum))
        _validate.one_of("sources", self.sources, SOURCES)
        if not isinstance(self.direct, bool):
            raise TypeError(f"direct: expected True or False, got {self.direct!r}")
        object.__setattr__(self, "peepholes", _validate.some_of("peepholes", self.peepholes, GATES))
        object.__setattr__(self, "bias", _validate.some_of("bias", self.bias, KINDS))
        for name in ("f", "g", "h", "f_out"):
            if not isinstance(getattr(self, name), Activation):
                raise TypeError(f"{name}: expected an Activation, got {type(getattr(self, name)).__name__}")

    @cached_property
    def layout(self) -> Layout:
        """Name and shape of the parameters: weights of each kind, peepholes of each gate, then the biases.

        Columns of w_fg, w_ig, w_og and w_cell are those of r, see ``columns``; u_fg[k, i] is the peephole of
        the forget gate of block k to the state of its cell i.
        """
        shapes = dict.fromkeys(GATES, (self.blocks,)) | {"cell": (self.blocks, self.cells), "out": (self.n_out,)}
        columns = dict.fromkeys(INNER_KINDS, (self._columns,)) | {"out": (self._out_columns,)}
        weights = {f"w_{kind}": shapes[kind] + columns[kind] for kind in KINDS}
        weights |= {f"u_{gate}": shapes["cell"] for gate in self.peepholes}
        return Layout(weights | {f"b_{kind}": shapes[kind] for kind in self.bias})

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Which columns of w_fg, w_ig, w_og and w_cell read what; cell [k, i] is number k cells + i of y_cell."""
        first, shift = self._first_read, self.n_in - self._first_read
        read = {kind: rows for kind, rows in self._units.items() if rows.start >= first}
        return {"x": slice(0, self.n_in)} | {
            f"y_{kind}": slice(rows.start + shift, rows.stop + shift) for kind, rows in read.items()
        }

    def init(
        self,
        seed: int | np.random.Generator,
        scale: float = 0.1,
        gate_biases: Mapping[str, float] = GATE_BIASES,
    ) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], scale > 0, by a seed >= 0 or a generator.

        Biases of gates then take the values of ``gate_biases``, as in the paper unless given; ``{}`` leaves
        them as drawn. ValueError for a name that is no gate or a value that is not finite.
        """
        theta = self.layout.uniform(seed, scale)
        if not isinstance(gate_biases, Mapping):
            raise TypeError(f"gate_biases: expected a mapping from gates to numbers, got {gate_biases!r}")
        for gate, value in gate_biases.items():
            _validate.one_of("gate_biases", gate, GATES)
            if gate in self.bias:
                theta[self.layout.slice(f"b_{gate}")] = _validate.number(f"gate_biases[{gate!r}]", value)
        return theta

    def forward(self, theta: np.ndarray, x: Any) -> Trace:
        """Run the network on x, of shape (T, n_in), row t-1 being x(t) (peephole-1 to 5, 13, 14).

        ``theta`` and ``x`` may be complex, for the complex step. Raises TypeError or ValueError for what
        does not fit, FloatingPointError if a net input or a state overflows.
        """
        source, net, s, act, _, net_out, y = self._forward(theta, x)
        for rows in (source, net, s, act, net_out, y):
            rows.setflags(write=False)
        quantities = {"x": source[:, : self.n_in], "s": self._by_block(s), "net_out": net_out, "y": y}
        quantities |= {f"net_{kind}": part for kind, part in self._by_kind(net).items()}
        quantities |= {f"y_{kind}": part for kind, part in self._by_kind(act).items()}
        return Trace(**quantities)

    def loss(self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """Half the sum of mask (y - target)^2 over steps and outputs (peephole-6), analytic in ``theta`` and ``x``.

        targets     (T, n_out), row t-1 being the target at time t, finite also where the mask is 0
        mask        zeros and ones, of shape (T,) for whole steps or (T, n_out) one by one; None for all ones

        Errors as for ``forward``.
        """
        y = self.forward(theta, x).y[1:]
        targets, mask = self._goal(len(y), targets, mask)
        return half_square(y - targets, mask)

    def gradient(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, method: str = "truncated"
    ) -> CutGradient:
        """The loss and its gradient by ``theta``; arguments as for ``loss``, but real.

        ``"truncated"`` the paper's: no derivative of a net input by what it reads of the step before, none
                        through a peephole (peephole-7 to 11, 15 to 17); ``OnlineGradient`` over the sequence
        ``"bptt"``      exact: an adjoint sweep back through a stored trace; time and memory linear in T
        ``"rtrl"``      exact: online too; its memory is independent of T

        Errors as for ``forward``; ValueError for an unknown method.
        """
        _validate.one_of("method", method, METHODS)
        theta = _validate.flat_vector("theta", theta, self.layout.size)
        x = _validate.array("x", x, ("T", self.n_in))
        if method == "bptt":
            return self._bptt(theta, x, *self._goal(len(x), targets, mask), cuts=())
        online = OnlineGradient(self, theta, method)
        online.run(x, targets, mask)
        return CutGradient(online.loss, online.gradient, method, self.cuts(method))

    def cuts(self, method: str) -> tuple[Cut, ...]:
        """The paths that ``gradient`` by this method cuts. ValueError for an unknown method."""
        _validate.one_of("method", method, METHODS)
        if method != "truncated":
            return ()
        read = [name for name in self.columns if name != "x"]
        by_activation = [Cut(f"net_{net}", source) for net in INNER_KINDS for source in read]
        return tuple(by_activation + [Cut(f"net_{gate}", "s", int(gate != "og")) for gate in self.peepholes])

    def gradient_with_cuts(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, cuts: Collection[Cut]
    ) -> CutGradient:
        """The gradient through all paths but those in ``cuts``, some of ``cuts("truncated")``, by an adjoint sweep.

        All of them give the truncated gradient, none the exact one. Arguments and errors as for ``gradient``;
        ValueError for a cut that is not among them.
        """
        kept = chosen(cuts, self.cuts("truncated"))
        theta = _validate.flat_vector("theta", theta, self.layout.size)
        x = _validate.array("x", x, ("T", self.n_in))
        return self._bptt(theta, x, *self._goal(len(x), targets, mask), cuts=kept)

    def error_signals(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, method: str = "bptt"
    ) -> ErrorSignals:
        """Derivatives of the loss by every net input and state; arguments and errors as for ``gradient``.

        With ``method="truncated"`` nothing passes the cuts. Then ``s`` changes from t to t-1 by the factor
        y_fg(t) and by what the loss says of y_cell(t-1), nothing else. ``"rtrl"`` is refused: it has no signals.
        """
        _validate.one_of("method", method, ("truncated", "bptt"))
        theta = _validate.flat_vector("theta", theta, self.layout.size)
        x = _validate.array("x", x, ("T", self.n_in))
        states = self._forward(theta, x)
        targets, mask = self._goal(len(x), targets, mask)
        net, s, net_out = self._signals(theta, states, mask * (states[-1][1:] - targets), self.cuts(method))
        by_net = {f"net_{kind}": part for kind, part in self._by_kind(net).items()}
        return ErrorSignals(**by_net, s=self._by_block(s), net_out=net_out)

    def _bptt(
        self, theta: np.ndarray, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, cuts: tuple[Cut, ...]
    ) -> CutGradient:
        states = self._forward(theta, x)
        source, _, s, _, read, _, y = states
        difference = y[1:] - targets
        loss = half_square(difference, mask)
        by_net, _, by_net_out = self._signals(theta, states, mask * difference, cuts)
        gradients = tuple(np.zeros_like(weights) for weights in self._weights(theta))
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.add_weight_gradient(self._net, by_net, source, s, by_net_out, read, *gradients)
        for gradient in gradients:
            _validate.refuse_overflow(gradient=gradient)
        return CutGradient(loss, self._flat(*gradients), "bptt", cuts)

    def _signals(
        self, theta: np.ndarray, states: tuple, error: np.ndarray, cuts: tuple[Cut, ...]
    ) -> tuple[np.ndarray, ...]:
        """By net, s and net_out; ``error`` is the immediate derivative of the loss by y(1), ..., y(T)."""
        _, net, s, act, _, net_out, _ = states
        signals = np.zeros_like(net), np.zeros_like(s), np.zeros_like(net_out)
        immediate = np.concatenate([np.zeros_like(net_out[:1]), error])
        weights, out_weights = self._weights(theta)
        for cut in cuts:
            seen = slice(self._columns + 1, None) if cut.source == "s" else self.columns[cut.source]
            weights[self._units[cut.net.removeprefix("net_")], seen] = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.error_signals(self._net, weights, out_weights, net, s, act, net_out, immediate, *signals)
        _validate.refuse_overflow(**dict(zip(_SIGNALS, signals, strict=True)))
        return signals

    def _forward(self, theta: np.ndarray, x: Any) -> tuple[np.ndarray, ...]:
        """source, net, s, act, read, net_out, y of the times 0 to T."""
        theta = _validate.flat_vector("theta", theta, self.layout.size, allow_complex=True)
        x = _validate.array("x", x, ("T", self.n_in), allow_complex=True)
        dtype = np.result_type(theta, x)
        units, cells = self._net.units, self.blocks * self.cells
        widths = (self._columns + 1, units, cells, units, self._out_columns + 1, self.n_out, self.n_out)
        states = tuple(np.zeros((len(x) + 1, width), dtype) for width in widths)
        source, net, s, _, _, net_out, _ = states
        source[1:, : self.n_in] = x
        source[1:, -1] = 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.forward(self._net, *self._weights(theta.astype(dtype)), *states)
        _validate.refuse_overflow(net=net, s=s, net_out=net_out)
        return states

    def _goal(self, length: int, targets: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
        return goal(targets, mask, (length, self.n_out))

    @cached_property
    def _units(self) -> dict[str, slice]:
        """The rows of each kind of unit in ``net``; ``_peephole_kernels`` has the same order."""
        ends = np.cumsum([self.blocks] * 3 + [self.blocks * self.cells]).tolist()
        return {kind: slice(start, end) for kind, start, end in zip(INNER_KINDS, [0, *ends], ends, strict=False)}

    @property
    def _first_read(self) -> int:
        return 0 if self.sources == "all" else self._units["cell"].start

    @property
    def _columns(self) -> int:
        return self.n_in + self._units["cell"].stop - self._first_read

    @property
    def _out_columns(self) -> int:
        return self.n_in * self.direct + self.blocks * self.cells

    @property
    def _seen(self) -> int:
        return self.cells if self.peepholes else 0

    @cached_property
    def _net(self) -> kernels.Architecture:
        starts = [self._units[kind].start for kind in ("ig", "og", "cell")]
        sizes = (self.n_in, self.blocks, self.cells, self._seen, *starts, self._units["cell"].stop)
        functions = (self.f, self.g, self.h, self.f_out)
        reads = (self._first_read, self.n_in * self.direct)
        return kernels.Architecture(*sizes, *reads, *(function.code for function in functions))

    def _weights(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All weights of inner kinds, copied: weights, bias or zero, peepholes or zeros; and those of the outputs."""
        parts = self.layout.views(theta)
        weights = np.zeros((self._net.units, self._columns + 1 + self._seen), theta.dtype)
        out_weights = np.zeros((self.n_out, self._out_columns + 1), theta.dtype)
        for name, part in self._parts(weights, out_weights).items():
            part[:] = parts[name]
        return weights, out_weights

    def _flat(self, weights: np.ndarray, out_weights: np.ndarray) -> np.ndarray:
        """The inverse of ``_weights``, for gradients."""
        return self.layout.flatten(self._parts(weights, out_weights))

    def _parts(self, weights: np.ndarray, out_weights: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the weights, one for each name of the layout."""
        rows = {kind: weights[part] for kind, part in self._units.items()} | {"out": out_weights}
        rows["cell"] = rows["cell"].reshape(self.blocks, self.cells, -1)
        bias = dict.fromkeys(INNER_KINDS, self._columns) | {"out": self._out_columns}
        parts = {f"w_{kind}": part[..., : bias[kind]] for kind, part in rows.items()}
        parts |= {f"u_{gate}": rows[gate][:, self._columns + 1 :] for gate in self.peepholes}
        return parts | {f"b_{kind}": rows[kind][..., bias[kind]] for kind in self.bias}

    def _by_kind(self, units: np.ndarray) -> dict[str, np.ndarray]:
        """Views of an array (rows, units), one for each kind, cells as (rows, blocks, cells)."""
        parts = {kind: units[:, rows] for kind, rows in self._units.items()}
        return parts | {"cell": self._by_block(parts["cell"])}

    def _by_block(self, cells: np.ndarray) -> np.ndarray:
        return cells.reshape(len(cells), self.blocks, self.cells)
