"""The fully recurrent network: forward pass, loss, exact gradient, error signals.

Inputs of every unit are all inputs and all units of the previous step, so its error travels along a number of paths
that grows exponentially with the lag; back-propagation through time sums them backwards. Elman and Jordan networks, of
one hidden layer and a context, are in ``simple_recurrent``.

Sources: Williams and Zipser 1989; bptt-forward, bptt-1, bptt-2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import FORMULAS, ActivationFunction, logistic, named
from throughtime.arrays.network import Arrays, Network, Quantities, check_overflow, quiet, shown
from throughtime.arrays.parameters import Layout


@dataclass(frozen=True)
class RecurrentTrace(Quantities):
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


@dataclass(frozen=True)
class FullyRecurrent(Network):
    """The architecture (bptt-forward): z(t+1) = W . [x(t); y(t)], y_i(t+1) = f_i(z_i(t+1)), y(0) = 0.

    n_in        inputs, at least 0
    n_out       units, at least 1; any of them may have a target
    activation  f, one for all units or a sequence of one for each, by name or as an ActivationFunction; kept as a tuple

    The parameters are a flat vector ``theta``, laid out by ``layout``: W alone, row by row. The loss is that of bptt-2.

    Raises TypeError or ValueError, naming the argument, for counts that are no integers or too small and for what is no
    activation.

    >>> net = FullyRecurrent(n_in=1, n_out=1, activation="identity")
    >>> net.forward([1.0, 0.5], [[2.0], [0.0], [0.0]]).y[:, 0].tolist()
    [0.0, 2.0, 1.0, 0.5]
    """

    TRACE = RecurrentTrace
    CHECKED: ClassVar[dict[str, int]] = {"z": 1}

    n_in: int
    n_out: int
    activation: ActivationFunction | str | Sequence[ActivationFunction | str] = logistic

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
        [slopes] = self._values(self._states(weights, x[None, :t])[1], 1)
        recurrent = weights[0][:, self.n_in :]
        flow = np.eye(self.n_out)
        for q in range(t - 1, s - 1, -1):
            flow = flow @ (recurrent * slopes[q])
        validate.check_overflow(error_flow=flow)
        return flow

    def run(self, weights: Arrays, x: np.ndarray) -> Arrays:
        """[x(t); y(t)] and z(t) of a batch x, (B, T, n_in): arrays (B, T+1, n_in + n_out) and (B, T+1, n_out)."""
        [W] = weights
        batch, steps, n_in = x.shape
        source = np.zeros((batch, steps + 1, n_in + self.n_out), W.dtype)
        z = np.zeros((batch, steps + 1, self.n_out), W.dtype)
        source[:, :-1, :n_in] = x
        for t in range(steps):
            z[:, t + 1] = source[:, t] @ W.T  # bptt-forward
            source[:, t + 1, n_in:] = self._values(z[:, t + 1], 0)
        return source, z

    def show(self, states: Arrays) -> dict[str, np.ndarray]:
        """The fields of ``RecurrentTrace``, an axis of sequences first: (B, T, n_in) for x, else (B, T+1, n_out)."""
        source, z = states
        return {"x": source[:, :-1, : self.n_in], "z": z, "y": self.outputs(states)}

    def outputs(self, states: Arrays) -> np.ndarray:
        return states[0][:, :, self.n_in :]

    def sweep(self, weights: Arrays, states: Arrays, error: np.ndarray, method: str) -> np.ndarray:
        """The gradient, a flat vector, from ``error``, the immediate dL/dy, (B, T+1, n_out)."""
        by_z, _ = self._signals(weights, states, error)
        return np.tensordot(by_z[:, 1:], states[0][:, :-1], axes=([0, 1], [0, 1])).ravel()  # bptt-weight, corrected

    def _signals(self, weights: Arrays, states: Arrays, error: np.ndarray) -> Arrays:
        """dL/dz and dL/dy from the immediate derivative of the loss with respect to y."""
        recurrent, slopes = weights[0][:, self.n_in :], self._values(states[1], 1)
        by_z, by_y = np.zeros_like(error), error.copy()
        for t in range(error.shape[1] - 1, 0, -1):
            by_z[:, t] = slopes[:, t] * by_y[:, t]
            by_y[:, t - 1] += by_z[:, t] @ recurrent
        return by_z, by_y

    def _values(self, z: np.ndarray, order: int) -> np.ndarray:
        """f(z) or f'(z), the last axis of z being units; one call for all units of the same activation."""
        values = np.empty_like(z)
        for name, units in self._kinds:
            values[..., units] = FORMULAS[name][order](z[..., units])
        return values

    @cached_property
    def _kinds(self) -> list[tuple[str, Any]]:
        """The name of each activation, with its units."""
        names = [f.name for f in _one_per_unit(self.activation, self.n_out)]
        if len({*names}) == 1:
            return [(names[0], slice(None))]
        return [(kind, [unit for unit, name in enumerate(names) if name == kind]) for kind in sorted({*names})]


def _one_per_unit(value: Any, units: int) -> tuple[ActivationFunction, ...]:
    activations = (value,) * units if isinstance(value, ActivationFunction | str) else value
    if not isinstance(activations, tuple | list):
        raise TypeError(
            f"activation: expected an ActivationFunction, its name or a sequence of them, got {type(value).__name__}"
        )
    if len(activations) != units:
        raise ValueError(f"activation: expected {units}, one for each unit, got {len(activations)}")
    return tuple(named(f"activation[{i}]", f) for i, f in enumerate(activations))
