"""Derivatives by the complex step, exact to rounding, and the distance between two gradients.

For an analytic f that is real on the real axis, Im f(x + ih) / h = f'(x) + O(h^2). No difference is taken, so h may
be so small that the error term is below rounding. The check of a gradient needs the forward pass alone.

Functions that are not analytic (abs, conj, norm, vdot, the real part) have no such derivative: the complex step
would return 0 or nonsense. So each component is compared with a central difference along it.

The complex step: Squire and Trapp 1998.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from throughtime.arrays import validate
from throughtime.arrays.network import Network
from throughtime.arrays.parameters import Layout

__all__ = [
    "BlockError", "GradientCheck", "angle", "complex_step", "gradcheck", "max_relative_error", "relative_error",
    "trace_by_parameter",
]  # fmt: skip

STEP = 1e-30  # h^2 is far below rounding, and h times a derivative above 1e-278 still a normal number
DIFFERENCES = (1e-4, 1e-5, 1e-6, 1e-7)  # steps of the central differences, relative to the component
AGREES = 5e-7  # how far a slope may be from that of a difference, relative to the difference
SINGLE = 1e-5  # errors of a gradient in float32 that may be rounding alone
CANCELLED = 1e-3  # of the largest component of a block: smaller ones are measured by it, since they may be rounding
ROUNDING = float(np.finfo(np.float64).eps)

Arrays = dict[str, np.ndarray]


def complex_step(
    function: Callable[[np.ndarray], complex], point: Any, h: float | None = None, *, check: bool = True
) -> np.ndarray:
    """The gradient of ``function`` at ``point``, of the same shape, with the relative error of ``function`` itself.

    function    analytic: from a complex array of the shape of ``point`` to a complex number
    point       a real array of any shape, finite
    h           the imaginary step, > 0; None for 1e-30 times the size of the component where that is below 1
                (of the largest component for a zero), so that inputs of 1e150 may meet weights of 1e-150
    check       False for a function that stops some derivatives on purpose, by real parts: no comparison is made

    Two calls at the point, which must agree, and three for each component, two of them for the comparison, and more
    where it does not decide; with ``check=False`` one for each component. A component loses digits where h times it is
    below 2e-308, and is 0 where that underflows: with the default h for derivatives below 1e-278 / min(1, size).
    TypeError if ``point`` is not real or the result of ``function`` not complex, ValueError for NaN or infinity in
    ``point`` or as a result, for h <= 0, for a function with two values at ``point`` or not analytic there.

    >>> complex_step(lambda z: z[0] ** 2 * z[1], np.array([3.0, 2.0])).tolist()
    [12.0, 9.0]
    """
    point = validate.real("point", point)
    gradient = np.empty(point.shape)

    def values(moved: np.ndarray) -> Arrays:
        value = function(moved)
        if not isinstance(value, complex):
            raise TypeError(f"function: expected a complex number for a complex point, got {value!r}")
        return {"function": np.array(value)}

    here = values(point + 0j) if check and point.size else {}
    if here:
        _check_one_value(here["function"], values(point + 0j)["function"])
    for index in np.ndindex(point.shape):
        moved, step = _moved(point, index, h)
        value = values(moved)["function"]
        _check_finite(value, f"the point with an imaginary step in component {list(index) or ''}")
        gradient[index] = value.imag / step
        if check:
            _check_analytic(values, point, index, {"function": gradient[index]}, here)
    return gradient


def trace_by_parameter(model: Network, theta: np.ndarray, x: Any, index: int) -> Arrays:
    """dq / dtheta[index] of every array q of the trace, by name: the total derivative, through all earlier times.

    model   its ``forward`` takes complex parameters and inputs, and returns arrays by name
    theta   the flat parameter vector; ``index`` counts from 0
    x       the inputs as ``forward`` takes them

    ValueError if theta has no such component, otherwise errors as for ``complex_step``.
    """
    theta = validate.real("theta", theta)
    if validate.count("index", index) >= theta.size:
        raise ValueError(f"index: expected 0 to {theta.size - 1}, got {index}")
    run = lambda point: dict(model.forward(point, x).items())  # noqa: E731 - a trace may have items alone
    moved, step = _moved(theta, (index,))
    slopes = {name: values.imag / step for name, values in run(moved).items()}
    _check_analytic(run, theta, (index,), slopes, run(theta + 0j))
    return slopes


class BlockError(NamedTuple):
    """How far the block ``name`` of a gradient is from the complex step; ``wrong`` if beyond the tolerance.

    relative_error  |a - b| / max(|a|, |b|) of the block, 0 to 2
    angle           between the two, in degrees; nan if one of them is zero
    worst           the component, from 0 in the block, with the largest relative error, and this error
    """

    name: str
    relative_error: float
    angle: float
    wrong: bool
    worst: tuple[int, float]


@dataclass(frozen=True)
class GradientCheck:
    """The blocks of a gradient, each compared; true in a condition if all are right, printed as a line a block.

    ``advice`` is the last line printed: what to do where the precision of the gradient may be all that is wrong.
    """

    blocks: tuple[BlockError, ...]
    advice: str = ""

    @property
    def wrong(self) -> tuple[str, ...]:
        """Names of the blocks that are wrong; empty for a gradient that is right."""
        return tuple(block.name for block in self.blocks if block.wrong)

    def __bool__(self) -> bool:
        return not self.wrong

    def __str__(self) -> str:
        lines = [
            f"{name}: relative error {error:.2g}, angle {degrees:.2g} degrees, "
            + (f"WRONG, most in component {worst[0]}, by {worst[1]:.2g}" if wrong else "right")
            for name, error, degrees, wrong, worst in self.blocks
        ]
        return "\n".join([*lines, self.advice] if self.advice else lines)


def gradcheck(
    function: Callable[[np.ndarray], complex],
    theta: np.ndarray,
    gradient: np.ndarray,
    layout: Layout | None = None,
    *,
    tolerance: float = 1e-9,
) -> GradientCheck:
    """Compare ``gradient`` with the complex step of ``function`` at ``theta``, block by block, each by its components.

    function    the loss, as for ``complex_step``
    theta       the point, and ``gradient`` the one to check: real vectors of one length
    layout      the names of the blocks; without it the gradient is one block named "theta"
    tolerance   relative error of a component above which its block is wrong, > 0; components below a thousandth of the
                largest one of their block are measured by that thousandth, since they may be rounding

    Returns a check that is true in a condition if no block is wrong; it advises a tolerance for a gradient of float32
    that is wrong by less than 1e-5. Errors as for ``complex_step``; TypeError or
    ValueError for lengths that differ or a layout of another type.

    >>> layout = Layout({"w": (2,), "u": (1,)})
    >>> loss = lambda theta: (theta[0] * theta[1] + theta[2] ** 3).item()
    >>> print(gradcheck(loss, np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0]), layout))
    w: relative error 0, angle 0 degrees, right
    u: relative error 0.67, angle 0 degrees, WRONG, most in component 0, by 0.67
    """
    if not isinstance(layout, Layout | None):
        raise TypeError(f"layout: expected a Layout or None, got {type(layout).__name__}")
    layout = layout or Layout({"theta": (np.size(theta),)})
    single = getattr(gradient, "dtype", None) == np.float32
    theta, gradient = (validate.array(*given, (layout.size,)) for given in (("theta", theta), ("gradient", gradient)))
    tolerance = validate.number("tolerance", tolerance, "(0, inf)")
    exact = complex_step(function, theta)
    blocks = []
    for name in layout.names:
        a, b = (vector[layout.slice(name)] for vector in (gradient, exact))
        error = relative_error(a, b)
        degrees = angle(a, b) if a.any() and b.any() else float("nan")
        worst = _worst(a, b)
        blocks.append(BlockError(name, error, degrees, worst[1] > tolerance, worst))
    rounded = single and any(b.wrong for b in blocks) and all(b.worst[1] < SINGLE for b in blocks if b.wrong)
    advice = f"the gradient is of type float32, which may be all of the error: pass tolerance={SINGLE:g}"
    return GradientCheck(tuple(blocks), advice if rounded else "")


def _worst(a: np.ndarray, b: np.ndarray) -> tuple[int, float]:
    """The component with the largest relative error, and that error."""
    sizes = np.maximum(np.abs(a), np.abs(b))
    sizes = np.maximum(sizes, CANCELLED * sizes.max(initial=0.0))
    errors = np.divide(np.abs(a - b), sizes, out=np.zeros(a.shape), where=sizes > 0.0)
    place = int(errors.argmax()) if errors.size else 0
    return place, float(errors.max(initial=0.0))


def relative_error(a: Any, b: Any) -> float:
    """|a - b| / max(|a|, |b|) in the Euclidean norm over all entries, 0 to 2; 0 if both are zero.

    a, b    real or complex arrays of one shape; TypeError or ValueError for others, NaN or infinity
    """
    a, b = _scaled(a, b)
    return float(np.linalg.norm(a - b) / (max(np.linalg.norm(a), np.linalg.norm(b)) or 1.0))


def max_relative_error(a: Any, b: Any) -> float:
    """max|a - b| / max(max|a|, max|b|), the same in the maximum norm."""
    a, b = _scaled(a, b)
    return float(np.abs(a - b).max(initial=0.0) / (max(np.abs(v).max(initial=0.0) for v in (a, b)) or 1.0))


def angle(a: Any, b: Any) -> float:
    """The angle between two gradients over all entries, 0 to 180 degrees. Errors as above, ValueError for a zero one.

    >>> round(angle([1.0, 0.0], [1.0, 1.0]), 12)
    45.0
    """
    a, b = _scaled(a, b)
    if not (a.any() and b.any()):
        raise ValueError("a, b: expected gradients that are not zero, which have no direction, got a zero one")
    one, other = (v / np.linalg.norm(v) for v in (a / np.abs(a).max(), b / np.abs(b).max()))
    # Half angles: exact near 0 and 180 degrees, where the arc cosine is not.
    return float(np.degrees(2 * np.arctan2(np.linalg.norm(one - other), np.linalg.norm(one + other))))


# ---- the complex step


def _moved(point: np.ndarray, index: tuple[int, ...], h: float | None = None) -> tuple[np.ndarray, float]:
    """The point with an imaginary step in one component, and the step."""
    # The power of two below the size, so that every scale gives the same digits; 2^-900 for STEP times it.
    size = np.ldexp(1.0, np.clip(np.frexp(_sizes(point)[index])[1] - 1, -900, 0))
    step = STEP * size if h is None else validate.number("h", h, "(0, inf)")
    moved = point.astype(np.complex128)
    moved[index] += 1j * step
    return moved, step


def _sizes(point: np.ndarray) -> np.ndarray:
    """The modulus of each component; for a zero that of the largest, or 1."""
    sizes = np.abs(point)
    return np.where(point, sizes, sizes.max(initial=0.0) or 1.0)


def _check_finite(value: np.ndarray, where: str) -> None:
    if not np.isfinite(value):
        raise ValueError(f"function: expected a finite value at {where}, got {value}")


def _check_one_value(first: np.ndarray, second: np.ndarray) -> None:
    """ValueError for two values at one point that differ by more than rounding, whose order threads may change."""
    _check_finite(first, "the point")
    if not abs(first - second) <= 100 * ROUNDING * _largest(first):
        raise ValueError(
            "function: the loss has two values at the same point: a state or random numbers are kept between calls "
            f"({first.real:.6g}, then {second.real:.6g})"
        )


def _check_analytic(
    run: Callable[[np.ndarray], Arrays], point: np.ndarray, index: tuple[int, ...], slopes: Arrays, here: Arrays
) -> None:
    """ValueError for an array of ``run`` with a slope along one component that is not the limit of differences.

    ``here`` are the arrays at the point.
    One central difference decides as a rule. An array that disagrees is tried again at a tenth of the distance, and
    refused once the differences agree with each other: if they never do, they are dominated by rounding or by higher
    derivatives and show nothing.
    """
    undecided, previous = set(slopes), dict[str, np.ndarray]()
    direction = np.zeros(point.shape)
    direction[index] = _sizes(point)[index]
    for e in DIFFERENCES:
        ahead, behind = run(point + e * direction + 0j), run(point - e * direction + 0j)
        for name in sorted(undecided):
            f = [values[name].real for values in (behind, here, ahead)]
            with np.errstate(over="ignore", invalid="ignore"):
                quotient = (f[2] - f[0]) / (2 * e)
                slope = direction[index] * slopes[name]
                off, larger = np.abs(quotient - slope), np.maximum(np.abs(quotient), np.abs(slope))
                allowed = AGREES * larger + 100 * ROUNDING * max(map(_largest, f)) / e
                fixed_point = name in previous and np.abs(quotient - previous[name]) <= allowed
            wrong = (off > allowed) & ((f[0] != f[1]) | (f[2] != f[1]))  # a move below rounding shows nothing
            if not wrong.any():
                undecided.remove(name)
            elif (wrong & fixed_point).any():
                worst = np.unravel_index(np.argmax(np.where(wrong & fixed_point, off, 0.0)), off.shape)
                raise ValueError(
                    f"{name}: expected to be analytic at the point, but along component {list(index) or ''} the "
                    f"complex step gives {slope[worst]:.6g} and a central difference {quotient[worst]:.6g}; abs, conj, "
                    "norm, vdot, real and imag are not analytic, nor are relu, clip and maximum where they switch "
                    "(or h is too large, or the derivative times h underflows)"
                )
            previous[name] = quotient
        if not undecided:
            return


# ---- distances


def _scaled(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both, flat, over their largest entry: squares of tiny entries must not underflow to agreement."""
    a, b = (validate.array(name, value, np.shape(a), allow_complex=True) for name, value in (("a", a), ("b", b)))
    largest = max(_largest(a), _largest(b)) or 1.0
    return a.ravel() / largest, b.ravel() / largest


def _largest(values: np.ndarray) -> float:
    """The largest modulus of all entries, real and imaginary parts apart: the modulus of both may overflow."""
    return float(np.abs(np.ascontiguousarray(values).view(np.float64)).max(initial=0.0))
