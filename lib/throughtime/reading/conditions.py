"""Conditions behind a judged formula: t < T, k < t, for t = T-1, ..., 1. They say of which times it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sympy import Add, Expr, Integer

from throughtime.derivation import LENGTH, lag
from throughtime.derivation.formulas.nodes import nodes
from throughtime.derivation.formulas.rewrite import free, substitute
from throughtime.reading.source import SourceText

Sides = Sequence[Expr]
Relation = tuple[str, str, str]  # two times with <, <= or = between them
WHEN = r"(?:[A-Za-z]|\d+)(?:[-+](?:[A-Za-z]|\d+))*"
BEGINS = r"[,;(]|(?<![A-Za-z\\])(?:for|if|when|where|with|at)\b|\\(?:q?quad|forall|text\w*)(?![a-z])|∀"
PLAIN = {
    r"\\q?quad|[()\[\]]": ",",
    r"\\[,;:! ]|\$|\\text\w*|(?<![A-Za-z])(?:for|if|when|where|with|at|all|every|each|times?|steps?)\b": " ",
    r"\\l(?:eq?|eqslant)(?![a-z])|≤|⩽": "<=",
    r"\\g(?:eq?|eqslant)(?![a-z])|≥|⩾": ">=",
    r"\\(?:lt)(?![a-z])": "<",
    r"\\(?:gt)(?![a-z])": ">",
    r"\\neq?(?![a-z])|≠": "!=",
    r"\\in(?![a-z])|∈": "=",
    r"\s*,?\s*(?:\\[lc]?dots[cbm]?|…|⋯|\.\.\.?|\bdown\s*to\b|\bto\b)\s*,?": "..",
    "−": "-",
    r"\\forall|∀|\\(?:left|right)(?![a-z])|\\?[{}]|[\s&~]": "",
}
SAID = "t < T, t = T, t > 1 or k < t can be said of the times of a formula"


def parted(text: str) -> tuple[str, list[Relation]]:
    """A formula without the condition behind it, and what that says; nothing where none is found."""
    for begin in re.finditer(BEGINS, text):
        before = text[: begin.start()]
        if "=" in before and before.count("{") == before.count("}") and (found := _relations(text[begin.start() :])):
            return before.rstrip(" ,;&~"), found
    return text, []


def _relations(said: str) -> list[Relation]:
    """The relations of a condition; none for what is no condition as a whole."""
    for pattern, plain in PLAIN.items():
        said = re.sub(pattern, plain, said)
    found = list[Relation]()
    for part in filter(None, re.split(r"[,;.]?and|[,;]|\.$", re.sub(r"\s", "", said))):
        steps = re.split("(<=?|>=?|!?=)", part)
        over = re.fullmatch(rf"([A-Za-z])=(?:1,2)?({WHEN})?\.\.({WHEN})", part)
        if over:  # down to 1 as well
            first, last = over[2] or "1", over[3]
            first, last = (last, first) if "T" in first else (first, last)
            found += [(first, "<=", over[1]), (over[1], "<=", last)]
        elif len(steps) > 2 and all(re.fullmatch(WHEN, one) for one in steps[::2]):
            for one, sign, other in zip(steps[::2], steps[1::2], steps[2::2], strict=False):
                if sign == "!=" and other != "T":
                    return []
                found += [(other, sign.replace(">", "<"), one) if ">" in sign else (one, sign.strip("!"), other)]
                found[-1] = (one, "<", other) if sign == "!=" else found[-1]
        else:
            return []
    return found


def in_tex(relation: Relation) -> str:
    """A relation as an assumption."""
    return f"${' '.join(relation)}$".replace("<=", r"\le")


def _value(when: str, symbols: Mapping[str, Expr]) -> Expr | None:
    """A time of a condition; None for a letter that the formula has not."""
    known, terms = {"T": LENGTH, **symbols}, []
    for sign, part in re.findall(r"([+-]?)([A-Za-z]|\d+)", when):
        if part not in known and not part.isdigit():
            return None
        terms.append(Integer(int(sign + "1")) * (Integer(int(part)) if part.isdigit() else known[part]))
    return Add(*terms)


def at_said_times(sides: Sequence[Expr], said: Sequence[Relation], symbols: Mapping[str, Expr], text: str) -> Sides:
    """A formula at the times of a condition: t as T - l, l from 1 on, for t < T. NotationError for another one."""
    taken = {str(node) for side in sides for node in nodes(side) if not node.args} | {*symbols}
    letters = (one for one in ("l", "q", "r", "p", "l'", "q'") if one not in taken)
    found = dict[Expr, Expr]()
    for one, sign, other in said:
        small, large = (_value(when, symbols) for when in (one, other))
        fault = SourceText(text).fault(text.rfind(other), f"found {one} {sign} {other}", "expected another one", SAID)
        if small is None or large is None:
            raise fault
        gap = large - small  # at least `start` without its number
        start, times = (sign == "<") - int(gap.as_coeff_Add()[0]), sorted(gap.free_symbols, key=str)
        earlier = [when for when in times if gap.coeff(when) == -1]
        later = [when for when in [*times, LENGTH] if gap.coeff(when) == 1]
        if sign == "=" and small in times and small not in found:
            found[small] = large
            continue
        if sign == "=" or len(earlier) > 1 or len(later) > 1 or {*earlier, *later} - {LENGTH} != {*times} or not times:
            raise fault
        if not earlier:  # l >= 1, t > 1
            first = 1 - (later[0].is_nonnegative is True)
            new = lag(next(letters), start=1) + start - 1 if start > first else later[0]
        elif not later or (start < 0 and later != [LENGTH]):
            raise fault
        else:
            back = lag(next(letters), start=min(max(start, 0), 1)) + max(start - 1, 0)
            new = later[0] - back if start > 0 or later != [LENGTH] else earlier[0]
        (when,) = earlier or later
        if when != new and found.setdefault(when, new) != new:
            raise fault
    if found.keys() - set().union(*map(free, sides)):
        raise SourceText(text).fault(len(text), "found a condition of a letter that is bound", "expected none", SAID)
    for when in sorted(found, key=lambda one: found[one].has(LENGTH) or found[one].is_Integer):
        sides = [substitute(side, {when: found[when]}) for side in sides]
    return sides
