"""What a step of a program of loops costs, counted in its text: polynomials in the sizes that its loops run to.

A line inside loops counts as often as the product of their ends says. Additions, subtractions, multiplications,
divisions and powers in which a number of the program takes part are operations; what finds a place in an array is none.
"""

import ast
from collections.abc import Iterator

from sympy import Expr, Integer, Poly, symbols
from sympy import latex as printed

n, m = symbols("n m")
SIZES: dict[str, Expr] = {"n": n, "m": m, "r": Integer(1)}  # as a text names them
FORWARD, BACKWARD = ("forward",), ("bptt",)
Line = tuple[ast.stmt, Expr]  # and how often it runs in a step


def _functions(text: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def _of_a_step(text: str, names: tuple[str, ...]) -> list[Line]:
    """The lines of some functions inside a loop over time, which runs to T."""
    bodies = [node for name, function in _functions(text).items() if name in names for node in function.body]
    loops = (node for node in bodies if isinstance(node, ast.For) and "T" in ast.unparse(node.iter))
    return [line for loop in loops for line in _lines(loop.body, Integer(1))]


def _lines(body: list[ast.stmt], times: Expr) -> Iterator[Line]:
    for node in body:
        if isinstance(node, ast.For):
            end = node.iter.args[0]
            yield from _lines(node.body, times * (SIZES[end.id] if isinstance(end, ast.Name) else end.value))
        elif isinstance(node, ast.If):
            yield from _lines(node.body, times)
        elif ast.unparse(node) != "t = T - back":  # in a sweep
            yield node, times


def operations(text: str, names: tuple[str, ...] = ("steps", *FORWARD, *BACKWARD), *, functions: bool = False) -> Expr:
    """Operations of a step in some functions of a program; with `functions`, a call of one counts, and a minus sign."""
    counted = (ast.BinOp, ast.AugAssign, *((ast.Call, ast.UnaryOp) if functions else ()))

    def of(node: ast.AST) -> int:
        if isinstance(node, ast.Subscript):
            return 0
        own = isinstance(node, counted) and any(isinstance(part, ast.Name) for part in ast.walk(node))
        return own + sum(map(of, ast.iter_child_nodes(node)))

    return sum((of(line) * times for line, times in _of_a_step(text, names)), Integer(0)).expand()


def handed_on(text: str) -> Expr:
    """How many derivatives are left to the next step: by a move, or where elements grow."""
    sizes, moved = {}, []
    for line, times in _of_a_step(text, ("steps",)):
        if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Subscript):
            continue
        name, element = line.targets[0].value.id, ast.unparse(line.targets[0])
        if element.endswith("[...]"):  # h_1[...] = h
            moved.append(line.value.id)
            continue
        sizes[name] = times
        if element in map(ast.unparse, ast.walk(line.value)):
            moved.append(name)
    return sum((sizes[name] for name in moved if name.startswith("d")), Integer(0)).expand()


def weights(text: str) -> Expr:
    """How many weights a program has a gradient for."""
    body = _functions(text)["gradient"].body
    made = (line for line in body if isinstance(line, ast.Assign) and ast.unparse(line.value).startswith("np.zeros"))
    shapes = {line.targets[0].id: line.value.args[0].elts for line in made}
    found = Integer(0)
    for part in body[-1].value.elts:
        if isinstance(part, ast.Name) and part.id in shapes:
            size = Integer(1)
            for end in shapes[part.id]:
                size *= SIZES[end.id]
            found += size
    return found


def latex(polynomial: Expr) -> str:
    """A polynomial by falling powers of n, those with n + m first."""
    return printed(Poly(polynomial, n, m).as_expr(), order="grlex")
