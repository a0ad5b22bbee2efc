"""How wide a formula gets on the page, and where it goes on in a further line.

Widths are estimated in em from the symbols that are drawn, not from the length of the LaTeX that draws them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[^\\]", re.DOTALL)
_SCRIPT = 0.71  # size of a script relative to its base
_EMPTY = {"{", "}", "&", " ", r"\left", r"\right", r"\mathrm", r"\mathbf", r"\tilde", r"\bar", r"\hat", r"\bigl"}
_EMPTY |= {r"\bigr", r"\limits", r"\vec", r"\!", r"\operatorname", r"\displaystyle", r"\dot"}
_WIDTHS = {
    "+": 1.22, "-": 1.22, "=": 1.33, "<": 1.33, ">": 1.33, ",": 0.44, "(": 0.42, ")": 0.42, "[": 0.3, "]": 0.3,
    "|": 0.28, ".": 0.28, "'": 0.3, r"\,": 0.17, r"\;": 0.28, r"\ ": 0.25, r"\quad": 1.0, r"\qquad": 2.0,
    r"\cdot": 0.72, r"\le": 1.33, r"\ge": 1.33, r"\approx": 1.33, r"\cdots": 1.4, r"\dots": 1.4, r"\sum": 1.44,
    r"\prod": 1.28, r"\sin": 1.4, r"\cos": 1.5, r"\tan": 1.6, r"\log": 1.5, r"\exp": 1.7, r"\max": 2.0, r"\lim": 1.6,
    r"\tanh": 2.2, r"\coth": 2.2, r"\leq": 1.33, r"\geq": 1.33, r"\neq": 1.33, r"\in": 1.22, r"\forall": 0.6,
    r"\Rightarrow": 1.6, r"\Leftrightarrow": 1.6, r"\iff": 2.4, r"\wedge": 1.1, r"\Bigl": 0.25, r"\Bigr": 0.25,
    r"\biggl": 0.45, r"\biggr": 0.45,
}  # fmt: skip
_LIMITS = (r"\sum", r"\prod")
_TALL = (*_LIMITS, r"\frac")
_CONNECTIVES = ("Rightarrow", "Leftrightarrow", "iff", "wedge")
_OPEN = ("{", "(", "[", r"\begin")
_CLOSE = ("}", ")", "]", r"\end")
_TIMES = r"\,"
_JOINTS = {_TIMES: r"\cdot ", " + ": "+ ", " - ": "- ", **{rf" \{name} ": rf"\{name} " for name in _CONNECTIVES}}
_JOINTS |= {rf"\ \ \text{{{words}}}": rf"\text{{{words}}}" for words in ("where", "for some", "if")}


def width(tex: str) -> float:
    """The estimated width of a formula in em."""
    return sum(_widths(_TOKEN.findall(tex), 1.0))


def _widths(tokens: list[str], size: float) -> Iterator[float]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        place += 1
        if token == r"\frac":
            over, place = _group(tokens, place)
            under, place = _group(tokens, place)
            yield max(sum(_widths(over, size)), sum(_widths(under, size))) + 0.24 * size
            continue
        if token == "{":
            inner, place = _group(tokens, place - 1)
            base = sum(_widths(inner, size))
        elif token in _EMPTY:
            tall = token == r"\left" and tokens[place + 1 : place + 2] and tokens[place + 1] in _TALL
            base = 0.6 if tall else 0.0  # both brackets grow with what is in them
        else:
            base = _WIDTHS.get(token, 0.52) * size
            base *= 0.64 if size < 1 and token in ("+", "-", "=", "<", ">") else 1  # no room around signs in scripts
        scripts = 0.0
        while place < len(tokens) and tokens[place] in "_^":
            script, place = _group(tokens, place + 1)
            scripts = max(scripts, sum(_widths(script, size * _SCRIPT)))
        yield max(base, scripts) if token in _LIMITS else base + scripts


def _group(tokens: list[str], place: int) -> tuple[list[str], int]:
    """What stands in braces from this place on, or the one token there, and the place behind."""
    while place < len(tokens) and tokens[place] == " ":
        place += 1
    if tokens[place : place + 1] != ["{"]:
        return tokens[place : place + 1], place + 1
    depth = 0
    for end in range(place, len(tokens)):
        depth += (tokens[end] == "{") - (tokens[end] == "}")
        if depth == 0:
            return tokens[place + 1 : end], end + 1
    raise ValueError(f"braces are not closed in {''.join(tokens)}")


def pieces(tex: str) -> list[tuple[str, str]]:
    """The factors and terms of a formula, each with the sign in front of it; brackets stay whole."""
    found, sign, piece, depth = [], "", "", 0
    tokens = _TOKEN.findall(tex)
    for place, token in enumerate(tokens):
        depth += (token in _OPEN) - (token in _CLOSE)
        if token == "|":  # \left| ... \right|
            depth += {r"\left": 1, r"\right": -1}.get(tokens[place - 1] if place else "", 0)
        piece += token
        for end in _JOINTS:
            if depth == 0 and piece.endswith(end) and piece != end:
                found.append((sign, piece[: -len(end)]))
                sign, piece = end, ""
    return [*found, (sign, piece)]


# breaks ------------------------------------------------------------------------------------------------------

_BRACKETS = {  # as it is written on one line, and over several
    r"\left(": (r"\right)", r"\biggl(", r"\biggr)"),
    r"\left|": (r"\right|", r"\biggl|", r"\biggr|"),
    r"\Bigl[": (r"\Bigr]", r"\Bigl[", r"\Bigr]"),
    "(": (")", "(", ")"),
}
_LINE, _FACTOR, _OPENING, _TERM, _INSIDE, _IN_SUM, _LAST, _OVERFULL = 10.0, 5.0, 3.0, 1.0, 3.0, 12.0, 4.0, 1_000.0
_RAGGED, _MIXED, _PATHS = 3.0, 12.0, 15.0
_SMALL = 10.0  # em: a bracket as short as y - \hat y stays whole
_NESTED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_HEAD = re.compile(rf"(?: [+-] |-)?(?:\\(?:sum|prod)_{_NESTED}\^{_NESTED} )*")
_MARK = re.compile("[\x01\x02](\\d+)\x03")


@dataclass(frozen=True)
class _Atom:
    """What no line break tears apart: `joint` stands in front of it on a line, `lead` where it begins one."""

    tex: str
    joint: str = ""
    lead: str = ""
    cost: float = 0.0
    depth: int = 0

    @property
    def begins_term(self) -> bool:
        """Whether a term begins here, and not a further factor of one."""
        return self.joint not in ("", _TIMES)


def broken(tex: str, room: float) -> tuple[str, ...]:
    """A formula in as few lines as fit into `room` em, those behind the first one indented.

    Among as many lines, breaks come before terms, then before brackets and sums, then between factors; a bracket
    too wide for a line goes on in the next one. No factor is left alone at the end if another can go with it.
    """
    return _broken(tex, room)[0]


def cost(tex: str, room: float) -> float:
    """How much a reader minds the lines in which a formula is broken; 0 where it fits."""
    return _broken(tex, room)[1]


@lru_cache(maxsize=5_000)
def _broken(tex: str, room: float) -> tuple[tuple[str, ...], float]:
    if width(tex) <= room:
        return (tex,), 0.0
    brackets: list[tuple[str, str]] = []
    atoms = _atoms(tex, 0, brackets)
    best: list[tuple[float, int]] = [(0.0, 0)]  # for each number of atoms: the cost, and where their last line begins
    for end in range(1, len(atoms) + 1):
        ways = []
        for start in range(end):
            size = width(_line(atoms[start:end], start > 0, brackets))
            spare = 0.0 if end == len(atoms) else max(0.0, 1 - size / room)
            new = _LINE + atoms[start].cost if start else 0.0
            new += _MIXED * _mixed(atoms, start, end)
            ways.append(
                (best[start][0] + new + _RAGGED * spare**2 + (size > room) * _OVERFULL * (1 + size - room), start)
            )
        best.append(min(ways))
    cuts = [len(atoms)]
    while cuts[0]:
        cuts.insert(0, best[cuts[0]][1])
    parts = [atoms[a:b] for a, b in pairwise(cuts)]
    return tuple(_line(part, place > 0, brackets) for place, part in enumerate(parts)), best[-1][0]


def _mixed(atoms: list[_Atom], start: int, end: int) -> bool:
    """Whether a line has the beginning or the end of a term that does not fit it beside another one."""
    for torn in (start, end):
        if 0 < torn < len(atoms) and not atoms[torn].begins_term:
            depth = atoms[torn].depth
            if any(atom.begins_term and atom.depth <= depth for atom in atoms[start + 1 : end]):
                return True
    return False


def _line(atoms: list[_Atom], further: bool, brackets: list[tuple[str, str]]) -> str:
    """The atoms of a line; brackets that begin and end in it grow with what they hold."""
    first, *others = atoms
    text = (first.lead if further else "") + first.tex + "".join(atom.joint + atom.tex for atom in others)

    def bracket(mark: re.Match) -> str:
        opening, end = brackets[int(mark[1])]
        close, wide, wide_close = _BRACKETS[opening]
        whole = f"\x01{mark[1]}\x03" in text and f"\x02{mark[1]}\x03" in text
        return ((opening if whole else wide) if mark[0][0] == "\x01" else (close if whole else wide_close)) + (
            end if mark[0][0] == "\x02" else ""
        )

    return _MARK.sub(bracket, text)


def _atoms(tex: str, depth: int, brackets: list[tuple[str, str]]) -> list[_Atom]:
    parts = pieces(tex)
    found: list[_Atom] = []
    in_sum = False
    for place, (sign, part) in enumerate(parts):
        head, opening, inner, end = _bracket(part)
        summed = part.removeprefix(" + ").removeprefix(" - ").removeprefix("-").startswith(_LIMITS)
        if sign == _TIMES:
            last = place + 1 == len(parts) or parts[place + 1][0] != _TIMES
            price = _OPENING if opening or summed else _FACTOR + _LAST * last
            price += _IN_SUM * in_sum
        else:
            price, in_sum = _TERM + (not summed), False
        in_sum = in_sum or summed
        lead = (r"\qquad " if sign == _TIMES else r"\quad ") + r"\quad " * depth + "{} " + _JOINTS.get(sign, "")
        if not opening or width(part) <= _SMALL:
            found.append(_Atom(part, sign, lead, price + _INSIDE * depth, depth))
            continue
        mark = len(brackets)
        brackets.append((opening, end))
        first, *others = _atoms(inner, depth + 1, brackets)
        first = _Atom(f"{head}\x01{mark}\x03{first.tex}", sign, lead, price + _INSIDE * depth, depth)
        if opening == r"\Bigl[":  # paths are one thing
            others = [replace(other, cost=other.cost + _PATHS) for other in others]
        group = [first, *others]
        group[-1] = replace(group[-1], tex=f"{group[-1].tex}\x02{mark}\x03")
        found += group
    return found


def _bracket(piece: str) -> tuple[str, str, str, str]:
    """A piece that is a bracket, behind a sign or sums: what stands before it, how it opens, its inside, what is
    written at its end. Of another piece only the first is there."""
    head = _HEAD.match(piece)[0]
    opening = next((mark for mark in _BRACKETS if piece.startswith(mark, len(head))), "")
    if not opening:
        return piece, "", "", ""
    close, start, depth = _BRACKETS[opening][0], len(head) + len(opening), 1
    place = start
    while depth:
        ahead = piece.find(opening, place)
        place = piece.find(close, place)
        if place < 0:
            return piece, "", "", ""
        if 0 <= ahead < place:
            depth, place = depth + 1, ahead + len(opening)
        else:
            depth, place = depth - 1, place + len(close)
    end = piece[place:]
    if end and not (opening == r"\Bigl[" and end.startswith("_")):
        return piece, "", "", ""
    return head, opening, piece[start : place - len(close)], end
