"""The derivative forwards in time: total and truncated, as the recursion that real-time recurrent learning runs."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import lru_cache
from typing import NamedTuple

from sympy import Add, Expr, Integer, Mul

from throughtime.derivation.deriving.differentiate import immediate, linearize, same_element
from throughtime.derivation.deriving.recursion import SYMBOLS, Recursion
from throughtime.derivation.deriving.structure import ZERO, Structure
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.domains import Index, Leaf
from throughtime.derivation.formulas.errors import CutError, DerivationError, UndefinedQuantityError
from throughtime.derivation.formulas.nodes import Delta, Quantity, Ref, Sigma, Total, every, partial, refs, sum_over
from throughtime.derivation.formulas.rewrite import contract, free, fresh, rename_bound, replace, split_sums
from throughtime.derivation.printing.printer import to_latex


class Cut(Leaf):
    """In the definition of `into`, the argument `quantity` of `lag` steps earlier is held constant.

    `label` is the name of the set of cuts to which it belongs, and prints under the d of its derivatives.
    """

    def __new__(cls, quantity: Quantity, lag: int, into: Quantity, label: str = "tr"):
        return cls._kept(quantity, lag, into, label)

    @classmethod
    @lru_cache(maxsize=1_000)  # one object for each cut, since identical objects compare fastest
    def _kept(cls, quantity: Quantity, lag: int, into: Quantity, label: str) -> Cut:
        return super().__new__(cls, quantity=quantity, lag=lag, into=into, label=label)

    def _sympystr(self, printer):
        lag = self.lag + self.quantity.lag
        return f"{self.quantity.name}({f't - {lag}' if lag else 't'}) in {self.into.name}"

    def applies(self, argument: Ref, left: Ref) -> bool:
        """Whether this cut severs the dependence of `left` on `argument`."""
        same = argument.quantity == self.quantity and left.quantity == self.into
        return same and (left.time is None or argument.time is None or left.time - argument.time == self.lag)


def cut(argument: Ref, into: Quantity) -> Cut:
    """`cut(h[i, t - 1], into=a)`: in the definition of `a`, `h` of the previous step is held constant, for every unit.

    Raises CutError for what is no reference or no quantity, for an argument that no system defines, for one that names
    some units only (its indices have to be distinct letters, each over the whole domain), and for a time that is not
    t - n with n >= 0.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> bench = tt.Bench(unit, [{}])
    >>> print(bench.derive(y[t], w[()], cuts=[tt.cut(y[t - 1], into=y)]).result)
    y(t-1)
    >>> tt.cut(x[t], into=y)
    Traceback (most recent call last):
        ...
    throughtime.derivation.formulas.errors.CutError: cut x(t) into y: x is given, expected a quantity of the system
    """
    if not isinstance(argument, Ref) or not isinstance(into, Quantity):
        expected = "expected a reference and a quantity, as in cut(h[i, t - 1], into=a)"
        raise CutError(f"cut({argument}, into={into}): {expected}")
    when = argument.time if argument.quantity.timed else Integer(0)
    lag = next(iter(free(when)), Integer(0)) - when
    wrong = "" if lag.is_Integer and lag >= 0 else f"the time is {argument.time}, expected t or t - n"
    for index, over in zip(argument.indices, argument.quantity.domains, strict=True):
        if not (isinstance(index, Index) and index.domain == over and argument.indices.count(index) == 1):
            wrong = f"a cut is made for all units; expected a letter of its own over {over.name}"
    if not argument.quantity.is_defined:
        wrong = f"{argument.quantity} is given, expected a quantity of the system"
    if wrong:
        raise CutError(f"cut {argument} into {into}: {wrong}")
    return Cut(argument.quantity, int(lag), into)


def each_cut(cuts: Iterable[Cut]) -> tuple[Cut, ...]:
    """Cuts as a tuple; CutError unless they are a collection of cuts."""
    found = () if isinstance(cuts, Expr) else tuple(cuts)
    if isinstance(cuts, Expr) or not all(isinstance(one, Cut) for one in found):
        raise CutError(f"cuts: got {cuts}, expected a list of cuts, as in cuts=[cut(h[i, t - 1], into=a)]")
    return found


def cut_set(name: str, *cuts: Cut) -> tuple[Cut, ...]:
    """Cuts that belong together under a name of their own: a derivative with them prints as d_name instead of d_tr.

    Raises CutError for a name that is not made of letters and digits.

    >>> import throughtime as tt
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> cuts = tt.cut_set("own", tt.cut(y[t - 1], into=y))
    >>> print(tt.Bench(unit, [{}]).derive(y[t], w[()], cuts=cuts).left)
    d_own y(t)/dw
    """
    if not name.isalnum():
        raise CutError(f"cut set {name!r}: expected letters and digits")
    return tuple(Cut(one.quantity, one.lag, one.into, name) for one in cuts)


class Known(NamedTuple):
    """Value of a derivative symbol that follows without its definition, and the reason."""

    value: Expr
    reason: str


class Forward(Recursion):
    """Derivatives of the quantities of `system` with respect to one parameter or node `wrt`, with `cuts` held constant.

    Raises DerivationError if `wrt` is no element of a quantity, UndefinedQuantityError for one that the system does not
    define.
    """

    def __init__(self, system: System, wrt: Ref, cuts: tuple[Cut, ...] = ()):
        super().__init__(system, wrt, cuts)
        self.wrt = wrt
        if not isinstance(wrt, Ref):
            raise DerivationError(f"wrt: {wrt!r} is not an element of a quantity")
        if wrt.quantity.is_defined and wrt.quantity not in system.definitions:
            raise UndefinedQuantityError(f"{system.name}: wrt {wrt} is not defined by the system")
        self.structure = Structure(system, wrt, self.is_cut)

    def known(self, target: Expr) -> Known | None:
        """The derivative of `target` where it follows from structure and causality: 0, 1 or Kronecker deltas."""
        if not isinstance(target, Ref):
            return None
        quantity, wrt = target.quantity, self.wrt
        same_time = quantity == wrt.quantity and (target.time is None or (target.time - wrt.time).is_zero)
        if same_time and not self.system.feeds(wrt, target):
            return Known(same_element(target, wrt), "the element itself")
        if not quantity.is_defined:
            return Known(Integer(0), f"{quantity.name} is given")
        if wrt.time is not None and target.time is not None and (wrt.time - target.time).is_positive:
            return Known(Integer(0), "the past does not depend on the future")
        if target.is_initial and (wrt.time is None or wrt.is_initial):
            value = self.step(target)
            return Known(value, "initial states are constants" if value == 0 else "the initial state")
        claim = self.structure.claim(target)
        if claim is ZERO or not self._in_reach(target):
            return Known(Integer(0), f"no path leads from ${to_latex(wrt)}$ to ${to_latex(target)}$")
        deltas = self.structure.deltas(target, claim, wrt)
        if deltas == 1:
            return None
        values = {target.indices[mine]: wrt.indices[theirs] for mine, theirs in claim}
        moved = Ref(quantity, *(values.get(arg, arg) for arg in target.args[1:]))
        return Known(deltas * self.symbol(moved), "units with another index do not depend on it")

    def _in_reach(self, target: Ref) -> bool:
        """Whether a path of as many steps as lie between may lead to a quantity; taken as given where that is open."""
        steps = target.time - self.wrt.time if target.time is not None and self.wrt.time is not None else None
        return steps is None or not steps.is_Integer or self.leads(self.wrt.quantity, target.quantity, int(steps))

    def is_cut_off(self, target: Expr) -> bool:
        """Whether no uncut path leads to a quantity of another time, which only a path can make depend on `wrt`."""
        if not isinstance(target, Ref) or target.time is None or self.wrt.time is None:
            return False
        apart = (target.time - self.wrt.time).is_nonzero
        return bool(apart) and not target.is_initial and self.wrt.quantity not in self.sources(target.quantity)

    def step(self, target: Expr) -> Expr:
        """The derivative of `target` by its definition, in symbols for the derivatives of its arguments."""
        left = target if isinstance(target, Ref) else None
        right = self.system.definition(target) if left is not None else target
        right = rename_bound(right, free(self.wrt) | free(target))
        return contract(linearize(right, lambda ref: self._leaf(ref, left)) + self._itself(target))

    def _itself(self, target: Expr) -> Expr:
        """The delta of `target` and `wrt`: 1 if they are one element, which its definition does not contain."""
        if not isinstance(target, Ref) or target.quantity != self.wrt.quantity or not target.quantity.is_defined:
            return Integer(0)
        if self.wrt.is_initial and not target.is_initial:  # no definition gives an initial state
            return Integer(0)
        lag = target.time - self.wrt.time if target.quantity.timed else Integer(0)
        if lag.is_Symbol:
            return same_element(target.at(self.wrt.time), self.wrt) * Delta(lag, 0)
        return same_element(target, self.wrt)

    def _leaf(self, ref: Ref, left: Ref | None) -> Expr:
        if left is not None and self.is_cut(ref, left):
            return Integer(0)
        if ref.quantity.is_defined:
            return self.symbol(ref)
        return same_element(ref, self.wrt)

    def chain(self, target: Ref) -> Expr:
        """`step` with the immediate partial derivatives as symbols: the chain rule as it is usually written."""
        definition = rename_bound(self.system.definition(target), free(self.wrt) | free(target))
        chosen: list[Ref] = []
        for ref in sorted(refs(definition), key=lambda ref: -len(self._summed(ref, target))):  # summed ones first
            if not self.is_cut(ref, target) and not any(self._includes(other, ref, target) for other in chosen):
                chosen.append(ref)
        limits = {node.index: node.limits for node in every(Sigma, definition)}
        found = self._together(chosen, free(target) | free(self.wrt) | {*limits})
        limits |= {letter: () for ref in found for letter in free(ref) - free(target) if letter not in limits}
        return Add(*dict.fromkeys(self._link(target, ref, limits) for ref in found))

    @staticmethod
    def _together(chosen: list[Ref], taken: Set[Expr]) -> list[Ref]:
        """Arguments of which two may be one element, as k[i] and k[j] of k[i] k[j], as one with letters of its own.

        The sum over these letters counts each element once.
        """
        found: list[Ref] = []
        for ref in chosen:
            while other := next((one for one in found if same_element(one, ref) != 0), None):
                found.remove(other)
                pairs, places = zip(ref.indices, other.indices, strict=True), list[Expr]()
                for (one, two), over in zip(pairs, ref.quantity.domains, strict=True):
                    letter = next((place for place in (one, two) if isinstance(place, Index)), one)
                    both = {getattr(place, "domain", over) for place in (one, two)}
                    wide = Index(str(letter), both.pop() if len(both) == 1 else over, letter.latex)
                    places.append(one if one == two else fresh(wide, taken | {*places}))
                ref = Ref(ref.quantity, *places, *ref.args[1 + len(places) :])
            found.append(ref)
        return found

    @staticmethod
    def _summed(ref: Ref, target: Ref) -> list[Index]:
        return [index for index in ref.indices if isinstance(index, Index) and index not in free(target)]

    def _includes(self, other: Ref, ref: Ref, target: Ref) -> bool:
        """Whether the elements that `other` sums over include `ref`."""
        summed = self._summed(other, target)
        return (other.quantity, other.time) == (ref.quantity, ref.time) and all(
            mine == theirs or (mine in summed and isinstance(theirs, Index) and mine.domain.contains(theirs.domain))
            for mine, theirs in zip(other.indices, ref.indices, strict=True)
        )

    def _link(self, target: Ref, ref: Ref, limits: dict[Expr, tuple]) -> Expr:
        """∂target/∂ref * d ref/d wrt, summed over the elements of `ref` that stand in the definition."""
        if not ref.quantity.is_defined:
            depends = ref.quantity == self.wrt.quantity and immediate(self.system.definition(target), self.wrt) != 0
            return partial(target, self.wrt) if depends else Integer(0)
        ranges = ((index, *limits[index]) if limits[index] else index for index in limits if index in free(ref))
        term = sum_over(*ranges, Mul(partial(target, ref), self.symbol(ref)))
        return rename_bound(term, free(target) | free(self.wrt))

    def resolve(self, expr: Expr) -> tuple[Expr, list[str]]:
        """The formula with all `known` derivatives put in, and the reasons used.

        Sums over a union are split where only the derivatives in its parts are known.
        """
        reasons: dict[str, None] = {}
        expr = split_sums(expr, self._differs)

        def rule(node: Expr) -> Expr | None:
            if not self.mine(node):
                return None
            known = self.known(node.target)
            if known is None or known.value == node:
                return node
            reasons[known.reason] = None
            return known.value

        return contract(replace(expr, rule, only=SYMBOLS)), list(reasons)

    def _differs(self, sigma: Sigma) -> bool:
        """Whether a sum over a union contains a derivative that is known, if at all, part by part only."""
        targets = (node.target for node in every(Total, sigma.body) if self.mine(node) and isinstance(node.target, Ref))
        return any(
            sigma.index in target.indices
            and target.quantity.is_defined
            and not self.system.is_case(target)
            and self.known(target) is None
            for target in targets
        )
