"""The nodes of a formula in index notation. Sums, products and powers are SymPy's own."""

from __future__ import annotations

from functools import lru_cache
from itertools import count

from sympy import AtomicExpr, Expr, Integer, Mul, Pow, Symbol, sympify

from .domains import Domain, Index
from .errors import DomainError, IndexClashError

_rank = count()

PARAMETER, INPUT, DEFINED = "parameter", "input", "defined"


def time(name: str = "t") -> Symbol:
    """A symbol for discrete time."""
    return Symbol(name, integer=True)


class Quantity(AtomicExpr):
    """A named array of numbers: its index domains, whether it varies in time, and how it prints.

    `role` is "parameter" (constant in time), "input" (a given sequence or constant) or "defined" (by a system).
    A quantity with a `lag` holds at time t what was there `lag` steps before, and prints with that earlier time.
    """

    is_commutative = True
    __iter__ = None  # an index picks an element; without this, Python and SymPy would count elements for ever

    def __new__(cls, name: str, *domains: Domain, timed: bool, role: str, latex: str | None = None, lag: int = 0):
        self = AtomicExpr.__new__(cls)
        self.name, self.domains, self.timed, self.role, self.lag = name, domains, timed, role, lag
        self.latex = latex or name
        self.rank = next(_rank)
        return self

    def _hashable_content(self):
        return (self.name, self.domains, self.timed, self.role, self.latex, self.lag)

    def __getitem__(self, key) -> Ref:
        key = key if isinstance(key, tuple) else (key,)
        wanted = len(self.domains) + self.timed
        if len(key) != wanted:
            raise DomainError(f"{self.name}[{', '.join(map(str, key))}]: {len(key)} indices, expected {wanted}")
        return Ref(self, *map(sympify, key))


def parameter(name: str, *domains: Domain, latex: str | None = None) -> Quantity:
    """A weight: constant in time."""
    return Quantity(name, *domains, timed=False, role=PARAMETER, latex=latex)


def sequence(name: str, *domains: Domain, latex: str | None = None) -> Quantity:
    """A given sequence (inputs, targets, masks): no derivative flows into it."""
    return Quantity(name, *domains, timed=True, role=INPUT, latex=latex)


def variable(name: str, *domains: Domain, latex: str | None = None, lag: int = 0) -> Quantity:
    """A quantity that a system defines at every time."""
    return Quantity(name, *domains, timed=True, role=DEFINED, latex=latex, lag=lag)


def scalar(name: str, latex: str | None = None) -> Quantity:
    """A quantity that a system defines once, such as the loss of a whole sequence."""
    return Quantity(name, timed=False, role=DEFINED, latex=latex)


def _one_form(place: Expr) -> Expr:
    """A computed index multiplied out, so that one place is written in one way."""
    return place.expand() if place.args else place


class Ref(Expr):
    """A quantity at given indices and, where it varies in time, at a time (the last argument)."""

    is_commutative = True
    is_real = True

    def __new__(cls, quantity: Quantity, *key: Expr):
        for place, (index, over) in enumerate(zip(key, quantity.domains, strict=False), 1):
            if isinstance(index, Index) and not over.contains(index.domain) and not index.domain.contains(over):
                raise DomainError(
                    f"{quantity.name}: index {index.name} in place {place} runs over {index.domain.name}, "
                    f"expected {over.name}"
                )
        return Expr.__new__(cls, quantity, *map(_one_form, key))

    quantity = property(lambda self: self.args[0])
    indices = property(lambda self: self.args[1 : 1 + len(self.quantity.domains)])
    time = property(lambda self: self.args[-1] if self.quantity.timed else None)

    def at(self, when: Expr) -> Ref:
        """The same element at another time."""
        return Ref(self.quantity, *self.indices, when) if self.quantity.timed else self

    def shifted(self, steps: int) -> Ref:
        """The same element `steps` later."""
        return self.at(self.time + steps) if self.quantity.timed else self


class Constant(AtomicExpr):
    """A named number, such as the largest slope of an activation; `value` is used where numbers are wanted."""

    is_commutative = True
    is_real = True

    def __new__(cls, name: str, value: Expr, latex: str | None = None):
        self = AtomicExpr.__new__(cls)
        self.name, self.value, self.latex = name, sympify(value), latex or name
        return self

    def _hashable_content(self):
        return (self.name, str(self.value), self.latex)


class Activation(AtomicExpr):
    """An unspecified differentiable function; indexed (`f[i](z)`) where each unit has its own."""

    is_commutative = True
    __iter__ = None

    def __new__(cls, name: str, *domains: Domain, latex: str | None = None):
        self = AtomicExpr.__new__(cls)
        self.name, self.domains, self.latex = name, domains, latex or name
        return self

    def _hashable_content(self):
        return (self.name, self.domains, self.latex)

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        if len(key) != len(self.domains):
            raise DomainError(f"{self.name}: {len(key)} indices, expected {len(self.domains)}")
        return lambda z: Applied(self, Integer(0), sympify(z), *key)

    def __call__(self, z: Expr) -> Applied:
        return self[()](z)

    def prime(self, z: Expr, *key: Index) -> Applied:
        """The derivative of the function, at `z`."""
        return Applied(self, Integer(1), sympify(z), *key)


class Applied(Expr):
    """An activation, or one of its derivatives (`order`), at an argument."""

    is_commutative = True
    is_real = True

    function = property(lambda self: self.args[0])
    order = property(lambda self: int(self.args[1]))
    argument = property(lambda self: self.args[2])
    indices = property(lambda self: self.args[3:])

    def derivative(self) -> Applied:
        """One order higher at the same argument."""
        return Applied(self.function, Integer(self.order + 1), self.argument, *self.indices)


@lru_cache(maxsize=20_000)
def _order(arg: Expr) -> tuple[str, str]:
    return str(arg), str(getattr(arg, "domain", ""))


class Delta(Expr):
    """Kronecker delta; decided at once where the two indices are equal or their domains disjoint."""

    is_commutative = True
    is_real = True

    def __new__(cls, left: Expr, right: Expr):
        left, right = _one_form(sympify(left)), _one_form(sympify(right))
        if left == right:
            return Integer(1)
        if isinstance(left, Index) and isinstance(right, Index):
            if left.domain.disjoint(right.domain):
                return Integer(0)
        elif (left - right).is_nonzero:
            return Integer(0)
        return Expr.__new__(cls, *sorted((left, right), key=_order))

    def _eval_power(self, exponent):
        """0 and 1 are their own positive powers."""
        return self if exponent.is_positive else None


class Modulus(Expr):
    """Absolute value, taken factor by factor. (SymPy's own rewrites its argument, times in it included.)"""

    is_commutative = True
    is_real = True
    is_nonnegative = True

    def __new__(cls, inner: Expr):
        inner = sympify(inner)
        if isinstance(inner, Mul):
            return Mul(*(cls(factor) for factor in inner.args))
        if isinstance(inner, Pow) and inner.exp.is_integer:
            return cls(inner.base) ** inner.exp
        if isinstance(inner, cls | Delta) or (isinstance(inner, Constant) and inner.value >= 0):
            return inner
        return abs(inner) if inner.is_Number else Expr.__new__(cls, inner)


class Bound(Expr):
    """A sum or product over one index: over a domain, or over the times lower..upper."""

    is_commutative = True
    is_real = True

    def __new__(cls, body: Expr, index: Expr, lower: Expr | None = None, upper: Expr | None = None):
        body = sympify(body)
        if body.is_zero and cls is Sigma:
            return Integer(0)
        limits = () if lower is None else (sympify(lower), sympify(upper))
        if isinstance(index, Index) == bool(limits):
            raise DomainError(f"{index}: an index runs over its domain, a time from a first to a last one")
        if _binds(body, index):
            raise IndexClashError(f"index {index} is bound twice, the second time around {body}")
        return Expr.__new__(cls, body, index, *limits)

    body = property(lambda self: self.args[0])
    index = property(lambda self: self.args[1])
    limits = property(lambda self: self.args[2:])


def _binds(expr: Expr, index: Expr) -> bool:
    return any(isinstance(node, Bound) and node.index == index for node in nodes(expr))


class Sigma(Bound):
    """A sum."""


class Product(Bound):
    """A product."""


class Paths(Expr):
    """The sum over all paths of `steps` links from `start` to `end`, of the product of the links.

    `link` is a formula in two letters, `before` and `after`, and in the number `count` of the link, from 1 on. No
    link at all is the Kronecker delta of both ends; one link is the link itself.
    """

    is_commutative = True
    is_real = True

    link = property(lambda self: self.args[0])
    before = property(lambda self: self.args[1])
    after = property(lambda self: self.args[2])
    count = property(lambda self: self.args[3])
    start = property(lambda self: self.args[4])
    end = property(lambda self: self.args[5])
    steps = property(lambda self: self.args[6])


class DerivativeSymbol(Expr):
    """A derivative that stands as a symbol: of `target` with respect to a parameter or to a node.

    The subclasses are the book's three signs: total, truncated (with its set of cuts), immediate.
    """

    is_commutative = True
    is_real = True

    target = property(lambda self: self.args[0])
    wrt = property(lambda self: self.args[1])

    def of(self, target: Expr, wrt: Expr | None = None):
        """The same kind of derivative of something else."""
        return self.func(target, self.wrt if wrt is None else wrt, *self.args[2:])


class Total(DerivativeSymbol):
    """d: through every path, through time."""


class Truncated(DerivativeSymbol):
    """d_tr: the total derivative of the system in which the cut arguments are held constant."""


class Immediate(DerivativeSymbol):
    """∂: all other arguments of the definition held."""


def nodes(expr: Expr):
    """Every node of a formula, the formula first."""
    yield expr
    for arg in expr.args:
        yield from nodes(arg)


def rebuild(expr: Expr, args) -> Expr:
    """The same kind of node over other arguments (SymPy normalises sums, products and powers)."""
    return expr.func(*args) if args and tuple(args) != expr.args else expr


def refs(expr: Expr) -> list[Ref]:
    """The quantities a formula refers to, without those inside derivative symbols, in reading order, once each."""
    found: dict[Ref, None] = {}

    def walk(node: Expr) -> None:
        if isinstance(node, Ref):
            found[node] = None
        elif not isinstance(node, DerivativeSymbol):
            for arg in node.args:
                walk(arg)

    walk(expr)
    return list(found)


def sum_over(*parts) -> Expr:
    """`sum_over(j, body)` or `sum_over(i, j, body)`; a time range is written `(s, lower, upper)`."""
    return _over(Sigma, *parts)


def product_over(*parts) -> Expr:
    """Like `sum_over`, for products."""
    return _over(Product, *parts)


def _over(kind: type[Bound], *parts) -> Expr:
    *ranges, body = parts
    for item in reversed(ranges):
        body = kind(body, *item) if isinstance(item, tuple) else kind(body, item)
    return body


def d(target: Expr, wrt: Ref) -> Total:
    """The total derivative, as a symbol."""
    return Total(sympify(target), wrt)


def partial(target: Ref, wrt: Ref) -> Immediate:
    """The immediate partial derivative, as a symbol."""
    return Immediate(target, wrt)
