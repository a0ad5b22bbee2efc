"""Counterexamples in plain numbers: the real activations, in a network as small as shows that a form is false."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import product

from sympy import Expr, Integer

from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.errors import NotShownError
from throughtime.derivation.formulas.nodes import Ref
from throughtime.derivation.judging.checks import Chain, bounds, equations, places
from throughtime.derivation.printing.printer import to_latex


def counterexample(
    net: Callable[..., ExactInstance], sizes: Sequence[dict], lengths: Iterable[int], id: str, printed: Sequence[Chain]
) -> tuple[str, str]:
    """Numbers at which a printed equation is false, and numbers at which a printed bound is exceeded.

    `net(sizes, length, seed=)` makes a network in floating point; `lengths` are those to try. Returns the sentence for
    the page and the inputs behind it. Raises NotShownError if no plain numbers show the fault.
    """
    ones = {dimension: 1 for each in sizes for dimension in each}
    cases = [*product(lengths, (ones, *sizes), range(20))]
    kinds = (([*equations(printed)], "right side", _differ), ([*bounds(printed)], "bound", _exceeds))
    found = [example for kind in kinds if kind[0] and (example := _smallest(net, cases, *kind))]
    if not found:
        raise NotShownError(f"{id}: the printed form fails in exact numbers, but no plain counterexample was found")
    return " ".join(text for text, _ in found), "; for the bound: ".join(data for _, data in found)


def _smallest(make: Callable, cases: list, links: list[tuple], name: str, wrong: Callable) -> tuple[str, str] | None:
    for length, sizes, seed in cases:
        net = make(dict(sizes), length, seed=seed)
        for left, right in links:
            for env, a, b in places(net, left, right):
                if a is not None and b is not None and wrong(a, b):
                    where = ", ".join(_said(*place) for place in sorted(env.items(), key=str))
                    tex = to_latex(left, as_printed=True)
                    sides = f"side ${tex}$ is {a + 0:.4g}, the printed {name} is {b + 0:.4g}."  # no -0
                    return f"At {where} the left {sides}" if env else f"The left {sides}", _inputs(net)
    return None


def _said(letter: Expr, number: int) -> str:
    """An index at its number; one that the source leaves out, which prints as a dot, in words."""
    tex = to_latex(letter)
    return f"${number}$ for the missing index" if r"\cdot" in tex else f"${tex}={number}$"


def _differ(a: float, b: float) -> bool:
    return abs(a - b) > 0.02 * max(abs(a), abs(b)) and max(abs(a), abs(b)) > 0.01


def _exceeds(value: float, bound: float) -> bool:
    return value > 1.1 * bound and value > 0.01


def _inputs(net: ExactInstance) -> str:
    given = sorted(net.given.items(), key=lambda item: (item[0][0].rank, item[0][1:]))
    shown = ((to_latex(Ref(quantity, *map(Integer, key))), Fraction(value)) for (quantity, *key), value in given)
    return ", ".join(f"${name} = {value.limit_denominator(100)}$" for name, value in shown)
