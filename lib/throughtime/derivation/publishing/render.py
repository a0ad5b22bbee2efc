"""Formulas as HTML for the page and as plain text for the terminal, both from the expressions that were checked."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence

from sympy import Equality, Expr
from sympy.core.basic import Basic

from throughtime.derivation.deriving.steps import Derivation
from throughtime.derivation.formulas.chains import AtMost, formula_of
from throughtime.derivation.formulas.domains import Domain, Index, Node
from throughtime.derivation.formulas.nodes import Truncated
from throughtime.derivation.formulas.rewrite import free
from throughtime.derivation.printing.lines import CONNECTIVES, RELATIONS, broken, glyphs, pieces
from throughtime.derivation.printing.plain import plain_latex, plain_text
from throughtime.derivation.printing.printer import to_latex, to_text

Chain = Sequence[Expr]
LE = r"\le"
ROOM = 80  # glyphs: what a line in a box has on a wide screen; a longer one scrolls
FOLDED = 8  # lines: of a longer derivation in a box the middle is folded
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


def formula(expr: Basic, *, as_printed: bool = False) -> str:
    """LaTeX of an engine formula or of a plain SymPy one, on one line."""
    return to_latex(expr, as_printed=as_printed) if expr.has(Node) else plain_latex(expr)


def _equals(left: Basic, as_printed: bool) -> str:
    """The sign of equality; the sources have one of their own where a derivative is truncated."""
    unnamed = (all(cut.label == "tr" for cut in node.args[2:]) for node in left.atoms(Truncated))
    return r"\approx_{\mathrm{tr}}" if as_printed and any(unnamed) else "="


def chains_tex(chains: Iterable[Chain], tag: str | None, *, as_printed: bool = False) -> str:
    """Chains of equal formulas, and single formulas, aligned at their relations if all have one.

    Where a right side would not fit beside its left side, left sides stand on lines of their own.
    """
    chains = [chain[0].args if isinstance(chain[0], Equality) else chain for chain in chains]
    sides = [_sides(chain, as_printed) for chain in chains]
    for (_, right), ranges in zip(sides, _own_ranges(chains), strict=True):
        if right and ranges:
            right[-1] += rf" \quad ({', '.join(_range(i, to_latex, LE) for i in ranges)})"
    room = ROOM - 2 * (len(tag) + 2) if tag else ROOM  # a tag takes room on both sides
    if all(right for _, right in sides):
        beside, parts = room - max(glyphs(left) for left, _ in sides), [part for _, right in sides for part in right]
        widest = max(glyphs(piece) for part in parts for piece in pieces(part))
        apart = beside < max(room // 2, widest) and any(glyphs(part) > beside for part in parts)
    else:
        sides, apart = [(" ".join([left, *right[:1]]), right[1:]) for left, right in sides], True
    rows: list[str] = []
    for left, right in sides:
        if apart:
            rows.append(_rows("& ", left, r"& \quad {}", room))
            rows += [_rows(r"& \quad ", part, r"& \qquad {}", room - 2) for part in right]
        else:
            rows += [_rows(f"{left} &" if n == 0 else "&", part, r"& \quad {}", beside) for n, part in enumerate(right)]
    return aligned(rows) + (f"\\tag{{{tag}}}" if tag else "")


def _sides(chain: Chain, as_printed: bool) -> tuple[str, list[str]]:
    """The left side of a chain, or of a formula that has a relation, and the others, each with its sign."""
    left, *right = chain
    first, sign = formula(left, as_printed=as_printed), _equals(left, as_printed)
    if right:
        signs = (LE if isinstance(member, AtMost) else sign for member in right)
        members = (formula(formula_of(member), as_printed=as_printed) for member in right)
        return first, [f"{sign} {member}" for sign, member in zip(signs, members, strict=True)]
    first, *further = pieces(first, RELATIONS) if len(pieces(first, CONNECTIVES)) == 1 else [first]
    return first, ["".join(further).strip()] if further else []


def _rows(lead: str, tex: str, further: str, room: int) -> str:
    """The lines of one side, the first after its lead."""
    first, *rest = broken(tex, room)
    return r" \\ ".join([lead + first, *(further + line for line in rest)])


def aligned(rows: Iterable[str]) -> str:
    """Rows of formulas with `&` where they are aligned."""
    body = r" \\[4pt] ".join(rows)
    return r"\begin{aligned}" + "{}" * body.startswith("[") + body + r"\end{aligned}"  # else TeX takes it for an option


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


def ranges_said(chains: Iterable[Chain]) -> list[str]:
    """The ranges of all indices on the left sides, in one line."""
    letters = sorted({i for left, *_ in chains for i in free(left) if isinstance(i, Index)}, key=_by_range)
    shown = (f"${i.latex} = {to_latex(i.domain.lower)}, \\dots, {to_latex(i.domain.upper)}$" for i in letters)
    return [", ".join(shown)] if letters else []


def _by_range(letter: Index) -> tuple:
    first = str(letter.domain.lower)
    return letter.name, -len(letter.domain.leaves()), len(first), first, letter.domain.name


def head(*parts: str) -> str:
    """Head of a box; signs that the site hides keep its parts, which are HTML, apart."""
    return "<header>" + '<span class="tt-apart"> · </span>'.join(parts) + "</header>"


def fold(summary: str, body: str) -> str:
    """Folded HTML, which the reader opens; in JupyterLab an extension takes the triangle from every summary."""
    return f'<details><summary style="list-style:revert">{summary}</summary>{body}</details>'


def bundle(body: str, text: str) -> dict[str, str]:
    """MIME bundle of a derivation or proof: HTML, and the same as text."""
    return {"text/html": f'<div class="tt-derivation">{body}</div>', "text/plain": text}


def derivation_html(derivation: Derivation, *, folded: bool = False) -> str:
    """A derivation line by line, each with its reason, small steps folded; `folded`, the middle of a long one too."""
    with derivation.order:
        rows = [f'{display(to_latex(derivation.left))}<div class="tt-reason"></div>']
        for line in derivation.lines:
            detail = "".join(display(chains_tex([chain], None)) for chain in line.detail)
            small = fold("small steps", detail) if detail else ""
            shown = aligned([_rows("& ", f"= {formula(line.expr)}", r"& \quad {}", ROOM)])
            rows.append(f'{display(shown)}<div class="tt-reason">{prose(line.reason)}{small}</div>')
    if not folded or len(derivation.lines) <= FOLDED:
        return _steps(rows)
    first, middle, last = rows[:2], rows[2:-1], rows[-1:]
    return _steps(first) + fold(counted(len(middle), "step"), _steps(middle)) + _steps(last)


def _steps(rows: Iterable[str]) -> str:
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
