"""The LSTM with forget gates (2000) and peepholes (2002): forward pass, loss, truncated and exact gradients.

A forget gate lets a cell's state decay. A peephole lets a gate see the states of its own block, also while the
output gate is shut. Gers and his co-authors cut the error where it would leave the cells, peepholes included:
the gradient that is left is carried forward with the net, in memory that does not grow.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import validate
from ._trace import Steps
from .activations import Activation, identity, logistic, twice_tanh_half
from .lstm import LSTM, METHODS, CutGradient
from .lstm_online import OnlineGradient

__all__ = ["GATES", "GATE_BIASES", "KINDS", "METHODS", "SOURCES", "PeepholeLSTM"]
__all__ += ["Cut", "CutGradient", "ErrorSignals", "OnlineGradient", "Trace"]

SOURCES = ("all", "cells")
GATES = ("fg", "ig", "og")
INNER_KINDS = (*GATES, "cell")  # units with a state or an activation that is fed back, in the order of the note
KINDS = (*INNER_KINDS, "out")
GATE_BIASES = {"fg": -2.0, "ig": 0.0, "og": 2.0}  # at the start of the experiments of 2002


@dataclass(frozen=True)
class Trace(Steps):
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


@dataclass(frozen=True)
class PeepholeLSTM(LSTM):
    """The architecture (peephole-1 to 5, 13, 14), all at zero at time 0. With r(t) = [x(t); y(t-1) of the units read]:

    net_u(t) = w_u . r(t) + b_u, and for the gates of block k besides u_fg . s_k(t-1), u_ig . s_k(t-1), u_og . s_k(t),
    y_fg = f(net_fg), y_ig = f(net_ig), s(t) = y_fg(t) s(t-1) + y_ig(t) g(net_cell(t)), then y_og = f(net_og),
    y_cell(t) = y_og(t) h(s(t)), net_out(t) = w_out . [x(t); y_cell(t)] + b_out, y = f_out(net_out).

    n_in        inputs, at least 0
    blocks      blocks, at least 1, each with its three gates: the note's n_block, its index k
    cells       cells of each block, at least 1: the note's d_block, its index i
    n_out       outputs, at least 1
    peepholes   True, False (the LSTM of 2000), or the gates that have them, of ``GATES``; kept as a tuple
    sources     ``"all"``: gates and cells read the gates and the cells at t-1, as in the equations;
                ``"cells"``: the cells alone, as in the experiments of 2002. They always read the inputs.
    direct      whether the outputs read the inputs; in the experiments they do not
    bias        True, False, or the kinds with a bias, of ``KINDS``; kept as a tuple
    f, g, h     of the gates, of what enters and of what leaves a cell; h is the identity in 2002
    f_out       of the outputs

    The parameters are a flat vector ``theta``, laid out by ``layout``. Raises TypeError or ValueError, naming
    the argument, for counts that are no integers or too small, unknown words, or no activation.

    The net of the experiments of 2002:

    >>> model = PeepholeLSTM(1, 1, 1, 1, sources="cells", direct=False, bias=True, g=identity)
    >>> model.layout.size
    17
    """

    CELL_AXES = ("blocks", "cells")
    CUT, SIGNALS = Cut, ErrorSignals

    peepholes: bool | Collection[str] = True
    sources: str = "all"
    direct: bool = True
    bias: bool | Collection[str] = False
    f: Activation = logistic
    g: Activation = twice_tanh_half
    h: Activation = identity
    f_out: Activation = logistic

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.one_of("sources", self.sources, SOURCES)
        if not isinstance(self.direct, bool):
            raise TypeError(f"direct: expected True or False, got {self.direct!r}")
        object.__setattr__(self, "peepholes", validate.some_of("peepholes", self.peepholes, GATES))

    def init(
        self,
        seed: int | np.random.Generator,
        scale: float = 0.1,
        gate_biases: Mapping[str, float] = GATE_BIASES,
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
            if gate in self.bias:
                theta[self.layout.slice(f"b_{gate}")] = validate.number(f"gate_biases[{gate!r}]", value)
        return theta

    def forward(self, theta: np.ndarray, x: Any) -> Trace:
        """Run the network on x, of shape (T, n_in), row t-1 being x(t) (peephole-1 to 5, 13, 14).

        ``theta`` and ``x`` may be complex, for the complex step. Raises TypeError or ValueError for what
        does not fit, FloatingPointError if a net input or a state overflows.
        """
        quantities = self._quantities(theta, x)
        inputs = np.roll(quantities["x"], 1, axis=0)  # x(t) stands with the activations at t-1, and last a row of zeros
        inputs.setflags(write=False)
        return Trace(**quantities | {"x": inputs})

    def cuts(self, method: str) -> tuple[Cut, ...]:
        """The paths that ``gradient`` by this method cuts. ValueError for an unknown method."""
        through_peepholes = [Cut(f"net_{gate}", "s", int(gate != "og")) for gate in self.peepholes]
        return (*super().cuts(method), *(through_peepholes if method == "truncated" else ()))

    @property
    def _kinds(self) -> dict[str, int]:
        return dict.fromkeys(GATES, self.blocks) | {"cell": self.blocks * self.cells}

    @property
    def _first_read(self) -> int:
        return 0 if self.sources == "all" else self._units["cell"].start

    @property
    def _out_n_in(self) -> int:
        return self.n_in * self.direct
