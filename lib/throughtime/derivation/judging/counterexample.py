"""Counterexamples in plain numbers: the real activations, in a network as small as shows that a form is false."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, product

from sympy import Expr, Integer

from throughtime.derivation.deriving.system import System
from throughtime.derivation.evaluating.elementary import MIDDLE, NAMED, in_the_middle
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.chains import Chain, bounds, equations, formula_of
from throughtime.derivation.formulas.domains import LENGTH
from throughtime.derivation.formulas.errors import DerivationError, DomainError, NotShownError
from throughtime.derivation.formulas.functions import Elementary
from throughtime.derivation.formulas.nodes import Activation, Bound, Ref, every, refs
from throughtime.derivation.formulas.rewrite import replace, substitute
from throughtime.derivation.judging.checks import NOWHERE, places
from throughtime.derivation.printing.printer import to_latex

KINK = "it fails only at a kink, as where an argument of relu is 0, whose slope there is a convention"
STAND_IN = "it fails in exact numbers, which stand in for values of functions, and agrees at every number tried"


def counterexample(
    net: Callable[..., ExactInstance],
    sizes: Sequence[dict],
    lengths: Iterable[int],
    id: str,
    printed: Sequence[Chain],
    exact: str = "",
) -> tuple[str, str]:
    """Numbers at which a printed equation is false, and numbers at which a printed bound is exceeded.

    `net(sizes, length, seed=)` makes a network in floating point; `lengths` are those to try. Returns the sentence for
    the page and the inputs behind it. If no plain numbers show the fault, `exact` ones do where any function may stand
    for those that take part; else NotShownError is raised.
    """
    ones = {dimension: 1 for each in sizes for dimension in each}
    cases = [*product(lengths, (ones, *sizes), range(20))]
    kinds = (
        ([*equations(printed)], _differ, _unequal, "right side"),
        ([*bounds(printed)], _exceeds, _exceeds, "bound"),
    )
    ends = [_search(net, cases, *kind) for kind in kinds if kind[0]]
    found = [clear for clear, *_ in ends if clear] or [faint for _, faint, _ in ends if faint]
    if not found and exact and not _named(net(*cases[-1][1::-1]).system, printed):
        return f"{exact}.", ""
    if not found:
        raise NotShownError(f"{id}: is not shown: {next((said for *_, said in ends if said), NOWHERE)}")
    return " ".join(text for text, _ in found), "; for the bound: ".join(data for _, data in found)


def _search(make: Callable, cases: list, links: list[tuple], clear: Callable, faint: Callable, name: str) -> tuple:
    """The first clear example, else None and the first faint one; and why there is none, empty if nothing was asked.

    Where the slopes at a kink decide, which are a convention, nothing is refuted.
    """
    less, said = None, ""
    for place in _values(make, cases, links):
        said = said or STAND_IN
        kind = clear if clear(*place[-2:]) else faint if less is None and faint(*place[-2:]) else None
        if kind and not kind(*_in_the_middle(make, *place)):
            said = KINK
        elif kind is clear:
            return _example(place, name), None, said
        elif kind:
            less = _example(place, name)
    return None, less, said


def _in_the_middle(make: Callable, net: ExactInstance, left: Expr, right: Expr, env: dict, *found: float) -> Sequence:
    """Both sides at a place, with the middle of the slopes at each kink."""
    kinked = {name: in_the_middle(name, net.activations.get(name, NAMED[name])) for name in MIDDLE}
    formulas = [left, right, *(case.right for case in net.system.all_definitions())]
    if not any(node.name in kinked for node in every(Activation, *formulas)):
        return found
    sizes = {dimension: int(size) for dimension, size in net.sizes.items() if dimension != LENGTH}
    other = make(sizes, net.length, seed=net.seed, activations={**net.activations, **kinked})
    return [other.value(side, env) for side in (left, right)]


def _example(place: tuple, name: str) -> tuple[str, str]:
    net, left, right, env, a, b = place
    where = ", ".join(_said(*one) for one in sorted(env.items(), key=str))
    tex = to_latex(left, as_printed=True)
    digits = 4 if f"{a:.4g}" != f"{b:.4g}" else 10
    sides = f"side ${tex}$ is {a + 0:.{digits}g}, the printed {name} is {b + 0:.{digits}g}."  # no -0
    later = [replace(side, _from_one) for side in (left, right)]
    if later != [left, right] and not _unequal(*(net.value(side, env) for side in later)):
        sides += " They differ before time 1 alone, where a state is its initial value and no definition holds."
    return f"At {where} the left {sides}" if env else f"The left {sides}", _inputs(net)


def _from_one(node: Expr) -> Expr | None:
    """A sum or product over times that reads states before time 1, begun when they are all computed."""
    if not isinstance(node, Bound) or not node.limits:
        return None
    first = [substitute(ref, {node.index: node.limits[0]}) for ref in refs(node.body)]
    late = max((1 - ref.time for ref in first if ref.is_initial), default=0)
    return node.func(node.body, node.index, node.limits[0] + late, node.limits[1])


def _values(make: Callable, cases: list, links: list[tuple]) -> Iterator[tuple]:
    """Both sides of some equations or bounds wherever both have a value, in one network after another."""
    for length, sizes, seed in cases:
        try:
            net = make(dict(sizes), length, seed=seed)
        except DerivationError:  # as of one unit, whose distance from its own mean is 0 and divides
            continue
        for left, right in links:
            with suppress(DomainError):  # an index that is a number has none in the smallest network
                for env, a, b in places(net, left, right):
                    if a is not None and b is not None:
                        yield net, left, right, env, a, b


def _named(system: System, printed: Sequence[Chain]) -> bool:
    """Whether a function takes part of which more is known than that it is smooth, as exp or relu."""
    formulas = [*map(formula_of, chain(*printed)), *(case.right for case in system.all_definitions())]
    return any(isinstance(one, Elementary) or one.name in NAMED for one in every(Activation, *formulas))


def _said(letter: Expr, number: int) -> str:
    """An index at its number; one that the source leaves out, which prints as a dot, in words."""
    tex = to_latex(letter)
    return f"${number}$ for the missing index" if r"\cdot" in tex else f"${tex}={number}$"


def _differ(a: float, b: float) -> bool:
    return abs(a - b) > 0.02 * max(abs(a), abs(b)) and max(abs(a), abs(b)) > 0.01


def _unequal(a: float, b: float) -> bool:
    """Whether two numbers differ by more than rounding."""
    return abs(a - b) > 1e-6 * max(1, abs(a), abs(b))


def _exceeds(value: float, bound: float) -> bool:
    return value > 1.1 * bound and value > 0.01


def _inputs(net: ExactInstance) -> str:
    given = sorted(net.given.items(), key=lambda item: (item[0][0].rank, item[0][1:]))
    shown = ((to_latex(Ref(quantity, *map(Integer, key))), Fraction(value)) for (quantity, *key), value in given)
    return ", ".join(f"${name} = {value.limit_denominator(100)}$" for name, value in shown)
