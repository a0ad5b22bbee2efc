"""What differs between two formulas in TeX, marked in both: a printed one and its correction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby, pairwise

COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)", re.S)
LINES = r"\\(?:begin|end)\{\w+\}(?:\[\w\])?|\\\\(?:\[\w+\])?|\\tag\{[^{}]*\}|[&=]|\\approx_\{\\mathrm\{tr\}\}"
LAYOUT = re.compile(LINES + r"|\s+|\{\}|\\(?:q?quad|[,;!> ])")
FENCE = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\s*(?:\\[a-zA-Z]+|\\.|.)")
OPENS = re.compile(r"\\(?:left|[bB]igg?l)(?![a-zA-Z])|(?:\\[bB]igg?)?[(\[]")
CLOSES = re.compile(r"\\(?:right|[bB]igg?r)(?![a-zA-Z])|(?:\\[bB]igg?)?[)\]]")
ACCENTS = (r"\hat", r"\tilde", r"\bar", r"\mathrm")
SPACE = re.compile(r"(?:\s|\{\}|\\(?:q?quad|[,;!> ]))+")
WAS, NOW = "mjx-was", "mjx-now"  # MathJax's ui/safe lets through only classes that begin so
LEAST = 0.4  # below this share of equal terms two formulas have no differences worth marking


def atoms(tex: str) -> Iterator[tuple[str, bool]]:
    """The terms of a formula from left to right, each with whether it is one; layout and brackets are none."""
    place = 0
    while place < len(tex):
        found = LAYOUT.match(tex, place) or FENCE.match(tex, place)
        end = found.end() if found else _term(tex, place)
        yield tex[place:end], not found
        place = end


def _term(tex: str, place: int) -> int:
    """The end of a symbol or command with its arguments and indices."""
    found = COMMAND.match(tex, place)
    end = found.end() if found else _group(tex, place)
    if found and found[0] in ACCENTS and tex[end : end + 1] == " ":
        end = _term(tex, end + 1)
    while tex[end : end + 1] in ("{", "_", "^", "'") and end < len(tex):
        end = _group(tex, end) if tex[end] == "{" else end + 1 if tex[end] == "'" else _term(tex, end + 1)
    return end


def _group(tex: str, place: int) -> int:
    """The end of a group in braces, or of a single character."""
    if tex[place] != "{":
        return place + 1
    depth = 0
    for here in re.finditer(r"\\.|[{}]", tex[place:], re.S):
        depth += {"{": 1, "}": -1}.get(here[0], 0)
        if not depth:
            return place + here.end()
    raise ValueError(f"tex: a brace is not closed in {tex!r}")


def marked(printed: str, corrected: str) -> tuple[str, str]:
    """Both formulas with the terms marked that the other one lacks: as what was in the one, what is now in the other.

    Signs of derivatives do not count, since a printed formula keeps its source's. Formulas that share little stay as
    they are. Raises ValueError for a brace that is not closed.
    """
    both = [list(atoms(tex)) for tex in (printed, corrected)]
    terms = [[n for n, (_, is_term) in enumerate(parts) if is_term] for parts in both]
    keys = [[_key(parts[n][0]) for n in places] for parts, places in zip(both, terms, strict=True)]
    matcher = SequenceMatcher(None, *keys, autojunk=False)
    if matcher.ratio() < LEAST:
        return printed, corrected
    same = [set(), set()]
    for block in matcher.get_matching_blocks():
        for side, start in enumerate((block.a, block.b)):
            same[side] |= {terms[side][start + n] for n in range(block.size)}
    first, second = (_marked(parts, kept, name) for parts, kept, name in zip(both, same, (WAS, NOW), strict=True))
    return first, second


def _key(term: str) -> str:
    return re.sub(r"\\partial ?|\\mathrm\{d\}(?:_\{\\mathrm\{\w+\}\})?", "d", term).replace(" ", "")


def _marked(parts: list[tuple[str, bool]], same: set[int], name: str) -> str:
    """The formula with each longest run of terms that are not the `same` in one mark of the class `name`."""
    apart = [is_term and n not in same for n, (_, is_term) in enumerate(parts)]
    # Brackets go with what they hold, if that and a neighbour are marked; space goes with both its neighbours.
    for first, last in _brackets([term for term, _ in parts]):
        within = all(apart[n] or SPACE.fullmatch(parts[n][0]) for n in range(first + 1, last))
        beside = any(apart[max(first - 1, 0) : first] + apart[last + 1 : last + 2])
        if within and beside:
            apart[first : last + 1] = [True] * (last + 1 - first)
        else:
            apart[first] = apart[last] = False
    for first, last in pairwise([n for n, here in enumerate(apart) if here]):
        if all(SPACE.fullmatch(term) for term, _ in parts[first + 1 : last]):
            apart[first:last] = [True] * (last - first)
    runs = groupby(range(len(parts)), apart.__getitem__)
    pieces = ((here, "".join(parts[n][0] for n in run)) for here, run in runs)
    return "".join(rf"\class{{{name}}}{{{piece}}}" if here else piece for here, piece in pieces)


def _brackets(terms: list[str]) -> Iterator[tuple[int, int]]:
    """The places of each bracket and its partner, the inner ones first."""
    opened: list[int] = []
    for place, term in enumerate(terms):
        if OPENS.match(term):
            opened.append(place)
        elif CLOSES.match(term) and opened:
            yield opened.pop(), place
