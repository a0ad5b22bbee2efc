"""Formulas that are judged: beside the notation of recurrences, products and sums over times up to any other time.

In dh_t/dh_k = prod_{i=k+1}^t dh_i/dh_{i-1} the letters t, k and i are times: i is bound, k stands at a quantity for its
time. A letter that is only added to a time or taken from it, as the l of h_{t-l}, counts steps, and so does a power.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from sympy import Add, Expr, Integer, Pow, Symbol

from throughtime.derivation import Quantity, Ref, Total, lag, time
from throughtime.derivation.formulas.nodes import Bound, Paths, nodes
from throughtime.derivation.formulas.rewrite import free, substitute
from throughtime.reading.cursor import CLOSING, SCRIPTS
from throughtime.reading.lines import Lines
from throughtime.reading.names import ACTIVATIONS
from throughtime.reading.spelling import GREEK, MARKS, Token
from throughtime.reading.trees import Name, Tree, names_in

LETTER = rf"(?:{'|'.join(GREEK)}|[A-Za-z])"
WHEN = r"[A-Za-z\d]+(?:[+-][A-Za-z\d]+)*"
Span = tuple[str, str, str]  # a letter, the first and the last of its times


def _with_plain_letters(text: str, taken: set[str]) -> str:
    """A text in which an index i' or i1 under a sum has a letter of its own, none of those that the text has."""
    free = (one for one in "ijklmnpqabcegrvzuow" if one not in taken and not re.search(rf"(?<![A-Za-z]){one}", text))
    for letter, more in sorted({*re.findall(r"sum\s*(?:\[|_\{)\s*([a-z])('+|\d)\s*=", text)}, key=len, reverse=True):
        text = re.sub(rf"(?<![A-Za-z]){letter}{more}(?!['\d])", next(free), text)
    return text


def letters_in(when: str) -> list[str]:
    """The letters of a time such as t-l+1."""
    return re.findall(r"[A-Za-z]+", when)


class FormulaParser(Lines):
    """Reads a formula about a recurrence, of its `quantities` by name, and the `sizes` of its letters. `symbols` are
    the times that the formula has, by letter, `now` first."""

    def __init__(self, text: str, now: str, known: frozenset[str], quantities: Mapping[str, Quantity], sizes: set[str]):
        text = text if any(name.startswith("Sigma") for name in quantities) else text.replace("Σ", "∑")
        super().__init__(_with_plain_letters(text, {*quantities, *sizes}), now, known)
        self.quantities, self.sized = quantities, sizes
        self.labelled_T = set()  # dL/dh_T is at the last time
        for place, (word, script) in enumerate(pairwise(self.tokens), 1):
            if script.kind == "high" and f"{word.text}_{script.text}" in quantities and word.text not in quantities:
                self.tokens[place] = replace(script, kind="low")  # a label that is T is no transpose
        self.bases = {name.split("_")[0] for name, one in quantities.items() if one.timed}
        left = self._at_quantities([*takewhile(lambda one: one.text != "=", self.tokens)])
        self.outside = {letter for when in left for letter in letters_in(when)}
        places = [place for place, one in enumerate(self.tokens) if one.text in ("sum", "prod")]
        spans = [span for span in map(self.span, places) if span]
        self.ordered = set[tuple[str, str]]()  # letters of which the first is the earlier, by limits of a sum
        for letter, *limits in filter(None, (self.span(one) for one in places if self.tokens[one].text == "sum")):
            first, last = (letters_in(limit)[:1] for limit in limits)
            if first == last:  # from t-1 to t is up to t, and on both sides of t-1
                first, last = first * ("-" not in limits[0]), last * ("+" not in limits[1])
            self.ordered |= {*pairwise((*first, letter, *last))}
        if len(left) == 2:  # dh_t/dh_k, of times k up to t
            self.ordered.add((letters_in(left[1])[0], letters_in(left[0])[0]))
        bound = {letter for letter, *_ in spans if letter != now}
        at = self._at_quantities(self.tokens)
        while True:  # a letter from one time to another is one
            over = [span for span in spans if self._is_time_range(*span, at)]
            found = {letter for letter, *_ in over} & bound
            found |= {letter for when in at for letter in letters_in(when)}
            if found <= self.times:
                break
            self.times |= found
        bound &= self.times
        self.times -= self.sized
        lagging = self.times - bound - {now, "T"} - {letters_in(when)[0] for when in at if letters_in(when)}
        self.symbols: dict[str, Expr] = {now: time(now)}
        self.symbols |= {one: lag(one) if one in lagging else time(one) for one in sorted(self.times - {now, "T"})}
        self.bound = bound

    def span(self, place: int) -> Span | None:
        """What a sum or a product at a place runs over, if its limits are written: as k=1 to t, or 1 <= k <= t."""
        low, high = self.tokens[place + 1 : place + 3] if place + 3 <= len(self.tokens) else (Token("end", "", 0),) * 2
        text = low.text if low.kind == "low" else ""
        if parts := re.fullmatch(rf"({WHEN})(<=?|>=?)({LETTER})(<=?|>=?)({WHEN})", text):
            first, one, letter, other, last = parts.groups()
            if one[0] != other[0]:
                return None
            if one[0] == ">":
                first, one, other, last = last, other, one, first
            return letter, first + "+1" * (one in "<>"), last + "-1" * (other in "<>")
        if parts := re.fullmatch(rf"({LETTER})=({WHEN})\.\.({WHEN})", text):
            return parts[1], parts[2], parts[3]
        if (parts := re.fullmatch(rf"({WHEN})(<=?|>=?)({WHEN})", text)) and self.tokens[place].text == "sum":
            one, sign, other = parts.groups()
            if not re.fullmatch(LETTER, one) or (one in self.outside and other not in self.outside):
                one, sign, other = other, sign.translate({60: ">", 62: "<"}), one
            limits = ("1", other + "-1" * (sign == "<")) if "<" in sign else (other + "+1" * (sign == ">"), "T")
            return (one, *limits) if re.fullmatch(LETTER, one) else None
        if (parts := re.fullmatch(rf"({LETTER})=({WHEN}|-\d+)", text)) and high.kind == "high":
            return (parts[1], parts[2], high.text) if re.fullmatch(WHEN, high.text) else None
        return None

    def _at_quantities(self, tokens: Sequence[Token]) -> list[str]:
        """The times that stand at quantities, as t-l and k of dh_t/dh_{t-l} and dh_t/dh_k; i of h_i^{(t)} is none."""
        found = []
        for place, word in enumerate(tokens):
            base = word.text if word.text in self.bases else word.text[1:] if word.text[:1] == "d" else ""
            if base not in self.bases or word.kind != "word":
                continue
            scripts = [*takewhile(lambda one: one.kind in SCRIPTS, tokens[place + 1 :])]
            rest = [one.text for one in tokens[place + 1 + len(scripts) :]]
            raised = [re.sub(r"\^?[T⊤]$", "", one.text) for one in scripts if one.kind == "high"]
            above = [text[1:-1] for text in raised if text[:1] == "(" and self._is_time_at(base, *[text[1:-1]] * 2)]
            below = [one.text for one in scripts if one.kind == "low" and rest[:1] not in (["("], ["["])]
            below = [part for text in below for part in text.split(",") if self._is_time_at(base, part, text)]
            sure = [when for when in below if {self.now, "T"} & {*letters_in(when)}]
            found += sure or above or [one for one in below if not any(self.now in letters_in(text) for text in raised)]
            if not scripts and rest[:1] in (["("], ["["]):
                closing = CLOSING[rest[0]]
                inner = "".join(rest[1 : rest.index(closing)]) if closing in rest else ""
                found += [inner] if {self.now, "T"} & {*letters_in(inner)} and re.fullmatch(WHEN, inner) else []
        return found

    def _is_time_at(self, base: str, part: str, script: str) -> bool:
        if not re.fullmatch(rf"{LETTER}(?:[+-](?:{LETTER}|\d+))*", part):
            return False
        if any(name.startswith(f"{base}_{part}_") for name in self.quantities):
            return False
        alone = part == script and f"{base}_{part}" not in self.quantities and part not in self.sized
        return alone or bool({self.now, "T"} & {*letters_in(part)})

    def _is_time_range(self, letter: str, first: str, last: str, at: list[str]) -> bool:
        """Whether a letter runs over times: it is the time, or has a limit that is one."""
        known = self.times | {one for when in at for one in letters_in(when)}
        return letter == self.now or bool(known & {*letters_in(first), *letters_in(last)})

    # ---- times and powers

    def time(self, text: str) -> tuple[str, int] | None:
        """A time as its letters and the steps after them; None for what is none."""
        found = re.fullmatch(rf"\(?({WHEN})\)?", text)
        letters = letters_in(found[1]) if found else []
        if not found or not letters or not {*letters} <= self.times:
            return super().time(text)
        return re.sub(r"[+-]\d+", "", found[1]), sum(map(int, re.findall(r"[+-]\d+", found[1])))

    def _labelled(self, name: Name, piece: str) -> Name:
        label = "_".join([name.base, *name.marks, piece.strip("()")])
        if label in self.quantities:  # in one, since its letters are no indices
            return replace(name, base=label, marks=())
        made = self.quantities.get(name.key())
        if made and made.timed and (piece.isdigit() or piece == "T") and name.time is None:
            return replace(name, time=("", int(piece)) if piece != "T" else ("T", 0))
        if made and piece.isalpha() and len(piece) == len(made.domains) and not {*piece} & self.times:
            return replace(name, places=tuple(piece))
        new = super()._labelled(name, piece)
        if name.time and new == replace(name, time=new.time):
            hint = f"{name.base}_{{i,{self.now}}} for the element i"
            raise self.source.fault(name.at, f"found {name.base} with two times", "expected one", hint)
        return new

    def _in_brackets(self, opening: Token, name: Name) -> Name | None:
        """As elsewhere; a number in brackets behind a time, as h_t[2], is an element for many, and a factor."""
        inner, h = [one.text for one in self.tokens[self.place :][:3]], self.source.text[name.at : opening.at]
        found, tight = super()._in_brackets(opening, name), h == h.strip() or opening.text == "["
        if not found and name.time and tight and re.fullmatch(r".\d+[)\]]", "".join(inner)):
            element = f"{name.base}_{{i,{self.now}}} for an element"
            raise self.source.two_readings(name.at, h + "".join(inner), element, f"{inner[1]} {h} for a factor")
        return found

    def name(self, name: Name) -> Tree:
        """As elsewhere; delta_{tT} is 1 at the last time and 0 before."""
        made = super().name(name)
        if isinstance(made, Name) and made.base == "delta" and "delta" not in self.quantities:
            letters = made.places or tuple("".join(made.marks))
            if len(letters) == 2 and {*letters} <= self.times:
                return Tree("same", made.at, (), letters)
        return made

    def marked(self, name: Name, script: Token) -> Name:
        """As elsewhere; the label of a net input may have labels of its own, as that of h^{(2)}."""
        accents = {ord(one): word.replace("_", ",") for one, word in MARKS.items() if name.base == "net"}
        return super().marked(name, replace(script, text=script.text.replace("^", ",").translate(accents)))

    def is_power(self, name: Name, text: str) -> bool:
        """Whether what is raised at a name is a power: of what has no time, by a number of steps."""
        made = self.quantities.get(name.key())
        return bool(made and not made.timed and self.time(text) and text != "T")

    def is_power_of_value(self, name: Name, powers: list[str]) -> bool:
        """As elsewhere; a letter of functions that is no quantity is one too, as in sigma^2(net_{h,t})."""
        function = name.base in ACTIVATIONS and name.key() not in self.quantities
        return super().is_power_of_value(replace(name, base="tanh") if function else name, powers)

    def raised(self, base: Tree, text: str) -> Tree:
        """A transpose or a power."""
        steps = self.time(text) if text != "T" else None
        return Tree("power", base.at, (base,), text) if steps else super().raised(base, text)

    # ---- sums and products over time

    def word(self) -> Tree:
        """As elsewhere; a sum or a product over times has any times as limits, as 1 <= t <= T or t from T to 1."""
        token, span = self.token, self.span(self.place) if self.token.text in ("sum", "prod") else None
        other = any(sign in self.tokens[self.place + 1].text for sign in "<>") or (span and self._is_turned(*span[1:]))
        if span and (token.text == "prod" or other or span[0] in self.bound) and span[0] in self.times | self.bound:
            return self.over_times(self.take().text, token.at, *span)
        return super().word()

    def over_times(self, kind: str, at: int, letter: str, first: str, last: str) -> Tree:
        """A sum or a product over the times from a first to a last one, up to the next plus or minus."""
        raised = ">" in self.take().text
        if self.token.kind in SCRIPTS and self.token.kind == "high":
            self.take()
        turned = self._is_turned(first, last)
        if kind == "sum" and _steps(first) - _steps(last) == 1:
            none, terms = f"no term for a sum from {first} to {last}", f"sum_{{{letter}={last}}}^{{{first}}}"
            raise self.source.two_readings(at, f"sum_{{{letter}={first}}}^{{{last}}}", none, terms)
        first, last = (last, first) if turned else (first, last)
        start, part = self.token.at, self.term()
        if kind == "sum":
            return Tree("total", at, (part,), (letter, (first, last)))
        for factor in _factors(part)[1:]:
            if any(name.time for name in names_in(factor)) and not _reads(factor, letter):
                before, outer = self.source.text[start : factor.at].strip(), self.source.words(factor.at)
                inner, sign = re.findall(r"(?s)(.*?)\s*([*⊙·∘]|\\[a-z]+)?$", before)[0]
                outer = f"{sign} {outer}".strip()
                one, other = f"(prod ... {inner}) {outer}", f"prod ... ({inner} {outer})"
                raise self.source.two_readings(at, f"prod ... {inner} {outer}", one, other)
        return Tree("multiplied", at, (part,), (letter, (first, last), turned or raised))

    def _is_turned(self, first: str, last: str) -> bool:
        """Whether the last limit comes before the first one, as far as the order is known: a letter lies within the
        limits of its own sum, T after `now`, `now` after all other letters."""
        one, other = ((letters_in(when) or [""])[0] for when in (first, last))
        if one != other and len({(one, other), (other, one)} & self.ordered) == 1:
            return (other, one) in self.ordered
        ranks = [{"": 0, "T": 3, self.now: 2}.get(letter, 1) for letter in (one, other)]
        number, letters = (_steps(first) - _steps(last)).as_coeff_Add()
        return ranks[0] > ranks[1] or (one == other and bool(letters.is_positive or (letters == 0 and number > 0)))


def _has_range(sides: Sequence[Expr], first: Expr, last: Expr) -> bool:
    """Whether a formula has a range from about one time to another, or a power of the steps between them."""
    found = {node for side in sides for node in nodes(side)}
    ranges = [node.limits for node in found if isinstance(node, Bound) and node.limits]
    ranges += [(first, first + getattr(node, "steps", node.args[1])) for node in found if isinstance(node, Pow | Paths)]
    return any((one - first).is_Integer and (other - last).is_Integer for one, other in ranges)


def lagged(sides: Sequence[Expr]) -> Sequence[Expr]:
    """Both sides with the time k of a derivative dh_t/dh_k, or of h_k and a range from k to t beside h_t or in
    h_t - h_k, as t - l, l from 0 on: of a later k they say nothing; nor of k = t, if they have dh_{t-1}/dh_k."""
    left = sides[0].target if isinstance(sides[0], Total) else sides[0]
    lefts = [one for one in Add.make_args(left) if isinstance(one, Ref) and one.time is not None]
    if not lefts:
        return sides
    when = lefts[0].time
    letters = sorted(set().union(*map(free, sides)) - {when}, key=str)
    ranged = (one for one in letters if one.is_Symbol and _has_range(sides, one, when))
    earlier = sides[0].wrt.time if isinstance(sides[0], Total) else next(ranged, None)
    if earlier is not None and when.is_Symbol and earlier.is_Symbol and earlier != when:
        taken = {str(node) for side in sides for node in nodes(side) if not node.args}
        back = lag(next(one for one in ("l", "q", "r", "p", "l'") if one not in taken))
        sides = [substitute(side, {earlier: when - back}) for side in sides]
    if earlier is None or not isinstance(sides[0], Total):
        return sides
    back = when - sides[0].wrt.time
    found = [node for side in sides[1:] for node in nodes(side) if isinstance(node, Total)]
    steps = [one.target.time - one.wrt.time - back for one in found if one.target.time and one.wrt.time]
    if back.is_Symbol and -1 in steps:
        return [substitute(side, {back: lag(back.name, start=1)}) for side in sides]
    return sides


def _steps(when: str) -> Expr:
    """A time as a formula, in which each letter is some number above 0."""
    parts = re.findall(r"([+-]?)([A-Za-z]+|\d+)", when)
    return Add(*(int(sign + "1") * (Integer(n) if n.isdigit() else Symbol(n, positive=True)) for sign, n in parts))


def _factors(tree: Tree) -> list[Tree]:
    """The factors side by side or with a sign between them, without brackets around several."""
    inner = tree.op in ("product", "elementwise") and tree.at == tree.parts[0].at
    return [one for part in tree.parts for one in _factors(part)] if inner else [tree]


def _reads(tree: Tree, letter: str) -> bool:
    return any(letter in letters_in(name.time[0]) for name in names_in(tree) if name.time)


def is_chain(tree: Tree, letter: str) -> bool:
    """Whether a factor is a derivative at one time by a quantity at the time before, whose order is that of the chain
    rule."""
    slopes = tree.parts if tree.op == "product" else (tree,)
    if any(slope.op != "slope" for slope in slopes):
        return False
    target, wrt = slopes[0].parts[0], slopes[-1].parts[1]
    return isinstance(target, Name) and isinstance(wrt, Name) and target.base == wrt.base and _reads(wrt, letter)
