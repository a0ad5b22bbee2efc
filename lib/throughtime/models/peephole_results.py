"""What the LSTM with forget gates and peepholes returns: its trace, its error signals, the paths that were cut."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from .lstm1997_results import CutGradient, chosen

__all__ = ["Cut", "CutGradient", "ErrorSignals", "Trace", "chosen"]


@dataclass(frozen=True)
class Trace:
    """Every quantity of a forward pass. Row t of each array is time t = 0, ..., T; the arrays are read-only.

    At time 0 all activations and states are zero; there are no inputs and net inputs, their row is zero and
    nothing depends on it. Arrays of cells have the axes (time, block k, cell i).
    """

    x: np.ndarray  # (T+1, n_in)
    net_fg: np.ndarray  # (T+1, blocks)
    y_fg: np.ndarray
    net_ig: np.ndarray  # (T+1, blocks)
    y_ig: np.ndarray
    net_og: np.ndarray  # (T+1, blocks)
    y_og: np.ndarray
    net_cell: np.ndarray  # (T+1, blocks, cells)
    s: np.ndarray
    y_cell: np.ndarray
    net_out: np.ndarray  # (T+1, n_out)
    y: np.ndarray

    @property
    def length(self) -> int:
        """T, the number of steps."""
        return len(self.x) - 1

    def items(self) -> Iterator[tuple[str, np.ndarray]]:
        """Pairs of name and array."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))


class ErrorSignals(NamedTuple):
    """Derivatives of the loss by net inputs and states, through all later steps; row t is time t = 0, ..., T.

    Row 0 of ``s`` is the derivative by the initial states, that of the net inputs is zero.
    """

    net_fg: np.ndarray  # (T+1, blocks)
    net_ig: np.ndarray  # (T+1, blocks)
    net_og: np.ndarray  # (T+1, blocks)
    net_cell: np.ndarray  # (T+1, blocks, cells)
    s: np.ndarray  # (T+1, blocks, cells)
    net_out: np.ndarray  # (T+1, n_out)


class Cut(NamedTuple):
    """A path held constant: the derivative of ``net`` at t by ``source`` at t - lag, for all t, is set to zero.

    Both are names of a ``Trace``. Where the source is ``"s"``, the path is a peephole.

    >>> print(Cut("net_fg", "s"), Cut("net_og", "s", 0), sep=", ")
    d net_fg(t) / d s(t-1) = 0, d net_og(t) / d s(t) = 0
    """

    net: str
    source: str
    lag: int = 1

    def __str__(self) -> str:
        return f"d {self.net}(t) / d {self.source}({'t-1' if self.lag else 't'}) = 0"
