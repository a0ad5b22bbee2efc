"""A program for its sizes alone: every element of an array a variable, every loop over units written out.

What is known before a program runs, sizes, places and given constants, is computed here; products with 0 and 1 and sums
with 0 go. What is left of a step are assignments of numbers, which a compiler keeps in registers.
"""

from __future__ import annotations

import ast
import operator as op
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from throughtime.derivation.formulas.errors import DerivationError

FOLDED: dict[type[ast.AST], Callable[[Any, Any], Any]] = {ast.Add: op.add, ast.Sub: op.sub, ast.Mult: op.mul}
FOLDED |= {ast.Div: op.truediv, ast.Pow: op.pow, ast.Eq: op.eq, ast.NotEq: op.ne, ast.LtE: op.le, ast.Lt: op.lt}


class Unrolling(ast.NodeTransformer):
    """Writes the statements of a step out, for one set of sizes.

    sizes       whole numbers by name
    shapes      of the arrays of which each element becomes a variable
    constants   arrays whose elements are known
    rows        lengths of the axes of given sequences, of which step t reads the row t
    lanes       whether sequences have a last axis of lanes
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        shapes: Mapping[str, tuple[int, ...]],
        constants: Mapping[str, np.ndarray],
        rows: Mapping[str, tuple[int, ...]],
        lanes: bool = False,
    ):
        self.sizes, self.shapes, self.constants, self.rows, self.lanes = sizes, shapes, constants, {**rows}, lanes
        self.known: dict[str, ast.expr] = {}  # variables that equal a number or another variable
        self.places: dict[str, int] = {}
        self.assignments: list[tuple[str, ast.expr, str | None]] = []  # with the condition under which they are made
        self.test: str | None = None
        self.read: dict[str, None] = {}  # variables that a step takes from the one before
        self.written: dict[str, None] = {}

    def elements(self, name: str) -> list[str]:
        """The variables of an array, in the order of the array."""
        return [element(name, place) for place in np.ndindex(self.shapes[name])]

    def run(self, statements: Iterable[ast.stmt]) -> None:
        """Write statements out, behind those already written."""
        for statement in statements:
            self.visit(statement)

    def settle(self, names: Iterable[str]) -> None:
        """Assign variables of which only the value is known."""
        for name in names:
            if name in self.known:
                self.assignments.append((name, self.known.pop(name), self.test))

    def lines(self, needed: Iterable[str]) -> list[str]:
        """The assignments on which the needed variables depend, as text."""
        needed, kept = {*needed}, []
        for name, value, test in reversed(self.assignments):
            if name in needed:
                needed -= {name} if test is None else set()
                needed |= {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
                kept.append((test, f"{name} = {ast.unparse(value)}"))
        lines = []
        for test, some in groupby(kept[::-1], key=lambda one: one[0]):
            lines += [f"if {test}:"] if test else []
            lines += [f"    {line}" if test else line for _, line in some]
        return lines

    # ---- statements

    def visit_For(self, node: ast.For) -> None:
        assert isinstance(node.iter, ast.Call)
        name, bounds = ast.unparse(node.target), [self.visit(argument).value for argument in node.iter.args]
        for value in range(*bounds):
            self.places[name] = value
            self.run(node.body)
        self.places.pop(name, None)

    def visit_If(self, node: ast.If) -> None:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            self.run(node.body if test.value else [])
        elif not isinstance(node.test, ast.Compare) or not isinstance(node.test.ops[0], ast.NotEq):
            raise DerivationError(f"no program for one size alone with the condition {ast.unparse(test)}")
        elif self.lanes:  # what follows a mask is multiplied by it, and lanes have no branches
            self.run(node.body)
        else:
            self._run_if(ast.unparse(test), node.body)

    def _run_if(self, test: str, body: Sequence[ast.stmt]) -> None:
        """Statements under a condition; variables that they change have their values before it."""
        state = self.known, self.assignments, self.read, self.written
        self.known, self.assignments, self.read, self.written = {**self.known}, [*self.assignments], {**self.read}, {}
        self.run(body)
        changed = [name for name in state[0] if name in self.written]
        self.known, self.assignments, self.read, self.written = state
        self.settle(changed)
        self.test = test
        self.run(body)
        self.settle([name for name in self.written if name in self.known and (name in changed or name in self.read)])
        self.test = None

    def visit_Assign(self, node: ast.Assign) -> None:
        [target] = node.targets
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and target.slice.value is ...:
            names = (self.elements(ast.unparse(array)) for array in (target.value, node.value))
            for left, right in zip(*names, strict=True):
                self.let(left, self._variable(right))
        else:
            value = self.visit(node.value)
            self.let(self._name(target), value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        name, value = self._name(node.target), self.visit(node.value)
        self.let(name, self._fold(self._variable(name), node.op, value))

    def visit_Pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def let(self, name: str, value: ast.expr) -> None:
        """An assignment; a number or another variable is only noted until it changes or is asked for."""
        self.known.pop(name, None)
        self.settle([other for other, same in self.known.items() if isinstance(same, ast.Name) and same.id == name])
        self.written[name] = None
        if (number := _number(value)) is not None:
            self.known[name] = ast.Constant(float(number))
        elif isinstance(value, ast.Name):
            self.known[name] = value
        else:
            self.assignments.append((name, value, self.test))

    # ---- formulas

    def _name(self, target: ast.expr) -> str:
        name = ast.unparse(target)
        return element(ast.unparse(target.value), self._place(target)) if isinstance(target, ast.Subscript) else name

    def _place(self, node: ast.Subscript) -> tuple[int, ...]:
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return tuple(self.visit(place).value for place in places)

    def _variable(self, name: str) -> ast.expr:
        if name in self.known:
            return self.known[name]
        if name not in self.written:
            self.read[name] = None
        return ast.Name(name)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        for numbers in (self.places, self.sizes):
            if node.id in numbers:
                return ast.Constant(numbers[node.id])
        return self._variable(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name = ast.unparse(node.value)
        if name in self.rows:
            time, *places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return ast.Name(self.given(name, time, [self.visit(place).value for place in places]))
        place = self._place(node)
        if name in self.constants:
            return ast.Constant(float(self.constants[name][place]))
        return self._variable(element(name, place))

    def given(self, name: str, time: ast.expr, places: Sequence[int]) -> str:
        """An element of step t of a sequence, as text; the array is flat. DerivationError: another step is read."""
        if ast.unparse(time) != "t":
            raise DerivationError(f"no program for one size alone that reads the row {ast.unparse(time)} of {name}")
        shape = self.rows[name]
        width, place = int(np.prod(shape, dtype=int)), int(np.ravel_multi_index(places, shape)) if shape else 0
        text = "t" if width == 1 else f"t * {width} + {place}" if place else f"t * {width}"
        if self.lanes:
            text = f"{f'({text})' if width > 1 else text} * LANES + lane"
        return f"{name}[{text}]"

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Call(node.func, [self.visit(argument) for argument in node.args], [])

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return self._fold(self.visit(node.left), node.op, self.visit(node.right))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        inner = self.visit(node.operand)
        return ast.UnaryOp(node.op, inner) if (number := _number(inner)) is None else ast.Constant(-number)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        [sign], [right] = node.ops, node.comparators
        return self._fold(self.visit(node.left), sign, self.visit(right))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        parts = [self.visit(value) for value in node.values]
        if all(isinstance(part, ast.Constant) for part in parts):
            return ast.Constant(all(part.value for part in parts))
        return ast.BoolOp(node.op, parts)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return self.visit(node.body if test.value else node.orelse)
        return ast.IfExp(test, self.visit(node.body), self.visit(node.orelse))

    @staticmethod
    def _fold(left: ast.expr, sign: ast.operator | ast.cmpop, right: ast.expr) -> ast.expr:
        """An operation, computed if both sides are known, left out if it changes nothing."""
        a, b = map(_number, (left, right))
        match sign:
            case _ if a is not None and b is not None:
                return ast.Constant(FOLDED[type(sign)](a, b))
            case ast.Mult() if 0 in (a, b):
                return ast.Constant(0.0)
            case ast.Mult() | ast.Add() if a == (1 if isinstance(sign, ast.Mult) else 0):
                return right
            case ast.Mult() | ast.Div() if b == 1:
                return left
            case ast.Add() | ast.Sub() if b == 0:
                return left
            case ast.Sub() if a == 0:
                return ast.UnaryOp(ast.USub(), right)
            case ast.cmpop():
                return ast.Compare(left, [sign], [right])
        return ast.BinOp(left, sign, right)


def _number(node: ast.expr) -> Any:
    """The value of a number, None for any other formula."""
    return node.value if isinstance(node, ast.Constant) else None


def element(name: str, place: Iterable[int]) -> str:
    """The variable of an element."""
    return f"{name}__{'_'.join(map(str, place))}"
