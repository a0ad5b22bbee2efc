"""A network made of a system of recurrences, with the protocol of the models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import make_dataclass
from typing import Any

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import ActivationFunction, named
from throughtime.arrays.network import Arrays, Network, Quantities, check_overflow, quiet, shown
from throughtime.arrays.parameters import Layout
from throughtime.derivation.deriving.definition import reached
from throughtime.derivation.deriving.forward import Cut
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.domains import Dimension
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import DEFINED, INPUT, Quantity, Ref
from throughtime.programs.build import OPTIONS, module
from throughtime.programs.learner import Learner
from throughtime.programs.loops import Function
from throughtime.programs.online import OnlineGradient
from throughtime.programs.plan import quantity_of
from throughtime.programs.program import Program, only
from throughtime.programs.text import FORMULAS


def compile(
    system: System,
    loss: Quantity | Ref,
    sizes: Mapping[Dimension, int],
    *,
    activations: Mapping[str, str | ActivationFunction] | None = None,
    given: Mapping[str, Any] | None = None,
    cuts: Mapping[str, Iterable[Cut]] | None = None,
    compiled: bool | None = None,
) -> CompiledNetwork:
    """A network that computes and trains what a system defines, by the recursions that the engine derives from it.

    system        the definitions, and the initial values of states
    loss          a scalar of the system; its gradient is that of all parameters
    sizes         a size for each dimension
    activations   for each activation of the system its name in ``throughtime.arrays.activations``, or "relu"; sigma,
                  tanh, relu, exp, log and sqrt need none, and those with a slope of their own, as all of a text, have
                  no other
    given         arrays for the given quantities that do not vary in time
    cuts          further methods of `gradient` by name: the arguments that each of them holds constant
    compiled      whether programs are compiled, which takes seconds, or run as plain Python; unless given, each is
                  plain until the work asked of it, as many numbers as its steps go through, is worth compiling. The
                  last digits of both may differ. A learner is compiled unless this is False

    Raises DerivationError, TypeError or ValueError, naming the argument, for what is missing or does not fit.
    """
    if not isinstance(system, System):
        raise TypeError(f"system: expected a System, got {type(system).__name__}")
    loss = quantity_of(loss)
    if not isinstance(loss, Quantity) or loss.domains or loss.timed:
        raise ValueError(f"loss: expected a scalar of the system, as scalar('L') makes one, got {loss}")
    if compiled not in (None, True, False):
        raise ValueError(f"compiled: expected True, False or None, got {compiled!r}")
    return CompiledNetwork(system, loss, sizes, activations or {}, given or {}, cuts or {}, compiled)


# Numbers that plain Python goes through in the time in which a program is compiled: 2 to 10 million, measured on
# fourteen programs of 15 to 288 weights. A count and no clock: what a page prints does not depend on the machine.
WORTH = 4_000_000


class Rows(Quantities):
    """Arrays by the names of a system's quantities, with a row for each time 0 to T."""

    @property
    def length(self) -> int:
        """T, the number of steps."""
        return next(iter(self.items()))[1].shape[0] - 1


class CompiledNetwork(Program, Network):
    """A network of a system, as ``compile`` makes it.

    theta       the parameters of the system, shaped as their domains, in the order in which the definitions read them
    x           (T, n_in) or (B, T, n_in): the input sequences side by side, each flattened
    targets     (T, n_out) or (B, T, n_out): the sequences that only the loss reads, a cost, or an error such as y - d;
                others, if ``system.targets`` says so
    mask        (T,) or (B, T), if the system has a mask; of several, or one for each unit, each step has all, flattened

    ``forward`` takes the mask as well, since states may read it; its trace has the states that read no target.

    ``gradient`` and ``online`` know the methods "bptt" (an adjoint sweep), "rtrl" (derivatives carried forward) and,
    for each set of cuts, one of its name, which carries derivatives forward with the cut arguments held constant.
    Made by ``compile``, where the other arguments are explained; ValueError for cuts named "bptt" or "rtrl".
    """

    n_out: int
    layout: Layout

    def __init__(
        self,
        system: System,
        loss: Quantity,
        sizes: Mapping[Dimension, int],
        activations: Mapping[str, str | ActivationFunction],
        given: Mapping[str, Any],
        cuts: Mapping[str, Iterable[Cut]],
        compiled: bool | None = None,
    ) -> None:
        self.compiled = compiled
        self._modules: dict[tuple[str, bool], Any] = {}
        self._work: Counter[str] = Counter()
        sizes = {dimension: validate.count(f"sizes[{dimension}]", size) for dimension, size in sizes.items()}
        super().__init__(system, loss, sizes, self._formulas(activations), cuts)
        plan = self.plan
        inputs, targets = plan.inputs, system.targets_of(loss)
        for sequence in inputs:
            self._check_one_row(sequence)
        self.masks = [one for one in inputs if one.mask]
        if wrong := targets.difference(inputs).union(targets.intersection(self.masks)):
            raise ValueError(f"targets: expected given sequences of the system, no masks, got {wrong.pop()}")
        self.goals = [one for one in inputs if one in targets]
        self.sequences = [one for one in inputs if one not in {*self.masks, *self.goals}]
        constants = plan.of(INPUT, timed=False)
        only("given", given, (one.name for one in constants), "given quantities that do not vary in time")
        self.given = {one.name: self._constant(one, given) for one in constants}
        self.n_in, self.n_out, self._n_mask = (
            sum(map(self._width, some)) for some in (self.sequences, self.goals, self.masks)
        )
        self._sources, self._depth = self._found(), plan.depth
        self._loss_place = plan.of(DEFINED).index(plan.loss.quantity)
        self.layout = Layout({self._names(one, ""): plan.shape(one) for one in plan.weights})
        self.STATES = [self._names(one, "") for one in plan.of(DEFINED, timed=True)]
        self._traced = self._apart(self.goals)
        traced = [self._names(one, "") for one in self._traced]
        self.TRACE = make_dataclass("Trace", traced, bases=(Rows,), frozen=True)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{dimension.name}={size}" for dimension, size in self.plan.sizes.items())
        return f"CompiledNetwork({self.name}: {sizes})"

    # ---- arguments

    @staticmethod
    def _formulas(activations: Mapping[str, str | ActivationFunction]) -> dict[str, str]:
        """The name of each activation. TypeError or ValueError for what is none."""
        return {
            name: value if isinstance(value, str) and value in FORMULAS else named(f"activations[{name}]", value).name
            for name, value in activations.items()
        }

    def _apart(self, sequences: Sequence[Quantity]) -> list[Quantity]:
        """The states that depend on none of some sequences."""
        reads = self.plan.system.reads
        depend = reached(sequences, lambda one: (case.left.quantity for case, ref in reads if ref.quantity == one))
        return [one for one in self.plan.of(DEFINED, timed=True) if one not in depend]

    def _check_one_row(self, sequence: Quantity) -> None:
        """DerivationError unless each step reads its own row of a sequence, the first step the first row."""
        read = {ref.time for _, ref in self.plan.system.reads if ref.quantity == sequence}
        steps = {int(steps) for steps, base in (time.as_coeff_Add() for time in read) if base != 0}
        if others := steps - {self.plan.system.given_times(sequence, 1).start - 1}:
            raise DerivationError(
                f"{self.name}: {sequence} is read at {sorted(map(str, read))}, of which t{min(others):+d} is not the "
                "row of the step; define what it was before as a state, a(t) = x(t) and a(t-1) for x(t-1), or see "
                "System.given_from"
            )

    def _constant(self, quantity: Quantity, given: Mapping[str, Any]) -> np.ndarray:
        if quantity.name not in given:
            raise ValueError(
                f"given: expected {quantity.name} of shape {self.plan.shape(quantity)}, got {sorted(given)}"
            )
        return validate.array(f"given[{quantity.name}]", given[quantity.name], self.plan.shape(quantity))

    def _width(self, quantity: Quantity) -> int:
        return int(np.prod(self.plan.shape(quantity), dtype=int))

    def learner(self, theta: Any, method: str = "rtrl", **options: Any) -> Learner:
        """Nets that learn on line, from the weights ``theta`` of one or of several; see ``Learner`` for the options."""
        return Learner(self, theta, method, **options)

    def online(self, theta: Any, method: str = "rtrl") -> OnlineGradient:
        """An object that takes the steps of one sequence and has the gradient of the steps so far.

        ``method`` is one of ``METHODS`` but "bptt", else ValueError. ``theta`` is real, and copied.
        """
        return OnlineGradient(self, self._real_weights(theta), self._online_method(method))

    def _online_method(self, method: str) -> str:
        if not self.layout.size:
            raise ValueError(f"method: expected bptt, got {method}: nothing of {self.name} is learned")
        return validate.one_of("method", method, [name for name in self.METHODS if name != "bptt"])

    # ---- inner protocol

    def _shared(self, weights: Arrays, x: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, ...]:
        """What every function takes: given sequences and constants in the order of the plan, then the weights."""
        arrays, lead = (x, targets, mask), x.shape[:-1]
        parts = (
            place if kind is None else np.ascontiguousarray(arrays[kind][..., place]).reshape(*lead, *shape)
            for kind, place, shape in self._sources
        )
        return (*parts, *weights)

    def _found(self) -> list[tuple[int | None, Any, tuple[int, ...]]]:
        """Where each given quantity comes from: x, targets or mask, its columns and shape; or the constant itself."""
        found: dict[Quantity, tuple] = {}
        for kind, some in enumerate((self.sequences, self.goals, self.masks)):
            ends = np.cumsum([0, *map(self._width, some)])
            for quantity, low, high in zip(some, ends, ends[1:], strict=False):
                found[quantity] = kind, slice(low, high), self.plan.shape(quantity)
        return [found[one] if one in found else (None, self.given[one.name], ()) for one in self.plan.of(INPUT)]

    def _module(self, method: str, steps: int) -> Any:
        """The program of a method, from the text that ``source`` returns, for so many steps more.

        "complex" is that of "bptt" with activations that take complex numbers, by branches.
        """
        written = "bptt" if method == "complex" else method
        if (compiled := self.compiled) is None:
            if self._work[method] <= WORTH:
                self._work[method] += steps * self._numbers(written)
            compiled = self._work[method] > WORTH
        if (method, compiled) not in self._modules:
            text, options = (self._program("bptt"), {}) if method == "complex" else (self.source(method), OPTIONS)
            self._modules[method, compiled] = module(text, compiled=compiled, **options)
        return self._modules[method, compiled]

    def _new(self, function: Function, length: int, dtype: Any = np.float64) -> list[np.ndarray]:
        rows = length + self._depth
        return [
            np.zeros([rows if size is None else size for size in shape], dtype) for shape in function.arrays.values()
        ]

    @quiet
    def forward(self, theta: Any, x: Any, mask: Any = None) -> Any:
        """Run the network on ``x``, under a mask if states read one; the trace has no states that depend on targets."""
        theta, x, single = self._point(theta, x, allow_complex=True)
        mask = self._mask(mask, x.shape[1:2] if single else x.shape[:2])
        weights, targets = self.unpack(theta), np.zeros((x.shape[1], self.n_out))
        masks, places = mask[None] if single else mask, map(self.plan.of(DEFINED).index, self._traced)
        ran = [self._ran(weights, one, targets, counts)[1] for one, counts in zip(x, masks, strict=True)]
        states = self.show(tuple(np.stack([one[place][self._depth - 1 :] for one in ran]) for place in places))
        check_overflow(states)
        return shown(self.TRACE, single, states)

    def _ran(self, weights: Arrays, *problem: np.ndarray) -> tuple[tuple[np.ndarray, ...], list[np.ndarray]]:
        """One sequence run forwards: what all functions share, and the states."""
        shared, length = self._shared(weights, *problem), len(problem[0])
        dtype = np.result_type(*weights, problem[0])
        states = self._new(self._written("bptt")[0][0], length, dtype)
        self._module("complex" if dtype.kind == "c" else "bptt", length).forward(length, *shared, *states)
        return shared, states

    def goal(self, targets: Any, mask: Any, lead: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Targets and masks checked; no target is changed: others may read it than the term that a mask of 0 hides."""
        return validate.array("targets", targets, (*lead, self.n_out)), self._mask(mask, lead)

    def goal_of_step(self, target: Any, mask: Any) -> tuple[np.ndarray, np.ndarray]:
        """The same for one step. ValueError for no target where a mask of 0 does more than leave it out of the loss."""
        if target is None and self.n_out:
            if not self._is_of_targets():
                raise ValueError(f"target: expected shape ({self.n_out},), got None; no mask leaves it out of the loss")
            target, mask = np.zeros(self.n_out), 0
        target = validate.array("target", np.zeros(0) if target is None else target, (self.n_out,))
        one_for_all = mask is not None and np.ndim(mask) == 0
        return target, self._mask(np.repeat(mask, self._n_mask) if one_for_all else mask, ())

    def _is_of_targets(self) -> bool:
        """Whether the mask is for nothing but to say where there are targets."""
        mask = self.plan.mask_of(self.plan.step_of_loss())
        return [mask] == self.masks and mask in self.plan.system.only_for(self.plan.loss.quantity)

    def _mask(self, mask: Any, lead: tuple[int, ...]) -> np.ndarray:
        """All masks side by side, checked. ValueError for one that no definition reads."""
        if mask is not None and not self.masks:
            raise ValueError(f"mask: expected None, as {self.name} reads no mask, got one")
        shape = *lead, self._n_mask
        return validate.binary("mask", mask, shape) if len(self.masks) > 1 else validate.mask(mask, shape)

    @quiet
    def loss(self, theta: Any, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """The loss of the system, summed over the sequences of a batch; analytic in ``theta`` and ``x``."""
        theta, *problem, _ = self._problem(theta, x, targets, mask, allow_complex=True)
        weights = self.unpack(theta)
        total: Any = sum(
            self._ran(weights, *sequence)[1][self._loss_place][()] for sequence in zip(*problem, strict=True)
        )
        validate.check_overflow(loss=np.asarray(total))
        return total.item()

    def _computed(
        self, weights: Arrays, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, **how: Any
    ) -> tuple[float, np.ndarray]:
        if how["method"] == "bptt":
            program = self._module("bptt", x.shape[0] * x.shape[1])
            total, flat = program.batch(*x.shape[:2], *self._shared(weights, x, targets, mask))
            gradient = self._outward(flat)
        else:
            self._online_method(how["method"])
            total, gradient = 0.0, np.zeros(self.layout.size)
            for sequence in zip(x, targets, mask, strict=True):
                online = OnlineGradient(self, weights, **how)
                online.advance(*sequence)
                total, gradient = total + online.loss, gradient + online.gradient
        validate.check_overflow(loss=np.asarray(total))
        return total, gradient

    def _inward(self, theta: np.ndarray) -> np.ndarray:
        """Flat vectors, (..., size), as the programs have them, from those of ``layout``."""
        return theta

    def _outward(self, flat: np.ndarray) -> np.ndarray:
        """The inverse."""
        return flat
