"""Gradient descent, momentum and the Rprop family, as small objects over a flat parameter vector.

Each keeps what it has to remember in arrays: ``state`` copies them out and ``restore`` puts them back, after which
the steps go on as if nothing had happened. ``step`` returns new parameters and writes to no argument.

The Rprop variants share one rule for the step sizes. With g the derivative by one weight and p the stored one of
the step before, the step size D grows if g p > 0, shrinks if g p < 0, and stays if g p = 0; only signs are
multiplied, for the product of two vanishing derivatives would underflow. They differ in what follows a change of
sign:

    Rprop+   goes back by the last move and stores p = 0           Riedmiller and Braun 1993
    Rprop-   goes on, the other way, with the smaller step         Riedmiller 1994
    iRprop+  goes back only if the loss has risen, stores p = 0    Igel and Huesken 2003
    iRprop-  stays for one step and stores p = 0                   Igel and Huesken 2003
"""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from .models import validate

__all__ = [
    "GradientDescent", "IRpropMinus", "IRpropPlus", "Momentum", "Optimizer", "PrintedRprop", "RpropMinus", "RpropPlus",
]  # fmt: skip


class Optimizer:
    """What all of them share: the number of parameters, and a state that can be taken out and put back."""

    STATE: ClassVar[tuple[str, ...]] = ()  # names of the arrays that are the state

    def __init__(self, size: int) -> None:
        self.size = validate.count("size", size, minimum=1)

    def step(self, theta: np.ndarray, gradient: np.ndarray, loss: float | None = None) -> np.ndarray:
        """The parameters after one step from ``theta``, where the loss has that gradient.

        Both are float64 vectors of ``size`` finite numbers; TypeError or ValueError if not, FloatingPointError if
        the step leaves float64. ``loss`` is looked at by iRprop+ alone.
        """
        theta = validate.flat_vector("theta", theta, self.size)
        gradient = validate.flat_vector("gradient", gradient, self.size)
        with np.errstate(over="ignore", invalid="ignore"):
            moved = theta + self._move(gradient, loss)
        validate.refuse_overflow(theta=moved)
        return moved

    def state(self) -> dict[str, np.ndarray]:
        """Copies of the arrays that the next step depends on, by name; empty if there are none."""
        return {name: getattr(self, name).copy() for name in self.STATE}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Go on from what ``state`` returned.

        TypeError or ValueError for other names, shapes, or what is not finite; then nothing is changed.
        """
        if not isinstance(state, Mapping) or set(state) != set(self.STATE):
            raise ValueError(f"state: expected a mapping with the names {list(self.STATE)}, got {state!r}")
        shapes = {name: getattr(self, name).shape for name in self.STATE}
        given = {name: validate.array(f"state[{name!r}]", state[name], shape) for name, shape in shapes.items()}
        for name, values in given.items():
            setattr(self, name, values.copy())

    def _move(self, gradient: np.ndarray, loss: float | None) -> np.ndarray:
        raise NotImplementedError


class GradientDescent(Optimizer):
    """theta <- theta - rate g (rnn-18); ``rate`` > 0 is one number, or one for each parameter.

    >>> GradientDescent(2, rate=[0.5, 0.25]).step(np.zeros(2), np.array([1.0, 1.0])).tolist()
    [-0.5, -0.25]
    """

    def __init__(self, size: int, rate: float | np.ndarray) -> None:
        super().__init__(size)
        self.rate = _positive("rate", rate, self.size)

    def _move(self, gradient: np.ndarray, loss: float | None) -> np.ndarray:
        return -self.rate * gradient


class Momentum(GradientDescent):
    """velocity <- momentum velocity - rate g, theta <- theta + velocity; 0 <= ``momentum`` < 1."""

    STATE = ("velocity",)

    def __init__(self, size: int, rate: float | np.ndarray, momentum: float) -> None:
        super().__init__(size, rate)
        self.momentum = validate.number("momentum", momentum, "[0, 1)")
        self.velocity = np.zeros(self.size)

    def _move(self, gradient: np.ndarray, loss: float | None) -> np.ndarray:
        self.velocity = self.momentum * self.velocity - self.rate * gradient
        return self.velocity


class _Rprop(Optimizer):
    """Step sizes as all four variants have them; ``_after_change`` is where they differ.

    size            number of parameters
    first_step      D at the start: one number or one for each parameter, from smallest to largest
    grow, shrink    eta+ > 1 and 0 < eta- < 1
    smallest        lower bound of D, at least 0
    largest         upper bound of D, may be infinite

    The published defaults differ by paper and by library; those here are 0.1, 1.2, 0.5, 1e-6 and 50. Raises
    ValueError for what is out of range.
    """

    STATE = ("steps", "before")

    def __init__(
        self,
        size: int,
        first_step: float | np.ndarray = 0.1,
        *,
        grow: float = 1.2,
        shrink: float = 0.5,
        smallest: float = 1e-6,
        largest: float = 50.0,
    ) -> None:
        super().__init__(size)
        self.grow, self.shrink = _factors(grow, shrink)
        self.smallest = validate.number("smallest", smallest, "[0, inf)")
        self.largest = validate.number("largest", largest, f"[{self.smallest!r}, inf]")
        self.steps = _positive("first_step", first_step, self.size)
        if ((self.steps < self.smallest) | (self.steps > self.largest)).any():
            raise ValueError(f"first_step: expected {self.smallest!r} to {self.largest!r}, got {first_step!r}")
        self.before = np.zeros(self.size)

    def _move(self, gradient: np.ndarray, loss: float | None) -> np.ndarray:
        turn = np.sign(gradient) * np.sign(self.before)
        factor = np.where(turn > 0, self.grow, np.where(turn < 0, self.shrink, 1.0))
        self.steps = np.clip(self.steps * factor, self.smallest, self.largest)
        self.before = gradient.copy()
        move = -np.sign(gradient) * self.steps
        self._after_change(turn < 0, move)
        return move

    def _after_change(self, changed: np.ndarray, move: np.ndarray) -> None:
        """Change ``move`` and ``before`` where the sign of the derivative has changed."""


class RpropMinus(_Rprop):
    """Rprop without weight-backtracking: after a change of sign the weight turns round, with the smaller step.

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
    """Improved Rprop without backtracking: after a change of sign the weight rests for one step.

    This is the variant that torch.optim.Rprop runs, whose documentation cites the paper of Rprop+.
    """

    def _after_change(self, changed: np.ndarray, move: np.ndarray) -> None:
        move[changed] = 0.0
        self.before[changed] = 0.0


class RpropPlus(_Rprop):
    """Rprop with weight-backtracking: a change of sign takes the last move of that weight back."""

    STATE = ("steps", "before", "last_move")

    def __init__(self, *args: float, **kwargs: float) -> None:
        super().__init__(*args, **kwargs)
        self.last_move = np.zeros(self.size)

    def _after_change(self, changed: np.ndarray, move: np.ndarray) -> None:
        move[changed] = -self.last_move[changed]
        self.before[changed] = 0.0
        self.last_move = move.copy()


class IRpropPlus(RpropPlus):
    """Improved Rprop with backtracking: the last move is taken back only if the loss has risen since.

    ``step`` needs the loss at ``theta``: TypeError without it, ValueError if it is not finite.
    """

    STATE = ("steps", "before", "last_move", "last_loss")

    def __init__(self, *args: float, **kwargs: float) -> None:
        super().__init__(*args, **kwargs)
        self.last_loss = np.array(np.finfo(np.float64).max)  # above which no loss can rise

    def _move(self, gradient: np.ndarray, loss: float | None) -> np.ndarray:
        if loss is None:
            raise TypeError("loss: iRprop+ decides by the loss, got None")
        loss = validate.array("loss", loss, ())
        self._risen = bool(loss > self.last_loss)
        move = super()._move(gradient, None)
        self.last_loss = loss
        return move

    def _after_change(self, changed: np.ndarray, move: np.ndarray) -> None:
        super()._after_change(changed, move)
        if not self._risen:
            move[changed] = 0.0


class PrintedRprop(Optimizer):
    """The simplified rule that the source prints (rnn-29 to rnn-31), word for word: two cases and no bounds.

    D <- D eta+ if sign(p) = sign(g), D <- D eta- if not; theta <- theta - sign(g) D. That leaves open

    p at the first step     ``start``, a sign, is taken for it; 0 makes the first step a shorter one
    which comes first       ``move_first`` moves with the old D and adapts it afterwards

    and it counts a derivative of zero as a sign: a weight with g = p = 0 lets D grow although nothing is known of
    it, until D overflows. Once that happens the move 0 D is not a number: FloatingPointError.
    """

    STATE = ("steps", "before")

    def __init__(
        self,
        size: int,
        first_step: float | np.ndarray = 0.001,
        *,
        grow: float = 1.2,
        shrink: float = 0.5,
        start: float = 0.0,
        move_first: bool = False,
    ) -> None:
        super().__init__(size)
        self.grow, self.shrink = _factors(grow, shrink)
        if not isinstance(move_first, bool):
            raise TypeError(f"move_first: expected True or False, got {move_first!r}")
        self.move_first = move_first
        self.steps = _positive("first_step", first_step, self.size)
        self.before = np.full(self.size, np.sign(validate.number("start", start)))

    def _move(self, gradient: np.ndarray, loss: float | None) -> np.ndarray:
        sign, old = np.sign(gradient), self.steps
        with np.errstate(over="ignore"):
            self.steps = old * np.where(sign == self.before, self.grow, self.shrink)  # rnn-30, rnn-31
        self.before = sign
        used = old if self.move_first else self.steps
        if not np.isfinite(used).all():
            raise FloatingPointError(f"steps[{np.argmax(~np.isfinite(used))}] overflows float64: nothing bounds it")
        return -sign * used  # rnn-29


def _factors(grow: float, shrink: float) -> tuple[float, float]:
    return validate.number("grow", grow, "(1, inf)"), validate.number("shrink", shrink, "(0, 1)")


def _positive(name: str, value: float | np.ndarray, size: int) -> np.ndarray:
    """``value``, one positive number or ``size`` of them, as a new vector."""
    given = np.asarray(value)
    values = validate.array(name, np.full(size, given) if given.ndim == 0 else given, (size,))
    if (values <= 0.0).any():
        raise ValueError(f"{name}: expected positive numbers, got {value!r}")
    return values.copy()
