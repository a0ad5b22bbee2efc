"""Line breaks of a displayed formula that is long: at relations, and at signs outside of all brackets."""

from __future__ import annotations

import re
from math import ceil

CONNECTIVES = r" \\(?:Rightarrow|Leftrightarrow|iff|wedge|vee) |\\ \\ \\text"
RELATIONS = r" (?:[=<>]|\\(?:leq?|geq?|neq?|in|approx)) "
SIGNS = r" [+-] "
_TOKEN = rf"{CONNECTIVES}|{RELATIONS}|{SIGNS}|\\[A-Za-z]+|\\.|."
_OPEN, _CLOSE = ("{", "(", "[", r"\left", r"\begin"), ("}", ")", "]", r"\right", r"\end")

_UNSEEN = re.compile(
    r"\\(?:begin|end)\{\w+\}|\\(?:left|right|[Bb]igg?[lr]?|math[a-z]+|operatorname|text|tilde|bar|hat)(?![A-Za-z])"
    r"|\\[,;:! ]|[\s&]"
)
_SPELLED = re.compile(r"\\(cos|dim|exp|log|max|min|sin|tanh)(?![A-Za-z])")
_BESIDE = re.compile(r"(?:[_^](?:\{[^{}]*\}|[^{}]))+")
_FRACTION = re.compile(r"/\{([^{}]*)\}\{([^{}]*)\}")
_GROUP = re.compile(r"(?<![/}_^])\{([^{}]*)\}")


def glyphs(tex: str) -> int:
    """About how many letters wide a formula is: a fraction counts as its wider side, scripts by half."""
    tex = re.sub(" ([-+=<>]) ", r"\1\1", tex)  # with the room around it
    tex = _SPELLED.sub(r"\1", tex)
    tex = re.sub(r"\\[A-Za-z]+|\\.", "x", _UNSEEN.sub("", tex.replace(r"\dfrac", "/").replace(r"\frac", "/")))
    before = ""
    while tex != before:
        before, tex = tex, _BESIDE.sub(_script, _GROUP.sub(r"\1", tex))
        tex = _FRACTION.sub(lambda sides: max(sides.groups(), key=len), tex)
    return len(tex)


def _script(found: re.Match[str]) -> str:
    """What a subscript and a superscript, one above the other, take up."""
    wider = max(re.split("[_^]", re.sub("[{}]", "", found[0])), key=len)
    return wider[: ceil(len(wider) / 2)]


def pieces(tex: str, marks: str = SIGNS) -> list[str]:
    """A formula cut before each of some marks, a regular expression, that stands outside of all brackets."""
    found, depth = [""], 0
    for token in re.findall(_TOKEN, tex, re.DOTALL):
        if depth == 0 and re.fullmatch(marks, token):
            found.append("")
        depth += (token in _OPEN) - (token in _CLOSE)
        found[-1] += token
    return found


def broken(tex: str, room: int) -> list[str]:
    """A formula in lines of at most `room` glyphs; what has no place to break at may be longer."""
    lines = [tex]
    for marks in (CONNECTIVES, RELATIONS):
        lines = [part for line in lines for part in (pieces(line, marks) if glyphs(line) > room else [line])]
    return [part for line in lines for part in _filled(pieces(line), room)]


def _filled(terms: list[str], room: int) -> list[str]:
    """Terms side by side as far as a line has room."""
    lines = terms[:1]
    for term in terms[1:]:
        if glyphs(lines[-1] + term) > room:
            lines.append(term)
        else:
            lines[-1] += term
    return lines
