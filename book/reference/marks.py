"""What differs between two formulas in TeX, marked in both: a printed one and its correction."""

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
BINDS = re.compile(r"\\(?:sum|prod)_\{([^=]*)=(.*)", re.S)
ENDS = re.compile(r"[-+=<>]|\\(?:leq?|geq?|approx|\\)(?![A-Za-z])")  # what a sum or product runs on to
ACCENTS = (r"\hat", r"\tilde", r"\bar", r"\mathrm")
SPACE = re.compile(r"(?:\s|\{\}|\\(?:q?quad|[,;!> ]))+")
WAS, NOW = "mjx-was", "mjx-now"  # MathJax's ui/safe lets through only classes that begin so
LETTER = 3  # characters: as short a term stands in many places
LEAST = 0.4  # below this share of equal terms two formulas have no differences worth marking


def atoms(tex: str) -> Iterator[tuple[str, bool]]:
    """The terms of a formula from left to right, each with whether it is one; layout and brackets are none."""
    place = 0
    while place < len(tex):
        found = LAYOUT.match(tex, place) or FENCE.match(tex, place)
        end = found.end() if found else _term(tex, place)
        yield tex[place:end], not found and tex[place:end] not in (*"()[]",)
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

    Signs of derivatives and names of bound letters do not count, since a printed formula keeps its source's. Formulas
    that share little stay as they are. Raises ValueError for a brace that is not closed.
    """
    both = [list(atoms(tex)) for tex in (printed, corrected)]
    terms = [[n for n, (_, is_term) in enumerate(parts) if is_term] for parts in both]
    keys = [list(_keys(parts)) for parts in both]
    matcher = SequenceMatcher(None, *keys, autojunk=False)
    if matcher.ratio() < LEAST:
        return printed, corrected
    apart = [set(range(len(places))) for places in terms]
    for block in matcher.get_matching_blocks():
        for side, start in zip(apart, (block.a, block.b), strict=True):
            side -= {*range(start, start + block.size)}
    texts = [[_sign(parts[n][0]) for n in places] for parts, places in zip(both, terms, strict=True)]
    found = _without_moved(apart, texts)
    first, second = (
        _marked(parts, {places[n] for n in side}, name)
        for parts, places, side, name in zip(both, terms, found, (WAS, NOW), strict=True)
    )
    return first, second


def _sign(term: str) -> str:
    """A term with one sign for all derivatives."""
    return re.sub(r"\\partial|\\mathrm\{d\}(?:_\{\\mathrm\{\w+\}\})?", "d", term).replace(r"\,", "").replace(" ", "")


def _keys(parts: list[tuple[str, bool]]) -> Iterator[str]:
    """What is compared of each term: for a bound letter stand its limits, whatever its name."""
    depth, bound = 0, []  # of each letter in force the depth of brackets at which it is bound, and what stands for it
    for text, is_term in parts:
        if CLOSES.match(text):
            depth -= 1
            bound = [one for one in bound if one[0] <= depth]
        elif OPENS.match(text):
            depth += 1
        elif ENDS.match(text):
            bound = [one for one in bound if one[0] < depth]
        elif found := BINDS.match(text):
            alike = sum(limits == found[2] for *_, limits, _ in bound)
            bound.append((depth, found[1], found[2], f"#{alike}({found[2]})"))
        for _, letter, _, name in bound:
            text = re.sub(rf"(?<![A-Za-z\\]){re.escape(letter)}(?![A-Za-z'_])", lambda _, name=name: name, text)
        if is_term:
            yield _sign(text)


def _without_moved(apart: list[set[int]], texts: list[list[str]]) -> list[set[int]]:
    """Places of terms that differ without the runs that stand in both formulas, unless nothing would be left."""
    left = [set(side) for side in apart]
    for side, other in ((0, 1), (1, 0), (0, 1)):  # once more, as what is left falls into shorter runs
        for _, group in groupby(enumerate(sorted(left[side])), lambda pair: pair[1] - pair[0]):
            run = [place for _, place in group]
            words = [texts[side][place] for place in run]
            theres = (range(start, start + len(run)) for start in sorted(left[other]) if max(map(len, words)) > LETTER)
            same = (there for there in theres if texts[other][there.start : there.stop] == words)
            if there := next((there for there in same if left[other].issuperset(there)), None):
                left[side] -= {*run}
                left[other] -= {*there}
    return left if any(left) else apart


def _marked(parts: list[tuple[str, bool]], places: set[int], name: str) -> str:
    """The formula with each longest run of the terms at some places in one mark of the class `name`."""
    apart = [n in places for n in range(len(parts))]
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
