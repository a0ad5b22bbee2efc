"""Width of a formula on the page, and its line breaks.

Widths are estimated in em from the symbols that are drawn, not from the length of the LaTeX that draws them.
"""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_TOKEN = re.compile(r"\\(?:left|right)[()|\[\].]|\\[A-Za-z]+\*?|\\.|[^\\]", re.DOTALL)
_SCRIPT = 0.71  # size of a script relative to its base
_SIGNS = "+-=<>"
_EMPTY = {"&", r"\left", r"\right", r"\mathrm", r"\mathbf", r"\tilde", r"\bar", r"\hat", r"\vec", r"\dot", r"\!"}
_EMPTY |= {r"\bigl", r"\bigr", r"\limits", r"\operatorname", r"\displaystyle"}
_WIDTHS = {
    "+": 1.22, "-": 1.22, "=": 1.33, "<": 1.33, ">": 1.33, ",": 0.44, "(": 0.42, ")": 0.42, "[": 0.3, "]": 0.3,
    "|": 0.28, ".": 0.28, "'": 0.3, r"\,": 0.17, r"\;": 0.28, r"\ ": 0.25, r"\quad": 1.0, r"\qquad": 2.0,
    r"\cdot": 0.72, r"\le": 1.33, r"\ge": 1.33, r"\approx": 1.33, r"\cdots": 1.4, r"\dots": 1.4, r"\sum": 1.44,
    r"\prod": 1.28, r"\sin": 1.4, r"\cos": 1.5, r"\tan": 1.6, r"\log": 1.5, r"\exp": 1.7, r"\max": 2.0, r"\lim": 1.6,
    r"\tanh": 2.2, r"\coth": 2.2, r"\leq": 1.33, r"\geq": 1.33, r"\neq": 1.33, r"\in": 1.22, r"\forall": 0.6,
    r"\Rightarrow": 1.6, r"\Leftrightarrow": 1.6, r"\iff": 2.4, r"\wedge": 1.1, r"\Bigl": 0.25, r"\Bigr": 0.25,
    r"\biggl": 0.45, r"\biggr": 0.45,
}  # fmt: skip
_WIDTHS |= {rf"\{side}{bracket}": _WIDTHS[bracket] for side in ("left", "right") for bracket in "()[]|."}
_LIMITS = (r"\sum", r"\prod")
_FRACTIONS = (r"\frac", r"\dfrac")
_TALL = (*_LIMITS, *_FRACTIONS)
_CONNECTIVES = ("Rightarrow", "Leftrightarrow", "iff", "wedge")
_OPEN = ("{", "(", "[", r"\left(", r"\left|", r"\left[", r"\begin")
_CLOSE = ("}", ")", "]", r"\right)", r"\right|", r"\right]", r"\end")
_TIMES = r"\,"
_JOINTS = {_TIMES: r"\cdot ", " + ": "+ ", " - ": "- ", **{rf" \{name} ": rf"\{name} " for name in _CONNECTIVES}}
_JOINTS |= {rf"\ \ \text{{{words}}}": rf"\text{{{words}}}" for words in ("where", "for some", "if")}


def width(tex: str) -> float:
    """The estimated width of a formula in em. Raises ValueError where braces are not closed."""
    try:
        return _row(deque([*(token for token in _TOKEN.findall(tex) if token != " "), "}"]), 1.0)
    except IndexError:
        raise ValueError(f"braces are not closed in {tex}") from None


def _row(tokens: deque[str], size: float) -> float:
    """The width of the symbols up to a closing brace. Here and in the next what is measured leaves the tokens."""
    total = 0.0
    while (token := tokens[0]) != "}":
        base, scripts = _symbol(tokens, size), 0.0
        while tokens[0] in ("_", "^"):  # scripts stand above each other
            tokens.popleft()
            scripts = max(scripts, _symbol(tokens, size * _SCRIPT))
        total += max(base, scripts) if token in _LIMITS else base + scripts
    tokens.popleft()
    return total


def _symbol(tokens: deque[str], size: float) -> float:
    """The width of one symbol, a fraction or what stands between braces."""
    token = tokens.popleft()
    if token == "{":
        return _row(tokens, size)
    if token in _FRACTIONS:
        return max(_symbol(tokens, size), _symbol(tokens, size)) + 0.24 * size
    if token in _EMPTY:
        return 0.0
    if size < 1 and token in _SIGNS:
        size *= 0.64  # no room around signs in scripts
    grown = 0.6 if token.startswith(r"\left") and tokens[0] in _TALL else 0.0  # and the bracket that closes it
    return _WIDTHS.get(token, 0.52) * size + grown


def pieces(tex: str) -> list[tuple[str, str]]:
    """The factors and terms of a formula, each with the sign in front of it; brackets stay whole."""
    found, sign, piece, depth = [], "", "", 0
    for token in _TOKEN.findall(tex):
        depth += (token in _OPEN) - (token in _CLOSE)
        piece += token
        joint = next((joint for joint in _JOINTS if piece.endswith(joint)), piece)
        if depth == 0 and piece != joint:
            found.append((sign, piece[: -len(joint)]))
            sign, piece = joint, ""
    return [*found, (sign, piece)]


# breaks ------------------------------------------------------------------------------------------------------

_PATHS = r"\Bigl["
_BRACKETS = {  # as it is written on one line, and over several
    r"\left(": (r"\right)", r"\biggl(", r"\biggr)"),
    r"\left|": (r"\right|", r"\biggl|", r"\biggr|"),
    _PATHS: (r"\Bigr]", r"\Bigl[", r"\Bigr]"),
    "(": (")", "(", ")"),
}
_LINE, _FACTOR, _OPENING, _TERM, _INSIDE, _IN_SUM, _LAST, _OVERFULL = 10.0, 5.0, 3.0, 1.0, 3.0, 12.0, 4.0, 1_000.0
_RAGGED, _MIXED, _IN_PATHS = 3.0, 12.0, 15.0
_SMALL = 10.0  # em: a bracket as short as y - \hat y stays whole
_NESTED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_SIGN = r"(?: [+-] |-)?"
_HEAD = re.compile(rf"{_SIGN}(?:\\(?:sum|prod)_{_NESTED}\^{_NESTED} )*")
_SUMMED = re.compile(rf"{_SIGN}\\(?:sum|prod)")


class _Mark(NamedTuple):
    """One side of a bracket: as written where both sides stand on one line, and over several; `pair` is the bracket."""

    whole: str
    torn: str
    pair: object


class _Atom(NamedTuple):
    """An unbreakable part: `joint` stands in front of it on a line, `lead` where it begins one."""

    parts: tuple[str | _Mark, ...]
    joint: str
    lead: str
    cost: float
    depth: int

    @property
    def begins_term(self) -> bool:
        """Whether a term begins here, and not a further factor of one."""
        return self.joint not in ("", _TIMES)


def broken(tex: str, room: float) -> tuple[str, ...]:
    """A formula in as few lines as fit into `room` em, those after the first one indented.

    Among as many lines, breaks come before terms, then before brackets and sums, then between factors; a bracket
    too wide for a line goes on in the next one. No factor is left alone at the end if another can go with it.
    """
    return _broken(tex, room)[0]


def cost(tex: str, room: float) -> float:
    """Badness of the line breaks of a formula; 0 where it fits."""
    return _broken(tex, room)[1]


@lru_cache(maxsize=5_000)
def _broken(tex: str, room: float) -> tuple[tuple[str, ...], float]:
    if width(tex) <= room:
        return (tex,), 0.0
    atoms = _atoms(tex, 0)
    best: list[tuple[float, int]] = [(0.0, 0)]  # for each number of atoms: the cost, and where their last line begins
    for end in range(1, len(atoms) + 1):
        best.append(min((best[start][0] + _cost(atoms, start, end, room), start) for start in range(end)))
    cuts = [len(atoms)]
    while cuts[0]:
        cuts.insert(0, best[cuts[0]][1])
    return tuple(_line(atoms, start, end) for start, end in pairwise(cuts)), best[-1][0]


def _cost(atoms: list[_Atom], start: int, end: int, room: float) -> float:
    """Cost of a line of atoms."""
    size = width(_line(atoms, start, end))
    total = _LINE + atoms[start].cost if start else 0.0
    total += _MIXED * _mixed(atoms, start, end)
    if end < len(atoms):
        total += _RAGGED * max(0.0, 1 - size / room) ** 2
    return total + (_OVERFULL * (1 + size - room) if size > room else 0.0)


def _mixed(atoms: list[_Atom], start: int, end: int) -> bool:
    """Whether a line has the beginning or the end of a term that does not fit it beside another one."""
    torn = [atoms[place] for place in (start, end) if 0 < place < len(atoms) and not atoms[place].begins_term]
    return any(atom.begins_term and atom.depth <= cut.depth for cut in torn for atom in atoms[start + 1 : end])


def _line(atoms: list[_Atom], start: int, end: int) -> str:
    """The atoms of a line; brackets that begin and end in it grow with what they hold."""
    parts = [atoms[start].lead if start else "", *atoms[start].parts]
    parts += [part for atom in atoms[start + 1 : end] for part in (atom.joint, *atom.parts)]
    pairs = [part.pair for part in parts if isinstance(part, _Mark)]
    return "".join(
        part if isinstance(part, str) else part.whole if pairs.count(part.pair) == 2 else part.torn for part in parts
    )


def _atoms(tex: str, depth: int) -> list[_Atom]:
    parts = pieces(tex)
    found: list[_Atom] = []
    in_sum = False
    for place, (sign, part) in enumerate(parts):
        bracket, summed = _bracket(part), bool(_SUMMED.match(part))
        if sign == _TIMES:
            last = place + 1 == len(parts) or parts[place + 1][0] != _TIMES
            price = (_OPENING if bracket or summed else _FACTOR + _LAST * last) + _IN_SUM * in_sum
        else:
            price, in_sum = _TERM + (not summed), False
        in_sum = in_sum or summed
        lead = (r"\qquad " if sign == _TIMES else r"\quad ") + r"\quad " * depth + "{} " + _JOINTS.get(sign, "")
        atom = _Atom((part,), sign, lead, price + _INSIDE * depth, depth)
        found += _bracket_atoms(atom, *bracket) if bracket and width(part) > _SMALL else [atom]
    return found


def _bracket_atoms(atom: _Atom, head: str, opening: str, inner: str, end: str) -> list[_Atom]:
    """A bracket torn into what is in it; the first atom takes the place of the whole one."""
    group, pair = _atoms(inner, atom.depth + 1), object()
    if opening == _PATHS:  # paths are one thing
        group = [other._replace(cost=other.cost + _IN_PATHS) for other in group]
    close, wide, wide_close = _BRACKETS[opening]
    group[0] = atom._replace(parts=(head, _Mark(opening, wide, pair), *group[0].parts))
    group[-1] = group[-1]._replace(parts=(*group[-1].parts, _Mark(close + end, wide_close + end, pair)))
    return group


def _bracket(piece: str) -> tuple[str, str, str, str] | None:
    """A bracketed piece as (sign or sums before it, opening, inside, end); None if it has no bracket."""
    head = match[0] if (match := _HEAD.match(piece)) else ""
    opening = next((mark for mark in _BRACKETS if piece.startswith(mark, len(head))), "")
    depth = 0
    for mark in re.finditer("|".join(map(re.escape, (opening, _BRACKETS[opening][0]))), piece) if opening else ():
        depth += 1 if mark[0] == opening else -1
        if mark.start() >= len(head) and depth == 0:
            return head, opening, piece[len(head) + len(opening) : mark.start()], piece[mark.end() :]
    return None
