"""Base of all networks: parameters, forward pass and its trace, loss, gradients, batches."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.activations import named
from throughtime.arrays.parameters import Layout, LossGradient

Arrays = tuple[np.ndarray, ...]

quiet = np.errstate(over="ignore", invalid="ignore")  # overflow is looked for in the results


@dataclass(frozen=True)
class Quantities:
    """The quantities of a forward pass: named, read-only arrays; of a batch, each has a first axis of sequences.

    A subclass holds, as a field or a property, the outputs ``y`` at the times 0 to T, of shape (T+1, n_out).
    """

    if TYPE_CHECKING:  # a property that is there at run time would be the default of the field

        @property
        def y(self) -> np.ndarray: ...

    def items(self) -> Iterator[tuple[str, np.ndarray]]:
        """Pairs of name and array."""
        return ((field.name, getattr(self, field.name)) for field in fields(self))

    @property
    def length(self) -> int:
        """T, the number of steps."""
        return self.y.shape[-2] - 1


class Network:
    """Base of all models: an immutable description of a network. Its parameters are a flat vector ``theta``.

    theta       (layout.size,), named and shaped by ``layout``
    x           (T, n_in), one sequence of T >= 1 steps, or (B, T, n_in), a batch of sequences of one length
    targets     (T, n_out) or (B, T, n_out), row t-1 being the target at time t; finite also where the mask is 0
    mask        zeros and ones: (T,) for whole steps, the same in all sequences; (B, T); or one for each target. None
                for all ones. Where it is 0 the target has no influence

    All of them may be lists or arrays of any precision; they are computed with in float64. ``theta`` and ``x`` may be
    complex in ``forward`` and ``loss``, for the complex step. The loss of a batch, and its gradient, are the sums of
    those of its sequences.

    TypeError or ValueError, naming the argument, for what does not fit. FloatingPointError where a net input or state
    at any time, or the loss, or the gradient overflows, whatever the method.

    Inner protocol: weights and states are tuples of arrays; states have a first axis of sequences and a row for each
    time 0 to T.

    unpack(theta), pack(weights)            between the flat vector and the arrays of the layout
    run(weights, x)                         states of a forward pass over a batch, not yet checked for overflow
    show(states)                            the fields of ``TRACE`` by name
    outputs(states)                         y at the times 0 to T
    sweep(weights, states, error, method)   the flat gradient, from ``error``, the immediate dL/dy
    """

    METHODS: tuple[str, ...] = ("bptt",)  # of ``gradient``
    TRACE: type  # of ``forward``
    FACTOR: ClassVar[float] = 0.5  # before the squared error in the loss

    n_in: int

    if TYPE_CHECKING:  # attributes, properties or methods of a subclass

        @property
        def CHECKED(self) -> dict[str, int]: ...  # name and position of each state that may overflow
        @property
        def n_out(self) -> int: ...
        @property
        def layout(self) -> Layout: ...

        def run(self, weights: Arrays, x: np.ndarray) -> Arrays: ...
        def sweep(self, weights: Arrays, states: Arrays, error: np.ndarray, method: str) -> np.ndarray: ...

    def __deepcopy__(self, memo: dict) -> Any:
        return self  # a description that does not change: copies of what runs on it share it

    def init(self, seed: int | np.random.Generator, scale: float = 0.1) -> np.ndarray:
        """Parameters drawn uniformly from [-scale, scale], 0 < scale <= 8.9e307, by a seed >= 0 or a generator."""
        return self.layout.uniform(seed, scale)

    @quiet
    def forward(self, theta: Any, x: Any) -> Any:
        """Run the network on ``x``; arguments and errors as in the class, both may be complex.

        Returns the trace: read-only arrays by name with a row for each time, and for a batch a first axis of sequences.
        """
        theta, batch, single = self._point(theta, x, allow_complex=True)
        states = self._states(self.unpack(theta), batch)
        return shown(self.TRACE, single, self.show(states))

    @quiet
    def loss(self, theta: Any, x: Any, targets: Any, mask: Any = None) -> float | complex:
        """Half the sum of mask (y - target)^2 over sequences, steps and outputs; analytic in ``theta`` and ``x``.

        Arguments and errors as in the class; ``theta`` and ``x`` may be complex.
        """
        theta, x, targets, mask, _ = self._problem(theta, x, targets, mask, allow_complex=True)
        _, difference = self._difference(self.unpack(theta), x, targets)
        return self._loss(difference, mask)

    @quiet
    def gradient(self, theta: Any, x: Any, targets: Any, mask: Any = None, method: str = "bptt") -> LossGradient:
        """The loss and its gradient with respect to ``theta``; arguments and errors as in the class, all real.

        ``"bptt"`` is exact: an adjoint sweep back through the stored states, time and memory linear in T. Other
        methods, of ``METHODS``, are described in the class. ValueError for an unknown method.
        """
        validate.one_of("method", method, self.METHODS)
        theta, *problem, _ = self._problem(theta, x, targets, mask)
        return self._result(*self._computed(self.unpack(theta), *problem, method=method), method)

    def compile(self) -> Any:
        """The ``CompiledNetwork`` of the system of this network, with the same layout of ``theta``.

        Its gradients are those of the recursions that the engine derives: ``"bptt"``, ``"rtrl"``, in memory that does
        not grow with T and one step after another by ``online``, and the other methods of this network. ValueError,
        naming the argument, for an option of the network that no system has.
        """
        return import_module("throughtime.evidence.compiled").compiled(self)

    # ---- inner protocol

    def unpack(self, theta: np.ndarray) -> Arrays:
        """The arrays of the layout, views of a checked ``theta``."""
        return tuple(self.layout.split(theta).values())

    def pack(self, weights: Arrays) -> np.ndarray:
        """The flat vector, a new one, that holds the arrays."""
        return np.concatenate([array.ravel() for array in weights])

    def show(self, states: Arrays) -> dict[str, np.ndarray]:
        """The fields of ``TRACE`` by name, with a first axis of sequences; the states themselves, in their order."""
        return dict(zip((field.name for field in fields(self.TRACE)), states, strict=True))

    def outputs(self, states: Arrays) -> np.ndarray:
        """y at the times 0 to T, of shape (B, T+1, n_out)."""
        return states[-1]

    # ---- arguments

    def _point(self, theta: Any, x: Any, allow_complex: bool = False) -> tuple[np.ndarray, np.ndarray, bool]:
        """theta and x checked, x as a batch, and whether it came as a single sequence."""
        theta = validate.array("theta", theta, (self.layout.size,), allow_complex=allow_complex)
        x = validate.sequences("x", x, self.n_in, allow_complex=allow_complex)
        single = x.ndim == 2
        return theta.astype(np.result_type(theta, x), copy=False), x[None] if single else x, single

    def _problem(self, theta: Any, x: Any, targets: Any, mask: Any, allow_complex: bool = False) -> tuple:
        """theta, x, targets and mask checked, the last three as batches, and whether x came as a single sequence."""
        theta, x, single = self._point(theta, x, allow_complex)
        goals = self.goal(targets, mask, x.shape[1:2] if single else x.shape[:2])
        return theta, x, *(array[None] if single else array for array in goals), single

    def goal(self, targets: Any, mask: Any, lead: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Targets and mask checked, each with these first axes, (T,) or (B, T)."""
        return goal(targets, mask, (*lead, self.n_out))

    def _real_weights(self, theta: Any) -> Arrays:
        return self.unpack(validate.array("theta", theta, (self.layout.size,)))

    # ---- computation on checked arguments

    def _states(self, weights: Arrays, x: np.ndarray) -> Arrays:
        states = self.run(weights, x)
        check_overflow({name: states[place] for name, place in self.CHECKED.items()})
        return states

    def _difference(self, weights: Arrays, x: np.ndarray, targets: np.ndarray) -> tuple[Arrays, np.ndarray]:
        """The states of a forward pass, and y - target."""
        states = self._states(weights, x)
        return states, self.outputs(states)[:, 1:] - targets

    def _loss(self, difference: np.ndarray, mask: np.ndarray) -> float | complex:
        loss = self.FACTOR * (mask * difference * difference).sum()
        validate.check_overflow(loss=loss)
        return loss.item()

    def _immediate(self, difference: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The immediate derivative of the loss with respect to y at the times 0 to T."""
        return from_time_zero(2.0 * self.FACTOR * mask * difference)

    def _result(self, loss: float, gradient: np.ndarray, method: str) -> LossGradient:
        validate.check_overflow(gradient=gradient)
        return LossGradient(loss, gradient, method)

    def _computed(
        self, weights: Arrays, x: np.ndarray, targets: np.ndarray, mask: np.ndarray, **how: Any
    ) -> tuple[float, np.ndarray]:
        """Loss and gradient; ``how`` as for ``sweep``."""
        states, difference = self._difference(weights, x, targets)
        loss = self._loss(difference, mask).real  # a float: gradients are taken at real points
        return loss, self.sweep(weights, states, self._immediate(difference, mask), **how)

    def _check_activations(self, *names: str) -> None:
        """For ``__post_init__``: fields of activations, given as such or by name."""
        for name in names:
            object.__setattr__(self, name, named(name, getattr(self, name)))

    def _check_counts(self, **minima: int) -> None:
        """For ``__post_init__``: fields of counts, with their least values."""
        for name, minimum in minima.items():
            object.__setattr__(self, name, validate.count(name, getattr(self, name), minimum))


def goal(targets: Any, mask: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Targets and mask of ``shape``, (T, units) or (B, T, units), checked; see ``validate.mask`` for other masks.

    Where the mask is 0 the target becomes 0, so that it cannot overflow: the mask multiplies all that reads it.
    """
    targets, mask = validate.array("targets", targets, shape), validate.mask(mask, shape)
    return np.where(mask == 1.0, targets, 0.0), mask


def from_time_zero(sequences: np.ndarray) -> np.ndarray:
    """Sequences (B, T, n) as (B, T+1, n): with a row of zeros for time 0 before that of time 1."""
    return np.concatenate([np.zeros_like(sequences[:, :1]), sequences], axis=1)


def shown(kind: type, single: bool, arrays: dict[str, np.ndarray]) -> Any:
    """A trace or signals of read-only arrays, from arrays (B, ...); without the first axis if there is one sequence."""
    arrays = {name: array[0] if single else array for name, array in arrays.items()}
    for array in arrays.values():
        array.setflags(write=False)
    return kind(**arrays)


def check_overflow(arrays: dict[str, np.ndarray]) -> None:
    """FloatingPointError that names array and index, of arrays (B, ...); without the index of a sequence alone."""
    validate.check_overflow(**{name: array[0] if len(array) == 1 else array for name, array in arrays.items()})
