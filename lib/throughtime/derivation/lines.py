"""How wide a formula gets on the page, and where it goes on in a further line.

Widths are estimated in em from the symbols that are drawn, not from the length of the LaTeX that draws them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[^\\]", re.DOTALL)
_SCRIPT = 0.71  # size of a script relative to its base
_EMPTY = {"{", "}", "&", " ", r"\left", r"\right", r"\mathrm", r"\mathbf", r"\tilde", r"\bar", r"\hat", r"\bigl"}
_EMPTY |= {r"\Bigl", r"\Bigr", r"\bigr", r"\limits", r"\vec", r"\!", r"\operatorname", r"\displaystyle", r"\dot"}
_WIDTHS = {
    "+": 1.22, "-": 1.22, "=": 1.33, "<": 1.33, ">": 1.33, ",": 0.44, "(": 0.42, ")": 0.42, "[": 0.3, "]": 0.3,
    "|": 0.28, ".": 0.28, "'": 0.3, r"\,": 0.17, r"\;": 0.28, r"\ ": 0.25, r"\quad": 1.0, r"\qquad": 2.0,
    r"\cdot": 0.72, r"\le": 1.33, r"\ge": 1.33, r"\approx": 1.33, r"\cdots": 1.4, r"\dots": 1.4, r"\sum": 1.44,
    r"\prod": 1.28, r"\sin": 1.4, r"\cos": 1.5, r"\tan": 1.6, r"\log": 1.5, r"\exp": 1.7,
}  # fmt: skip
_LIMITS = (r"\sum", r"\prod")
_OPEN = ("{", "(", "[", r"\begin")
_CLOSE = ("}", ")", "]", r"\end")
_TIMES = r"\,"
_GO_ON = {_TIMES: r"\qquad {} \cdot ", " + ": r"\quad {} + ", " - ": r"\quad {} - "}


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
            base = 0.0
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
        for end in _GO_ON:
            if depth == 0 and piece.endswith(end) and piece != end:
                found.append((sign, piece[: -len(end)]))
                sign, piece = end, ""
    return [*found, (sign, piece)]


def _joined(parts: list[tuple[str, str]]) -> str:
    return "".join((sign if place else "") + part for place, (sign, part) in enumerate(parts))


@lru_cache(maxsize=5_000)
def broken(tex: str, room: float) -> tuple[str, ...]:
    """A formula in as few lines as fit into `room` em, those behind the first one indented.

    Among equally good breaks, one in front of a bracket or a sum comes first, then the last one that fits.
    """
    parts = pieces(tex)
    if width(tex) <= room:
        return (tex,)
    fitting = [k for k in range(1, len(parts)) if width(_joined(parts[:k])) <= room]
    if not fitting:
        first = _stacked(parts[0][1], room)
        if len(parts) == 1:
            return (first,)
        return (first, *_further(parts[1:], room))
    ways = []
    for k in fitting:
        rest = _further(parts[k:], room)
        opens = parts[k][1].startswith((r"\left(", "(", *_LIMITS))
        ways.append(((len(rest), _overfull(rest, room), not opens, -k), k, rest))
    _, k, rest = min(ways, key=lambda way: way[0])
    return (_joined(parts[:k]), *rest)


def _further(parts: list[tuple[str, str]], room: float) -> tuple[str, ...]:
    """The lines behind a break."""
    lead = _GO_ON[parts[0][0]]
    first, *rest = broken(_joined(parts), room - width(lead))
    return (lead + first, *rest)


def _overfull(lines: tuple[str, ...], room: float) -> bool:
    return any(r"\begin" not in line and width(line) > room for line in lines)


def _stacked(piece: str, room: float) -> str:
    """A bracket that is too wide for a line of its own, with a line for each of its terms, more for a wide product."""
    start = piece.find(r"\left(")
    if start < 0 or not piece.endswith(r"\right)") or len(pieces(piece[start:])) > 1:
        return piece
    inner = pieces(piece[start + 6 : -7])
    terms: list[list[tuple[str, str]]] = []
    for sign, part in inner:
        if sign == _TIMES:
            terms[-1].append((sign, part))
        else:
            terms.append([(sign, part)])
    left = room - width(piece[:start]) - 1
    lines = [sign + line for term in terms for sign, line in _term_lines(term, left)]
    if len(lines) == 1:
        return piece
    return piece[:start] + r"\left(\begin{aligned} & " + r" \\ & ".join(lines) + r"\end{aligned}\right)"


def _term_lines(term: list[tuple[str, str]], room: float) -> list[tuple[str, str]]:
    sign = term[0][0]
    first, *rest = broken(_joined(term), room - width(sign))
    return [(sign, first), *(("", line) for line in rest)]
