"""Long functions in parts: what is alike but for names becomes one function, which is compiled once.

A program that carries derivatives forward has each equation once for each weight, and the time to compile a function
grows faster than its text.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

LONG = 150  # lines of a function that stays whole
BLOCK = 8  # lines of a part that is there once

Run = Sequence[ast.stmt]
Named = Mapping[ast.stmt, Counter[str]]  # how often a statement names each variable


def in_parts(text: str, sizes: Collection[str], long: int | None = None) -> list[str]:
    """A function as the functions of its parts, and itself with calls of them; `sizes` are names of whole numbers.

    One of at most `long` lines, or `LONG`, stays whole.
    """
    lines = text.split("\n")
    if len(lines) <= (LONG if long is None else long):
        return [text]
    [whole] = ast.parse(text).body
    assert isinstance(whole, ast.FunctionDef)
    alike: dict[str, list[_Part]] = {}
    inside = {node: Counter(_names(node)) for node in ast.walk(whole) if isinstance(node, ast.stmt)}
    for run in _runs(whole.body, inside, inside[whole], {one.arg for one in whole.args.args}):
        part = _Part(run, sizes)
        alike.setdefault(part.form, []).append(part)
    texts: list[str] = []
    calls: dict[int, tuple[int, str]] = {}  # first line of a part: its last line, and the call
    for found in alike.values():
        if len(found) > 1 or found[0].last - found[0].first >= BLOCK:
            name = f"_{whole.name}_{len(texts) + 1}"
            slots = zip(*(one.slots for one in found), strict=True)
            taken = [k for k, some in enumerate(slots) if _varies(some, sizes)]
            texts.append(found[0].function(name, taken))
            calls |= {one.first: (one.last, one.call(name, taken)) for one in found}
    kept, place = [], 1
    while place <= len(lines):
        last, line = calls.get(place, (place, lines[place - 1]))
        kept.append(line)
        place = last + 1
    return [*texts, "\n".join(kept)]


def _names(*nodes: ast.AST) -> Iterator[str]:
    return (one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name))


def _assigned(run: Run, kind: type[ast.stmt]) -> set[str]:
    """The variables that statements of a kind set, loops and sums within others included."""
    found = (one for node in run for one in ast.walk(node) if isinstance(one, kind))
    targets = (target for one in found for target in getattr(one, "targets", [getattr(one, "target", None)]))
    return {name for one in targets if not isinstance(one, ast.Subscript) for name in _names(one)}


def _runs(body: Run, named: Named, uses: Mapping[str, int], arrays: Collection[str]) -> Iterator[Run]:
    """Statements that can stand elsewhere: a loop or product, with those before and after that share its variables."""
    place = 0
    while place < len(body):
        run = _closed(body[place:], named, uses)
        if not run and isinstance(node := body[place], ast.If | ast.For):
            yield from _runs(node.body, named, uses, arrays)
        elif _works(run) and _assigned(run, ast.AugAssign) <= {*arrays, *_assigned(run, ast.Assign)}:
            yield run
        place += len(run) or 1


def _works(run: Run) -> bool:
    """Whether there is more than formulas of single numbers: a loop or a product."""
    return any(not isinstance(one, ast.Assign | ast.AugAssign) or isinstance(one.value, ast.Call) for one in run)


def _closed(body: Run, named: Named, uses: Mapping[str, int]) -> Run:
    """The first statements of which no other reads a variable; none where time goes on or there is a condition."""
    inside, own = Counter[str](), set[str]()
    for count, node in enumerate(body, 1):
        if isinstance(node, ast.If) or (isinstance(node, ast.For) and ast.unparse(node.target) in ("t", "back")):
            return []
        inside.update(named[node])
        own |= _assigned([node], ast.Assign)
        if all(inside[name] == uses[name] for name in own):
            return body[:count]
    return []


class _Part(ast.NodeTransformer):
    """Statements in a form in which names are counted: variables of their own, and what they read, in `slots`."""

    def __init__(self, run: Run, sizes: Collection[str]):
        self.first, self.last, self.indent = run[0].lineno, run[-1].end_lineno or 0, " " * run[0].col_offset
        self.sizes, self.slots = sizes, list[str]()
        self.own = dict.fromkeys([*_assigned(run, ast.Assign), *_assigned(run, ast.For)], "")
        self.form = "\n".join(ast.unparse(self.visit(deepcopy(one))) for one in run)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name | ast.BinOp) and (names := {*_names(node)}) and names <= {*self.sizes}:
            return self._slot(node)
        return super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        kept = node.func if isinstance(node.func, ast.Name) else self.visit(node.func)
        return ast.Call(kept, [self.visit(one) for one in node.args], [])

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id == "np":
            return node
        if node.id not in self.own:
            return self._slot(node)
        self.own[node.id] = self.own[node.id] or f"_own{sum(map(bool, self.own.values()))}"
        return ast.Name(self.own[node.id])

    def _slot(self, node: ast.AST) -> ast.Name:
        if (text := ast.unparse(node)) not in self.slots:
            self.slots.append(text)
        return ast.Name(f"_slot{self.slots.index(text)}")

    def function(self, name: str, taken: Sequence[int]) -> str:
        """A function of the slots that are taken, in the names of these statements."""
        names = {counted: own for own, counted in self.own.items()}
        names |= {f"_slot{k}": text for k, text in enumerate(self.slots)}
        names |= {f"_slot{k}": f"_size{k}" for k in taken if {*_names(ast.parse(self.slots[k]))} <= {*self.sizes}}
        body = _Named({counted: ast.parse(text, mode="eval").body for counted, text in names.items()})
        lines = ast.unparse(body.visit(ast.parse(self.form))).split("\n")
        return "\n".join(
            [f"def {name}({', '.join(names[f'_slot{k}'] for k in taken)}):", *(f"    {one}" for one in lines)]
        )

    def call(self, name: str, taken: Sequence[int]) -> str:
        """A call of that function in the place of these statements."""
        return f"{self.indent}{name}({', '.join(self.slots[k] for k in taken)})"


class _Named(ast.NodeTransformer):
    """Puts formulas in the place of names."""

    def __init__(self, formulas: Mapping[str, ast.expr]):
        self.formulas = formulas

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.formulas.get(node.id, node)


def _varies(some: Sequence[str], sizes: Collection[str]) -> bool:
    """Whether a slot is passed on: an array, or a size that is not the same everywhere."""
    return len({*some}) > 1 or not {*_names(ast.parse(some[0]))} <= {*sizes}
