"""A program in JavaScript, statement by statement the one in Python: for pages that compute in the browser.

Arrays are nested, an axis at a time; one without axes has the one element 0. Only what programs are made of is known.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from itertools import chain

SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "===",
    ast.NotEq: "!==",
    ast.And: "&&",
}
BINDS = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 2, ast.Pow: 3}
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


class _Translator(ast.NodeVisitor):
    """Writes the statements of a text that the writer of programs has made."""

    def __init__(self, text: str):
        self.tree, self.text = ast.parse(text), text
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        self.comments = {token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT}
        self.declared: list[set[str]] = [set()]

    def module(self) -> Iterator[str]:
        """All lines."""
        yield f"// {ast.get_docstring(self.tree)}"
        for node in self.tree.body[1:]:
            if isinstance(node, ast.FunctionDef):
                yield from ("", *self.visit(node))
            elif isinstance(node, ast.Assign):
                yield f"const {self.visit(node.targets[0])} = {self.visit(node.value)};"

    def generic_visit(self, node: ast.AST) -> str:
        """TypeError: a node that no program has."""
        raise TypeError(f"no JavaScript for {ast.dump(node)}")

    # ---- statements: lists of lines

    def _block(self, head: str, body: list[ast.stmt], known: set[str] | None = None, foot: str = "}") -> list[str]:
        self.declared.append(known or set())
        lines = list(chain.from_iterable(map(self._with_comments, body)))
        self.declared.pop()
        return [f"{head} {{", *(f"  {line}" for line in lines), foot]

    def _with_comments(self, node: ast.stmt) -> Iterator[str]:
        """A statement, the comments above it before it."""
        for line in sorted(line for line in self.comments if line <= node.lineno):
            yield f"// {self.comments.pop(line)}"
        yield from self.visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[str]:
        names = [argument.arg for argument in node.args.args]
        return self._block(f"function {node.name}({', '.join(names)})", node.body, {*names})

    def visit_For(self, node: ast.For) -> list[str]:
        name, (start, stop) = node.target.id, self._range(node.iter.args)
        return self._block(f"for (let {name} = {start}; {name} < {stop}; {name}++)", node.body, {name})

    def _range(self, arguments: list[ast.expr]) -> tuple[str, str]:
        match [self.visit(argument) for argument in arguments]:
            case [stop]:
                return "0", stop
            case [start, stop]:
                return start, stop
        raise TypeError(f"no JavaScript for a loop over {ast.unparse(arguments)}")

    def visit_If(self, node: ast.If) -> list[str]:
        return self._block(f"if ({self.visit(node.test)})", node.body)

    def visit_Assign(self, node: ast.Assign) -> list[str]:
        [target] = node.targets
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant) and target.slice.value is ...:
            return [f"copy({self.visit(node.value)}, {self.visit(target.value)});"]
        new = isinstance(target, ast.Name) and target.id not in set().union(*self.declared)
        if new:
            self.declared[-1].add(target.id)
        return [f"{'let ' if new else ''}{self.visit(target)} = {self.visit(node.value)};"]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[str]:
        return [f"{self.visit(node.target)} {SIGNS[type(node.op)]}= {self.visit(node.value)};"]

    def visit_Return(self, node: ast.Return) -> list[str]:
        return [f"return {self.visit(node.value)};"]

    def visit_Expr(self, node: ast.Expr) -> list[str]:
        return [f"{self.visit(node.value)};"]

    def visit_Pass(self, node: ast.Pass) -> list[str]:
        return []

    # ---- expressions: text

    def visit_Name(self, node: ast.Name) -> str:
        return node.id

    def visit_Constant(self, node: ast.Constant) -> str:
        return repr(node.value)

    def visit_Attribute(self, node: ast.Attribute) -> str:
        """A number is its own real part."""
        return (
            f"Math.{node.attr}"
            if isinstance(node.value, ast.Name) and node.value.id == "np"
            else self.visit(node.value)
        )

    def visit_Subscript(self, node: ast.Subscript) -> str:
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return self.visit(node.value) + ("".join(f"[{self.visit(place)}]" for place in places) or "[0]")

    def visit_Call(self, node: ast.Call) -> str:
        match ast.unparse(node.func), node.args:
            case "len", [array]:
                return f"{self.visit(array)}.length"
            case "np.zeros", [ast.Tuple(elts=sizes)]:
                return f"zeros({', '.join(map(self.visit, sizes))})"
            case "abs", [number]:
                return f"Math.abs({self.visit(number)})"
        return f"{self.visit(node.func)}({', '.join(map(self.visit, node.args))})"

    def visit_Tuple(self, node: ast.Tuple) -> str:
        return f"[{', '.join(map(self.visit, node.elts))}]"

    def visit_BinOp(self, node: ast.BinOp) -> str:
        left, right = (self._within(part, node) for part in (node.left, node.right))
        return f"{left} {SIGNS[type(node.op)]} {right}"

    def _within(self, part: ast.expr, whole: ast.BinOp) -> str:
        """A part of an operation, in brackets unless it binds more strongly."""
        if isinstance(part, ast.BinOp):
            inner, outer = BINDS[type(part.op)], BINDS[type(whole.op)]
            second = whole.left if isinstance(whole.op, ast.Pow) else whole.right
            loose = inner < outer or (inner == outer and part is second)
        else:
            loose = isinstance(part, ast.UnaryOp) and isinstance(whole.op, ast.Pow)
        return f"({self.visit(part)})" if loose else self.visit(part)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        inner = self.visit(node.operand)
        return f"-({inner})" if isinstance(node.operand, ast.BinOp | ast.IfExp) else f"-{inner}"

    def visit_Compare(self, node: ast.Compare) -> str:
        [sign], [right] = node.ops, node.comparators
        return f"{self.visit(node.left)} {SIGNS[type(sign)]} {self.visit(right)}"

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        return f" {SIGNS[type(node.op)]} ".join(map(self.visit, node.values))

    def visit_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.visit(node.test)} ? {self.visit(node.body)} : {self.visit(node.orelse)})"
