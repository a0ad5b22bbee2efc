"""Base of the LSTM of 1997 and the one with forget gates and peepholes: loss, gradients, arrays of weights.

Both are one recursion, that of ``lstm_kernels``. In both the authors cut the error where it would leave the cells:
what is left of the gradient is carried forward with the net. What that saves is a sum over paths, which the exact
methods of ``gradient`` carry out.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Protocol

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import Activation, logistic, named
from throughtime.arrays.network import Arrays, Quantities, check_overflow, quiet, shown
from throughtime.arrays.online import OnlineNetwork
from throughtime.arrays.parameters import Layout, LossGradient
from throughtime.models import lstm_kernels as kernels
from throughtime.models.lstm_online import LSTMOnlineGradient

METHODS = ("truncated", "bptt", "rtrl")


class CutPath(Protocol):
    """A path held constant, from ``source`` to ``net``, both names of a trace: a named tuple ``Cut`` of the model."""

    @property
    def net(self) -> str:
        """The net input that the path leads to."""

    @property
    def source(self) -> str:
        """The activation or state that the path comes from."""


@dataclass(frozen=True)
class CutGradient(LossGradient):
    """A loss, its gradient, the method, and the paths it cut, named tuples ``Cut``; none for an exact method."""

    cuts: tuple[CutPath, ...]


@dataclass(frozen=True)
class LSTMTrace(Quantities):
    """Base of the traces of both LSTMs. Row t of each array is time t; the arrays are read-only.

    Times are 0, ..., T. At time 0 all activations and states are zero; there are no net inputs, their row is zero and
    nothing depends on it. Arrays of cells have the axes (time, *model.cell_axes).
    """

    x: np.ndarray  # (T, n_in) or (T+1, n_in)
    net_ig: np.ndarray  # (T+1, blocks)
    y_ig: np.ndarray
    net_og: np.ndarray  # (T+1, blocks)
    y_og: np.ndarray
    net_cell: np.ndarray  # (T+1, cells, blocks) or (T+1, blocks, cells)
    s: np.ndarray
    y_cell: np.ndarray
    net_out: np.ndarray  # (T+1, n_out)
    y: np.ndarray


@dataclass(frozen=True)
class LSTM(OnlineNetwork):
    """Base of LSTM1997 and PeepholeLSTM: blocks of memory cells.

    A subclass declares its options as fields, its kinds of units, and the types of its trace, cuts and error signals.
    Beside ``"bptt"`` and ``"rtrl"``, the exact methods of ``gradient``, there is

    ``"truncated"`` the paper's: no derivative of a net input of hidden units, gates or cells by an activation of the
                    step before (lstm97-44), none through a peephole (peephole-7 to 11, 15 to 17); carried forward,
                    one number for each state and weight of its own row and of its gates

    A gradient is a ``CutGradient``: it says which paths were cut.
    """

    METHODS = METHODS
    CHECKED: ClassVar[dict[str, int]] = {"net": 1, "s": 2, "net_out": 4}
    UNITS: ClassVar[tuple[str, ...]]  # kinds of units but the outputs, in the order of ``net`` and ``lstm_kernels``
    CELL_AXES: ClassVar[tuple[str, str]]  # of arrays of cells: "blocks" and "cells" in the order of the note
    CUT: ClassVar[type]
    SIGNALS: ClassVar[type]

    n_in: int
    blocks: int
    cells: int
    n_out: int

    # Without annotations these are no fields: what holds unless a subclass has a field of that name.
    hidden = 0
    timing = "same"
    feedback = "all"
    direct = True

    def __post_init__(self) -> None:
        own = fields(self)
        self._check_counts(**{f.name: int(f.name not in ("n_in", "hidden")) for f in own if f.type is int})
        self._check_activations(*(field.name for field in own if isinstance(field.default, Activation)))
        self._check_kinds("bias", (*self._units, "out"))

    @cached_property
    def layout(self) -> Layout:
        """Names and shapes of the parameters: weights of each kind, peepholes of each gate, then the biases.

        Columns of all weights but w_out are those of ``sources``; u_fg[k, i] is the peephole of the forget gate of
        block k to the state of its cell i.
        """
        return Layout({name: part.shape for name, part in self._parts(*self._blank()).items()})

    @cached_property
    def sources(self) -> dict[str, slice]:
        """The columns of all weights but w_out by source: x, and each kind of units of the previous step.

        Among those of y_cell, cells stand in the order of their array flattened.
        """
        read = self._sizes if self.feedback == "all" else ("cell",)
        return _spans({"x": self.n_in} | {f"y_{kind}": self._sizes[kind] for kind in read})

    @cached_property
    def output_sources(self) -> dict[str, slice]:
        """The columns of w_out by source: inputs, hidden units, if the net can have any, and cells; no gates."""
        read = [kind for kind in self.UNITS if kind in ("hid", "cell")]
        return _spans({"x": self.n_in * self.direct} | {f"y_{kind}": self._sizes[kind] for kind in read})

    def cuts(self, method: str) -> tuple[CutPath, ...]:
        """The paths that ``gradient`` by this method cuts. ValueError for an unknown method."""
        validate.one_of("method", method, METHODS)
        if method != "truncated":
            return ()
        present = [kind for kind, size in self._sizes.items() if size]
        read = [f"y_{kind}" for kind in present if f"y_{kind}" in self.sources]
        paths: list[tuple[str | int, ...]] = [(f"net_{net}", source) for net in present for source in read]
        paths += [(f"net_{gate}", "s", int(gate != "og")) for gate in self._kinds("peepholes")]
        return tuple(self.CUT(*path) for path in paths)

    @quiet
    def gradient_with_cuts(
        self, theta: Any, x: Any, targets: Any, mask: Any = None, *, cuts: Collection[CutPath]
    ) -> CutGradient:
        """The gradient through all paths but those in ``cuts``, some of ``cuts("truncated")``, by an adjoint sweep.

        All of them give the truncated gradient, none the exact one. Arguments and errors as for ``gradient``;
        TypeError for cuts that are no collection, ValueError for a cut that is not among them.
        """
        known = self.cuts("truncated")
        if isinstance(cuts, str) or not isinstance(cuts, Collection):
            raise TypeError(f"cuts: expected a collection of cuts, got {cuts!r}")
        for cut in cuts:
            if cut not in known:
                raise ValueError(f"cuts: expected some of those of the truncated gradient, got {cut!r}")
        paths = tuple(path for path in known if path in cuts)
        theta, *problem, _ = self._problem(theta, x, targets, mask)
        loss, gradient = self._swept(self.unpack(theta), *problem, method="bptt", cuts=paths)
        return self._result(loss, gradient, "bptt", paths)

    @quiet
    def error_signals(self, theta: Any, x: Any, targets: Any, mask: Any = None, *, method: str = "bptt") -> tuple:
        """Derivatives of the loss with respect to every net input and state, a named tuple ``ErrorSignals``.

        Arguments and errors as for ``gradient``. With ``method="truncated"`` nothing passes the cuts. Then ``s``
        changes from t to t-1 by the factor y_fg(t), if there are forget gates, and by the immediate derivative of the
        loss with respect to y_cell(t-1), nothing else. Without them the error is constant between two outputs, which is
        the point of the LSTM. ``"rtrl"`` is refused: it has no signals.
        """
        validate.one_of("method", method, ("truncated", "bptt"))
        theta, x, targets, mask, single = self._problem(theta, x, targets, mask)
        weights = self.unpack(theta)
        states, difference = self._difference(weights, x, targets)
        error = self._immediate(difference, mask)
        net, s, net_out = self._signals(weights, states, error, self.cuts(method))
        check_overflow({"error_signal_net": net, "error_signal_s": s, "error_signal_out": net_out})
        return shown(self.SIGNALS, single, self._by_name(net, s, net_out))

    # ---- inner protocol: weights are those of all units but the outputs, and those of the outputs

    def unpack(self, theta: np.ndarray) -> Arrays:
        """New arrays, (units, inputs and a bias and peepholes) and (n_out, inputs and a bias); zero where none is."""
        weights, given = self._blank(theta.dtype), self.layout.split(theta)
        for name, part in self._parts(*weights).items():
            part[:] = given[name]
        return weights

    def pack(self, weights: Arrays) -> np.ndarray:
        return np.concatenate([part.ravel() for part in self._parts(*weights).values()])

    def run(self, weights: Arrays, x: np.ndarray) -> Arrays:
        """row, net, s, read, net_out and y of ``kernels.forward``, each of shape (sequences, T+1, ...)."""
        count, length, _ = x.shape
        units, cells = self.architecture.units, self._sizes["cell"]
        widths = (self.n_in + units + 1, units, cells, weights[1].shape[1], self.n_out, self.n_out)
        states = tuple(np.zeros((count, length + 1, width), weights[0].dtype) for width in widths)
        states[0][:, :-1, : self.n_in] = x
        states[0][..., -1] = 1.0
        for sequence in zip(*states, strict=True):
            kernels.forward(self.architecture, *weights, *sequence)
        return states

    def show(self, states: Arrays) -> dict[str, np.ndarray]:
        """Fields of the trace, arrays (sequences, T+1, ...); x at the times 0 to T-1."""
        row, net, s, _, net_out, y = states
        found = {"x": row[:, :-1, : self.n_in], "y": y} | self._by_kind("y", row[..., self.n_in : -1])
        return found | self._by_name(net, s, net_out)

    def sweep(
        self, weights: Arrays, states: Arrays, error: np.ndarray, method: str, cuts: tuple[CutPath, ...] = ()
    ) -> np.ndarray:
        """The gradient, a vector, through all paths but ``cuts``; ``error`` is of shape (sequences, T+1, n_out)."""
        by_net, _, by_net_out = self._signals(weights, states, error, cuts)
        row, _, s, read, _, _ = states
        gradients = tuple(map(np.zeros_like, weights))
        for sequence in zip(by_net, row, s, by_net_out, read, strict=True):
            kernels.add_weight_gradient(self.architecture, *sequence, *gradients)
        return self.pack(gradients)

    def begin(self, weights: Arrays, method: str) -> LSTMOnlineGradient:
        """The online gradient at time 0, of weights in the shapes of ``unpack``."""
        return LSTMOnlineGradient(self, weights, method)

    @property
    def cell_axes(self) -> tuple[int, int]:
        """The shape of an array of cells."""
        return tuple(getattr(self, axis) for axis in self.CELL_AXES)

    @cached_property
    def architecture(self) -> kernels.Architecture:
        """Description of the network for the loops."""
        step = self.cells if self.CELL_AXES == ("blocks", "cells") else 1
        seen = self.cells if self._kinds("peepholes") else 0
        ig, og, cell = (self._units[kind].start for kind in ("ig", "og", "cell"))
        first_read = 0 if self.feedback == "all" else cell
        sizes = (self.n_in, self.blocks, self.cells, step, self.sources["y_cell"].stop + 1, seen)
        units = (self.hidden, ig, og, cell, self._units["cell"].stop)
        reads = (first_read, self.output_sources["x"].stop, int(self.timing == "same"))
        functions = (named(f, getattr(self, f, logistic)).code for f in ("f", "g", "h", "f_hid", "f_out"))
        return kernels.Architecture(*sizes, *units, *reads, *functions)

    # ---- shared steps

    def _result(
        self, loss: float, gradient: np.ndarray, method: str, cuts: tuple[CutPath, ...] | None = None
    ) -> CutGradient:
        found = super()._result(loss, gradient, method)
        return CutGradient(**vars(found), cuts=self.cuts(method) if cuts is None else cuts)

    def _signals(self, weights: Arrays, states: Arrays, error: np.ndarray, cuts: tuple[CutPath, ...]) -> Arrays:
        """dL/dnet, dL/ds and dL/dnet_out from the immediate derivative of the loss with respect to y."""
        row, net, s, _, net_out, _ = states
        open_weights, out_weights = weights[0].copy(), weights[1]
        for cut in cuts:  # an error passes a weight backward only if the weight is there
            read = slice(self.architecture.columns, None) if cut.source == "s" else self.sources[cut.source]
            open_weights[self._units[cut.net.removeprefix("net_")], read] = 0.0
        signals = np.zeros_like(net), np.zeros_like(s), np.zeros_like(net_out)
        for sequence in zip(row, net, s, net_out, error, *signals, strict=True):
            kernels.error_signals(self.architecture, open_weights, out_weights, *sequence)
        return signals

    # ---- options and sizes

    def _check_kinds(self, option: str, kinds: Iterable[str]) -> None:
        """For ``__post_init__``: a field that chooses among kinds of units, which becomes a tuple."""
        object.__setattr__(self, option, validate.some_of(option, getattr(self, option), kinds))

    def _kinds(self, option: str) -> tuple[str, ...]:
        """The kinds that a field has chosen; none for an option that the network does not have."""
        return tuple(getattr(self, option, ()))

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """Number of units of each kind but the outputs."""
        others = {"hid": self.hidden, "cell": self.blocks * self.cells}
        return {kind: others.get(kind, self.blocks) for kind in self.UNITS}

    @cached_property
    def _units(self) -> dict[str, slice]:
        """The rows of each kind of unit in ``net``."""
        return _spans(self._sizes)

    def _blank(self, dtype: np.dtype | type = np.float64) -> Arrays:
        """Weights that are all zero."""
        lstm, out_columns = self.architecture, self.output_sources["y_cell"].stop + 1
        return np.zeros((lstm.units, lstm.columns + lstm.seen), dtype), np.zeros((self.n_out, out_columns), dtype)

    def _parts(self, weights: np.ndarray, out_weights: np.ndarray) -> dict[str, np.ndarray]:
        """Views of the weights, one for each name of the layout."""
        rows = {kind: weights[part] for kind, part in self._units.items()} | {"out": out_weights}
        rows["cell"] = rows["cell"].reshape(*self.cell_axes, -1)
        bias = dict.fromkeys(rows, self.architecture.columns - 1) | {"out": -1}
        parts = {f"w_{kind}": part[..., : bias[kind]] for kind, part in rows.items()}
        parts |= {f"u_{gate}": rows[gate][:, self.architecture.columns :] for gate in self._kinds("peepholes")}
        return parts | {f"b_{kind}": rows[kind][..., bias[kind]] for kind in self._kinds("bias")}

    def _by_kind(self, symbol: str, units: np.ndarray) -> dict[str, np.ndarray]:
        """Views of an array (..., units) by name, one for each kind, cells with two axes."""
        parts = {f"{symbol}_{kind}": units[..., rows] for kind, rows in self._units.items()}
        return parts | {f"{symbol}_cell": self._by_axes(parts[f"{symbol}_cell"])}

    def _by_name(self, net: np.ndarray, s: np.ndarray, net_out: np.ndarray) -> dict[str, np.ndarray]:
        """Net inputs and states, or their derivatives, as a trace has them."""
        return self._by_kind("net", net) | {"s": self._by_axes(s), "net_out": net_out}

    def _by_axes(self, cells: np.ndarray) -> np.ndarray:
        return cells.reshape(*cells.shape[:-1], *self.cell_axes)


def _spans(sizes: dict[str, int]) -> dict[str, slice]:
    """Slices of consecutive parts, by name."""
    bounds = pairwise(accumulate(sizes.values(), initial=0))
    return {name: slice(*ends) for name, ends in zip(sizes, bounds, strict=True)}
