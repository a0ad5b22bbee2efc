"""The LSTM with forget gates (2000) and peepholes (2002): forward pass, loss, truncated and exact gradients.

A forget gate lets a cell's state decay. A peephole lets a gate see the states of its own block, also while the
output gate is shut. Gers and his co-authors cut the error where it would leave the cells, peepholes included.

Sources: Gers, Schmidhuber and Cummins 2000, Gers, Schraudolph and Schmidhuber 2002; peephole-1 to peephole-14.
"""

from collections import namedtuple
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import ActivationFunction, identity, logistic, twice_tanh_half
from throughtime.arrays.network import Arrays, from_time_zero
from throughtime.textbook.lstm import LSTM, LSTMTrace

FEEDBACK = ("all", "cells")
GATES = ("fg", "ig", "og")
INNER_KINDS = (*GATES, "cell")  # units with a state or an activation that is fed back, in the order of the note
KINDS = (*INNER_KINDS, "out")
GATE_BIASES = {"fg": -2.0, "ig": 0.0, "og": 2.0}  # at the start of the experiments of 2002


@dataclass(frozen=True)
class PeepholeTrace(LSTMTrace):
    """Every quantity of a forward pass. Row t of each array is time t = 0, ..., T; the arrays are read-only.

    At time 0 all activations and states are zero; there are no inputs and net inputs, their row is zero and
    nothing depends on it; x is of shape (T+1, n_in). Arrays of cells have the axes (time, block k, cell i).
    """

    net_fg: np.ndarray  # (T+1, blocks)
    y_fg: np.ndarray


PeepholeSignals = namedtuple("PeepholeSignals", "net_fg net_ig net_og net_cell s net_out")
PeepholeSignals.__doc__ = "Derivatives of the loss by these arrays of the trace, in their shapes."


class PeepholeCut(NamedTuple):
    """A path held constant: the derivative of ``net`` at t with respect to ``source`` at t - lag is 0, for all t.

    Both are names of a ``PeepholeTrace``. Where the source is ``"s"``, the path is a peephole.

    >>> print(PeepholeCut("net_fg", "s"), PeepholeCut("net_og", "s", 0), sep=", ")
    d net_fg(t) / d s(t-1) = 0, d net_og(t) / d s(t) = 0
    """

    net: str
    source: str
    lag: int = 1

    def __str__(self) -> str:
        return f"d {self.net}(t) / d {self.source}({'t-1' if self.lag else 't'}) = 0"


@dataclass(frozen=True)
class PeepholeLSTM(LSTM):
    """The architecture (peephole-1 to 5, 13, 14), all zero at time 0. With r(t) = [x(t); y(t-1) of units fed back]:

    net_u(t) = w_u . r(t) + b_u, and for the gates of block k besides u_fg . s_k(t-1), u_ig . s_k(t-1), u_og . s_k(t),
    y_fg = f(net_fg), y_ig = f(net_ig), s(t) = y_fg(t) s(t-1) + y_ig(t) g(net_cell(t)), then y_og = f(net_og),
    y_cell(t) = y_og(t) h(s(t)), net_out(t) = w_out . [x(t); y_cell(t)] + b_out, y = f_out(net_out).

    n_in        inputs, at least 0
    blocks      blocks, at least 1, each with its three gates: the note's n_block, its index k
    cells       cells of each block, at least 1: the note's d_block, its index i
    n_out       outputs, at least 1
    peepholes   True, False (the LSTM of 2000), or the gates that have them, of ``GATES``; kept as a tuple
    feedback    units whose activations at t-1 are inputs of gates and cells: ``"all"`` gates and cells, as in the
                equations, or the ``"cells"`` alone, as in the experiments of 2002
    direct      whether the outputs have weights from the inputs; in the experiments they have none
    bias        True, False, or the kinds with a bias, of ``KINDS``; kept as a tuple
    f, g, h     activations of the gates, of the input and of the output of a cell, each one or its name; h is the
                identity in 2002
    f_out       activation of the outputs

    The parameters are a flat vector ``theta``, laid out by ``layout``. Raises TypeError or ValueError, naming
    the argument, for counts that are no integers or too small, unknown words, or no activation.

    The net of the experiments of 2002:

    >>> model = PeepholeLSTM(1, 1, 1, 1, feedback="cells", direct=False, bias=True, g=identity)
    >>> model.layout.size
    17
    """

    UNITS = INNER_KINDS
    CELL_AXES = ("blocks", "cells")
    TRACE, CUT, SIGNALS = PeepholeTrace, PeepholeCut, PeepholeSignals

    peepholes: bool | Collection[str] = True
    feedback: str = "all"
    direct: bool = True
    bias: bool | Collection[str] = False
    f: ActivationFunction | str = logistic
    g: ActivationFunction | str = twice_tanh_half
    h: ActivationFunction | str = identity
    f_out: ActivationFunction | str = logistic

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.one_of("feedback", self.feedback, FEEDBACK)
        if not isinstance(self.direct, bool):
            raise TypeError(f"direct: expected True or False, got {self.direct!r}")
        self._check_kinds("peepholes", GATES)

    def init(
        self, seed: int | np.random.Generator, scale: float = 0.1, gate_biases: Mapping[str, float] = GATE_BIASES
    ) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], scale > 0, by a seed >= 0 or a generator.

        Biases of gates then take the values of ``gate_biases``, as in the paper unless given; ``{}`` leaves
        them as drawn. ValueError for a name that is no gate or a value that is not finite.
        """
        theta = self.layout.uniform(seed, scale)
        if not isinstance(gate_biases, Mapping):
            raise TypeError(f"gate_biases: expected a mapping from gates to numbers, got {gate_biases!r}")
        for gate, value in gate_biases.items():
            validate.one_of("gate_biases", gate, GATES)
            if gate in self._kinds("bias"):
                theta[self.layout.slice(f"b_{gate}")] = validate.number(f"gate_biases[{gate!r}]", value)
        return theta

    def show(self, states: Arrays) -> dict[str, np.ndarray]:
        found = super().show(states)
        return found | {"x": from_time_zero(found["x"])}
