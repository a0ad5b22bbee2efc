"""What a rule costs: numbers carried from step to step, arithmetic of a step, counted in the text of its program."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import prod
from operator import mul
from typing import NamedTuple

import numpy as np
from sympy import Expr, Matrix, Poly, symbols
from sympy import latex as printed
from throughtime.programs import compile
from throughtime_book.beyond.online_rules import system as s

METHODS = {"exact": "rtrl", "snap": "snap", "rflo": "rflo", "one": "one", "bptt": "bptt"}
n, m = symbols("n m")
Loops = dict[str, int]


class Cost(NamedTuple):
    """Of one step: derivatives carried to the next, and additions and multiplications."""

    carried: int
    operations: int


def program(rule: str, units: int, inputs: int, outputs: int = 1) -> str:
    """The text that runs for a rule of the leaky network."""
    sizes = {s.n: units, s.m: inputs, s.r: outputs}
    given = {"tau": np.array(2.0)}
    system = s.leaky(masked=True)
    net = compile(system, s.loss, sizes, activations={"phi": "tanh"}, given=given, cuts=s.CUTS)
    return net.source(METHODS[rule])


def cost(rule: str, units: int, inputs: int, outputs: int = 1) -> Cost:
    """What a rule costs, counted in its program; a line inside loops counts as often as it runs.

    "bptt" is the adjoint sweep with its forward pass, of which the share of one step is counted.
    """
    tree = ast.parse(program(rule, units, inputs, outputs))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    bodies = (node.body for node in functions if node.name in ("steps", "forward", "bptt"))
    over_time = [node for body in bodies for node in body if isinstance(node, ast.For) and node.target.id == "t"]
    named = {"n": units, "m": inputs, "r": outputs}
    lines = [line for loop in over_time for line in _lines(loop.body, {}, named)]
    moved = [name for name in (_passed_on(line) for line, _ in lines) if name.startswith("d")]
    sizes = {line.targets[0].value.id: prod(loops.values()) for line, loops in lines if _is_set(line)}
    shapes = dict(_shapes(tree, named))
    operations = sum(_arithmetic(line, shapes) * prod(at.values()) for line, at in lines)
    return Cost(sum(sizes[name] for name in moved), operations)


def _lines(body: list[ast.stmt], loops: Loops, named: Loops) -> Iterator[tuple[ast.stmt, Loops]]:
    """Every line with the loops around it, but the one over time."""
    for node in body:
        if isinstance(node, ast.For):
            yield from _lines(node.body, loops | {node.target.id: _size(node.iter.args[0], named)}, named)
        elif isinstance(node, ast.If):
            yield from _lines(node.body, loops, named)
        else:
            yield node, loops


def _is_move(line: ast.stmt) -> bool:
    """Whether a line is `h_1[...] = h`, by which a state becomes that of the previous step."""
    return _is_stored(line) and isinstance(line.value, ast.Name)


def _passed_on(line: ast.stmt) -> str:
    """The array that a line leaves to the next step: by a move, or since each element grows out of itself; or ""."""
    if _is_move(line):
        return line.value.id
    grows = _is_set(line) and ast.unparse(line.targets[0]) in map(ast.unparse, ast.walk(line.value))
    return line.targets[0].value.id if grows else ""


def _is_set(line: ast.stmt) -> bool:
    return _is_stored(line) and not _is_move(line)


def _is_stored(line: ast.stmt) -> bool:
    return isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Subscript)


def _size(node: ast.expr, named: Loops) -> int:
    """A size in the text: a number, or the name of one."""
    return named[node.id] if isinstance(node, ast.Name) else node.value


def _shapes(tree: ast.Module, named: Loops) -> Iterator[tuple[str, list[int]]]:
    """The arrays that the program makes, but those with a row for each of T + 1 times."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("np.zeros("):
            shape = node.value.args[0]
            sizes = getattr(shape, "elts", [])
            if not any(isinstance(one, ast.BinOp) for one in sizes):
                yield ast.unparse(node.targets[0]), [_size(one, named) for one in sizes]


def _influences(line: ast.stmt) -> str:
    """The array of influences in a product."""
    (product,) = (one for one in ast.walk(line) if isinstance(one, ast.Call) and ast.unparse(one.func) == "np.dot")
    return product.args[1].func.value.id


def _arithmetic(line: ast.stmt, shapes: dict[str, list[int]]) -> int:
    """Operations of a line; a product with a vector of the units counts like the loop over its sum."""
    text = ast.unparse(line)
    if "np.dot(" in text:
        target = shapes[line.target.id]  # `gradient += np.dot(vector, influences)`
        return (2 * shapes[_influences(line)][0] + 1) * prod(target)
    inner = (node for node in ast.walk(line) if not isinstance(node, ast.Subscript))
    return sum(isinstance(node, ast.BinOp | ast.AugAssign) for node in inner)


def polynomials(rule: str) -> tuple[Expr, Expr]:
    """Numbers carried and operations as polynomials in n and m, from ten programs of one output."""
    terms = [n**power * m**other for power in range(5) for other in range(2)]
    places = [(units, inputs) for units in range(2, 7) for inputs in (2, 3)]
    system = Matrix([[term.subs({n: units, m: inputs}) for term in terms] for units, inputs in places])
    costs = [cost(rule, units, inputs) for units, inputs in places]
    solved = (system.solve(Matrix([each[which] for each in costs])) for which in range(2))
    carried, operations = (sum(map(mul, found, terms)) for found in solved)
    return carried, operations


def latex(polynomial: Expr) -> str:
    """A polynomial by falling powers of n, those with n + m first."""
    return printed(Poly(polynomial, n, m).as_expr(), order="grlex")
