"""What the LSTM of 1997 and the one with forget gates and peepholes share: loss, gradients, and how weights are held.

Both are one recursion, that of ``lstm_kernels``. In both the authors cut the error where it would leave the cells:
what is left of the gradient is carried forward with the net. What that saves is a sum over paths, which the exact
methods of ``gradient`` carry out.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from . import lstm_kernels as kernels
from . import validate
from ._loss import goal, half_square
from .activations import Activation, logistic
from .lstm_online import OnlineGradient
from .parameters import Layout, LossGradient

METHODS = ("truncated", "bptt", "rtrl")
_SIGNALS = ("error_signal_net", "error_signal_s", "error_signal_out")


@dataclass(frozen=True)
class CutGradient(LossGradient):
    """A loss, its gradient, the method, and which paths it cut where: ``cuts`` is empty for an exact method."""

    cuts: tuple[NamedTuple, ...]


@dataclass(frozen=True)
class LSTM:
    """An architecture of blocks of cells. A subclass adds what it leaves to choice, and names its units and results."""

    CELL_AXES: ClassVar[tuple[str, str]]  # of arrays of cells: "blocks" and "cells" in the order of the note
    CUT: ClassVar[type[NamedTuple]]
    SIGNALS: ClassVar[type[NamedTuple]]

    n_in: int
    blocks: int
    cells: int
    n_out: int

    # Without annotations these are no fields: what holds unless a subclass has a field of that name.
    hidden = 0
    peepholes = ()
    f_hid = logistic

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type is int:
                value = validate.count(field.name, value, minimum=int(field.name not in ("n_in", "hidden")))
                object.__setattr__(self, field.name, value)
            elif field.type is Activation and not isinstance(value, Activation):
                raise TypeError(f"{field.name}: expected an Activation, got {type(value).__name__}")
        object.__setattr__(self, "bias", validate.some_of("bias", self.bias, (*self._units, "out")))

    @cached_property
    def layout(self) -> Layout:
        """Name and shape of the parameters: weights of each kind, peepholes of each gate, then the biases.

        Columns of all weights but w_out are those of ``columns``; u_fg[k, i] is the peephole of the forget gate of
        block k to the state of its cell i.
        """
        shapes = {kind: (rows.stop - rows.start,) for kind, rows in self._units.items()}
        shapes |= {"cell": self._cell_axes, "out": (self.n_out,)}
        columns = dict.fromkeys(self._units, self._columns) | {"out": self._out_columns}
        weights = {f"w_{kind}": (*shape, columns[kind]) for kind, shape in shapes.items()}
        weights |= {f"u_{gate}": (self.blocks, self.cells) for gate in self.peepholes}
        return Layout(weights | {f"b_{kind}": shapes[kind] for kind in self.bias})

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Which columns of all weights but w_out read what: x, and the activations of the step before.

        Among those of y_cell, cells stand in the order of their array flattened.
        """
        first, shift = self._first_read, self.n_in - self._first_read
        read = {kind: rows for kind, rows in self._units.items() if rows.start >= first}
        return {"x": slice(0, self.n_in)} | {
            f"y_{kind}": slice(rows.start + shift, rows.stop + shift) for kind, rows in read.items()
        }

    def init(self, seed: int | np.random.Generator, scale: float = 0.1) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], scale > 0, by a seed >= 0 or a generator."""
        return self.layout.uniform(seed, scale)

    def loss(self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """Half the sum of mask (y - target)^2 over steps and outputs (peephole-6), analytic in ``theta`` and ``x``.

        targets     (T, n_out), row t-1 being the target at time t, finite also where the mask is 0
        mask        zeros and ones, of shape (T,) for whole steps or (T, n_out) one by one; None for all ones

        Errors as for ``forward``.
        """
        y = self._forward(theta, x)[-1][1:]
        targets, mask = self._goal(len(y), targets, mask)
        return half_square(y - targets, mask)

    def gradient(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, method: str = "truncated"
    ) -> CutGradient:
        """The loss and its gradient by ``theta``; arguments as for ``loss``, but real.

        ``"truncated"`` the paper's: no derivative of a net input of hidden units, gates or cells by an activation of
                        the step before (lstm97-44), none through a peephole (peephole-7 to 11, 15 to 17);
                        ``OnlineGradient`` over the sequence
        ``"bptt"``      exact: an adjoint sweep back through a stored trace; time and memory linear in T
        ``"rtrl"``      exact: online too; its memory is independent of T

        Errors as for ``forward``; ValueError for an unknown method.
        """
        validate.one_of("method", method, METHODS)
        if method == "bptt":
            return self._bptt(theta, x, targets, mask, cuts=())
        online = OnlineGradient(self, theta, method)
        online.run(x, targets, mask)
        return CutGradient(online.loss, online.gradient, method, self.cuts(method))

    def cuts(self, method: str) -> tuple[NamedTuple, ...]:
        """The paths that ``gradient`` by this method cuts. ValueError for an unknown method."""
        validate.one_of("method", method, METHODS)
        present = [kind for kind, rows in self._units.items() if rows.start < rows.stop]
        read = [f"y_{kind}" for kind in present if f"y_{kind}" in self.columns]
        pairs = [(f"net_{net}", source) for net in present for source in read] if method == "truncated" else []
        return tuple(self.CUT(*pair) for pair in pairs)

    def gradient_with_cuts(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, cuts: Collection[NamedTuple]
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
        return self._bptt(theta, x, targets, mask, tuple(cut for cut in known if cut in cuts))

    def error_signals(
        self, theta: np.ndarray, x: Any, targets: Any, mask: Any = None, *, method: str = "bptt"
    ) -> NamedTuple:
        """Derivatives of the loss by every net input and state; arguments and errors as for ``gradient``.

        With ``method="truncated"`` nothing passes the cuts. Then ``s`` changes from t to t-1 by the factor y_fg(t), if
        there are forget gates, and by what the loss says of y_cell(t-1), nothing else. Without them the error is
        constant between two outputs, which is the point of the LSTM. ``"rtrl"`` is refused: it has no signals.
        """
        validate.one_of("method", method, ("truncated", "bptt"))
        theta, x, targets, mask = self._real(theta, x, targets, mask)
        states = self._forward(theta, x)
        net, s, net_out = self._signals(theta, states, mask * (states[-1][1:] - targets), self.cuts(method))
        by_net = {f"net_{kind}": part for kind, part in self._by_kind(net).items()}
        return self.SIGNALS(**by_net, s=self._by_axes(s), net_out=net_out)

    def _bptt(self, theta: np.ndarray, x: Any, targets: Any, mask: Any, cuts: tuple[NamedTuple, ...]) -> CutGradient:
        theta, x, targets, mask = self._real(theta, x, targets, mask)
        states = row, _, s, read, _, y = self._forward(theta, x)
        difference = y[1:] - targets
        loss = half_square(difference, mask)
        by_net, _, by_net_out = self._signals(theta, states, mask * difference, cuts)
        gradients = tuple(np.zeros_like(weights) for weights in self._weights(theta))
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.add_weight_gradient(self._net, by_net, row, s, by_net_out, read, *gradients)
        for gradient in gradients:
            validate.refuse_overflow(gradient=gradient)
        return CutGradient(loss, self._flat(*gradients), "bptt", cuts)

    def _signals(
        self, theta: np.ndarray, states: tuple, error: np.ndarray, cuts: tuple[NamedTuple, ...]
    ) -> tuple[np.ndarray, ...]:
        """By net, s and net_out; ``error`` is the immediate derivative of the loss by y(1), ..., y(T)."""
        row, net, s, _, net_out, _ = states
        signals = np.zeros_like(net), np.zeros_like(s), np.zeros_like(net_out)
        immediate = np.concatenate([np.zeros_like(net_out[:1]), error])
        weights, out_weights = self._weights(theta)
        for cut in cuts:  # an error passes a weight backward only if the weight is there
            read = slice(self._columns + 1, None) if cut.source == "s" else self.columns[cut.source]
            weights[self._units[cut.net.removeprefix("net_")], read] = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.error_signals(self._net, weights, out_weights, row, net, s, net_out, immediate, *signals)
        validate.refuse_overflow(**dict(zip(_SIGNALS, signals, strict=True)))
        return signals

    def _quantities(self, theta: np.ndarray, x: Any) -> dict[str, np.ndarray]:
        """What a trace holds, read-only; x in the rows 0 to T-1 of T+1."""
        row, net, s, _, net_out, y = self._forward(theta, x)
        for rows in (row, net, s, net_out, y):
            rows.setflags(write=False)
        found = {"x": row[:, : self.n_in], "s": self._by_axes(s), "net_out": net_out, "y": y}
        found |= {f"net_{kind}": part for kind, part in self._by_kind(net).items()}
        return found | {f"y_{kind}": part for kind, part in self._by_kind(row[:, self.n_in : -1]).items()}

    def _forward(self, theta: np.ndarray, x: Any) -> tuple[np.ndarray, ...]:
        """row, net, s, read, net_out, y of the times 0 to T, the unused last input being zero."""
        theta = validate.flat_vector("theta", theta, self.layout.size, allow_complex=True)
        x = validate.array("x", x, ("T", self.n_in), allow_complex=True)
        dtype = np.result_type(theta, x)
        states = row, net, s, _, net_out, _ = self._states(len(x) + 1, dtype)
        row[:-1, : self.n_in] = x
        with np.errstate(over="ignore", invalid="ignore"):
            kernels.forward(self._net, *self._weights(theta.astype(dtype)), *states)
        validate.refuse_overflow(net=net, s=s, net_out=net_out)
        return states

    def _states(self, rows: int, dtype: np.dtype | type = np.float64) -> tuple[np.ndarray, ...]:
        """Arrays for row, net, s, read, net_out and y, zero but for the ones that carry the biases."""
        units, cells = self._net.units, self.blocks * self.cells
        widths = (self.n_in + units + 1, units, cells, self._out_columns + 1, self.n_out, self.n_out)
        states = tuple(np.zeros((rows, width), dtype) for width in widths)
        states[0][:, -1] = 1.0
        return states

    def _real(self, theta: np.ndarray, x: Any, targets: Any, mask: Any) -> tuple[np.ndarray, ...]:
        """The arguments of a gradient, checked."""
        theta = validate.flat_vector("theta", theta, self.layout.size)
        x = validate.array("x", x, ("T", self.n_in))
        return theta, x, *self._goal(len(x), targets, mask)

    def _goal(self, length: int, targets: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
        return goal(targets, mask, (length, self.n_out))

    # ---- sizes, and how the loops see the weights

    @property
    def _kinds(self) -> dict[str, int]:
        """How many units there are of each kind but the outputs, in the order of ``net`` and of ``lstm_kernels``."""
        raise NotImplementedError

    @property
    def _first_read(self) -> int:
        return 0

    @property
    def _out_n_in(self) -> int:
        return self.n_in

    @property
    def _same(self) -> bool:
        return True

    @cached_property
    def _units(self) -> dict[str, slice]:
        """The rows of each kind of unit in ``net``."""
        ends = np.cumsum([0, *self._kinds.values()]).tolist()
        return {kind: slice(*part) for kind, part in zip(self._kinds, pairwise(ends), strict=True)}

    @property
    def _columns(self) -> int:
        return self.n_in + self._units["cell"].stop - self._first_read

    @property
    def _out_columns(self) -> int:
        return self._out_n_in + self.hidden + self.blocks * self.cells

    @property
    def _cell_axes(self) -> tuple[int, int]:
        return tuple(getattr(self, axis) for axis in self.CELL_AXES)

    @cached_property
    def _net(self) -> kernels.Architecture:
        steps = (self.cells, 1) if self.CELL_AXES == ("blocks", "cells") else (1, self.blocks)
        seen = self.cells if self.peepholes else 0
        starts = [self._units[kind].start for kind in ("ig", "og", "cell")]
        units = (self.hidden, *starts, self._units["cell"].stop)
        reads = (self._first_read, self._out_n_in, int(self._same))
        functions = (f.code for f in (self.f, self.g, self.h, self.f_hid, self.f_out))
        return kernels.Architecture(self.n_in, self.blocks, self.cells, *steps, seen, *units, *reads, *functions)

    def _weights(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All weights but those of the outputs, copied: weights, bias or zero, peepholes or zeros; and the outputs'."""
        parts = self.layout.views(theta)
        weights = np.zeros((self._net.units, self._columns + 1 + self._net.seen), theta.dtype)
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
        rows["cell"] = rows["cell"].reshape(*self._cell_axes, -1)
        bias = dict.fromkeys(rows, self._columns) | {"out": self._out_columns}
        parts = {f"w_{kind}": part[..., : bias[kind]] for kind, part in rows.items()}
        parts |= {f"u_{gate}": rows[gate][:, self._columns + 1 :] for gate in self.peepholes}
        return parts | {f"b_{kind}": rows[kind][..., bias[kind]] for kind in self.bias}

    def _by_kind(self, units: np.ndarray) -> dict[str, np.ndarray]:
        """Views of an array (rows, units), one for each kind, cells with two axes."""
        parts = {kind: units[:, rows] for kind, rows in self._units.items()}
        return parts | {"cell": self._by_axes(parts["cell"])}

    def _by_axes(self, cells: np.ndarray) -> np.ndarray:
        return cells.reshape(len(cells), *self._cell_axes)
