"""The nets of the experiments: compiled from their systems, with the initial weights of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import throughtime as tt
from book.experiments import small
from book.experiments import system as s
from book.experiments.reading import READINGS, Reading
from throughtime.programs import CompiledNetwork

SQUASHED = {"f": "logistic", "g": "twice_tanh_half", "h": "tanh_half"}
LETTER = READINGS["letter"]
GRID = 1000  # weights of the institute's program are multiples of a range by 1/1000


@dataclass(frozen=True)
class Net:
    """An LSTM of memory blocks and how it begins.

    blocks, cells       blocks, and cells in each
    biased              units that have a bias, of ``system.BIASED``
    scale               weights are uniform on [-scale, scale]
    input_gates         biases of the input gates, one for each block, or () for random ones
    output_gates        the same for output gates
    """

    blocks: int
    cells: int
    biased: tuple[str, ...]
    scale: float
    input_gates: tuple[float, ...] = ()
    output_gates: tuple[float, ...] = ()
    method = "truncated"

    def compiled(self, inputs: int, outputs: int, how: Reading = LETTER) -> CompiledNetwork:
        """The network, compiled once for its sizes."""
        sizes = inputs, outputs, self.blocks, self.cells
        return _blocks(sizes, self.biased, how.squash, how.reset, how.slope)

    def start(self, net: CompiledNetwork, random: np.random.Generator, how: Reading = LETTER) -> np.ndarray:
        """Initial weights, flat."""
        theta = drawn(net, random, self.scale, how.grid)
        views = net.layout.views(theta)
        for name, given in (("b_in", self.input_gates), ("b_out", self.output_gates)):
            if given:
                views[name][...] = np.asarray(given) + (views[name] if how.bias == "added" else 0.0)
        return theta


@dataclass(frozen=True)
class SmallNet:
    """A net of experiments 2a and 2b, of which ``hidden`` is one of ``small.KINDS``."""

    hidden: str
    scale = 0.2
    biased, input_gates, output_gates = (), (), ()
    method = "rtrl"

    def compiled(self, inputs: int, outputs: int, how: Reading = LETTER) -> CompiledNetwork:
        """The network, compiled once for its sizes."""
        return _small(self.hidden, inputs, outputs, how.squash, how.slope)

    def start(self, net: CompiledNetwork, random: np.random.Generator, how: Reading = LETTER) -> np.ndarray:
        """Initial weights, flat."""
        return drawn(net, random, self.scale, how.grid)


def drawn(net: CompiledNetwork, random: np.random.Generator, scale: float, grid: bool) -> np.ndarray:
    """Weights uniform on [-scale, scale], or of the 2000 numbers k/1000 scale, k = -1000 ... 999."""
    if grid:
        return random.integers(-GRID, GRID, net.layout.size) / GRID * scale
    return random.uniform(-scale, scale, net.layout.size)


@cache
def _blocks(sizes: tuple[int, ...], biased: tuple[str, ...], squash: str, reset: str, slope: bool) -> CompiledNetwork:
    lengths = dict(zip((s.d_in, s.d_out, s.blocks, s.cells), sizes, strict=True))
    activations = SQUASHED | {"f_out": squash}
    system = s.build(biased, reset, slope)
    return tt.compile(system, s.loss, lengths, activations=activations, cuts={"truncated": s.cuts()})


@cache
def _small(hidden: str, inputs: int, outputs: int, squash: str, slope: bool) -> CompiledNetwork:
    system = small.build(hidden, slope)
    activations = {"f_out": squash} | dict.fromkeys(small.KINDS[hidden], "logistic")
    return tt.compile(system, s.loss, {s.d_in: inputs, s.d_out: outputs}, activations=activations)
