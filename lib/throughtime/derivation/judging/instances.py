"""Exact instances for an equation: those of its bench, and those that its form calls for.

The general check proves an equation for all sizes and lengths but leaves some times open (`Reducer.reach`); there only
instances judge. So they have to show what a formula may hide: a range that is empty in short sequences, a factor that
is 0 at the first times or for some sizes, units that a small network does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from copy import copy
from functools import cache, partial
from itertools import chain, product
from math import inf
from random import Random
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow

from throughtime.derivation.deriving.system import System
from throughtime.derivation.deriving.times import least_length
from throughtime.derivation.evaluating.evaluate import Evaluator, OutOfRange
from throughtime.derivation.evaluating.residues import Residue, TooLong
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.chains import Chain, equations
from throughtime.derivation.formulas.domains import LENGTH, Dimension, Index
from throughtime.derivation.formulas.errors import DerivationError, NotShownError
from throughtime.derivation.formulas.nodes import Bound, Delta, DerivativeSymbol, Paths, Ref, bound, every, parameter
from throughtime.derivation.formulas.rewrite import counts, free, named, times
from throughtime.derivation.judging.checks import holds_on, mentions_end, places
from throughtime.derivation.publishing.outcome import Outcome

TIMES, UNITS = 12, 8  # the longest sequence and the largest dimension asked, unless the bench has larger ones
DEGREE = 16  # up to which a polynomial of times or sizes is told from 0
EMPTY = "a range that is empty"
DRAWN = 3  # instances with all sizes and the length drawn
LONGEST = 2_000  # bits of a rational: those of sums over twelve steps of a large layer have fewer
MASKED = 6  # the length of sequences in which masks are 0 at other times than one
SHORT = 4  # steps up to which masks are 0 at any times, in equations that say something of the last one
Sizes = dict[Dimension, int]


def shut_times(length: int, short: int = 0) -> Iterator[tuple[int, frozenset[int]]]:
    """Lengths, up to one of six at least, and times at which masks are 0: in a sequence of one step, in those up to
    `short` steps any, and all that may be at three times in a row, both at the first and at the last ones; at all
    times, and at none.
    """
    yield 1, frozenset({1})
    for steps in range(1, short + 1):
        for opened in product((0, 1), repeat=steps):
            yield steps, frozenset(time for time, is_open in enumerate(opened, 1) if not is_open)
    for first in product((0, 1), repeat=3):
        opened = (first[0], *first, *first[:1] * (length - 6), *reversed(first))  # from time 0 on
        yield length, frozenset(time for time, is_open in enumerate(opened) if not is_open)


class Instances:
    """The exact instances of a system, made once; `sizes` and `length` are those of a bench.

    `is_void` says of a derivative whether the system makes it 0: then an equation of it may be 0 = 0 at every place.
    `shortest` is the length from which on each sum of the loss has a term; of shorter sequences nothing is claimed.
    """

    is_void: Callable[[Expr], bool] = staticmethod(lambda side: False)

    def __init__(self, system: System, sizes: Iterable[Sizes], length: int):
        self.sizes, self.length = [dict(each) for each in sizes], length
        self._made = cache(lambda sizes, length, **how: _short(system, dict(sizes), length, **how))
        self.has_masks = any(one.timed for one in system.masks)
        self._holds = cache(lambda net, link, everywhere: holds_on([net], [link], everywhere=everywhere))
        self._begun = cache(lambda sizes, length: _short(begun(system), dict(sizes), length, seed=1))
        # Steps by which a sequence is lengthened for what the given length does not tell apart. Two lengths, since
        # states that go in pairs are alike in every second one.
        timed = [case for case in system.all_definitions() if case.left.time is not None]
        lag = max([1, *(least_length(case.left, case.right) - 1 for case in timed)])
        self.further = (2 * lag - 1, 2 * lag)
        once = [case.right for case in system.all_definitions() if case.left.time is None]
        ends = [(one.limits[1] - one.limits[0]).expand() for side in once for one in every(Bound, side) if one.limits]
        self.shortest = max([1, *(-int(end - LENGTH) for end in ends if (end - LENGTH).is_Integer)])

    def at(self, sizes: Sizes, length: int, seed: int = 1) -> ExactInstance:
        """One instance."""
        return self._made(tuple(sizes.items()), length, seed=seed)

    def own(self, length: int) -> list[ExactInstance]:
        """Instances with the sizes of the bench."""
        return [self.at(sizes, length, seed) for seed, sizes in enumerate(self.sizes, 1)]

    def of(self, chains: Iterable[Chain], more: int = 0) -> list[ExactInstance]:
        """Instances of the bench, or as many times longer as the times in some chains need, and `more`."""
        return self.own(max([self.length, *(least_length(*link) for link in equations(chains))]) + more)

    def larger(self, link: tuple[Expr, Expr]) -> Iterator[ExactInstance]:
        """For mutants that those do not tell from an equation: longer ones, and with no dimension of one unit; those
        that its form calls for; both also with other numbers, since terms may cancel by chance, and masks that are 0 at
        other times; before all of them with other initial states where all that it says is 0 = 0.
        """
        if not _not_zero(link, self.of([link])):
            yield from self.begun(link)
        for nets in (self._longer(link), self.called_for(*link, 0)):
            lengths: dict[int, None] = {}
            for net in nets:
                lengths[net.length] = None
                yield net
            for length, (seed, sizes) in product(lengths, enumerate(self.sizes, len(self.sizes) + 1)):
                with suppress(OutOfRange):
                    yield self.at(sizes, length, seed)

    def begun(self, link: tuple[Expr, Expr]) -> Iterator[ExactInstance]:
        """Instance with initial states other than 0, for an equation of a derivative that holds whatever they are."""
        if isinstance(link[0], DerivativeSymbol):
            with suppress(DerivationError):
                net = self._begun(tuple(_several(self.sizes[0]).items()), self.of([link])[0].length)
                if holds_on([net], [link], everywhere=False).passed:
                    yield net

    def _longer(self, link: tuple[Expr, Expr]) -> Iterator[ExactInstance]:
        length = self.of([link])[0].length
        for more, (seed, sizes) in product(self.further, enumerate(self.sizes, 1)):
            yield self.at(_several(sizes), length + more, seed)

    def called_for(self, left: Expr, right: Expr, reach: float) -> Iterator[ExactInstance]:
        """Instances that an equation with `reach` open first times calls for beside the bench's, cheap ones first.

        Every length up to the last one at which something may be hidden, or this one if nothing depends on the length;
        then each of the sizes on which something may depend alone smaller and larger, and all of them at their largest,
        in each of these lengths if a factor depends on the sizes as well;
        where neither times nor numbers of units are open, which is proved for all sizes, some that differ; masks that
        are 0 elsewhere than at one time; and where times or sizes are factors, all sizes and the length drawn.
        """
        most = max(TIMES, self.length, _degree(left, right, _is_time) + 1)
        if reach < inf:
            most = int(reach) + 1 + min(most, max(_times(left), _times(right)))
        first = max(self.shortest, _named_time(left, right))
        first = first if mentions_end(left, right) else max(most, self.length + 1)
        for length in range(first, most + 1):
            with suppress(OutOfRange):  # of sequences too short for the system nothing is claimed
                yield from self.own(length)
        both = mentions_end(left, right) and any(_units(dimension, left, right) for dimension in self.sizes[0])
        lengths = {max(most, least_length(left, right)), *(range(first, most) if both else ())}
        for sizes, length in product(self._varied(left, right, reach), sorted(lengths)):
            with suppress(DerivationError):  # nor of sizes that it cannot have
                yield self.at(sizes, length)
        yield from self._masked(SHORT if mentions_end(left, right) else 0)
        if reach and any(_polynomial(node) and node.args for side in (left, right) for node in _formulas(side)):
            draw, many = Random(f"{left} {right}"), len(self.sizes[0])
            for _ in range(DRAWN):
                sizes = dict(zip(self.sizes[0], draw.sample(range(3, 6 + many), many), strict=True))
                with suppress(DerivationError):
                    yield self.at(sizes, TIMES + draw.randint(1, 4))

    def _masked(self, short: int) -> Iterator[ExactInstance]:
        for length, shut in shut_times(max(MASKED, self.length), short) if self.has_masks else ():
            with suppress(DerivationError):
                yield self._made(tuple(self.sizes[0].items()), length, seed=1, shut=shut)

    def _varied(self, left: Expr, right: Expr, reach: float) -> Iterator[Sizes]:
        base, most, mentioned = self.sizes[0], {}, {*named(left), *named(right)}
        needed = {dimension: _units(dimension, left, right) for dimension in base if dimension in mentioned}
        if needed and not reach and not any(needed.values()):
            yield {**base, **{dimension: 1 + place % 3 for place, dimension in enumerate(needed)}}
            return
        for dimension, number in needed.items():
            size = base[dimension]
            enough = max(UNITS, size, _degree(left, right, dimension.__eq__) + 1)
            most[dimension] = last = min(max(size + 1, number), enough)
            for other in range(1, last + 1) if number else (1, last):
                if other != size:
                    yield {**base, dimension: other}
        if len(most) > 1:
            yield {**base, **most}

    def ask(self, chains: Iterable[Chain], reach: float = 0) -> Outcome:
        """Whether every chain holds on all instances on which it is asked; places of the bench's own are counted.

        Where these ask nothing of an equation (`asked_nothing`) larger ones are asked too. NotShownError for one with
        no place at which both sides can be read.
        """
        chains = tuple(chains)
        found = Outcome(None)
        for net, link in product(self.of(chains), equations(chains)):
            found = found.joined(self._holds(net, link, True))
            if not found.passed:
                if not found.values:
                    raise NotShownError(found.reason)
                return found
        return next(self._failures(chains, partial(self._asked, reach=reach)), found)

    def refuting(self, chains: Iterable[Chain]) -> Evaluator | None:
        """A longer instance on which chains fail that hold on those of the bench; None if there is none."""
        return next((found.witness for found in self._failures(chains, self._longer)), None)

    def _failures(self, chains: Iterable[Chain], nets: Callable[..., Iterable[ExactInstance]]) -> Iterator[Outcome]:
        """The failed checks of chains on the instances for each link, where both sides can be read."""
        for link in equations(chains):
            for net in nets(link):
                with suppress(DerivationError):
                    if (found := self._holds(net, link, False)).passed is False:
                        yield found

    def _asked(self, link: tuple[Expr, Expr], reach: float) -> Iterator[ExactInstance]:
        """Instances beside those of the bench; longer ones where all of these ask nothing."""
        called_for = [*self.called_for(*link, reach)]
        asked = [*self.of([link]), *called_for]
        longer = self._longer(link) if _unmet(link, asked) or self._is_zero(link, asked) else ()
        return chain(called_for, longer)

    def asked_nothing(self, chains: Iterable[Chain], reach: float = 0) -> str:
        """Why an equation that holds says nothing on the instances on which it was asked; empty if it does.

        A range of times is empty, or factors are 0, at every place; or both sides are 0 there, written otherwise,
        though the system does not make them so, whatever the initial states are.
        """
        for link in equations(chains):
            asked = [*self.of([link]), *self._asked(link, reach)]
            if found := _unmet(link, asked):
                return found
            if self._is_zero(link, chain(asked, self.larger(link), self.begun(link))):
                return f"{link[0]} = {link[1]}: both sides are 0 at every place that was asked"
        return ""

    def _is_zero(self, link: tuple[Expr, Expr], nets: Iterable[ExactInstance]) -> bool:
        return 0 not in link and not _not_zero(link, nets) and not any(map(self.is_void, link))

    def is_zero(self, symbol: Expr) -> bool:
        """Whether a formula is 0 wherever it has a value on the instances of the bench."""
        return not _not_zero((symbol, symbol), self.own(self.length))


def _short(system: System, sizes: Sizes, length: int, **how: Any) -> ExactInstance:
    """An instance in rationals, or in residues where these grow long: in products of states at each step."""
    try:
        return ExactInstance(system, sizes, length, longest=LONGEST, **how)
    except TooLong:
        return ExactInstance(system, sizes, length, number=Residue, **how)


def _several(sizes: Sizes) -> Sizes:
    return {dimension: max(size, 2) for dimension, size in sizes.items()}


def _unmet(link: Chain, nets: Iterable[ExactInstance]) -> str:
    """A range of times in an equation that is empty, or a factor that is 0, at every place of some instances."""
    (left, right), nets = link, [*nets]
    for node in every(Expr, left, right):
        if any(node in net.met for net in nets) and not any(net.met.get(node) for net in nets):
            what = EMPTY if isinstance(node, Bound) else "0"
            return f"{left} = {right}: {node} is {what} at every place that was asked"
    return ""


def _not_zero(link: tuple[Expr, Expr], nets: Iterable[ExactInstance]) -> bool:
    """Whether an equation has a side that is not 0 at some place of some instances."""
    for net in nets:
        with suppress(DerivationError):
            if any(a or b for _, a, b in places(net, *link)):
                return True
    return False


def begun(system: System) -> System:
    """A system whose states begin at numbers of their own where they begin at 0."""
    other = copy(system)
    other.initial_values = dict(system.initial_values)
    for quantity in system.definitions:
        if quantity.timed and quantity not in other.initial_values:
            letters = [Index(f"i{place}", over) for place, over in enumerate(quantity.domains)]
            start = parameter(f"{quantity.name} at first", *quantity.domains)
            other.initial(quantity[(*letters, Integer(0))], start[tuple(letters)])
    return other


def _times(expr: Expr) -> int:
    """Number of further times that a formula may need before each range in it has a term, and no factor has to be 0."""
    if isinstance(expr, Ref) or not expr.args:
        return 0
    if isinstance(expr, Bound) and expr.limits:
        first, last = (int(limit.as_coeff_Add()[0]) for limit in expr.limits)
        return _times(expr.body) + max(0, first - 1) + max(0, -last)
    if counts(expr):
        return _largest(expr, lambda letter: letter.is_Symbol or letter == LENGTH)
    below = [_times(arg) for arg in expr.args]
    if not isinstance(expr, Mul):
        return max(below)
    number = max((many for arg, many in zip(expr.args, below, strict=True) if _polynomial(arg)), default=0)
    return number + sum(many for arg, many in zip(expr.args, below, strict=True) if not _polynomial(arg))


def _named_time(left: Expr, right: Expr) -> int:
    """The last time that an equation names by its number, which a sequence has to have."""
    return max([1, *(int(when) for when in times(left, right) if when.is_Integer)])


def _polynomial(expr: Expr) -> bool:
    return counts(expr) and not isinstance(expr, Delta)


def _is_time(letter: Expr) -> bool:
    return letter.is_Symbol or letter == LENGTH


def _degree(left: Expr, right: Expr, wanted: Callable[[Expr], bool]) -> int:
    """The largest power of a letter in the numbers of times or units of an equation: so many zeros it may have."""
    parts = [node for side in (left, right) for node in _formulas(side) if counts(node)]
    powers = [node for node in every(Pow, *parts) if wanted(node.base)]
    return min(DEGREE, max((int(power.exp) for power in powers if power.exp.is_Integer), default=0))


def _largest(expr: Expr, wanted) -> int:
    """The largest integer in a number of times or units, 0 if it has no letter that is wanted."""
    if isinstance(expr, Delta):
        expr = Add(expr.args[0], -expr.args[1]).expand()
    elif expr.has(Delta):
        return max(_largest(arg, wanted) for arg in expr.args)
    letters = free(expr) | expr.atoms(Dimension)
    return max((abs(int(one)) for one in expr.atoms(Integer)), default=0) if any(map(wanted, letters)) else 0


def _units(dimension: Dimension, *formulas: Expr) -> int:
    """Number of units that a dimension may need before no factor has to be 0; 0 if nothing depends on it."""

    def wanted(letter: Expr) -> bool:
        return letter == dimension or (isinstance(letter, Index) and letter.domain.upper.has(dimension))

    parts = [node for formula in formulas for node in _formulas(formula) if counts(node)]
    letters = {one for formula in formulas for one in free(formula) | bound(formula) if wanted(one)}
    number = max((_largest(part, wanted) for part in parts), default=0)
    deltas = sum(isinstance(part, Delta) and any(map(wanted, part.args)) for part in parts)
    return max(number + 1 if number else 0, len(letters) if deltas > 2 else 0)


def _formulas(expr: Expr) -> Iterator[Expr]:
    """The formulas in a formula, without the places of its quantities and deltas and the limits of its ranges."""
    yield expr
    args = () if isinstance(expr, Ref | Delta) else expr.args[:1] if isinstance(expr, Bound | Paths) else expr.args
    for arg in args:
        yield from _formulas(arg)
