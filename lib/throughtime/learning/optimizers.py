"""Gradient descent, momentum, Adam and the Rprop family, as small objects over a flat parameter vector.

Each keeps its state in arrays of its own: a deep or pickled copy goes on bit for bit. ``step`` returns new parameters
and writes to no argument; a step that is refused changes no state.

The Rprop variants share one rule for the step sizes. With g the derivative with respect to one weight and p the
stored derivative of the previous step, the step size D grows if g p > 0, shrinks if g p < 0, and stays if g p = 0.
Only signs are multiplied: the product of two tiny derivatives would underflow. The variants differ in what follows
a change of sign:

    Rprop+   reverts the last move and stores p = 0                   Riedmiller and Braun 1993
    Rprop-   moves the other way by the smaller step                  Riedmiller 1994
    iRprop+  reverts only if the loss has risen, stores p = 0         Igel and Huesken 2003
    iRprop-  does not move for one step and stores p = 0              Igel and Huesken 2003
"""

from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from throughtime.arrays import validate

State = dict[str, np.ndarray]


@dataclass(eq=False)
class Optimizer:
    """Base class. A subclass declares its options as fields.

    size    number of parameters, at least 1; TypeError or ValueError if not
    """

    size: int

    def __post_init__(self) -> None:
        self.size = validate.count("size", self.size, minimum=1)

    def step(self, theta: np.ndarray, gradient: np.ndarray, loss: float | None = None) -> np.ndarray:
        """The parameters after one step from ``theta``.

        theta, gradient   float64 vectors of ``size`` finite numbers: parameters, and the gradient there
        loss              the loss at ``theta``, a finite number; iRprop+ requires it, the others do not use it

        TypeError or ValueError for other arguments, FloatingPointError if the new parameters or the new state
        overflow float64. After an exception the state is that before the call, so that the step can be repeated
        with another gradient.
        """
        theta = validate.flat_vector("theta", theta, self.size)
        gradient = validate.flat_vector("gradient", gradient, self.size)
        risen = None if loss is None else validate.array("loss", loss, ()).copy()
        with np.errstate(over="ignore", invalid="ignore"):
            move, state = self._move(gradient, risen)
            moved = theta + move
        validate.check_overflow(**state, theta=moved)
        vars(self).update(state)
        return moved

    def _move(self, gradient: np.ndarray, loss: np.ndarray | None) -> tuple[np.ndarray, State]:
        """The change of the parameters and the next state, in new arrays."""
        raise NotImplementedError


@dataclass(eq=False)
class GradientDescent(Optimizer):
    """theta <- theta - rate g (rnn-18).

    rate    learning rate > 0: one number, or an array (size,) with one for each parameter

    >>> GradientDescent(2, rate=[0.5, 0.25]).step(np.zeros(2), np.array([1.0, 1.0])).tolist()
    [-0.5, -0.25]
    """

    rate: float | np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rate = _positive("rate", self.rate, self.size)

    def _move(self, gradient: np.ndarray, loss: np.ndarray | None) -> tuple[np.ndarray, State]:
        return -self.rate * gradient, {}


@dataclass(eq=False)
class Momentum(GradientDescent):
    """velocity <- momentum velocity - rate g, theta <- theta + velocity; 0 <= ``momentum`` < 1."""

    momentum: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.momentum = validate.number("momentum", self.momentum, "[0, 1)")
        self.velocity = np.zeros(self.size)

    def _move(self, gradient: np.ndarray, loss: np.ndarray | None) -> tuple[np.ndarray, State]:
        velocity = self.momentum * self.velocity - self.rate * gradient
        return velocity, {"velocity": velocity}


@dataclass(eq=False)
class Adam(GradientDescent):
    """Adam with bias correction (Kingma and Ba 2015, Algorithm 1), with the defaults of the paper.

    mean <- beta1 mean + (1 - beta1) g, square <- beta2 square + (1 - beta2) g^2,
    theta <- theta - rate m / (sqrt(s) + epsilon), m = mean / (1 - beta1^n), s = square / (1 - beta2^n)
    after n steps, mean = square = 0 before the first.

    rate            as for gradient descent, 0.001
    beta1, beta2    decay of the two averages, at least 0 and below 1
    epsilon         > 0

    Errors as for ``Optimizer.step``: FloatingPointError also for |g| above 1.3e154, whose square overflows.

    >>> Adam(1, rate=0.5, epsilon=1.0)
    Adam(size=1, rate=0.5, beta1=0.9, beta2=0.999, epsilon=1.0)
    >>> Adam(2, rate=0.5, epsilon=1.0).step(np.zeros(2), np.array([3.0, -1.0])).round(12).tolist()
    [-0.375, 0.25]
    """

    rate: float | np.ndarray = 0.001
    _: KW_ONLY
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        super().__post_init__()
        self.beta1 = validate.number("beta1", self.beta1, "[0, 1)")
        self.beta2 = validate.number("beta2", self.beta2, "[0, 1)")
        self.epsilon = validate.number("epsilon", self.epsilon, "(0, inf)")
        self.mean, self.square = np.zeros(self.size), np.zeros(self.size)
        self.taken = np.array(0.0)  # number of steps: an array, as all of the state

    def _move(self, gradient: np.ndarray, loss: np.ndarray | None) -> tuple[np.ndarray, State]:
        taken = self.taken + 1.0
        mean = self.beta1 * self.mean + (1.0 - self.beta1) * gradient
        square = self.beta2 * self.square + (1.0 - self.beta2) * gradient**2
        corrected_mean = mean / (1.0 - self.beta1**taken)
        corrected_square = square / (1.0 - self.beta2**taken)
        move = -self.rate * corrected_mean / (np.sqrt(corrected_square) + self.epsilon)
        return move, {"mean": mean, "square": square, "taken": np.array(taken)}


@dataclass(eq=False)
class _Rprop(Optimizer):
    """The step sizes, common to all variants; ``_after_change`` is where the four above differ.

    size            number of parameters
    first_step      initial D: one number, or an array (size,), between smallest and largest
    grow, shrink    eta+ > 1 and 0 < eta- < 1
    smallest        lower bound of D, at least 0
    largest         upper bound of D, may be infinite

    The published defaults differ by paper and by library; those here are 0.1, 1.2, 0.5, 1e-6 and 50. ValueError
    for what is out of range, also for a first step outside the bounds: torch.optim.Rprop moves it to the nearer
    bound without a word, so that the run is not the one asked for.
    """

    first_step: float | np.ndarray = 0.1
    _: KW_ONLY
    grow: float = 1.2
    shrink: float = 0.5
    smallest: float = 1e-6
    largest: float = 50.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.grow = validate.number("grow", self.grow, "(1, inf)")
        self.shrink = validate.number("shrink", self.shrink, "(0, 1)")
        self.smallest = validate.number("smallest", self.smallest, "[0, inf)")
        self.largest = validate.number("largest", self.largest, f"[{self.smallest!r}, inf]")
        self.first_step = _positive("first_step", self.first_step, self.size)
        _check_between("first_step", self.first_step, self.smallest, self.largest)
        self.steps, self.before = np.full(self.size, self.first_step), np.zeros(self.size)

    def _move(self, gradient: np.ndarray, loss: np.ndarray | None) -> tuple[np.ndarray, State]:
        turn = np.sign(gradient) * np.sign(self.before)
        factor = np.where(turn > 0, self.grow, np.where(turn < 0, self.shrink, 1.0))
        steps = np.clip(self.steps * factor, self.smallest, self.largest)
        move, state = -np.sign(gradient) * steps, {"steps": steps, "before": gradient.copy()}
        self._after_change(turn < 0, move, state, loss)
        return move, state

    def _after_change(self, changed: np.ndarray, move: np.ndarray, state: State, loss: np.ndarray | None) -> None:
        """Change ``move`` and the new state where the sign of the derivative has changed."""


class RpropMinus(_Rprop):
    """Rprop without weight-backtracking: after a change of sign the weight moves the other way, by the smaller step.

    >>> rprop, theta = RpropMinus(1, first_step=1.0), np.zeros(1)
    >>> for sign in (1.0, 1.0, -1.0, 0.0, 1.0):
    ...     theta = rprop.step(theta, np.array([sign]))
    ...     print(theta.round(2)[0], rprop.steps.round(2)[0])
    -1.0 1.0
    -2.2 1.2
    -1.6 0.6
    -1.6 0.6
    -2.2 0.6
    """


class IRpropMinus(_Rprop):
    """Improved Rprop without backtracking: after a change of sign the weight does not move for one step.

    This is the variant that torch.optim.Rprop runs, whose documentation cites the paper of Rprop+.
    """

    def _after_change(self, changed: np.ndarray, move: np.ndarray, state: State, loss: np.ndarray | None) -> None:
        move[changed] = 0.0
        state["before"][changed] = 0.0


class RpropPlus(_Rprop):
    """Rprop with weight-backtracking: a change of sign reverts the last move of that weight."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.last_move = np.zeros(self.size)

    def _after_change(self, changed: np.ndarray, move: np.ndarray, state: State, loss: np.ndarray | None) -> None:
        move[changed] = -self.last_move[changed]
        state["before"][changed] = 0.0
        state["last_move"] = move.copy()


class IRpropPlus(RpropPlus):
    """Improved Rprop with backtracking: the last move is reverted only if the loss has risen since.

    ``step`` needs the loss at ``theta``: TypeError without it.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.last_loss = np.array(np.finfo(np.float64).max)  # no first loss is above it

    def _after_change(self, changed: np.ndarray, move: np.ndarray, state: State, loss: np.ndarray | None) -> None:
        if loss is None:
            raise TypeError("loss: iRprop+ decides by the loss, got None")
        super()._after_change(changed, move, state, loss)
        if not loss > self.last_loss:
            move[changed] = 0.0
        state["last_loss"] = loss


@dataclass(eq=False)
class PrintedRprop(_Rprop):
    """The simplified rule of the source as printed (rnn-29 to rnn-31): two cases and no bounds.

    D <- D eta+ if sign(p) = sign(g), D <- D eta- if not; theta <- theta - sign(g) D. The source leaves open

    p at the first step     ``start``, whose sign is taken; 0 makes the first step a shorter one
    the order               ``move_first`` moves by the old D and adapts it afterwards

    A derivative of zero counts as a sign: a weight with g = p = 0 lets D grow although nothing is known of it,
    until D overflows: FloatingPointError.

    first_step, grow, shrink    as for the other variants; TypeError if ``move_first`` is not a bool
    """

    first_step: float | np.ndarray = 0.001
    smallest: float = field(default=0.0, init=False, repr=False)
    largest: float = field(default=np.inf, init=False, repr=False)
    _: KW_ONLY
    start: float = 0.0
    move_first: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.move_first, bool):
            raise TypeError(f"move_first: expected True or False, got {self.move_first!r}")
        self.before = np.full(self.size, np.sign(validate.number("start", self.start)))

    def _move(self, gradient: np.ndarray, loss: np.ndarray | None) -> tuple[np.ndarray, State]:
        sign = np.sign(gradient)
        steps = self.steps * np.where(sign == self.before, self.grow, self.shrink)  # rnn-30, rnn-31
        used = self.steps if self.move_first else steps
        return -sign * used, {"steps": steps, "before": sign}  # rnn-29


def _positive(name: str, value: float | np.ndarray, size: int) -> float | np.ndarray:
    """One positive number as a float, or ``size`` of them as a new vector."""
    values = validate.array(name, value, (size,) if np.ndim(value) else ())
    if (values <= 0.0).any():
        raise ValueError(f"{name}: expected positive numbers, got {value!r}")
    return values.copy() if values.ndim else float(values)


def _check_between(name: str, values: float | np.ndarray, low: float, high: float) -> None:
    if np.any((values < low) | (values > high)):
        raise ValueError(f"{name}: expected {low!r} to {high!r}, got {values!r}")
