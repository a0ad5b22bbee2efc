"""Conditions behind a judged formula, or before it, as t < T or for t = T-1, ..., 1: they say of which times it is."""

from __future__ import annotations

import re
from collections.abc import Callable

from sympy import Expr

from throughtime.derivation import LENGTH, lag
from throughtime.derivation.formulas.nodes import nodes
from throughtime.derivation.formulas.rewrite import free, substitute
from throughtime.reading.source import SourceText

Relation = tuple[str, str, str]  # two times with <, <= as in LaTeX, or = between them
WHEN = r"(?:tau|[A-Za-z]|\d+)(?:[-+](?:tau|[A-Za-z]|\d+))*"
BEGINS = r"[,;(]|(?<![A-Za-z\\])(?i:for|if|when|where|with|at)\b|\\(?:q?quad|forall|text\w*)(?![a-z])|∀"
UNEQUAL = {"1": ">", "T": "<"}  # what no time equals is before or behind all others
PLAIN = {
    r"\\tau(?![A-Za-z])|τ": "tau",
    r"\\q?quad|[()\[\]]": ",",
    r"\\[,;:! ]|\$|\\text\w*|(?<![A-Za-z])(?i:for|if|when|where|with|at|all|every|each|times?|steps?)\b": " ",
    r"\\l(?:eq?|eqslant)(?![a-z])|≤": "<=",
    r"\\g(?:eq?|eqslant)(?![a-z])|≥": ">=",
    r"\\in(?![a-z])|∈|\bin\b": "=",
    r"\\neq?(?![a-z])|\\not *=|≠": "!=",
    r"\s*,?\s*(?:\\[lc]?dots[cbm]?|…|⋯|\.\.\.?|\b(?:down\s*)?to\b)\s*,?": "..",
    r"\\forall|∀|\\(?:left|right)(?![a-z])|\\?[{}]|[\s&~]": "",
    rf"=({WHEN}),{WHEN}\.\.": r"=\1..",
}


def parted(text: str) -> tuple[str, list[Relation]]:
    """A formula without the condition behind it, or before it, and what that says; nothing where none is found."""
    ends = re.finditer(r":(?!=)|,", text) if re.match(rf"[\s$]*(?:{BEGINS})", text) else ()
    for end in reversed([*ends]):
        if "=" in text[end.end() :] and (found := _relations(text[: end.start()])):
            bare, more = parted(text[end.end() :].strip(" ~$"))
            return bare, found + more
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
    for part in filter(None, re.split(r"[,;.]?and|[,;]|\.$", said)):
        steps = re.split("(<=?|>=?|!?=)", part)
        if over := re.fullmatch(rf"([A-Za-z])=({WHEN})\.\.({WHEN})", part):  # down as well
            first, last = over.group(3, 2) if "T" in over[2] else over.group(2, 3)
            steps = [first, "<=", over[1], "<=", last]
        if len(steps) < 3 or not all(re.fullmatch(WHEN, one) for one in steps[::2]):
            return []
        for one, sign, other in zip(steps[::2], steps[1::2], steps[2::2], strict=False):
            if sign == "!=" and other not in UNEQUAL:
                return []
            sign = UNEQUAL[other] if sign == "!=" else sign
            small, large = (other, one) if ">" in sign else (one, other)
            found.append((small, sign.replace(">", "<").replace("<=", r"\le"), large))
    return found


def at_said_times(sides: list[Expr], said: list[Relation], clock: Callable[[str], Expr], text: str) -> list[Expr]:
    """A formula at the times of a condition: t as T - l, l from 1 on, for t < T. NotationError for another one."""
    taken = {str(node) for side in sides for node in nodes(side) if not node.args}
    letters = (one for one in ("l", "q", "r", "p", "l'", "q'") if one not in taken)
    open_, found = set().union(*map(free, sides)), dict[Expr, Expr]()
    for one, sign, other in said:
        gap = clock(other) - clock(one)  # at least `start` without its number
        start, times = (sign == "<") - int(gap.as_coeff_Add()[0]), [*gap.free_symbols]
        later, earlier = ([when for when in (*times, LENGTH) if gap.coeff(when) == by] for by in (1, -1))
        when, new, fit = clock(one), clock(other), sign == "=" or len(times) == len({*later, *earlier} - {LENGTH})
        if sign != "=" and not earlier and len(later) == 1:  # t > 1, or l >= 1 of a number of steps
            when, first = later[0], 0 if later[0].is_nonnegative else 1
            new = lag(next(letters), start=1) + start - 1 if start > first else when
        elif sign != "=":
            fit &= len(earlier) == len(later) == 1 and (start >= 0 or later == [LENGTH])
            when, back = (*earlier, LENGTH)[0], lag(next(letters), start=min(max(start, 0), 1)) + max(start - 1, 0)
            new = later[0] - back if fit and (start > 0 or later != [LENGTH]) else when
        if not fit or (new != when and (found.setdefault(when, new) != new or not {when, *times} <= open_)):
            hint = "t < T, t = T, t > 1 or k < t can be said of the times of a formula"
            raise SourceText(text).fault(text.rfind(other), f"found {one} {sign} {other}", "expected another one", hint)
    for when in sorted(found, key=lambda one: found[one].has(LENGTH) or found[one].is_Integer):
        sides = [substitute(side, {when: found[when]}) for side in sides]
    return sides
