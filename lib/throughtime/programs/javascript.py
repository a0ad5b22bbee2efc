"""A program in JavaScript, statement by statement the one in Python: for pages that compute in the browser.

Arrays are nested, an axis at a time; one without axes has the one element 0. Only what programs are made of is known.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

SIGNS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "===",
    ast.NotEq: "!==",
}
SAME = (  # what both languages write alike
    *(ast.Assign, ast.AugAssign, ast.Return, ast.Expr, ast.Name, ast.Constant, ast.expr_context),
    *(ast.BinOp, ast.UnaryOp, ast.Call, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub),
)
KEPT = """\
function zeros(size, ...rest) {
  if (size === undefined) return new Float64Array(1);
  return rest.length ? Array.from({ length: size }, () => zeros(...rest)) : new Float64Array(size);
}

function copy(from, to) {
  for (let i = 0; i < from.length; i++) {
    if (typeof from[i] === "number") to[i] = from[i];
    else copy(from[i], to[i]);
  }
}
"""


def javascript(text: str) -> str:
    """A program of ``CompiledNetwork.source`` in JavaScript."""
    lines = list(_Translator(text).module())
    return "\n".join([*lines, "", KEPT])


class _Translator:
    """Writes the statements of a text that the writer of programs has made."""

    def __init__(self, text: str):
        self.tree = ast.parse(text)
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        self.comments = {token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT}
        self.declared: list[set[str]] = [set()]

    def module(self) -> Iterator[str]:
        """All lines."""
        yield f"// {ast.get_docstring(self.tree)}"
        for node in self.tree.body[1:]:
            if isinstance(node, ast.FunctionDef):
                yield from ("", *self._statement(node))
            elif isinstance(node, ast.Assign):
                yield f"const {_written(node)};"

    def _block(self, head: str, body: list[ast.stmt], known: set[str] | None = None) -> Iterator[str]:
        """Statements in braces, the comments above each before it."""
        yield f"{head} {{"
        self.declared.append(known or set())
        for node in body:
            above = sorted(line for line in self.comments if line <= node.lineno)
            yield from (f"  // {self.comments.pop(line)}" for line in above)
            yield from (f"  {line}" for line in self._statement(node))
        self.declared.pop()
        yield "}"

    def _statement(self, node: ast.stmt) -> Iterator[str]:
        match node:
            case ast.FunctionDef(name=name):
                names = [argument.arg for argument in node.args.args]
                yield from self._block(f"function {name}({', '.join(names)})", node.body, {*names})
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=[*start, stop])) if len(start) < 2:
                first = _written(start[0]) if start else "0"
                head = f"for (let {name} = {first}; {name} < {_written(stop)}; {name}++)"
                yield from self._block(head, node.body, {name})
            case ast.If(orelse=[]):
                yield from self._block(f"if ({_written(node.test)})", node.body)
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=place)) as target]) if place is ...:
                yield f"copy({_written(node.value)}, {_written(target.value)});"
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in set().union(*self.declared):
                self.declared[-1].add(name)
                yield f"let {_written(node)};"
            case ast.Pass():
                pass
            case _:
                yield f"{_written(node)};"


def _written(node: ast.AST) -> str:
    return ast.unparse(_Formulas().visit(node))


class _Formulas(ast.NodeTransformer):
    """Makes of what JavaScript writes in another way a name, which is its text."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """TypeError: a node that no program has."""
        if not isinstance(node, SAME):
            raise TypeError(f"no JavaScript for {ast.dump(node)}")
        return super().generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A number is its own real part."""
        return ast.Name(f"Math.{node.attr}") if ast.unparse(node.value) == "np" else self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.Name:
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return ast.Name(_written(node.value) + ("".join(f"[{_written(place)}]" for place in places) or "[0]"))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match ast.unparse(node.func), node.args:
            case "len", [array]:
                return ast.Name(f"{_written(array)}.length")
            case "np.zeros", [ast.Tuple(elts=sizes)]:
                return ast.Name(f"zeros({', '.join(map(_written, sizes))})")
            case "abs", [number]:
                return ast.Name(f"Math.abs({_written(number)})")
        return self.generic_visit(node)

    def visit_Tuple(self, node: ast.Tuple) -> ast.Name:
        return ast.Name(f"[{', '.join(map(_written, node.elts))}]")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """There is no sign before a power."""
        if isinstance(node.operand, ast.BinOp):
            node.operand = ast.Name(f"({_written(node.operand)})")
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.Name:
        [sign], [right] = node.ops, node.comparators
        return ast.Name(f"{_written(node.left)} {SIGNS[type(sign)]} {_written(right)}")

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.Name:
        if not isinstance(node.op, ast.And):
            raise TypeError(f"no JavaScript for {ast.dump(node)}")
        return ast.Name(" && ".join(map(_written, node.values)))

    def visit_IfExp(self, node: ast.IfExp) -> ast.Name:
        return ast.Name(f"({_written(node.test)} ? {_written(node.body)} : {_written(node.orelse)})")
