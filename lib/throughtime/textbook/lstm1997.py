"""The LSTM of 1997: forward pass, loss, the paper's truncated gradient and the exact one.

Memory cells add to a state through an input gate and are read through an output gate; nothing is forgotten.
Hochreiter and Schmidhuber let the error travel back in time inside the states alone, where it stays constant,
and cut it wherever it would enter a net input of the previous step.

Sources: Hochreiter and Schmidhuber 1997; lstm97-36 to lstm97-44.
"""

from collections import namedtuple
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import ActivationFunction, logistic, tanh_half, twice_tanh_half
from throughtime.textbook.lstm import LSTM, LSTMTrace

TIMINGS = ("previous", "same")
HIDDEN_KINDS = ("hid", "ig", "og", "cell")  # units that feed back, in the order of the note
KINDS = (*HIDDEN_KINDS, "out")


@dataclass(frozen=True)
class LSTM1997Trace(LSTMTrace):
    """Every quantity of a forward pass. Row t of each array is time t; the arrays are read-only.

    Inputs have the times 0, ..., T-1, shape (T, n_in), the others 0, ..., T. At time 0 all activations and states are
    zero; there are no net inputs, their row is zero and nothing depends on it. Arrays of cells have the axes
    (time, cell k, dimension i) of the note, which are (time, cell v, block j) in the paper.
    """

    net_hid: np.ndarray  # (T+1, hidden)
    y_hid: np.ndarray


LSTM1997Signals = namedtuple("LSTM1997Signals", "net_hid net_ig net_og net_cell s net_out")
LSTM1997Signals.__doc__ = "Derivatives of the loss by these arrays of the trace, in their shapes."


class LSTM1997Cut(NamedTuple):
    """A path held constant: the derivative of ``net`` at t+1 with respect to ``source`` at t is 0, for all t.

    Both are names of a ``LSTM1997Trace``. (The note's eq. 44 lists x too, on which nothing is carried to a weight.)

    >>> print(LSTM1997Cut("net_ig", "y_cell"))
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
    timing      ``"previous"``: inputs of the output at t+1 are y_hid and y_cell at t, as the note has it and A.1 of
                the paper; ``"same"``: those at t+1, as in the paper's experiments. Nothing else differs.
    bias        True, False, or the kinds with a bias, of ``KINDS``; kept as a tuple
    f, g, h     activations of the gates, of the input and of the output of a cell, each one or its name; as in the
                paper unless given
    f_hid       activation of the hidden units
    f_out       activation of the outputs

    The parameters are a flat vector ``theta``, laid out by ``layout``. Raises TypeError or ValueError, naming
    the argument, for counts that are no integers or too small, an unknown timing or kind, no activation.
    """

    UNITS = HIDDEN_KINDS
    CELL_AXES = ("cells", "blocks")
    TRACE, CUT, SIGNALS = LSTM1997Trace, LSTM1997Cut, LSTM1997Signals

    hidden: int = 0
    timing: str = "previous"
    bias: bool | Collection[str] = False
    f: ActivationFunction | str = logistic
    g: ActivationFunction | str = twice_tanh_half
    h: ActivationFunction | str = tanh_half
    f_hid: ActivationFunction | str = logistic
    f_out: ActivationFunction | str = logistic

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.one_of("timing", self.timing, TIMINGS)
