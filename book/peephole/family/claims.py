"""What changes at a branch of the LSTM family, with the new and the lost terms in boxes, ready to be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sympy import Add, Expr
from throughtime.derivation import Definition, Quantity, to_latex, to_latex_lines
from throughtime.systems import lstm_family as s

DESCRIBED = {
    s.source: "sources", s.net_cell: "net input of a cell", s.s: "cell state", s.y_cell: "cell output",
    s.net_out: "net input of an output", s.y: "output", s.unit_cost: "error of an output", s.cost: "error",
}  # fmt: skip
for _name, _words in (("fg", "forget gate"), ("ig", "input gate"), ("og", "output gate")):
    DESCRIBED |= {s.net[_name]: f"net input of the {_words}", s.gate[_name]: _words}

ON_ONE_LINE = 2  # terms

# Of Graves and Schmidhuber (2005), as Greff et al. (2017) write it, with one cell in each block.
VANILLA = replace(s.LSTM2002, name="vanilla LSTM, 2005", squash=True, reads=(), direct=False, bias=True)


def _terms(expr: Expr) -> tuple[Expr, ...]:
    return Add.make_args(expr)


def marked(definition: Definition | None, other: Definition | None) -> str:
    """A definition as LaTeX; terms of its right side that the other one lacks stand in boxes. "none" without one."""
    if definition is None:
        return "none"
    shared = set(_terms(other.right)) if other is not None else set()
    terms = _terms(definition.right)
    lines = to_latex_lines(definition.right) if len(terms) > 1 else [to_latex(definition.right)]
    for term in terms:
        inner = to_latex(term)
        if term not in shared:
            lines = [line.replace(inner, rf"\boxed{{{inner}}}", 1) for line in lines]
    if len(lines) <= ON_ONE_LINE:
        return f"${to_latex(definition.left)} = {' '.join(lines)}$"
    rows = r" \\ & ".join(lines)
    return rf"$\begin{{aligned}}{to_latex(definition.left)} = {{}} & {rows}\end{{aligned}}$"


class Change(NamedTuple):
    """One equation at a branch of the family: before, after, or None where there is none."""

    before: Definition | None
    after: Definition | None


def changes(parent: s.Member, child: s.Member) -> list[Change]:
    """The equations that `child` has otherwise than `parent`, in the order in which a step is computed."""
    old, new = ({item.left: item for item in member.build().check().order()} for member in (parent, child))
    found = [Change(old.get(left), new.get(left)) for left in dict.fromkeys([*new, *old])]
    return [change for change in found if change.before != change.after]


def branch(parent: s.Member, child: s.Member) -> list[list[str]]:
    """Rows (which, equation) under a row that names the quantity, for each equation that changes; no biases."""
    rows = []
    for change in changes(*(replace(member, bias=False) for member in (parent, child))):
        quantity: Quantity = (change.after or change.before).left.quantity
        rows.append(["", f"{DESCRIBED[quantity]}:"])
        rows.append(["before", marked(change.before, change.after)])
        rows.append(["after", marked(change.after, change.before)])
    return rows
