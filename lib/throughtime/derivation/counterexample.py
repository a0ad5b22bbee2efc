"""Plain numbers at which a printed form is false: the real activations, in a network as small as shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Protocol

from .checks import AtMost, Chain, places
from .domains import Dimension
from .errors import CheckError
from .printing import to_latex
from .system import System
from .unroll import Unrolled


class Bench(Protocol):
    """What a counterexample needs to know of the setting of a chapter."""

    system: System
    sizes: Sequence[dict[Dimension, int]]
    length: int
    activations: Mapping[str, Any]
    plain_values: Mapping[tuple, Any]


def counterexample(bench: Bench, id: str, printed: Sequence[Chain]) -> tuple[str, str]:
    """Numbers at which a printed equation is false, and numbers at which a printed bound is exceeded.

    Returns the sentence for the page and the inputs behind it; CheckError if no plain numbers show the fault.
    """
    bounds = [isinstance(member, AtMost) for members in printed for member in members[1:]]
    kinds: list[tuple[Callable, str]] = []
    if not all(bounds):
        kinds.append((_first_difference, "right side"))
    if any(bounds):
        kinds.append((_first_excess, "bound"))
    examples = [example for wrong, name in kinds if (example := _smallest(bench, wrong, name, printed))]
    if not examples:
        raise CheckError(f"{id}: the printed form fails in exact numbers, but no plain counterexample was found")
    return " ".join(text for text, _ in examples), "; for the bound: ".join(data for _, data in examples)


def _smallest(bench: Bench, wrong: Callable, name: str, printed: Sequence[Chain]) -> tuple[str, str] | None:
    ones = {dimension: 1 for sizes in bench.sizes for dimension in sizes}
    lengths = sorted({2, bench.length})  # a lost recursion shows only where two steps lie behind
    for length, sizes, seed in product(lengths, (ones, *bench.sizes), range(20)):
        net = Unrolled(
            bench.system, dict(sizes), length, seed=seed, activations=bench.activations, values=bench.plain_values,
            number=float,
        )  # fmt: skip
        found = wrong(net, printed)
        if found:
            left, env, a, b = found
            where = ", ".join(f"${to_latex(k)}={v}$" for k, v in sorted(env.items(), key=str))
            place = f"At {where} the" if env else "The"
            text = f"{place} left side ${to_latex(left, as_printed=True)}$ is {a:.4g}, the printed {name} is {b:.4g}."
            return text, _inputs(net)
    return None


def _first_difference(net: Unrolled, printed: Sequence[Chain]) -> tuple | None:
    for members in printed:
        for member in members[1:]:
            if isinstance(member, AtMost):
                continue
            for env, a, b in places(net, members[0], member):
                if abs(a - b) > 0.02 * max(abs(a), abs(b)) and max(abs(a), abs(b)) > 0.01:
                    return members[0], env, a, b
    return None


def _first_excess(net: Unrolled, printed: Sequence[Chain]) -> tuple | None:
    for members in printed:
        for member in members[1:]:
            if not isinstance(member, AtMost):
                continue
            for env, a, b in places(net, members[0], member.expr):
                if a > 1.1 * b and a > 0.01:
                    return members[0], env, a, b
    return None


def _inputs(net: Unrolled) -> str:
    shown = []
    for (quantity, *key), value in sorted(net.given.items(), key=lambda item: (item[0][0].rank, item[0][1:])):
        fraction = Fraction(value).limit_denominator(100)
        places_ = key[: len(quantity.domains)]
        sub = f"_{{{' '.join(map(str, places_))}}}" if places_ else ""
        when = f"({key[-1]})" if quantity.timed else ""
        shown.append(f"${quantity.latex}{sub}{when} = {fraction}$")
    return ", ".join(shown)
