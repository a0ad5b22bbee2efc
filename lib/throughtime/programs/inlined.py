"""The passes written out where a batch calls them, for the compiler.

LLVM optimizes a called function by itself and once more in the one that calls it: of a program's compilation that was
a third.
"""

import ast
from copy import deepcopy
from types import CodeType

CALLER, CALLED = "batch", ("forward", "bptt")


class Renamed(ast.NodeTransformer):
    """Other names for some variables."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node


class Substituted(ast.NodeTransformer):
    """The body of a function where it is called as a statement; what is its own has its name behind it."""

    def __init__(self, functions: dict[str, ast.FunctionDef]) -> None:
        self.functions = functions

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        match node.value:
            case ast.Call(func=ast.Name(id=name), args=values) if name in self.functions:
                called = deepcopy(self.functions[name])
            case _:
                return node
        given = dict(zip((one.arg for one in called.args.args), values, strict=True))
        own = {one for one, value in given.items() if not (isinstance(value, ast.Name) and value.id == one)}
        own |= {one.id for one in ast.walk(called) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        names = {one: f"{one}__{name}" for one in own}
        start: list[ast.stmt] = [
            ast.Assign([ast.Name(names[one], ast.Store())], value) for one, value in given.items() if one in own
        ]
        return [*start, *(Renamed(names).visit(line) for line in called.body)]


def inlined(text: str, path: str) -> CodeType:
    """The code of a program in whose batch the passes are written out."""
    tree = ast.parse(text)
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    if CALLER in functions:
        Substituted({name: one for name, one in functions.items() if name in CALLED}).visit(functions[CALLER])
    return compile(ast.fix_missing_locations(tree), path, "exec")
