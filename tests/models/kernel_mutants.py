"""Mutants of the compiled loops, to see that the checks of a model reject them."""

import ast
import types
from collections.abc import Iterator
from pathlib import Path

OPPOSITE = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult}
OTHER_TIME = {"now": "before", "before": "now"}


class Mutation(ast.NodeTransformer):
    """Make the n-th change that a source offers, and describe it.

    A changed sign, a product made a sum, a lost factor f', a lost term, a doubled number, a shifted time.
    """

    def __init__(self, n: int) -> None:
        self.left = n
        self.description = ""
        self.times: set[str] = set()  # the names of times that the present function knows

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.times = OTHER_TIME.keys() & {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        return self.generic_visit(node)

    def _change(self, node: ast.AST, changed: ast.AST) -> ast.AST:
        self.left -= 1
        if self.left != -1:
            return node
        self.description = f"{ast.unparse(node)} -> {ast.unparse(changed)}"
        return ast.copy_location(changed, node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        swapped = OPPOSITE.get(type(node.op))
        return self._change(node, ast.BinOp(node.left, swapped(), node.right)) if swapped else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        node = self._change(node, ast.AugAssign(node.target, ast.Sub(), node.value))
        return self._change(node, ast.Pass())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_slope = isinstance(node.func, ast.Name) and node.func.id == "slope"
        return self._change(node, ast.Constant(1.0)) if is_slope else node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_factor = isinstance(node.value, float) and node.value != 0.0
        return self._change(node, ast.Constant(2.0 * node.value)) if is_factor else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        is_time = isinstance(node.ctx, ast.Load) and {node.id, OTHER_TIME.get(node.id)} <= self.times
        return self._change(node, ast.Name(OTHER_TIME[node.id], node.ctx)) if is_time else node


def mutants(module: types.ModuleType) -> Iterator[tuple[str, types.ModuleType]]:
    """Every mutant of a module of kernels, with a description; plain Python, so nothing is compiled."""
    source = Path(module.__file__).read_text(encoding="utf-8")
    source = source.replace("from throughtime.models._jit import kernel\n", "kernel = lambda function: function\n")
    assert "_jit" not in source
    n = 0
    while True:
        mutation = Mutation(n)
        tree = ast.fix_missing_locations(mutation.visit(ast.parse(source)))
        if not mutation.description:
            return
        mutant = types.ModuleType(module.__name__)
        mutant.__package__ = module.__package__
        exec(compile(tree, f"<mutant {n}>", "exec"), vars(mutant))
        yield mutation.description, mutant
        n += 1
