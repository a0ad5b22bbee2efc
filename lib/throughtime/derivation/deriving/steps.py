"""Derivations as lists of lines, each with its reason and its small steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from sympy import Expr

from throughtime.derivation.deriving.backward import Backward
from throughtime.derivation.deriving.differentiate import expand_partials
from throughtime.derivation.deriving.forward import Cut, Forward, each_cut
from throughtime.derivation.deriving.naming import by_name
from throughtime.derivation.deriving.recursion import Recursion
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.formulas.domains import Order
from throughtime.derivation.formulas.errors import DerivationError
from throughtime.derivation.formulas.nodes import DerivativeSymbol, Quantity, Ref, nodes
from throughtime.derivation.formulas.rewrite import contract
from throughtime.derivation.printing.printer import to_latex, to_text

MAX_LINES = 40


@dataclass(frozen=True)
class Line:
    """One line of a derivation: a formula equal to the line before it, and why; `detail` are smaller equations used."""

    expr: Expr
    reason: str
    detail: tuple[tuple[Expr, ...], ...] = ()


@dataclass(frozen=True)
class Derivation:
    """A derivation: `left` equals every one of `lines`; the last one is the result."""

    left: DerivativeSymbol
    lines: tuple[Line, ...]
    order: Order = field(default_factory=Order, compare=False, repr=False)  # in which it prints

    @property
    def result(self) -> Expr:
        """The last line."""
        return self.lines[-1].expr

    def __str__(self) -> str:
        """As plain text: the left side, then a line each."""
        with self.order:
            shown = [f"  = {to_text(line.expr)}   [{line.reason}]" for line in self.lines]
            return "\n".join([to_text(self.left), *shown])

    def equations(self) -> list[tuple[Expr, ...]]:
        """All equations of the derivation, as chains of equal formulas."""
        found = [(self.left, *(line.expr for line in self.lines))]
        return found + [chain for line in self.lines for chain in line.detail]


def _math(expr: Expr) -> str:
    """A formula inside a reason: LaTeX between dollar signs."""
    return f"${to_latex(expr)}$"


def _unfold_all(
    engine: Recursion,
    lines: list[Line],
    choose: Callable[[Expr], list[DerivativeSymbol]],
    reason: str,
    detail: Callable[[DerivativeSymbol], tuple[Expr, ...]],
) -> Derivation:
    """Unfold the chosen symbols of the last line until none is chosen; the first of the lines is the left side."""
    for _ in range(MAX_LINES):
        if isinstance(engine, Forward):
            resolved, reasons = engine.resolve(lines[-1].expr)
            lines.append(Line(resolved, "; ".join(reasons)))
        chosen = choose(lines[-1].expr)
        if not chosen:
            return _told(engine, lines)
        items = dict.fromkeys(map(engine.item, chosen))
        unfolded = engine.unfold(lines[-1].expr, items.__contains__)
        lines.append(Line(unfolded, f"{reason} {', '.join(map(_math, items))}", tuple(map(detail, chosen))))
    raise DerivationError(f"{lines[0].expr}: not finished after {MAX_LINES} lines")


def _told(engine: Recursion, lines: list[Line]) -> Derivation:
    """A derivation, with the values of activations by name; lines that repeat the one before are left out."""
    named = partial(by_name, engine.system)
    left, *written = (
        Line(named(line.expr), line.reason, tuple(tuple(map(named, chain)) for chain in line.detail)) for line in lines
    )
    told = [line for before, line in pairwise([left, *written]) if line.expr != before.expr]
    return Derivation(left.expr, tuple(told), engine.system.printing)


def derive(
    reducer: Reducer, target: Expr, wrt: Ref, *, cuts: Iterable[Cut] = (), keep: Iterable[Quantity] = ()
) -> Derivation:
    """d(target)/d(wrt) forwards in time, until only earlier derivatives and those of `keep` stand as symbols.

    Raises UndefinedQuantityError for a target that the system does not define.

    >>> import throughtime as tt
    >>> from throughtime.derivation import Reducer
    >>> t, w, x, y = tt.time(), tt.parameter("w"), tt.sequence("x"), tt.variable("y")
    >>> unit = tt.System("unit")
    >>> unit[y[t]] = w[()] * y[t - 1] + x[t]
    >>> print(tt.derive(Reducer(unit), y[t], w[()]))
    dy(t)/dw
      = Dy(t)/Dw + Dy(t)/Dy(t-1)*dy(t-1)/dw   [chain rule over the arguments of $y(t)$]
      = y(t-1) + w*dy(t-1)/dw   [immediate partial derivatives]
    """
    engine, kept = reducer.forward(wrt, each_cut(cuts)), set(keep)
    lines, known = [Line(engine.symbol(target), "")], engine.known(target)
    if known is not None:
        lines.append(Line(known.value, known.reason))
    elif isinstance(target, Ref):
        cut_here = " (cut arguments held constant)" if engine.cuts else ""
        lines.append(Line(engine.chain(target), f"chain rule over the arguments of {_math(target)}{cut_here}"))
        lines.append(Line(engine.step(target), "immediate partial derivatives"))
    else:
        lines.append(Line(engine.step(target), "product rule"))

    def detail(symbol: DerivativeSymbol) -> tuple[Expr, ...]:
        """The chain d a/d w = sum ∂a/∂b d b/d w = ... for one unfolded symbol."""
        chain = engine.chain(symbol.target)
        return tuple(dict.fromkeys((symbol, chain, contract(expand_partials(engine.system, chain)))))

    return _unfold_all(engine, lines, lambda expr: _next(engine, expr, target, kept), "chain rule for", detail)


def _next(engine: Forward, expr: Expr, target: Expr, keep: set[Quantity]) -> list[DerivativeSymbol]:
    """The derivative symbols to unfold next: those of the same time as the target that are not kept."""
    now = target.time if isinstance(target, Ref) else engine.system.t

    def is_next(item: Ref) -> bool:
        in_sum = now is None and (item.time is None or item.time.is_Symbol)  # a loss is a sum over a time of its own
        apart = None if None in (item.time, engine.wrt.time) else item.time - engine.wrt.time
        same_time = in_sum or item.time == now or (apart is not None and apart.is_Integer)  # then all are unfolded
        return item.quantity.is_defined and item.quantity not in keep and same_time and item != target

    symbols = filter(engine.mine, dict.fromkeys(nodes(expr)))
    return [symbol for symbol in symbols if isinstance(symbol.target, Ref) and is_next(symbol.target)]


def derive_backward(
    reducer: Reducer, loss: Ref, node: Ref, *, cuts: Iterable[Cut] = (), keep: Iterable[Quantity] = ()
) -> Derivation:
    """d(loss)/d(node) backwards in time, until only later adjoints and those of `keep` stand as symbols."""
    engine, kept = Backward(reducer.system, loss, each_cut(cuts)), {*keep, node.quantity}
    first = Line(engine.step(node), f"chain rule over everything that reads {_math(node)}")

    def choose(expr: Expr) -> list[DerivativeSymbol]:
        adjoints = filter(engine.mine, dict.fromkeys(nodes(expr)))
        return [item for item in adjoints if item.wrt.time == node.time and item.wrt.quantity not in kept]

    lines = [Line(engine.symbol(node), ""), first]
    return _unfold_all(engine, lines, choose, "the same for", lambda symbol: (symbol, engine.step(symbol.wrt)))


def derive_gradient(reducer: Reducer, loss: Ref, weight: Ref, *, cuts: Iterable[Cut] = ()) -> Derivation:
    """d(loss)/d(weight) as the sum over time of adjoints times immediate derivatives."""
    engine = Backward(reducer.system, loss, each_cut(cuts))
    line = Line(engine.gradient(weight), "every use of the weight, at every time")
    return _told(engine, [Line(engine.symbol(weight), ""), line])
