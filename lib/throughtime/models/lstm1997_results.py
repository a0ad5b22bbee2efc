"""What the LSTM of 1997 returns: its trace, its error signals, its gradient with the paths that were cut."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from .parameters import LossGradient


@dataclass(frozen=True)
class Trace:
    """Every quantity of a forward pass. Row t of each array is time t; the arrays are read-only.

    Inputs have the times 0, ..., T-1, the others 0, ..., T. At time 0 all activations and states are zero;
    there are no net inputs, their row is zero and nothing depends on it. Arrays of cells have the axes
    (time, cell k, dimension i) of the note, which are (time, cell v, block j) in the paper.
    """

    x: np.ndarray  # (T, n_in)
    net_hid: np.ndarray  # (T+1, hidden)
    y_hid: np.ndarray
    net_ig: np.ndarray  # (T+1, blocks)
    y_ig: np.ndarray
    net_og: np.ndarray  # (T+1, blocks)
    y_og: np.ndarray
    net_cell: np.ndarray  # (T+1, cells, blocks)
    s: np.ndarray
    y_cell: np.ndarray
    net_out: np.ndarray  # (T+1, n_out)
    y: np.ndarray

    @property
    def length(self) -> int:
        """T, the number of steps."""
        return len(self.x)

    def items(self) -> Iterator[tuple[str, np.ndarray]]:
        """Pairs of name and array."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))


class ErrorSignals(NamedTuple):
    """Derivatives of the loss by net inputs and states, through all later steps; row t is time t = 0, ..., T.

    Row 0 of ``s`` is the derivative by the initial states, that of the net inputs is zero.
    """

    net_hid: np.ndarray  # (T+1, hidden)
    net_ig: np.ndarray  # (T+1, blocks)
    net_og: np.ndarray  # (T+1, blocks)
    net_cell: np.ndarray  # (T+1, cells, blocks)
    s: np.ndarray  # (T+1, cells, blocks)
    net_out: np.ndarray  # (T+1, n_out)


class Cut(NamedTuple):
    """A path held constant: the derivative of ``net`` at t+1 by ``source`` at t, for all t, is set to zero.

    Both are names of a ``Trace``. (The note's eq. 44 lists x too, on which nothing is carried to a weight.)

    >>> print(Cut("net_ig", "y_cell"))
    d net_ig(t+1) / d y_cell(t) = 0
    """

    net: str
    source: str

    def __str__(self) -> str:
        return f"d {self.net}(t+1) / d {self.source}(t) = 0"


def chosen(cuts: Collection[NamedTuple], known: tuple[NamedTuple, ...]) -> tuple[NamedTuple, ...]:
    """``cuts`` in the order of ``known``. TypeError for what is no collection, ValueError for a cut not known."""
    if isinstance(cuts, str) or not isinstance(cuts, Collection):
        raise TypeError(f"cuts: expected a collection of cuts, got {cuts!r}")
    for cut in cuts:
        if cut not in known:
            raise ValueError(f"cuts: expected some of those of the truncated gradient, got {cut!r}")
    return tuple(cut for cut in known if cut in cuts)


@dataclass(frozen=True)
class CutGradient(LossGradient):
    """A loss, its gradient, the method, and which paths it cut where: ``cuts`` is empty for an exact method."""

    cuts: tuple[Cut, ...]
