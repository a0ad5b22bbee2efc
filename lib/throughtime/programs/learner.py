"""Learning on line: weights that move at each step, or after each sequence, by gradients that are carried forward.

The program is the one that ``source`` prints. That of a small net is written out for its sizes: one net is a loop over
the steps whose numbers all stand in variables; several nets are lanes of one loop, so that a processor computes eight
or so at once. A larger net keeps its loops over units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from throughtime.arrays import validate
from throughtime.derivation.formulas.nodes import DEFINED, Quantity, Ref
from throughtime.programs.build import module
from throughtime.programs.moving import LANES, Looped, WrittenOut
from throughtime.programs.plan import quantity_of

SMALL = 128  # weights of a net that is written out: the time to compile it grows faster than its loops save
NUMBERS = 512  # that a step of such a net goes through, each in four lines or more
OPTIONS = {"error_model": "numpy"}  # a division by 0 is no error, and loops have no branch for it
CHUNK = 2048  # steps that are laid side by side at a time, so that they stay in a fast memory
MOVED = ("step", "sequence", "next")


@dataclass(frozen=True)
class Ran:
    """What one run of a learner returns.

    loss        of all steps: a number, or (nets,)
    watched     values of the watched quantity at the steps, (T, ...) or (nets, T, ...); empty without one
    """

    loss: float | np.ndarray
    watched: np.ndarray


class Learner:
    """Nets of one system that learn by gradient descent while they run.

        v <- momentum v - rate dL/dw
        w <- w + v

    net         a network made by ``compile``; its loss is a sum over time
    theta       (size,) the weights of one net, or (nets, size) those of several, which learn side by side
    method      how the gradient is carried forward: a method of the network other than "bptt"
    rate        of gradient descent, at least 0; with 0 the nets only run
    momentum    at least 0 and below 1; 0 leaves v out
    moved       "step": at every step, by its part of the gradient; "sequence": after each sequence, by all of it;
                "next": by the same and the first step's part, after the first step of the next sequence
    watch       a quantity of the system whose values at all steps ``run`` returns
    symbols     whether x is the number of the input that is 1, the others being 0, from 0 to n_in - 1

    ``nets`` counts the nets, ``lanes`` those computed side by side: 1 for a net alone, whose program calls the
    library's exp and the other its own, so that they differ in last digits, and 1 for nets of more than `SMALL`
    weights or `NUMBERS` at a step, which follow each other. Beside which others a net runs changes no bit of it.

    Weights that change at every step make the carried derivatives those of older weights, as in ``OnlineGradient``. A
    net that overflows has a loss that is not finite, and the others go on. TypeError or ValueError, naming the
    argument, for what does not fit.
    """

    def __init__(
        self,
        net: Any,
        theta: Any,
        method: str = "rtrl",
        *,
        rate: float,
        momentum: float = 0.0,
        moved: str = "step",
        watch: Quantity | Ref | None = None,
        symbols: bool = False,
    ):
        self.net, self.method = net, net._online_method(method)
        self.rate = validate.number("rate", rate, "[0, inf)")
        self.momentum = validate.number("momentum", momentum, "[0, 1)")
        self.moved = validate.one_of("moved", moved, MOVED)
        self._single, shape = np.ndim(theta) < 2, (net.layout.size,)
        weights = np.atleast_2d(validate.array("theta", theta, shape if self._single else ("nets", *shape)))
        self.nets = len(weights)
        self._watched = quantity_of(watch)
        if self._watched not in (None, *net.plan.of(DEFINED, timed=True)):
            raise ValueError(f"watch: expected one of the states {sorted(net.STATES)}, got {watch}")
        built = net, net.given, self.method, self.moved, self.momentum > 0, self._watched
        lanes = 1 if self._single else LANES
        self.symbols = bool(symbols)
        if self.symbols and len(net.sequences) != 1:
            raise ValueError(f"symbols: expected a net of one given sequence, got {list(map(str, net.sequences))}")
        small = net.layout.size <= SMALL and net._numbers(self.method, plain=True) <= NUMBERS
        row = net._names(net.sequences[0], "") if self.symbols else None
        with net.plan.system.printing:  # comments, and the order in which terms are added
            program = WrittenOut(*built, lanes=lanes) if small else Looped(*built, symbols=row)
            self.source = program.text()
        self._counted, self.lanes, self._kept = program.symbols is not None, program.lanes, program.kept
        self._loss = self._kept.index(program.loss)
        sums = {"contract"} if self.lanes > 1 else False
        how: dict[str, Any] = {**OPTIONS, "fastmath": sums, "long": small}
        self._learn = module(self.source, self.lanes, net.compiled is not False, **how).learn
        blocks = range(0, self.nets, self.lanes)
        self._memory = np.zeros((len(blocks), len(self._kept), self.lanes))  # weights first
        self.theta = weights[0] if self._single else weights

    def __repr__(self) -> str:
        return f"Learner({self.net!r}, nets={self.nets}, method={self.method!r})"

    @property
    def theta(self) -> np.ndarray:
        """The weights of the nets now, shaped as they were given; a copy."""
        weights = self.net._outward(self._memories(0, self.net.layout.size))
        return (weights[0] if self._single else weights).copy()

    @theta.setter
    def theta(self, theta: Any) -> None:
        shape = (self.net.layout.size,) if self._single else (self.nets, self.net.layout.size)
        weights = self.net._inward(np.atleast_2d(validate.array("theta", theta, shape)))
        for memory, first in zip(self._memory, range(0, self.nets, self.lanes), strict=True):
            some = weights[first : first + self.lanes].T
            memory[: len(some), : some.shape[1]] = some

    @property
    def state(self) -> np.ndarray:
        """All that the nets carry from step to step, weights, changes, activations and derivatives; a copy.

        Its shape is (blocks of lanes, numbers, lanes). Set it, and the nets go on from where they were.
        """
        return self._memory.copy()

    @state.setter
    def state(self, state: Any) -> None:
        self._memory[...] = validate.array("state", state, self._memory.shape)

    def run(self, x: Any, targets: Any, mask: Any = None, starts: Any = None) -> Ran:
        """Take all steps of one sequence for all nets, or of one for each, given as to ``gradient``.

        starts      (T,) or (nets, T): true at each step that begins a sequence; only the first, unless given. Where the
                    first is false, the nets go on from where the run before ended

        A loss and the watched values for each net, or for the one. ValueError for another number of sequences.
        """
        net = self.net
        x, single = self._inputs(x)
        if len(x) not in (1, self.nets):
            raise ValueError(f"x: expected one sequence or one for each of {self.nets} nets, got {len(x)}")
        length = x.shape[1]
        lead = (length,) if single else (len(x), length)
        targets, mask = (one if one.ndim == 3 else one[None] for one in net.goal(targets, mask, lead))
        begins = np.arange(length) == 0 if starts is None else np.asarray(starts)
        begins = validate.binary("starts", begins, (*((self.nets,) if begins.ndim == 2 else ()), length))
        begins = begins.reshape(-1, length, 1)
        given = [(x, targets, mask)[kind][..., place] for kind, place, _ in net._sources if kind is not None]
        given.append(begins)
        if self.moved == "sequence":
            given.append(np.concatenate([begins[:, 1:], np.ones((len(begins), 1, 1))], axis=1))
        elif self.moved == "next":
            given.append(begins)
        shape = (0,) if self._watched is None else net.plan.shape(self._watched)
        seen = np.empty((self.nets, length, int(np.prod(shape, dtype=int))))
        self._memory[:, self._loss] = 0.0
        most = length if self._single else min(length, CHUNK)
        room = [np.zeros((most, one.shape[2], self.lanes)) for one in (*given, seen)]
        for low in range(0, length, most):
            steps = slice(low, low + most)
            *parts, values = (one[: length - low] for one in room)
            for block, memory in enumerate(self._memory):
                nets = slice(block * self.lanes, (block + 1) * self.lanes)
                for part, one in zip(parts, given, strict=True):
                    if len(one) > 1 or not block:
                        self._lay(part, one[nets if len(one) > 1 else [0], steps])
                self._learn(
                    len(values), *(part.reshape(-1) for part in (*parts, values, memory)), self.rate, self.momentum
                )
                seen[nets, steps] = values[..., : len(seen[nets])].transpose(2, 0, 1)
        loss, seen = self._memories(self._loss, 1)[:, 0].copy(), seen.reshape(self.nets, length, *shape)
        return Ran(loss.item(), seen[0]) if self._single else Ran(loss, seen)

    # ---- arrays

    def _inputs(self, x: Any) -> tuple[np.ndarray, bool]:
        """x as a batch, and whether it came as one sequence."""
        if not self.symbols:
            _, x, single = self.net._point(np.zeros(self.net.layout.size), x)
            return x, single
        x, most = np.asarray(x), self.net.n_in - 1
        if x.dtype.kind not in "iu" or x.ndim not in (1, 2) or x.size == 0 or x.min() < 0 or x.max() > most:
            raise ValueError(f"x: expected whole numbers from 0 to {most} of shape (T,) or (nets, T), got {x!r}")
        batch = np.atleast_2d(x)
        return (batch[..., None] if self._counted else np.eye(most + 1)[batch]), x.ndim == 1

    @staticmethod
    def _lay(part: np.ndarray, array: np.ndarray) -> None:
        """(nets, T, width) side by side into (T, width, lanes); one for all lanes, or zeros in lanes to spare."""
        used = len(array) if len(array) > 1 else part.shape[-1]
        part[..., :used], part[..., used:] = array.transpose(1, 2, 0), 0.0

    def _memories(self, first: int, count: int) -> np.ndarray:
        """What is kept of each net, (nets, count), from a place on."""
        return self._memory[:, first : first + count].transpose(0, 2, 1).reshape(-1, count)[: self.nets]
