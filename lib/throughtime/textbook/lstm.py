"""Base of the LSTM of 1997 and the one with forget gates and peepholes: loss, gradients, arrays of weights.

Both are one recursion. The LSTM of 1997 has hidden units, if any, and keeps its states whole; the later one has forget
gates and may have peepholes. In both the authors cut the error where it would leave the cells: what is left of the
gradient can be carried forward with the net. What that saves is a sum over paths, which the exact gradient contains.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import Any, ClassVar

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import FORMULAS, ActivationFunction, named
from throughtime.arrays.network import Arrays, Network, Quantities, check_overflow, quiet, shown
from throughtime.arrays.parameters import Layout, LossGradient

METHODS = ("truncated", "bptt")
ByKind = dict[str, Any]  # an array for each kind of units: hid, fg, ig, og, cell and out


@dataclass(frozen=True)
class CutGradient(LossGradient):
    """A loss, its gradient, the method, and the paths it cut, named tuples ``Cut``; none for an exact method."""

    cuts: tuple[Any, ...]


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
class LSTM(Network):
    """Base of LSTM1997 and PeepholeLSTM: blocks of memory cells.

    A subclass declares its options as fields, its kinds of units, and the types of its trace, cuts and error signals.
    Beside ``"bptt"``, the exact method of ``gradient``, there is ``"truncated"``, the paper's: no derivative of a net
    input of hidden units, gates or cells by an activation of the step before (lstm97-44), none through a peephole
    (peephole-7 to peephole-11, peephole-15 to peephole-17). It is an adjoint sweep with these paths cut; the papers
    carry it forward.

    A gradient is a ``CutGradient``: it says which paths were cut.
    """

    METHODS = METHODS
    UNITS: ClassVar[tuple[str, ...]]  # kinds but the outputs, in the order of the note: output gates and cells last
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
        self._check_activations(*(field.name for field in own if isinstance(field.default, ActivationFunction)))
        self._check_kinds("bias", (*self.UNITS, "out"))

    @cached_property
    def layout(self) -> Layout:
        """Names and shapes of the parameters: weights of each kind, peepholes of each gate, then the biases.

        Columns of all weights but w_out are those of ``sources``; u_fg[k, i] is the peephole of the forget gate of
        block k to the state of its cell i.
        """
        read = dict.fromkeys(self.UNITS, self.sources) | {"out": self.output_sources}
        columns = {kind: sources["y_cell"].stop for kind, sources in read.items()}
        shapes = {f"w_{kind}": (*self._axes(kind), columns[kind]) for kind in read}
        shapes |= {f"u_{gate}": self.cell_axes for gate in self._kinds("peepholes")}
        return Layout(shapes | {f"b_{kind}": self._axes(kind) for kind in self._kinds("bias")})

    @cached_property
    def sources(self) -> dict[str, slice]:
        """The columns of all weights but w_out by source: x, and each kind of units of the previous step.

        Among those of y_cell, cells stand in the order of their array flattened.
        """
        read = self.UNITS if self.feedback == "all" else ("cell",)
        return _spans({"x": self.n_in} | {f"y_{kind}": prod(self._axes(kind)) for kind in read})

    @cached_property
    def output_sources(self) -> dict[str, slice]:
        """The columns of w_out by source: inputs, hidden units, if the net can have any, and cells; no gates."""
        sizes = {f"y_{kind}": prod(self._axes(kind)) for kind in self._outside}
        return _spans({"x": self.n_in * self.direct} | sizes)

    def cuts(self, method: str) -> tuple[Any, ...]:
        """The paths that ``gradient`` by this method cuts. ValueError for an unknown method."""
        validate.one_of("method", method, METHODS)
        if method != "truncated":
            return ()
        present = [kind for kind in self.UNITS if prod(self._axes(kind))]
        read = [f"y_{kind}" for kind in present if f"y_{kind}" in self.sources]
        paths: list[tuple[str | int, ...]] = [(f"net_{net}", source) for net in present for source in read]
        paths += [(f"net_{gate}", "s", int(gate != "og")) for gate in self._kinds("peepholes")]
        return tuple(self.CUT(*path) for path in paths)

    @quiet
    def gradient_with_cuts(
        self, theta: Any, x: Any, targets: Any, mask: Any = None, *, cuts: Collection[Any]
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
        loss, gradient = self._computed(self.unpack(theta), *problem, method="bptt", cuts=paths)
        return self._result(loss, gradient, "bptt", paths)

    @quiet
    def error_signals(self, theta: Any, x: Any, targets: Any, mask: Any = None, *, method: str = "bptt") -> tuple:
        """Derivatives of the loss by every net input and state through all later steps, a named tuple of arrays.

        They have the shapes of those of the trace, row t being time t. Row 0 of ``s`` is the derivative with respect to
        the initial states, that of the net inputs is zero. Arguments and errors as for ``gradient``. With
        ``method="truncated"`` nothing passes the cuts. Then ``s`` changes from t to t-1 by the factor y_fg(t), if there
        are forget gates, and by the immediate derivative of the loss with respect to y_cell(t-1), nothing else. Without
        them the error is constant between two outputs, which is the point of the LSTM.
        """
        cuts = self.cuts(method)
        theta, x, targets, mask, single = self._problem(theta, x, targets, mask)
        weights = self.unpack(theta)
        states, difference = self._difference(weights, x, targets)
        by_net, by_s = self._backward(weights, states, self._immediate(difference, mask), cuts)
        signals = {f"net_{kind}": array.swapaxes(0, 1) for kind, array in by_net.items()} | {"s": by_s.swapaxes(0, 1)}
        check_overflow({f"error_signal_{name}": array for name, array in signals.items()})
        return shown(self.SIGNALS, single, signals)

    # ---- inner protocol: states are the arrays of the trace, x as it was given

    def run(self, weights: Arrays, x: np.ndarray) -> Arrays:
        """States of a forward pass over a batch x, (B, T, n_in): arrays of shapes (B, T+1, ...)."""
        w, u, b = self._named(weights)
        f = {kind: formulas[0] for kind, formulas in self._formulas.items()}
        r, y = self._rows(x, weights[0].dtype)
        net, s = {kind: np.zeros_like(array) for kind, array in y.items()}, np.zeros_like(y["cell"])
        for t in range(1, len(r)):
            for kind in self.UNITS:
                net[kind][t] = np.inner(r[t - 1], w[kind]) + b[kind]  # lstm97-36, 37, 40, 43; peephole-1, 2
            for kind in self.UNITS[:-2]:
                if kind in u:
                    net[kind][t] += (u[kind] * s[t - 1]).sum(-1)  # peephole-13
                y[kind][t] = f[kind](net[kind][t])
            s[t] = self._each(y["fg"][t]) * s[t - 1] if "fg" in y else s[t - 1]
            s[t] += self._each(y["ig"][t]) * f["cell"](net["cell"][t])  # lstm97-38, 39; peephole-2
            if "og" in u:
                net["og"][t] += (u["og"] * s[t]).sum(-1)  # peephole-14
            y["og"][t] = f["og"](net["og"][t])
            y["cell"][t] = self._each(y["og"][t]) * f["s"](s[t])  # lstm97-41; peephole-3, 4
        net["out"], y["out"] = np.zeros((2, *r.shape[:2], self.n_out), r.dtype)
        net["out"][1:] = self._read(r, y) @ w["out"].T + b["out"]  # lstm97-42, peephole-5
        y["out"][1:] = f["out"](net["out"][1:])
        found = {f"net_{kind}": net[kind] for kind in net} | {f"y_{kind}": y[kind] for kind in y}
        found |= {"s": s, "y": y["out"]}
        return x, *(found[field.name].swapaxes(0, 1) for field in fields(self.TRACE)[1:])

    def outputs(self, states: Arrays) -> np.ndarray:
        return states[self._places["y"]]

    @property
    def CHECKED(self) -> dict[str, int]:
        """Net inputs and states, by name, with their places among the states of a run."""
        return {name: place for name, place in self._places.items() if name == "s" or name.startswith("net")}

    @property
    def _places(self) -> dict[str, int]:
        return {field.name: place for place, field in enumerate(fields(self.TRACE))}

    def sweep(
        self, weights: Arrays, states: Arrays, error: np.ndarray, method: str, cuts: tuple[Any, ...] | None = None
    ) -> np.ndarray:
        """The flat gradient from dL/dy, (B, T+1, n_out), but for ``cuts``: those of the method if not given."""
        by_net, _ = self._backward(weights, states, error, self.cuts(method) if cuts is None else cuts)
        r, y, _, s = self._ran(states)
        over = ((0, 1), (0, 1))  # steps and sequences
        gradient = {f"w_{kind}": np.tensordot(by_net[kind][1:], r[:-1], over) for kind in self.UNITS}
        gradient["w_out"] = np.tensordot(by_net["out"][1:], self._read(r, y), over)
        for gate in self._kinds("peepholes"):
            gradient[f"u_{gate}"] = (by_net[gate][1:, ..., None] * (s[1:] if gate == "og" else s[:-1])).sum((0, 1))
        gradient |= {f"b_{kind}": by_net[kind].sum((0, 1)) for kind in self._kinds("bias")}
        return self.pack(tuple(gradient[name] for name in self.layout.names))

    def _backward(
        self, weights: Arrays, states: Arrays, error: np.ndarray, cuts: tuple[Any, ...]
    ) -> tuple[ByKind, np.ndarray]:
        """dL/dnet of each kind and dL/ds, steps first, from the immediate derivative of the loss with respect to y."""
        w, u, _ = self._named(tuple(array.copy() for array in weights))
        for cut in cuts:  # an error passes a weight backward only if the weight is there
            kind, seen = cut.net.removeprefix("net_"), cut.source == "s"
            (u[kind] if seen else w[kind][..., self.sources[cut.source]])[...] = 0.0
        r, y, net, s = self._ran(states)
        slope = {kind: formulas[1](net.get(kind, s)) for kind, formulas in self._formulas.items()}
        g, h = (self._formulas[kind][0](array) for kind, array in (("cell", net["cell"]), ("s", s)))
        by_net, by_s = {kind: np.zeros_like(array) for kind, array in net.items()}, np.zeros_like(s)
        by_r, by_y = self._rows(np.zeros_like(states[0]), r.dtype)
        by_net["out"] = slope["out"] * error.swapaxes(0, 1)
        by_read = by_net["out"][1:] @ w["out"]
        flat = {kind: w[kind].reshape(-1, r.shape[-1]) for kind in self.UNITS}
        for kind in self._outside:
            by_y[kind][self._when_read] = by_read[..., self.output_sources[f"y_{kind}"]].reshape(by_y[kind][1:].shape)
        for t in range(len(r) - 1, 0, -1):
            by_s[t] += self._each(y["og"][t]) * slope["s"][t] * by_y["cell"][t]
            by_net["og"][t] = slope["og"][t] * (by_y["og"][t] + self._sum(h[t] * by_y["cell"][t]))
            if "og" in u:
                by_s[t] += u["og"] * self._each(by_net["og"][t])
            by_y["ig"][t] += self._sum(g[t] * by_s[t])
            if "fg" in y:
                by_y["fg"][t] += self._sum(s[t - 1] * by_s[t])
            by_net["cell"][t] = self._each(y["ig"][t]) * slope["cell"][t] * by_s[t]
            by_s[t - 1] = self._each(y["fg"][t]) * by_s[t] if "fg" in y else by_s[t]
            for kind in self.UNITS[:-2]:
                by_net[kind][t] = slope[kind][t] * by_y[kind][t]
                if kind in u:
                    by_s[t - 1] += u[kind] * self._each(by_net[kind][t])
            for kind in self.UNITS:
                by_r[t - 1] += by_net[kind][t].reshape(r.shape[1], -1) @ flat[kind]
        return by_net, by_s

    def _result(
        self, loss: float, gradient: np.ndarray, method: str, cuts: tuple[Any, ...] | None = None
    ) -> CutGradient:
        found = super()._result(loss, gradient, method)
        return CutGradient(**vars(found), cuts=self.cuts(method) if cuts is None else cuts)

    # ---- arrays with the steps first, then the sequences, then the units

    def _rows(self, x: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, ByKind]:
        """r(t) = [x; y(t) of units fed back], the inputs of step t+1, with x at the times 0 to T-1, all else zero.

        And y of each kind, views of r where they are fed back.
        """
        count, length, _ = x.shape
        r = np.zeros((length + 1, count, self.sources["y_cell"].stop), dtype)
        r[:-1, :, self.sources["x"]] = x.swapaxes(0, 1)
        shapes = {kind: (*r.shape[:2], *self._axes(kind)) for kind in self.UNITS}
        beside = {kind: np.zeros(shape, dtype) for kind, shape in shapes.items() if f"y_{kind}" not in self.sources}
        fed = {kind: r[..., self.sources[f"y_{kind}"]] for kind in self.UNITS if kind not in beside}
        return r, beside | {kind: array.reshape(shapes[kind]) for kind, array in fed.items()}

    def _ran(self, states: Arrays) -> tuple[np.ndarray, ByKind, ByKind, np.ndarray]:
        """r, y, net and s of a forward pass."""
        trace = Network.show(self, states)
        r, y = self._rows(states[0], states[1].dtype)
        for kind, array in y.items():
            array[:] = trace[f"y_{kind}"].swapaxes(0, 1)
        net = {kind: trace[f"net_{kind}"].swapaxes(0, 1) for kind in (*self.UNITS, "out")}
        return r, y, net, trace["s"].swapaxes(0, 1)

    def _read(self, r: np.ndarray, y: ByKind) -> np.ndarray:
        """What the outputs read at the times 1 to T."""
        parts = [r[:-1, :, : self.n_in * self.direct]]
        parts += [y[kind][self._when_read].reshape(*parts[0].shape[:2], -1) for kind in self._outside]
        return np.concatenate(parts, axis=2)

    def _named(self, weights: Arrays) -> tuple[ByKind, ByKind, ByKind]:
        """Weights, peepholes and biases by kind; a missing bias is 0."""
        found: dict[str, ByKind] = {"w": {}, "u": {}, "b": dict.fromkeys((*self.UNITS, "out"), 0.0)}
        for name, array in zip(self.layout.names, weights, strict=True):
            found[name[0]][name[2:]] = array
        return found["w"], found["u"], found["b"]

    def _each(self, gates: np.ndarray) -> np.ndarray:
        """A number for each block beside the cells of the block, of arrays (sequences, blocks)."""
        return gates[:, None] if self.CELL_AXES[0] == "cells" else gates[..., None]

    def _sum(self, cells: np.ndarray) -> np.ndarray:
        """The sum over the cells of each block."""
        return cells.sum(1 + self.CELL_AXES.index("cells"))

    # ---- options

    def _check_kinds(self, option: str, kinds: Iterable[str]) -> None:
        """For ``__post_init__``: a field that chooses among kinds of units, which becomes a tuple."""
        object.__setattr__(self, option, validate.some_of(option, getattr(self, option), kinds))

    def _kinds(self, option: str) -> tuple[str, ...]:
        """The kinds that a field has chosen; none for an option that the network does not have."""
        return tuple(getattr(self, option, ()))

    @property
    def cell_axes(self) -> tuple[int, ...]:
        """The shape of an array of cells."""
        return tuple(getattr(self, axis) for axis in self.CELL_AXES)

    def _axes(self, kind: str) -> tuple[int, ...]:
        """The shape of the units of a kind."""
        return {"hid": (self.hidden,), "cell": self.cell_axes, "out": (self.n_out,)}.get(kind, (self.blocks,))

    @property
    def _outside(self) -> list[str]:
        """The kinds of units that outputs read."""
        return [kind for kind in self.UNITS if kind in ("hid", "cell")]

    @property
    def _when_read(self) -> slice:
        """The times at which outputs read units: their own or the previous step."""
        return slice(1, None) if self.timing == "same" else slice(None, -1)

    @property
    def _formulas(self) -> dict[str, Any]:
        """f and f' of the activation of each kind, and of the output of a cell under "s"."""
        others = {"hid": "f_hid", "cell": "g", "s": "h", "out": "f_out"}
        names = {kind: others.get(kind, "f") for kind in (*self.UNITS, "s", "out")}
        return {kind: FORMULAS[named(name, getattr(self, name)).name] for kind, name in names.items()}


def _spans(sizes: dict[str, int]) -> dict[str, slice]:
    """Slices of consecutive parts, by name."""
    bounds = pairwise(accumulate(sizes.values(), initial=0))
    return {name: slice(*ends) for name, ends in zip(sizes, bounds, strict=True)}
