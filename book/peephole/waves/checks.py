"""Checks of printed waves, of differences, and of how large these get, by counting."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
from book.shared.samples import Samples
from book.shared.words import printed
from sympy import Basic, Equality, Expr, Function, Integer, Rational, Symbol, lambdify, nan, symbols
from throughtime.tasks import waves

t = Symbol("t", integer=True)
F = Symbol("F", integer=True, positive=True)
f = Function("f")
SHORT = {"cos": waves.cosine, "tri": waves.triangle, "rect": waves.rectangle}
BY_NAME = {Function(rf"f_{{\mathrm{{{name}}}}}"): wave for name, wave in SHORT.items()}
f_cos, f_tri, f_rect = BY_NAME
first, second = printed("first", "f'(%s)"), printed("second", "f''(%s)")  # differences of f


class Place(Function):
    """t mod F; SymPy's own Mod prints parentheses around every product that it is in."""

    @classmethod
    def eval(cls, time: Expr, period: Expr) -> Expr | None:
        return time % period if time.is_Integer and period.is_Integer else None

    def _latex(self, printer, exp=None) -> str:
        return rf"({printer._print(self.args[0])} \bmod {printer._print(self.args[1])})"

    def _sympystr(self, printer) -> str:
        return f"({printer._print(self.args[0])} mod {printer._print(self.args[1])})"


PLACE = Place(t, F)


def largest(name: str, order: int) -> Symbol:
    """The symbol for the largest difference of that order of one wave."""
    return symbols(rf"\max_t|f_{{\mathrm{{{name}}}}}{chr(39) * order}(t)|", real=True)


WAVES = [(name, order) for name in SHORT for order in (1, 2)]


def _numbers(expr: Expr, **values: np.ndarray | int) -> np.ndarray:
    letters = [letter for letter in (t, F) if letter in expr.free_symbols]
    with np.errstate(all="ignore"):
        found = lambdify(letters, expr, [{"Place": np.mod}, "numpy"])(*(values[letter.name] for letter in letters))
    return found + 0.0 * np.asarray(values.get("t", 0.0))


def is_wave(formula: Basic) -> bool:
    """Whether a printed wave starts at 0, runs between 0 and 1, touches both, has the period F and no shorter one, and
    is half a period later as far from 1 as it is from 0 now (but where a rectangle jumps).

    For even periods, where both ends are touched at whole times.
    """
    return _names_a_wave(formula) and all(
        _swings(_numbers(formula.rhs, t=np.arange(3 * period), F=period), period, 1e-12) for period in (6, 10, 24)
    )


def is_wave_exactly(formula: Basic) -> bool:
    """The same in rational numbers, for the two even periods whose cosines are rational."""
    if not _names_a_wave(formula):
        return False
    for period in (4, 6):
        found = [formula.rhs.subs({t: n, F: period}) for n in range(3 * period)]
        if not all(value.is_Rational for value in found) or not _swings(np.array(found), period, 0):
            return False
    return True


def _names_a_wave(formula: Basic) -> bool:
    return isinstance(formula, Equality) and formula.lhs.func in BY_NAME


def _swings(found: np.ndarray, period: int, tolerance: float) -> bool:
    """What ``is_wave`` says, of the values at the times 0 to 3 periods - 1."""
    if not all(value - value == 0 for value in found):  # no number, or infinite
        return False
    repeats = [n for n in range(1, period + 1) if np.abs(found[n:] - found[:-n]).max() <= tolerance]
    inner = np.arange(2 * period) % (period // 2) != 0
    turned = found[: 2 * period] + found[period // 2 :][: 2 * period]
    ends = (found[0], found.min(), found.max() - 1, *(turned[inner] - 1))
    return repeats == [period] and max(map(abs, ends)) <= tolerance


def is_the_librarys(formula: Equality) -> bool:
    """Whether a printed wave has the values of the library's, for odd and even periods."""
    wave, times = BY_NAME[formula.lhs.func], np.arange(80)
    periods = (2, 3, 5, 10, 25)
    return all(np.abs(_numbers(formula.rhs, t=times, F=n) - wave(times, n)).max() < 1e-12 for n in periods)


@cache
def differences() -> Samples:
    """Sequences of whole numbers and their differences, at a time and the three after it."""
    columns, rows = [of(t + later) for of in (f, first, second) for later in range(4)], []
    for values in np.random.default_rng(10).integers(-50, 50, size=(4, 12)):
        of_each = [np.diff(values, order).tolist() for order in range(3)]
        rows += [[part[now + later] for part in of_each for later in range(4)] for now in range(7)]
    return Samples(columns, rows)


def _largest(found: Callable[[str, int, int], Any], periods: Iterable[int]) -> list[list[Any]]:
    """A row for each period: it, and the largest differences of both orders of all waves."""
    return [[period, *(found(*wave, period) for wave in WAVES)] for period in periods]


def _over_integers(name: str, order: int, period: int) -> float:
    return waves.largest_difference(SHORT[name], period, order)


def _slope_over_reals(name: str, order: int, period: int) -> float:
    """The largest derivative of the cosine over real times, by differences of a fine grid; off by 1e-6 of itself."""
    step = period / 4096
    times = np.arange(4097) * step - order * step / 2
    return float(np.abs(np.diff(waves.cosine(times, period), order)).max() / step**order) if name == "cos" else np.nan


def _exactly_over_integers(name: str, order: int, period: int) -> Expr:
    """The largest difference of the triangle or the rectangle in rational numbers; of the cosine there is none."""
    if name == "cos":
        return nan
    twice = [Rational(2 * (n % period), period) for n in range(period + order)]
    values = [1 - abs(1 - at) if name == "tri" else Integer(bool(at > 1)) for at in twice]
    return np.abs(np.diff(values, order)).max()


DECLARED = (10, 25)  # the periods of the experiments
LETTERS = F, *(largest(*wave) for wave in WAVES)
PERIODS = range(3, 41)
of_differences = Samples(LETTERS, np.array(_largest(_over_integers, PERIODS)), rounding=(0.0, 1e-12)).holds
of_derivatives = Samples(LETTERS, np.array(_largest(_slope_over_reals, PERIODS)), rounding=(0.0, 1e-5)).holds
of_differences_exactly = Samples(LETTERS, _largest(_exactly_over_integers, PERIODS)).holds
of_declared_periods = Samples(LETTERS, np.array(_largest(_over_integers, DECLARED)), rounding=(0.0, 0.0)).holds


def second_is_one_from_five_on() -> bool:
    """Whether the largest second difference of the rectangle is 2 for the periods 3 and 4, and 1 for those above."""
    return all(_over_integers("rect", 2, n) == (2 if n < 5 else 1) for n in range(3, 100))
