"""Formulas as HTML for the page and as plain text for the terminal, both from the expressions that were checked."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence

from sympy import Add, Equality, Expr
from sympy.core.basic import Basic

from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.formulas.domains import Domain, Index, Node
from throughtime.derivation.formulas.nodes import Truncated
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.judging.checks import AtMost, formula_of
from throughtime.derivation.printing.lines import broken, cost, width
from throughtime.derivation.printing.plain import plain_latex, plain_text
from throughtime.derivation.printing.printer import to_latex, to_latex_lines, to_text

Chain = Sequence[Expr]
LE = r"\le"
COLUMN = 25.5  # em: the column of a wide screen, without the tag of the equation, which takes room on both sides
TAG = 2.5  # em: what an equation without a tag may have more; each further number takes as much, on both sides
APART = 12.0  # what a left side on a line of its own has to spare the right sides (`lines.cost`)
LEAST = 18.0  # em: a right side with less room than this starts on a line of its own
# Formulas of a derivation and their reasons in two columns, where no style sheet of the site says otherwise.
COLUMNS = "display:grid;grid-template-columns:auto auto;place-content:start;place-items:center start;column-gap:2em"


def display(tex: str) -> str:
    """A displayed formula inside an HTML output."""
    return f'<div class="math notranslate nohighlight">\\[{html.escape(tex, quote=False)}\\]</div>'


def inline(tex: str) -> str:
    """A formula in running text inside an HTML output."""
    return f'<span class="math notranslate nohighlight">\\({html.escape(tex, quote=False)}\\)</span>'


def prose(text: str) -> str:
    """Plain words with formulas between dollar signs, as HTML."""
    pieces = re.split(r"\$([^$]+)\$", text)
    return "".join(inline(p) if place % 2 else html.escape(p, quote=False) for place, p in enumerate(pieces))


def formula(expr: Basic, *, as_printed: bool = False, room: float | None = None) -> str:
    """LaTeX of an engine formula or of a plain SymPy one; without `room` (in em) it has that of an untagged one."""
    room = COLUMN + TAG if room is None else room
    if not expr.has(Node):
        return _plain_formula(expr, room)
    if not isinstance(expr, Equality):
        return to_latex(expr, as_printed=as_printed)
    left, right = expr.args
    first, sign = to_latex(left, as_printed=as_printed), _equals(left, as_printed)
    beside, below = room - width(f"{first} {sign}"), room - width(rf"\quad {sign}")
    if all(width(line) <= beside for line in _lines(right, as_printed, beside)):
        return f"{first} {sign} {_fitted(right, as_printed, beside)}"
    start, *further = _lines(right, as_printed, below)
    return _aligned([f"& {first}", rf"& \quad {sign} {start}", *(rf"& \quad {line}" for line in further)])


def _plain_formula(expr: Basic, room: float) -> str:
    """A plain formula that is too wide goes on in further lines, an equation with its right side."""
    tex = plain_latex(expr)
    if width(tex) <= room or r"\begin" in tex:
        return tex
    if not isinstance(expr, Equality):
        return _aligned([f"& {line}" for line in broken(tex, room)])
    left, right = map(plain_latex, expr.args)
    first, *further = broken(right, room - width(r"\quad ="))
    return _aligned([f"& {left}", rf"& \quad = {first}", *(rf"& \quad {line}" for line in further)])


def _aligned(lines: list[str]) -> str:
    return r"\begin{aligned}[t] " + r" \\ ".join(lines) + r"\end{aligned}" if len(lines) > 1 else lines[0][2:]


def _fitted(expr: Basic, as_printed: bool, room: float) -> str:
    """A formula in as many lines as it takes."""
    if not expr.has(Node):
        return formula(expr, as_printed=as_printed)
    return _aligned([f"& {line}" for line in _lines(expr, as_printed, room)])


def _lines(expr: Basic, as_printed: bool, room: float) -> list[str]:
    """One line for each term of a sum that is too wide, and more for a product."""
    tex = formula(expr, as_printed=as_printed)
    if width(tex) <= room:
        return [tex]
    terms = to_latex_lines(expr, as_printed=as_printed) if isinstance(expr, Add) else [tex]
    return [line for term in terms for line in broken(term, room)]


def _equals(left: Basic, as_printed: bool) -> str:
    """The sign of equality; the sources have one of their own where a derivative is truncated."""
    unnamed = (all(cut.label == "tr" for cut in node.args[2:]) for node in left.atoms(Truncated))
    return r"\approx_{\mathrm{tr}}" if as_printed and any(unnamed) else "="


def chains_tex(chains: Iterable[Chain], tag: str | None, *, as_printed: bool = False) -> str:
    """Chains of equal formulas, aligned at their signs of equality."""
    lines = []
    chains = list(chains)
    column = COLUMN - 2 * TAG * tag.count(",") if tag else COLUMN + TAG
    indent = max((width(formula(left, as_printed=as_printed)) for left, *_ in chains), default=0) + width("=")
    beside, below = column - indent, column - width(r"\quad =")
    members = [m for _, *right in chains for m in map(formula_of, right) if m.has(Node)]
    apart = beside < LEAST and any(width(formula(m, as_printed=as_printed)) > beside for m in members)
    apart = apart or _cost(members, as_printed, beside) - _cost(members, as_printed, below) > APART * len(chains)
    room = below if apart else beside
    for (left, *right), ranges in zip(chains, _own_ranges(chains), strict=True):
        first = formula(left, as_printed=as_printed, room=column)
        first = _fitted(left, as_printed, column) if apart and width(first) > column else first
        sign = _equals(left, as_printed)
        lead = r"& \quad " if apart else "&"
        signs = (LE if isinstance(m, AtMost) else sign for m in right)
        rest = [f"{lead}{s} {_fitted(formula_of(m), as_printed, room)}" for s, m in zip(signs, right, strict=True)]
        if rest and ranges:
            shown = rf"\quad ({', '.join(_range(i, to_latex, LE) for i in ranges)})"
            fits = width(formula(formula_of(right[-1]), as_printed=as_printed)) + width(shown) <= room
            rest[-1] += f" {shown}" if fits else rf" \\ & {shown}"
        lines += [f"& {first}", *rest] if apart or not rest else [f"{first} {rest[0]}", *rest[1:]]
    body = r" \\[4pt] ".join(lines)
    return f"\\begin{{aligned}}{body}\\end{{aligned}}" + (f"\\tag{{{tag}}}" if tag else "")


def _cost(members: Iterable[Basic], as_printed: bool, room: float) -> float:
    return sum(cost(formula(m, as_printed=as_printed), room) for m in members if not isinstance(m, Add))


def _own_ranges(chains: Sequence[Chain]) -> list[list[Index]]:
    """Letters of each chain that run over another range in some other chain, as in a definition by cases."""
    letters = [sorted((i for i in free(left) if isinstance(i, Index)), key=str) for left, *_ in chains]
    ranges: dict[str, set[Domain]] = {}
    for index in (index for mine in letters for index in mine):
        ranges.setdefault(index.name, set()).add(index.domain)
    return [[index for index in mine if len(ranges[index.name]) > 1] for mine in letters]


def _range(index: Index, write: Callable[[Expr], str], at_most: str) -> str:
    """The range of a letter as an inequality."""
    before = index.domain.lower - 1
    return (f"{write(before)} < " if before != 0 else "") + f"{write(index)} {at_most} {write(index.domain.upper)}"


def head(*parts: str) -> str:
    """Head of a box; signs that the site hides keep its parts, which are HTML, apart."""
    return "<header>" + '<span class="tt-apart"> · </span>'.join(parts) + "</header>"


def fold(summary: str, body: str) -> str:
    """Folded HTML, which the reader opens; in JupyterLab an extension takes the triangle from every summary."""
    return f'<details><summary style="list-style:revert">{summary}</summary>{body}</details>'


def bundle(body: str, text: str) -> dict[str, str]:
    """MIME bundle of a derivation or proof: HTML, and the same as text."""
    return {"text/html": f'<div class="tt-derivation">{body}</div>', "text/plain": text}


def derivation_html(derivation: Derivation) -> str:
    """A derivation line by line, each with its reason, small steps folded."""
    with derivation.order:
        rows = [f'{display(to_latex(derivation.left))}<div class="tt-reason"></div>']
        for line in derivation.lines:
            detail = "".join(display(chains_tex([chain], None)) for chain in line.detail)
            small = fold("small steps", detail) if detail else ""
            reason = f'<div class="tt-reason">{prose(line.reason)}{small}</div>'
            shown = display(f"= {_fitted(line.expr, False, COLUMN + TAG - width('='))}")
            rows.append(shown + reason)
    return f'<div class="tt-steps" style="{COLUMNS}">{"".join(rows)}</div>'


def chains_text(chains: Iterable[Chain]) -> list[str]:
    """Chains as plain text, one line a member."""
    lines = []
    chains = list(chains)
    for (left, *right), ranges in zip(chains, _own_ranges(chains), strict=True):
        rest = [f"{'<=' if isinstance(m, AtMost) else '='} {plain(formula_of(m))}" for m in right]
        if rest and ranges:
            rest[-1] += f"   ({', '.join(_range(i, to_text, '<=') for i in ranges)})"
        lines.append(" ".join([f"  {plain(left)}", *rest[:1]]))
        lines += [f"    {text}" for text in rest[1:]]
    return lines


def plain(expr: Basic) -> str:
    """A formula as plain text."""
    return to_text(expr) if expr.has(Node) else plain_text(expr)


def counted(number: int, noun: str) -> str:
    """A number and its noun."""
    return f"{number} {noun}{'s' * (number != 1)}"
