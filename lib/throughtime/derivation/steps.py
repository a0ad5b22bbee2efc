"""A derivation as a reader sees it: one line after another, each with its reason and, folded, its small steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Expr

from .backward import Backward
from .errors import DerivationError
from .forward import Cut, Forward
from .immediates import evaluate_immediates
from .nodes import DEFINED, DerivativeSymbol, Quantity, Ref, nodes
from .printing import to_latex
from .reduce import Reducer
from .rewrite import contract

MAX_LINES = 40


@dataclass(frozen=True)
class Line:
    """One line of a derivation: a formula equal to the line before it, and why; `detail` are smaller equations used."""

    expr: Expr
    reason: str
    detail: tuple[tuple[Expr, ...], ...] = ()


@dataclass(frozen=True)
class Derivation:
    """`left` equals every one of `lines`; the last one is the result."""

    left: DerivativeSymbol
    lines: tuple[Line, ...]

    @property
    def result(self) -> Expr:
        """The last line."""
        return self.lines[-1].expr

    def equations(self) -> list[tuple[Expr, ...]]:
        """Everything the derivation claims: each chain of equal formulas."""
        found = [(self.left, *(line.expr for line in self.lines))]
        return found + [chain for line in self.lines for chain in line.detail]


def _math(expr: Expr) -> str:
    """A formula inside a reason: LaTeX between dollar signs."""
    return f"${to_latex(expr)}$"


class _Writer:
    """Collects lines, leaving out those that repeat the one before."""

    def __init__(self, left: DerivativeSymbol):
        self.left = left
        self.lines: list[Line] = []

    @property
    def last(self) -> Expr:
        return self.lines[-1].expr if self.lines else self.left

    def add(self, expr: Expr, reason: str, detail: Iterable[tuple[Expr, ...]] = ()) -> None:
        if expr != self.last:
            self.lines.append(Line(expr, reason, tuple(detail)))

    def done(self) -> Derivation:
        return Derivation(self.left, tuple(self.lines))


def derive(
    reducer: Reducer, target: Expr, wrt: Ref, *, cuts: Iterable[Cut] = (), keep: Iterable[Quantity] = ()
) -> Derivation:
    """d(target)/d(wrt) forwards in time, until only earlier derivatives and those of `keep` stand as symbols."""
    engine = reducer.forward(wrt, tuple(cuts))
    keep = set(keep)
    writer = _Writer(engine.symbol(target))
    known = engine.known(target)
    if known is not None:
        writer.add(known.value, known.reason)
    elif isinstance(target, Ref):
        cut_here = " (cut arguments held constant)" if engine.cuts else ""
        writer.add(engine.chain(target), f"chain rule over the arguments of {_math(target)}{cut_here}")
        writer.add(engine.step(target), "immediate partial derivatives")
    else:
        writer.add(engine.step(target), "product rule")
    for _ in range(MAX_LINES):
        resolved, reasons = engine.resolve(writer.last)
        writer.add(resolved, "; ".join(reasons))
        chosen = _next(engine, writer.last, target, keep)
        if not chosen:
            return writer.done()
        detail = [_detail(engine, symbol) for symbol in chosen]
        names = ", ".join(_math(symbol.target) for symbol in chosen)
        wanted = {symbol.target for symbol in chosen}
        writer.add(
            engine.unfold(writer.last, lambda item, wanted=wanted: item in wanted),
            f"chain rule for {names}",
            detail,
        )
    raise DerivationError(f"{writer.left}: not finished after {MAX_LINES} lines")


def _next(engine: Forward, expr: Expr, target: Expr, keep: set[Quantity]) -> list[DerivativeSymbol]:
    """The derivative symbols to unfold next: those of the same time as the target that are not kept."""
    now = target.time if isinstance(target, Ref) else engine.system.t
    found: dict[DerivativeSymbol, None] = {}
    for node in nodes(expr):
        if engine.mine(node) and isinstance(node.target, Ref):
            quantity = node.target.quantity
            when = node.target.time
            at_sum = now is None and (when is None or when.is_Symbol)  # a loss is summed over a time of its own
            same_time = at_sum or when == now or _between(node.target, engine.wrt)
            if quantity.role == DEFINED and quantity not in keep and same_time and node != engine.symbol(target):
                found[node] = None
    return list(found)


def _between(target: Ref, wrt: Ref) -> bool:
    """Whether a known number of steps lies between a node and the node it is derived by: then all are taken."""
    return wrt.time is not None and target.time is not None and (target.time - wrt.time).is_Integer


def _detail(engine: Forward, symbol: DerivativeSymbol) -> tuple[Expr, ...]:
    """The little chain d a/d w = sum ∂a/∂b d b/d w = ... for one unfolded symbol."""
    chain = engine.chain(symbol.target)
    values = contract(evaluate_immediates(engine.system, chain))
    return tuple(dict.fromkeys((symbol, chain, values)))


def derive_backward(
    reducer: Reducer, loss: Ref, node: Ref, *, cuts: Iterable[Cut] = (), keep: Iterable[Quantity] = ()
) -> Derivation:
    """d(loss)/d(node) backwards in time, until only later adjoints and those of `keep` stand as symbols."""
    engine = Backward(reducer.system, loss, tuple(cuts))
    keep = set(keep)
    writer = _Writer(engine.symbol(node))
    writer.add(engine.step(node), f"chain rule over everything that reads {_math(node)}")
    for _ in range(MAX_LINES):
        chosen = [
            item for item in dict.fromkeys(nodes(writer.last))
            if engine.mine(item) and item.wrt.time == node.time and item.wrt.quantity not in keep | {node.quantity}
        ]  # fmt: skip
        if not chosen:
            return writer.done()
        wanted = {item.wrt for item in chosen}
        names = ", ".join(_math(item) for item in wanted)
        detail = [(item, engine.step(item.wrt)) for item in chosen]
        writer.add(
            engine.unfold(writer.last, lambda item, wanted=wanted: item in wanted),
            f"the same for {names}",
            detail,
        )
    raise DerivationError(f"{writer.left}: not finished after {MAX_LINES} lines")


def derive_gradient(reducer: Reducer, loss: Ref, weight: Ref, *, cuts: Iterable[Cut] = ()) -> Derivation:
    """d(loss)/d(weight) as the sum over time of adjoints times immediate derivatives."""
    engine = Backward(reducer.system, loss, tuple(cuts))
    writer = _Writer(engine.symbol(weight))
    writer.add(engine.gradient(weight), "every use of the weight, at every time")
    return writer.done()
