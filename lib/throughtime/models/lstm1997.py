"""The LSTM of 1997: forward pass, loss, the paper's truncated gradient and the exact one.

Memory cells add to a state through an input gate and are read through an output gate; nothing is forgotten.
Hochreiter and Schmidhuber let the error travel back in time inside the states alone, where it stays constant,
and cut it wherever it would enter a net input of the step before. What that saves is a sum over paths that
the exact methods of ``gradient`` carry out.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import validate
from ._trace import Steps
from .activations import Activation, logistic, tanh_half, twice_tanh_half
from .lstm import LSTM, METHODS, CutGradient
from .lstm_online import OnlineGradient

__all__ = ["HIDDEN_KINDS", "KINDS", "LSTM1997", "METHODS", "TIMINGS"]
__all__ += ["Cut", "CutGradient", "ErrorSignals", "OnlineGradient", "Trace"]

TIMINGS = ("previous", "same")
HIDDEN_KINDS = ("hid", "ig", "og", "cell")  # units that other units read, in the order of the note
KINDS = (*HIDDEN_KINDS, "out")


@dataclass(frozen=True)
class Trace(Steps):
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


@dataclass(frozen=True)
class LSTM1997(LSTM):
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

    CELL_AXES = ("cells", "blocks")
    CUT, SIGNALS = Cut, ErrorSignals

    hidden: int = 0
    timing: str = "previous"
    bias: bool | Collection[str] = False
    f: Activation = logistic
    g: Activation = twice_tanh_half
    h: Activation = tanh_half
    f_hid: Activation = logistic
    f_out: Activation = logistic

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.one_of("timing", self.timing, TIMINGS)

    @property
    def sources(self) -> dict[str, slice]:
        """Which columns of w_hid, w_ig, w_og and w_cell read what; cell [k, i] is number k blocks + i of y_cell."""
        return self.columns

    @cached_property
    def output_sources(self) -> dict[str, slice]:
        """Which columns of w_out read what: an output reads no gate (lstm97-42)."""
        first_cell = self.n_in + self.hidden
        return {
            "x": slice(0, self.n_in),
            "y_hid": slice(self.n_in, first_cell),
            "y_cell": slice(first_cell, self._out_columns),
        }

    def forward(self, theta: np.ndarray, x: Any) -> Trace:
        """Run the network on x, of shape (T, n_in), row t being x(t) (lstm97-36 to lstm97-43).

        ``theta`` and ``x`` may be complex, for the complex step. Raises TypeError or ValueError for what
        does not fit, FloatingPointError if a net input or a state overflows.
        """
        quantities = self._quantities(theta, x)
        return Trace(**quantities | {"x": quantities["x"][:-1]})

    @property
    def _kinds(self) -> dict[str, int]:
        return dict(zip(HIDDEN_KINDS, (self.hidden, self.blocks, self.blocks, self.blocks * self.cells), strict=True))

    @property
    def _same(self) -> bool:
        return self.timing == "same"
