"""The networks of the textbook as compiled networks of their systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any, cast

import numpy as np
from sympy import Rational

from throughtime.arrays.activations import ActivationFunction, named
from throughtime.arrays.network import Arrays, Network
from throughtime.derivation import cut, cut_set
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas import nodes
from throughtime.derivation.formulas.domains import Dimension
from throughtime.derivation.formulas.nodes import Quantity
from throughtime.programs.network import CompiledNetwork
from throughtime.systems import elman_jordan as ej
from throughtime.systems import lfmn as lf
from throughtime.systems import lstm1997 as l97
from throughtime.systems import lstm_family as fam
from throughtime.systems import recurrent as rec
from throughtime.textbook.lfmn import LFMN
from throughtime.textbook.lstm1997 import LSTM1997
from throughtime.textbook.peephole import PeepholeLSTM
from throughtime.textbook.recurrent import FullyRecurrent
from throughtime.textbook.simple_recurrent import SimpleRecurrent

# The weights of a system by name, from the arrays of a network by name.
Blocks = Callable[[dict[str, np.ndarray]], Mapping[str, np.ndarray]]


@dataclass(frozen=True)
class Parts:
    """What a network is made of for the engine."""

    system: System
    loss: Quantity
    sizes: Mapping[Dimension, int]
    activations: Mapping[str, ActivationFunction]
    blocks: Blocks = dict  # the system's weights by name, from the arrays of the network's layout
    given: Mapping[str, Any] = field(default_factory=dict)
    cuts: Mapping[str, Iterable[Cut]] = field(default_factory=dict)


class Compiled(CompiledNetwork):
    """The compiled network of a system, with ``theta`` laid out as that of a network of the textbook."""

    def __init__(self, network: Network, parts: Parts, compiled: bool | None = None) -> None:
        names = {name: f.name for name, f in parts.activations.items()}
        super().__init__(parts.system, parts.loss, parts.sizes, names, parts.given, parts.cuts, compiled)
        self._own, self.layout = self.layout, network.layout
        places = self._own.flatten(parts.blocks(self.layout.split(np.arange(float(self.layout.size)))))
        self._places = places.astype(int)  # in theta, of each component of the system's weights
        self._back = np.argsort(self._places)

    def unpack(self, theta: np.ndarray) -> Arrays:
        """The weights of the system in their shapes, from a checked ``theta``."""
        return tuple(self._own.split(self._inward(theta)).values())

    def pack(self, weights: Arrays) -> np.ndarray:
        """The flat vector of these arrays, in the shapes of ``unpack``."""
        return self._outward(super().pack(weights))

    def _inward(self, theta: np.ndarray) -> np.ndarray:
        return theta[..., self._places]

    def _outward(self, flat: np.ndarray) -> np.ndarray:
        return flat[..., self._back]


def compiled(network: Network, compiled: bool | None = None) -> Compiled:
    """The compiled network of the system of a textbook network; ``compiled`` as for ``tt.compile``.

    TypeError for another network, ValueError, naming the argument, for an option that no system has.
    """
    return Compiled(network, parts(network), compiled)


@singledispatch
def parts(network: Any) -> Parts:
    """What a network is made of for the engine. TypeError for one that is not of the textbook."""
    raise TypeError(f"network: expected a network of the textbook, got {type(network).__name__}")


@parts.register
def _(network: FullyRecurrent) -> Parts:
    first, *others = dict.fromkeys(cast(tuple[ActivationFunction, ...], network.activation))
    if others:
        raise ValueError(f"activation: expected one for all units, got {[first, *others]}")
    sizes = {rec.d_in: network.n_in, rec.d_out: network.n_out}

    def blocks(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: arrays["W"][:, network.sources[read]] for name, read in (("w_in", "x"), ("w", "y"))}

    return Parts(rec.build(), rec.loss, sizes, {"f": first}, blocks)


@parts.register
def _(network: SimpleRecurrent) -> Parts:
    outer = nodes.Activation("sigma_out", latex=r"\sigma_{\mathrm{out}}")
    system = ej.build(jordan=network.jordan, outer=outer, start=Rational(network.start), masked=True)
    sizes = {ej.I: 1, ej.N: network.n_in, ej.K: network.hidden, ej.J: network.n_out}
    context = ej.g[ej.i, ej.m, ej.t - 1] if network.jordan else ej.f[ej.i, ej.l, ej.t - 1]
    activations = {"sigma": named("f_hid", network.f_hid), "sigma_out": named("f_out", network.f_out)}

    def blocks(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        v, w = arrays["v"], arrays["w"]
        rows = {name: v[part] for name, part in network.sources.items()}
        back = {"v_g" if network.jordan else "v_f": rows["context"]}
        return {"v_0": rows["1"][0], "v_x": rows["x"], **back, "w_0": w[0], "w": w[1:]}

    cuts = {"truncated": cut_set("context", cut(context, into=ej.net_f))}
    return Parts(system, ej.loss, sizes, activations, blocks, cuts=cuts)


@parts.register
def _(network: LFMN) -> Parts:
    kinds = lf.d_in, lf.n_h, lf.r_h, lf.a_h, lf.n_y, lf.r_y, lf.a_y
    sizes = dict(zip(kinds, (network.n_in, *network.hidden, *network.output), strict=True))
    return Parts(lf.build(), lf.loss, sizes, {"f": named("activation", network.activation)})


@parts.register
def _(network: LSTM1997) -> Parts:
    sizes = {l97.d_in: network.n_in, l97.d_hid: network.hidden, l97.d_cell: network.blocks, l97.n_cell: network.cells}
    gates = dict.fromkeys(("f_ig", "f_og"), named("f", network.f))
    others = {name: named(name, getattr(network, name)) for name in ("f_hid", "f_out", "g", "h")}
    system = l97.build(same=network.timing == "same", bias=network._kinds("bias"), masked=True)
    cuts = {"truncated": l97.cuts()}
    return Parts(system, l97.loss, sizes | {l97.d_out: network.n_out}, gates | others, cuts=cuts)


@parts.register
def _(network: PeepholeLSTM) -> Parts:
    gates, kinds = tuple(fam.GATES), (*network.UNITS, "out")
    for option, every in (("peepholes", gates), ("bias", kinds)):
        if network._kinds(option) not in ((), every):
            raise ValueError(f"{option}: expected all or none, got {network._kinds(option)}")
    reads = gates if network.feedback == "all" else ()
    has = {option: bool(network._kinds(option)) for option in ("peepholes", "bias")}
    member, columns = (
        fam.Member("LSTM", reads=reads, direct=network.direct, **has),
        np.eye(network.sources["y_cell"].stop),
    )
    select = {f"S_{name.removeprefix('y_')}": columns[:, part] for name, part in network.sources.items()}
    select["S_block"] = select.pop("S_cell").reshape(len(columns), *network.cell_axes)
    sizes = {fam.d_in: network.n_in, fam.d_out: network.n_out, fam.n_blk: network.blocks, fam.d_blk: network.cells}
    functions = {f"f_{gate}": "f" for gate in gates} | {name: name for name in ("g", "h", "f_out")}
    activations = {name: named(option, getattr(network, option)) for name, option in functions.items()}

    def blocks(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        found = {name.replace("cell", "block"): array for name, array in arrays.items()}
        into_outputs = {name: found["w_out"][:, part] for name, part in network.output_sources.items()}
        direct = {"w_out_x": into_outputs["x"]} if network.direct else {}
        return found | direct | {"w_out": into_outputs["y_cell"].reshape(-1, *network.cell_axes)}

    sizes |= {fam.n_src: len(columns)}
    return Parts(member.trained(), fam.loss, sizes, activations, blocks, select, {"truncated": member.cuts()})
