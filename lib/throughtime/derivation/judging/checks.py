"""Checks of an equation: in general, and on instances, exact or of a numeric model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise, product
from math import inf
from operator import eq
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow

from throughtime.derivation.deriving.differentiate import expand_partials
from throughtime.derivation.deriving.induction import Lemma
from throughtime.derivation.deriving.over_time import over_time
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.times import at_present
from throughtime.derivation.evaluating.evaluate import Evaluator, OutOfRange, Unreadable
from throughtime.derivation.evaluating.residues import Residue
from throughtime.derivation.formulas import rewrite
from throughtime.derivation.formulas.chains import AtMost, Chain, equations, formula_of
from throughtime.derivation.formulas.domains import LENGTH, Dimension
from throughtime.derivation.formulas.equality import equal, remainder
from throughtime.derivation.formulas.errors import DerivationError, DomainError, MisuseError
from throughtime.derivation.formulas.nodes import (
    Applied,
    Bound,
    Constant,
    Delta,
    Modulus,
    Paths,
    Product,
    Quantity,
    every,
)
from throughtime.derivation.publishing.outcome import Outcome

Witnesses = Sequence[Evaluator]
TOLERANCE = 1e-12
UNPROVED = ", as far as the engine can compare them; if both are equal, a lemma or a step in between may show it"
NOWHERE = "no place where both sides can be read; read no time outside the sequence, or give a larger `length`"


def answer(asked: str, given: Any) -> bool:
    """Result of a user's check; MisuseError with what was `asked` unless it is a bool, of NumPy or not."""
    kind = type(given)
    if kind is not bool and (kind.__module__, kind.__name__.rstrip("_")) != ("numpy", "bool"):
        raise MisuseError(f"{asked}: returned {given!r} of {kind}, expected True or False")
    return bool(given)


def holds_in_general(
    reducer: Reducer, chains: Iterable[Chain], lemmas: Sequence[Lemma] = (), slopes: Mapping[str, Expr] | None = None
) -> Outcome:
    """Each member of each chain equals the first one, for all dimensions, activations and all but the first times.

    What the comparison does not settle is tried by induction over the time of one side.
    The lemmas are proved first and then used. An `AtMost` has to be what its neighbour becomes when every
    modulus of a slope f' is replaced by the largest slope, `slopes["f"]`. How many first times are left open is the
    `reach` of the outcome.

    >>> import throughtime as tt
    >>> from throughtime.derivation import Reducer, holds_in_general
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> true, false = (tt.chain(tt.d(y[t], y[t - 2]), right) for right in (w[()] ** 2, 2 * w[()]))
    >>> print(holds_in_general(Reducer(unit), [true]))
    passed, 1 compared
    >>> print(holds_in_general(Reducer(unit), [false]).passed)
    False
    """
    reach: float = max((lemma.prove(reducer) for lemma in lemmas), default=0)

    def known(expr: Expr, used: Sequence[Lemma] = lemmas) -> Expr:
        for lemma in used:
            expr = lemma.apply(expr)
        return expr

    once = tuple(one for one in lemmas if one.apply(one.right) == rewrite.contract(one.right))  # others have no end
    ends = dict.fromkeys((tuple(one for one in once if not one.right.has(Paths, Product)), once))
    count, shown = 0, set[tuple[Expr, Expr]]()
    for members in map(_at_present, chains):
        for before, member in pairwise(members):
            count += 1
            if (members[0], member) in shown:
                continue
            if isinstance(member, AtMost):
                found = reducer.reach(upper_bound(known(before), slopes or {}), member.expr)
            else:
                sides = [expand_partials(reducer.system, side) for side in (known(before), member)] if lemmas else []
                found = 0 if lemmas and equal(reducer.immediates(remainder(*sides)), Integer(0)) else None
                with suppress(DomainError):  # a sum over a part picks an index that runs over more
                    found = reducer.once(before, member) if found is None else found
                for used in ends:
                    found = reducer.reach(members[0], member, partial(known, used=used)) if found is None else found
                found = over_time(reducer, members[0], member) if found is None else found
            if found is None:
                return Outcome(False, f"{member} is not {members[0]}{UNPROVED}", count)
            reach = max(reach, found)
            shown.add((members[0], member))
    return Outcome(True, "", count, reach=reach)


def _at_present(members: Chain) -> Chain:
    moved = at_present([*map(formula_of, members)])
    return [AtMost(new) if isinstance(old, AtMost) else new for new, old in zip(moved, members, strict=True)]


def upper_bound(expr: Expr, slopes: Mapping[str, Expr]) -> Expr:
    """An upper bound of a product or sum of moduli.

    |prod| is the product of the moduli, |sum| is at most the sum of the moduli (the triangle inequality), and each
    |f'| becomes its maximum, `slopes["f"]`. Raises DerivationError where a factor is no modulus, or where what would
    become larger stands below a fraction bar.

    >>> import throughtime as tt
    >>> from throughtime.derivation import upper_bound
    >>> t, w, f, y = tt.time(), tt.parameter("w"), tt.Activation("f"), tt.variable("y")
    >>> print(upper_bound(tt.Modulus(w[()] * f.prime(y[t])), {"f": tt.Constant("M", 1)}))
    M*|w|
    """

    def rule(node: Expr) -> Expr | None:
        if not isinstance(node, Modulus):
            return None
        inner = node.args[0]
        if isinstance(inner, Bound):
            return inner.func(upper_bound(Modulus(inner.body), slopes), inner.index, *inner.limits)
        if isinstance(inner, Add):
            return Add(*(upper_bound(Modulus(term), slopes) for term in inner.args))
        if isinstance(inner, Applied) and inner.order == 1 and inner.function.name in slopes:
            return slopes[inner.function.name]
        return node

    inverse = (node for node in every(Pow, expr) if not node.exp.is_nonnegative)
    if any(rewrite.replace(power.base, rule) != power.base for power in inverse):
        raise DerivationError(f"no upper bound of {expr}: what is enlarged stands below a fraction bar")
    result = rewrite.replace(expr, rule)
    if not _nonnegative(result):
        raise DerivationError(f"no upper bound of {expr}: not every factor is a modulus")
    return result


def _nonnegative(expr: Expr) -> bool:
    if isinstance(expr, Add | Mul):
        return all(map(_nonnegative, expr.args))
    if isinstance(expr, Pow | Bound):
        return _nonnegative(expr.args[0])  # the base, the body
    if isinstance(expr, Constant):
        return bool(expr.value >= 0)
    return isinstance(expr, Modulus | Delta) or (expr.is_Number and bool(expr >= 0))


def close(left: Any, right: Any) -> bool:
    """Equality of finite floating-point numbers, relative to the larger one, or to 1 where both are smaller.

    >>> from throughtime.derivation import close
    >>> close(0.1 + 0.2, 0.3), close(0.1, 0.2)
    (True, False)
    """
    return abs(left - right) <= TOLERANCE * max(1.0, abs(left), abs(right)) < inf


def places(witness: Evaluator, *formulas: Expr, backwards: bool = False) -> Iterator[tuple[Any, ...]]:
    """Each assignment to the free letters of some formulas at which all can be read, followed by their values.

    A formula that has no value there, as where it divides by 0, gives None; places where none has one are left out.
    """
    letters = witness.letters(*formulas)
    readers = [witness.reader(formula, letters) for formula in formulas]
    ranges = (_in_sequence(witness, letter, formulas[0]) for letter in letters)
    for numbers in product(*(reversed(each) if backwards else each for each in ranges)):
        try:
            values = [read(numbers) for read in readers]
        except OutOfRange:
            continue
        if any(value is not None for value in values):
            yield dict(zip(letters, numbers, strict=True)), *values


def _in_sequence(witness: Evaluator, letter: Expr, left: Expr) -> range:
    """The range of a letter; that of a number of steps by which a left side counts its times, as h(l+1), ends with the
    sequence."""
    found, steps = witness.range(letter), [(when - letter).expand() for when in rewrite.times(left)]
    ahead = [int(one) for one in steps if one.is_Integer] if letter.is_nonnegative else []
    return range(found.start, min(found.stop, witness.length + 1 - min(ahead))) if ahead else found


def _number(side: Any) -> str:
    return "without a value" if side is None else f"{side}" if isinstance(side, Residue) else f"{float(side):.6g}"


def _place(item: tuple[Expr, Any]) -> tuple:
    """Letters come before sizes, and these before the length."""
    return item[0] == LENGTH, isinstance(item[0], Dimension), str(item)


def mentions_end(*formulas: Expr) -> bool:
    """Whether the length T of the sequence stands in some formulas, or what is defined once, after the last time."""
    ends = every(Dimension | Quantity, *formulas)
    return any(node == LENGTH or (isinstance(node, Quantity) and node.is_defined and not node.timed) for node in ends)


def holds_on(
    witnesses: Iterable[Evaluator],
    chains: Iterable[Chain],
    same: Callable[[Any, Any], bool] = eq,
    *,
    everywhere: bool = True,
) -> Outcome:
    """Check of chains at every place of every witness; with `everywhere` each link needs one place at least.

    A link that a witness cannot evaluate (`Unreadable`) is left out for it; the outcome is None if none can be
    evaluated.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> net = tt.ExactInstance(unit, {}, length=3)
    >>> print(tt.holds_on([net], [tt.chain(tt.d(y[t], y[t - 1]), w[()])]))
    passed, 2 compared
    """
    count, reason = 0, ""
    for witness, (left, right) in product(witnesses, equations(chains)):
        seen = 0
        try:
            for env, a, b in places(witness, left, right):
                seen += 1
                if a is None or b is None or not same(a, b):
                    known = env | {size: witness.sizes[size] for size in every(Dimension, left, right)}
                    known |= {LENGTH: witness.length} if mentions_end(left, right) else {}
                    where = ", ".join(f"{key}={value}" for key, value in sorted(known.items(), key=_place))
                    shown = map(_number, (a, b))
                    values = f"the sides are {' and '.join(shown)}"
                    reason = f"{right} is not {left} at {where}"
                    return Outcome(False, reason, count + seen, values=values, witness=witness)
        except Unreadable as unread:
            reason = str(unread)
            continue
        if not seen and everywhere:
            return Outcome(False, f"{left} = {right}: {NOWHERE}", count)
        count += seen
    return Outcome(True, "", count) if count else Outcome(None, reason)
