"""The LSTM of 1997: forward pass, loss, the paper's truncated gradient and the exact one.

Memory cells add to a state through an input gate and are read through an output gate; nothing is forgotten.
Hochreiter and Schmidhuber let the error travel back in time inside the states alone, where it stays constant,
and cut it wherever it would enter a net input of the step before. What that saves is a sum over paths that
the exact methods of ``gradient`` carry out.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import _lstm1997_kernels as kernels
from . import _validate
from ._loss import goal, half_square
from .activations import Activation, logistic, tanh_half, twice_tanh_half
from .lstm1997_online import OnlineGradient
from .lstm1997_results import Cut, CutGradient, ErrorSignals, Trace, chosen
from .parameters import Layout

__all__ = ["KINDS", "LSTM1997", "METHODS", "TIMINGS", "Cut", "CutGradient", "ErrorSignals", "OnlineGradient", "Trace"]

METHODS = ("truncated", "bptt", "rtrl")
TIMINGS = ("previous", "same")
HIDDEN_KINDS = ("hid", "ig", "og", "cell")  # units that other units read, in the order of the note
KINDS = (*HIDDEN_KINDS, "out")
_SIGNALS = ("error_signal_net", "error_signal_s", "error_signal_out")


@dataclass(frozen=True)
class LSTM1997:
    """The architecture (lstm97-36 to lstm97-43), all at zero at time 0. With r(t) = [x; y_hid; y_ig; y_og; y_cell](t):

    net_u(t+1) = w_u . r(t) + b_u for the units u of each kind, y_hid = f_hid(net_hid), y_ig = f(net_ig),
    y_og = f(net_og), s(t+1) = s(t) + y_ig(t+1) g(net_cell(t+1)), y_cell(t+1) = y_og(t+1) h(s(t+1)),
    net_out(t+1) = w_out . [x(t); y_hid; y_cell] + b_out, y = f_out(net_out).

    n_in        inputs, at least 0
    blocks      blocks, at least 1, each with an input and an output gate: the note's d_cell, its index i
    cells       cells of each block, at least 1: the note's n_cell, its index k
    n_out       outputs, at least 1
    hidden      hidden units, also none
    timing      ``"previous"``: the output at t+1 reads y_hid and y_cell at t, as the note has it and A.1 of
                the paper; ``"same"``: at t+1, as in the paper's experiments. Nothing else differs.
    bias        True, False, or the kinds with a bias, of ``KINDS``; kept as a tuple
    f, g, h     of the gates, of what enters and of what leaves a cell; as in the paper unless given
    f_hid       of the hidden units
    f_out       of the outputs

    The parameters are a flat vector ``theta``, laid out by ``layout``. Raises TypeError or ValueError, naming
    the argument, for counts that are no integers or too small, an unknown timing or kind, no activation.

    >>> model = LSTM1997(n_in=1, blocks=1, cells=1, n_out=1)
    >>> model.forward(np.zeros(model.layout.size), [[1.0], [1.0]]).y.tolist()
    [[0.0], [0.5], [0.5]]
    """

    n_in: int
    blocks: int
    cells: int
    n_out: int
    hidden: int = 0
    timing: str = "previous"
    bias: bool | Collection[str] = False
    f: Activation = logistic
    g: Activation = twice_tanh_half
    h: Activation = tanh_half
    f_hid: Activation = logistic
    f_out: Activation = logistic

    def __post_init__(self) -> None:
        for name, minimum in {"n_in": 0, "blocks": 1, "cells": 1, "n_out": 1, "hidden": 0}.items():
            object.__setattr__(self, name, _validate.count(name, getattr(self, name), minimum))
        _validate.one_of("timing", self.timing, TIMINGS)
        object.__setattr__(self, "bias", _validate.some_of("bias", self.bias, KINDS))
        for name in ("f", "g", "h", "f_hid", "f_out"):
            if not isinstance(getattr(self, name), Activation):
                raise TypeError(f"{name}: expected an Activation, got {type(getattr(self, name)).__name__}")

    @cached_property
    def layout(self) -> Layout:
        """Name and shape of the parameters: the weights of each kind of unit, then the biases.

        Columns of w_hid, w_ig, w_og and w_cell are those of r, see ``sources``; of w_out, ``output_sources``.
        """
        shapes = {"hid": (self.hidden,), "ig": (self.blocks,), "og": (self.blocks,)}
        shapes |= {"cell": (self.cells, self.blocks), "out": (self.n_out,)}
        columns = dict.fromkeys(HIDDEN_KINDS, (self._columns,)) | {"out": (self._out_columns,)}
        weights = {f"w_{kind}": shapes[kind] + columns[kind] for kind in KINDS}
        return Layout(weights | {f"b_{kind}": shapes[kind] for kind in self.bias})

    @cached_property
    def sources(self) -> dict[str, slice]:
        """Which columns of w_hid, w_ig, w_og and w_cell read what; cell [k, i] is number k blocks + i of y_cell."""
        rows = {f"y_{kind}": rows for kind, rows in self._units.items()}
        return {"x": slice(0, self.n_in)} | {
            name: slice(self.n_in + part.start, self.n_in + part.stop) for name, part in rows.items()
        }

    @cached_property
    def output_sources(self) -> dict[str, slice]:
        """Which columns of w_out read what: an output reads no gate (lstm97-42)."""
        first_cell = self.n_in + self.hidden
        return {
            "x": slice(0, self.n_in),
            "y_hid": slice(self.n_in, first_cell),
            "y_cell": slice(first_cell, self._out_columns),
        }

    def init(self, seed: int | np.random.Generator, scale: float = 0.1) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], scale > 0, by a seed >= 0 or a generator."""
        return self.layout.uniform(seed, scale)

    def forward(self, theta: np.ndarray, x: Any) -> Trace:
        """Run the network on x, of shape (T, n_in), row t being x(t) (lstm97-36 to lstm97-43).

        ``theta`` and ``x`` may be complex, for the complex step. Raises TypeError or ValueError for what
        does not fit, FloatingPointError if a net input or a state overflows.
        """
        source, net, s, _, net_out, y = self._forward(theta, x)
        for rows in (source, net, s, net_out, y):
            rows.setflags(write=False)
        act = source[:, self.n_in : -1]
        quantities = {"x": source[:-1, : self.n_in], "s": self._by_block(s), "net_out": net_out, "y": y}
        quantities |= {f"net_{kind}": part for kind, part in self._by_kind(net).items()}
        quantities |= {f"y_{kind}": part for kind, part in self._by_kind(act).items()}
        return Trace(**quantities)

    def loss(self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """Half the sum of mask (y - target)^2 over steps and outputs, analytic in ``theta`` and ``x``.

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

        ``"truncated"`` the paper's: no derivative of a net input of hidden units, gates or cells by an
                        activation of the step before (lstm97-44); ``OnlineGradient`` over the sequence
        ``"bptt"``      exact: an adjoint sweep back through a stored trace; time and memory linear in T
        ``"rtrl"``      exact: online too; its memory is independent of T

        Errors as for ``forward``; ValueError for an unknown method.
        """
        _validate.one_of("method", method, METHODS)
        theta = _validate.flat_vector("theta", theta, self.layout.size)
        x = _validate.array("x", x, ("T", self.n_in))
        if method == "bptt":
            return self._bptt(theta, x, *self._goal(len(x), targets, mask))
        online = OnlineGradient(self, theta, method)
        online.run(x, targets, mask)
        return CutGradient(online.loss, online.gradient, method, self.cuts(method))

    def cuts(self, method: str) -> tuple[Cut, ...]:
        """The paths that ``gradient`` by this method cuts. ValueError for an unknown method."""
        _validate.one_of("method", method, METHODS)
        present = [kind for kind, rows in self._units.items() if rows.start < rows.stop]
        pairs = [(net, source) for net in present for source in present] if method == "truncated" else []
        return tuple(Cut(f"net_{net}", f"y_{source}") for net, source in pairs)

    def error_signals(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, method: str = "bptt"
    ) -> ErrorSignals:
        """Derivatives of the loss by every net input and state; arguments and errors as for ``gradient``.

        With ``method="truncated"`` nothing passes the cuts. Then ``s`` changes from t+1 to t only by what the
        loss says of y_cell(t): between two outputs the error is constant, which is the point of the LSTM.
        ``"rtrl"`` is refused: it has no signals.
        """
        _validate.one_of("method", method, ("truncated", "bptt"))
        theta = _validate.flat_vector("theta", theta, self.layout.size)
        x = _validate.array("x", x, ("T", self.n_in))
        states = self._forward(theta, x)
        targets, mask = self._goal(len(x), targets, mask)
        net, s, net_out = self._signals(theta, states, mask * (states[-1][1:] - targets), exact=method == "bptt")
        by_net = {f"net_{kind}": part for kind, part in self._by_kind(net).items()}
        return ErrorSignals(**by_net, s=self._by_block(s), net_out=net_out)

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
        return self._bptt(theta, x, *self._goal(len(x), targets, mask), kept)

    def _bptt(
        self, theta: np.ndarray, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, cuts: tuple[Cut, ...] = ()
    ) -> CutGradient:
        states = self._forward(theta, x)
        source, _, _, read, _, y = states
        difference = y[1:] - targets
        loss = half_square(difference, mask)
        by_net, _, by_net_out = self._signals(theta, states, mask * difference, exact=True, cuts=cuts)
        gradients = tuple(np.zeros_like(weights) for weights in self._weights(theta))
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.add_weight_gradient(by_net, source, by_net_out, read, *gradients)
        for gradient in gradients:
            _validate.refuse_overflow(gradient=gradient)
        return CutGradient(loss, self._flat(*gradients), "bptt", cuts)

    def _signals(
        self, theta: np.ndarray, states: tuple, error: np.ndarray, exact: bool, cuts: tuple[Cut, ...] = ()
    ) -> tuple[np.ndarray, ...]:
        """By net, s and net_out; ``error`` is the immediate derivative of the loss by y(1), ..., y(T)."""
        source, net, s, _, net_out, _ = states
        weights, out_weights = self._weights(theta)
        for cut in cuts:  # an error passes a weight backward only if the weight is there
            weights[self._units[cut.net[4:]], self.sources[cut.source]] = 0.0
        signals = np.zeros_like(net), np.zeros_like(s), np.zeros_like(net_out)
        immediate = np.concatenate([np.zeros_like(net_out[:1]), error])
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.error_signals(self._net, weights, out_weights, source, net, s, net_out, immediate, exact, *signals)
        _validate.refuse_overflow(**dict(zip(_SIGNALS, signals, strict=True)))
        return signals

    def _forward(self, theta: np.ndarray, x: Any) -> tuple[np.ndarray, ...]:
        """source, net, s, read, net_out, y of the times 0 to T, the unused x(T) being zero."""
        theta = _validate.flat_vector("theta", theta, self.layout.size, allow_complex=True)
        x = _validate.array("x", x, ("T", self.n_in), allow_complex=True)
        dtype = np.result_type(theta, x)
        widths = (
            self._columns + 1,
            self._net.units,
            self._net.all_cells,
            self._out_columns + 1,
            self.n_out,
            self.n_out,
        )
        states = tuple(np.zeros((len(x) + 1, width), dtype) for width in widths)
        source, net, s, _, net_out, _ = states
        source[:-1, : self.n_in] = x
        source[:, -1] = 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.forward(self._net, *self._weights(theta.astype(dtype)), *states)
        _validate.refuse_overflow(net=net, s=s, net_out=net_out)
        return states

    def _goal(self, length: int, targets: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
        return goal(targets, mask, (length, self.n_out))

    @cached_property
    def _units(self) -> dict[str, slice]:
        """The rows of each kind of hidden unit in ``net``; ``_lstm1997_kernels`` has the same order."""
        ends = np.cumsum([self.hidden, self.blocks, self.blocks, self.blocks * self.cells]).tolist()
        return {kind: slice(start, end) for kind, start, end in zip(HIDDEN_KINDS, [0, *ends], ends, strict=False)}

    @property
    def _columns(self) -> int:
        return self.n_in + self._units["cell"].stop

    @property
    def _out_columns(self) -> int:
        return self.n_in + self.hidden + self.blocks * self.cells

    @cached_property
    def _net(self) -> kernels.Architecture:
        starts = [self._units[kind].start for kind in ("ig", "og", "cell")]
        sizes = (self.n_in, self.blocks, self.blocks * self.cells, *starts, self._units["cell"].stop)
        functions = (self.f, self.g, self.h, self.f_hid, self.f_out)
        return kernels.Architecture(*sizes, int(self.timing == "same"), *(function.code for function in functions))

    def _weights(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All weights of hidden kinds and those of the outputs, copied; the last column is the bias, or zero."""
        parts = self.layout.views(theta)
        weights = np.zeros((self._net.units, self._columns + 1), theta.dtype)
        out_weights = np.zeros((self.n_out, self._out_columns + 1), theta.dtype)
        for kind, rows in self._rows(weights, out_weights).items():
            rows[..., :-1] = parts[f"w_{kind}"]
            if kind in self.bias:
                rows[..., -1] = parts[f"b_{kind}"]
        return weights, out_weights

    def _flat(self, weights: np.ndarray, out_weights: np.ndarray) -> np.ndarray:
        """The inverse of ``_weights``, for gradients."""
        rows = self._rows(weights, out_weights)
        parts = {f"w_{kind}": part[..., :-1] for kind, part in rows.items()}
        return self.layout.flatten(parts | {f"b_{kind}": rows[kind][..., -1] for kind in self.bias})

    def _rows(self, weights: np.ndarray, out_weights: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the weights, one for each kind, cells as (cells, blocks, columns)."""
        rows = {kind: weights[part] for kind, part in self._units.items()} | {"out": out_weights}
        return rows | {"cell": rows["cell"].reshape(self.cells, self.blocks, -1)}

    def _by_kind(self, units: np.ndarray) -> dict[str, np.ndarray]:
        """Views of an array (rows, units), one for each hidden kind, cells as (rows, cells, blocks)."""
        parts = {kind: units[:, rows] for kind, rows in self._units.items()}
        return parts | {"cell": self._by_block(parts["cell"])}

    def _by_block(self, cells: np.ndarray) -> np.ndarray:
        return cells.reshape(len(cells), self.cells, self.blocks)
