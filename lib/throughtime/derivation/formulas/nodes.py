"""The nodes of a formula in index notation. Sums, products and powers are SymPy's own.

SymPy's Sum, Indexed and KroneckerDelta are not used: their ranges are numbers, not named domains with symbolic sizes
and unions of domains, and their substitution can capture a bound index.

>>> import throughtime as tt
>>> t, (i, j) = tt.time(), tt.indices("i j", tt.domain("units", tt.Dimension("n")))
>>> W, b, h = tt.parameter("W", i.domain, i.domain), tt.parameter("b"), tt.variable("h", i.domain)
>>> print(tt.sum_over(j, W[i, j] * h[j, t - 1]) + b[()])
b + sum[j=1..n] W[i,j]*h[j](t-1)
>>> print(tt.d(h[i, t], W[i, j]), tt.partial(h[i, t], h[j, t - 1]), tt.Delta(i, i), tt.Modulus(b[()]))
dh[i](t)/dW[i,j] Dh[i](t)/Dh[j](t-1) 1 |b|
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import add, mul
from typing import Any

from sympy import Expr, Integer, Mul, Pow, Symbol

from throughtime.derivation.formulas.domains import KEPT, Domain, Index, Leaf, Node, Ranked
from throughtime.derivation.formulas.errors import DerivationError, DomainError, IndexClashError
from throughtime.derivation.formulas.given import expression

PARAMETER, INPUT, DEFINED = "parameter", "input", "defined"
RANGES = "an index runs over its domain, a time from a first to a last one; k != i is a factor 1 - Delta(k, i)"


def time(name: str = "t") -> Symbol:
    """A symbol for discrete time."""
    return Symbol(name, integer=True)


class _Family(Leaf):
    """A leaf with `domains`; an index picks an element."""

    __iter__ = None  # without this, Python and SymPy would count elements for ever

    def _key(self, key: Any, wanted: int) -> tuple:
        key = key if isinstance(key, tuple) else (key,)
        if len(key) != wanted:
            raise DomainError(f"{self.name}[{', '.join(map(str, key))}]: {len(key)} indices, expected {wanted}")
        return key


class Quantity(Ranked, _Family):
    """A named array of numbers: its index domains, whether it varies in time, and how it prints.

    `role` is "parameter" (constant in time), "input" (a given sequence or constant) or "defined" (by a system). The
    value at time t of a quantity with a `lag` is what its definition reads `lag` steps before; it prints with that
    earlier time. A `mask` is 0 or 1 at each time and prints before the other factors of a term.
    """

    def __new__(
        cls, name: str, *domains: Domain, timed: bool, role: str,
        latex: str | None = None, lag: int = 0, mask: bool = False,
    ):  # fmt: skip
        own = {"timed": timed, "role": role, "latex": latex or name, "lag": lag, "mask": mask}
        self = super().__new__(cls, name=name, domains=domains, **own).made()
        self.is_parameter, self.is_input, self.is_defined = (role == one for one in (PARAMETER, INPUT, DEFINED))
        return self

    def __getitem__(self, key: Any) -> Ref:
        return Ref(self, *self._key(key, len(self.domains) + self.timed))


def parameter(name: str, *domains: Domain, latex: str | None = None) -> Quantity:
    """A weight: constant in time."""
    return Quantity(name, *domains, timed=False, role=PARAMETER, latex=latex)


def sequence(name: str, *domains: Domain, latex: str | None = None, mask: bool = False) -> Quantity:
    """A given sequence (inputs, targets, a mask): no derivative flows into it."""
    return Quantity(name, *domains, timed=True, role=INPUT, latex=latex, mask=mask)


def variable(name: str, *domains: Domain, latex: str | None = None, lag: int = 0) -> Quantity:
    """A quantity that a system defines at every time."""
    return Quantity(name, *domains, timed=True, role=DEFINED, latex=latex, lag=lag)


def scalar(name: str, latex: str | None = None) -> Quantity:
    """A quantity that a system defines once, such as the loss of a whole sequence."""
    return Quantity(name, timed=False, role=DEFINED, latex=latex)


def _one_form(place: Expr) -> Expr:
    """An index expression multiplied out, so that equal ones are identical."""
    return place.expand() if place.args else place


class Ref(Node):
    """A quantity at given indices and, where it varies in time, at a time (the last argument).

    Raises DomainError for an index over a domain that shares no element with that of its place.
    """

    def __new__(cls, quantity: Quantity, *key: Expr):
        key = tuple(_one_form(expression(place, quantity.name)) for place in key)
        for place, (index, over) in enumerate(zip(key, quantity.domains, strict=False), 1):
            if isinstance(index, Index) and not over.contains(index.domain) and not index.domain.contains(over):
                wide = f"index {index.name} in place {place} runs over {index.domain.name}"
                raise DomainError(f"{quantity.name}: {wide}, expected {over.name}")
        return super().__new__(cls, quantity, *key)

    quantity = property(lambda self: self.args[0], doc="The quantity.")
    indices = property(lambda self: self.args[1 : 1 + len(self.quantity.domains)], doc="An index for each domain.")
    time = property(lambda self: self.args[-1] if self.quantity.timed else None, doc="The time; None if untimed.")

    @property
    def is_initial(self) -> bool:
        """Whether this is an initial value: a state at a time that is a number below 1."""
        return self.quantity.is_defined and self.time is not None and self.time.is_Integer and self.time < 1

    def at(self, when: Expr) -> Ref:
        """The same element at another time."""
        return Ref(self.quantity, *self.indices, when) if self.quantity.timed else self

    def _eval_power(self, exponent):  # a mask is 0 or 1
        return self if self.quantity.mask and exponent.is_positive else None


class Constant(Leaf):
    """A named number, such as the largest slope of an activation; `value` is used where numbers are wanted."""

    def __new__(cls, name: str, value: Expr, latex: str | None = None):
        return super().__new__(cls, name=name, value=expression(value, name), latex=latex or name)


class Activation(_Family):
    """An unspecified differentiable function; indexed (`f[i](z)`) where each unit has its own."""

    def __new__(cls, name: str, *domains: Domain, latex: str | None = None):
        return super().__new__(cls, name=name, domains=domains, latex=latex or name)

    def __getitem__(self, key: Any):
        places = self._key(key, len(self.domains))
        return lambda z: Applied(self, Integer(0), z, *places)

    def __call__(self, z: Expr) -> Applied:
        return self[()](z)

    def prime(self, z: Expr, *key: Index) -> Applied:
        """The derivative of the function, at `z`."""
        return Applied(self, Integer(1), z, *key)


class Applied(Node):
    """An activation, or one of its derivatives (`order`), at an argument."""

    def __new__(cls, function: Activation, order: Expr, z: Expr, *places: Expr):
        order, z, *units = (expression(arg, function.name) for arg in (order, z, *places))
        if order and hasattr(function, "derived"):  # by a rule, as a formula in the value (`functions.Elementary`)
            return function.derived(int(order), cls(function, Integer(0), z), z)
        return super().__new__(cls, function, order, z, *units)

    function = property(lambda self: self.args[0], doc="The activation.")
    order = property(lambda self: int(self.args[1]), doc="The order of the derivative, 0 for the activation itself.")
    argument = property(lambda self: self.args[2], doc="The formula to which the activation is applied.")
    indices = property(lambda self: self.args[3:], doc="The indices of the unit, if each unit has its own activation.")

    def derivative(self, times: int = 1) -> Expr:
        """The derivative at the same argument, or that of so many times."""
        return Applied(self.function, Integer(self.order + times), *self.args[2:])


@lru_cache(maxsize=20_000)
def _order(arg: Expr) -> tuple[str, str]:
    return str(arg), str(getattr(arg, "domain", ""))


class Delta(Node):
    """Kronecker delta of two indices or times; 1 or 0 at once where they are known to be equal or to differ."""

    def __new__(cls, left: Expr, right: Expr):
        left, right = (_one_form(expression(side, "Delta")) for side in (left, right))
        if left == right:
            return Integer(1)
        letters = isinstance(left, Index) and isinstance(right, Index)
        if left.domain.disjoint(right.domain) if letters else (left - right).is_nonzero:
            return Integer(0)
        return super().__new__(cls, *sorted((left, right), key=_order))

    def _eval_power(self, exponent):
        """A delta is 0 or 1, so delta**n = delta for n > 0."""
        return self if exponent.is_positive else None


class Modulus(Node):
    """Absolute value, taken factor by factor. (SymPy's Abs simplifies its argument, times included.)"""

    is_nonnegative = True

    def __new__(cls, inner: Expr):
        inner = expression(inner, "Modulus")
        if isinstance(inner, Mul):
            return Mul(*(cls(factor) for factor in inner.args))
        if isinstance(inner, Pow) and inner.exp.is_integer:
            return cls(inner.base) ** inner.exp
        if isinstance(inner, cls | Delta) or (isinstance(inner, Constant) and inner.value >= 0):
            return inner
        return abs(inner) if inner.is_Number else super().__new__(cls, inner)


class Binder(Node):
    """A node of a body, the `letters` bound in it, and what lies outside their scope: limits, ends of paths."""

    _bound = 1  # how many letters
    body = property(lambda self: self.args[0])
    letters = property(lambda self: self.args[1 : 1 + self._bound])
    outside = property(lambda self: self.args[1 + self._bound :])


class Bound(Binder):
    """A sum or product over one index: over a domain, or over the times lower..upper."""

    def __new__(cls, body: Expr, index: Expr, lower: Expr | None = None, upper: Expr | None = None):
        body, index = expression(body, cls.__name__), expression(index, f"index of {cls.__name__}")
        if cls is Sigma and body == 0:
            return Integer(0)
        if isinstance(lower, bool) or isinstance(index, Index) != (lower is None):
            raise DomainError(f"{index}: {RANGES}")
        limits = tuple(expression(end, f"limit of {index}") for end in (lower, upper) if lower is not None)
        if index in bound(body):
            raise IndexClashError(f"index {index} is bound twice, the second time around {body}")
        return super().__new__(cls, body, index, *limits)

    index = property(lambda self: self.args[1], doc="The letter that runs over the range.")
    limits = Binder.outside


class Sigma(Bound):
    """A sum."""

    operation = add


class Product(Bound):
    """A product."""

    operation = mul


class Paths(Binder):
    """The sum over all paths of `steps` links from `start` to `end`, of the product of the links.

    `link` is a formula in two letters, `before` and `after`, and in the number `count` of the link, from 1 on. No
    link at all is the Kronecker delta of both ends; one link is the link itself. TypeError for other than 7 arguments.
    """

    def __new__(cls, *args: Expr):
        if len(args) != 7:
            raise TypeError(f"Paths: {len(args)} arguments, expected link, before, after, count, start, end, steps")
        return super().__new__(cls, *(expression(arg, "Paths") for arg in args))

    _bound = 3
    link = property(lambda self: self.args[0], doc="The factor of one link, a formula in the three letters.")
    before = property(lambda self: self.args[1], doc="The letter of the unit at which a link starts.")
    after = property(lambda self: self.args[2], doc="The letter of the unit at which a link ends.")
    count = property(lambda self: self.args[3], doc="The letter of the number of a link.")
    start = property(lambda self: self.args[4], doc="The unit at which all paths start.")
    end = property(lambda self: self.args[5], doc="The unit at which all paths end.")
    steps = property(lambda self: self.args[6], doc="The number of links of a path.")


class DerivativeSymbol(Node):
    """A derivative of `target` by `wrt` as a symbol, of one of three kinds; DerivationError for one by a mask."""

    def __new__(cls, target: Expr, wrt: Expr, *cuts: Leaf):
        if getattr(getattr(wrt, "quantity", None), "mask", False):
            raise DerivationError(f"a derivative by {wrt}: {wrt.quantity} is a mask, which is 0 or 1 and has no slope")
        return super().__new__(cls, expression(target, "target"), expression(wrt, "wrt"), *cuts)

    target = property(lambda self: self.args[0], doc="The formula whose derivative this is.")
    wrt = property(lambda self: self.args[1], doc="The parameter or node with respect to which it is taken.")

    def of(self, target: Expr, wrt: Expr | None = None):
        """The same kind of derivative of something else."""
        return self.func(target, self.wrt if wrt is None else wrt, *self.args[2:])


class Total(DerivativeSymbol):
    """d: through every path, through time."""


class Truncated(Total):
    """d_tr: the total derivative of the system in which the cut arguments are held constant."""


class Immediate(DerivativeSymbol):
    """∂: all other arguments of the definition held."""


def nodes(*formulas: Expr) -> Iterator[Expr]:
    """Every node of some formulas, each before its arguments."""
    todo = [*reversed(formulas)]
    while todo:
        yield (node := todo.pop())
        todo += reversed(node.args)


def every(kind: Any, *formulas: Expr) -> Iterator[Any]:
    """The nodes of a class, or a union of classes, in some formulas."""
    return (node for node in nodes(*formulas) if isinstance(node, kind))


@lru_cache(KEPT)
def bound(expr: Expr) -> frozenset[Expr]:
    """The letters that a formula binds somewhere."""
    return frozenset(getattr(expr, "letters", ())).union(*map(bound, expr.args))


def rebuild(expr: Expr, args: Sequence[Expr]) -> Expr:
    """The same kind of node over other arguments (SymPy normalises sums, products and powers)."""
    return expr.func(*args) if args and tuple(args) != expr.args else expr


def refs(expr: Expr) -> list[Ref]:
    """The quantities a formula refers to, without those inside derivative symbols, in reading order, once each."""
    if isinstance(expr, Ref):
        return [expr]
    parts = () if isinstance(expr, DerivativeSymbol) else expr.args
    return list(dict.fromkeys(ref for part in parts for ref in refs(part)))


def sum_over(*parts: Any, kind: type[Bound] = Sigma) -> Expr:
    """`sum_over(j, body)` or `sum_over(i, j, body)`; a time range is written `(s, lower, upper)`."""
    *ranges, body = parts
    for item in reversed(ranges):
        body = kind(body, *item) if isinstance(item, tuple) else kind(body, item)
    return body


def product_over(*parts: Any) -> Expr:
    """Like `sum_over`, for products."""
    return sum_over(*parts, kind=Product)


def d(target: Expr, wrt: Ref) -> Total:
    """The total derivative, as a symbol."""
    return Total(target, wrt)


def partial(target: Ref, wrt: Ref) -> Immediate:
    """The immediate partial derivative, as a symbol."""
    return Immediate(target, wrt)
