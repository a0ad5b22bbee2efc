"""The equations of a text sorted: starts apart, vectors below each other as blocks, each name with its role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import product

from throughtime.derivation import DEFINED, INPUT, PARAMETER
from throughtime.reading.brackets import check_brackets
from throughtime.reading.doubts import CHECKS, check_powers, check_times
from throughtime.reading.lines import Lines
from throughtime.reading.names import COSTS
from throughtime.reading.rows import in_columns
from throughtime.reading.spelling import GREEK, REAL, STEP
from throughtime.reading.steps import in_time
from throughtime.reading.trees import Assignment, Declared, Equality, Name, Tree, is_kronecker, names_in
from throughtime.reading.units import as_vectors

GOALS = ("d", "y", "target", "y_hat", "y_star", "y_tilde")  # of a loss, without a time
INDICES, USUAL = {*"ijklmnpq"}, {*"xuydt"}  # letters of inputs and of targets
Use = tuple[str, Name, tuple[str, ...] | None]  # key, where it stands, indices; None in matrix notation


def letters_of(equation: Equality) -> frozenset[str]:
    """The letters that are indices in an equation: those in brackets, under sums, and of the left side.

    One of the left side is an index if it also stands on the right, alone or in a pair as w_ij: the r of
    `h_r = f(W x_t)` is none.
    """
    left, right = names_in(equation.left), names_in(*equation.rights)
    totals = [tree.value for side in equation.rights for tree in side.all() if tree.op == "total"]
    sure = {letter for letter, limits in totals if len(limits) < 2}
    sure |= {letter for name in (*left, *right) for letter in name.places}
    marks = [(mark, name.base[0].islower() and len(mark) > 1) for name in right for mark in name.marks]
    maybe = {letter for name in left for mark in name.marks if mark != "in" and set(mark) <= INDICES for letter in mark}
    seen = {letter for mark, pair in marks if set(mark) <= (INDICES if pair else maybe | sure) for letter in mark}
    return frozenset(sure | (maybe & seen))


class Statements:
    """`equations`, `starts` and what is `declared`; the `names` of the quantities and their `roles`, by key.

    A left side is computed, what has a time is given, the rest is learned. `unread` are the keys of what no line reads
    at any time; `outputs` those of what no other line reads, or if there is no such thing, none at the time of its left
    side; `goals` those of targets without a time; `summed` those of which a line says that the loss is their sum.
    `blocks` are the labels of the parts of a matrix that stands before vectors below each other.
    NotationError where a name is used in two manners.
    """

    def __init__(self, parser: Lines):
        self.now, self.source = parser.now, parser.source
        self.blocks: dict[str, list[str]] = {}
        found = parser.statements()
        self.declared = {one.name.key(): one for one in found if isinstance(one, Declared)}
        written = in_time([one for one in found if isinstance(one, Equality)], self.now, parser.before)
        written = [as_vectors(self.source, one) for one in written]
        self.written = {name.key() for one in written for name in names_in(one.left, *one.rights)}
        check_brackets(self.source, written, parser.opened, {*self.declared})
        written, self.rows = in_columns(written)
        equations = [self._prepared(one) for one in written]
        if not equations:
            expected = "expected lines such as h_t = tanh(W x_t + U h_{t-1} + b)"
            raise self.source.fault(0, "found no equation", expected)
        computed = {one.left.key(one.letters) for one in equations if one.left.time}
        losses = [one for one in equations if self._is_the_loss(one, computed)]
        self.summed = {one.left.key() for one in losses}
        equations = [one for one in equations if one not in losses]
        self.starts = [start for one in equations if (start := self._as_start(one, computed))]
        self.equations = [one for one in equations if not self._as_start(one, computed)]
        check_times(self)
        totals = [tree.value[1] for one in equations for tree in one.rights[0].all() if tree.op == "total"]
        self.sizes = {limits[0] for limits in totals if len(limits) == 1}
        self.sizes |= {size for one in self.declared.values() for size in one.sizes}
        self.roles: dict[str, str] = {}
        self.names: dict[str, Name] = {}
        self._assign_roles()
        check_powers(self, parser.raised_times)
        self._check_names()
        for check in CHECKS:
            check(self)
        self.unread, self.outputs = self._ends()
        self.goals = self._goals()

    def _prepared(self, equation: Equality) -> Assignment:
        """An equation of one quantity with its blocks and its letters."""
        left, right, *more = equation.left, *equation.rights
        if more or not isinstance(left, Name):
            hints = {
                "stack": "a line for each of them",
                "call": "no line for a function: sigma, tanh, relu and exp are what they say",
                "power": "v_t = ... for a square; a label is raised in brackets, as h^{(1)}_t",
            }
            if left.op == "quotient" and "dt" in self.source.text:
                hints["quotient"] = STEP
            if left.op == "product" and names_in(left)[:1] and names_in(left)[0].base.lower() == "delta":
                hints["product"] = rf"one letter for it, as d_{self.now} for \Delta x_{self.now}"
            hint = hints.get(left.op, "") or self.source.word(left.at) or "what is computed alone on the left"
            hint = "one sign = in a line" if more else hint
            at = right.at if isinstance(left, Name) else left.at
            raise self.source.fault(at, "found a formula", "expected one quantity and what it is, as h_t = ...", hint)
        made = Assignment(left, (self._in_blocks(right),))
        return replace(made, letters=letters_of(made))

    def _in_blocks(self, tree: Tree) -> Tree:
        """W [h; x] as W_h h + W_x x: a matrix before vectors below each other has a block for each of them."""
        if not isinstance(tree, Name):
            tree = replace(tree, parts=tuple(map(self._in_blocks, tree.parts)))
        if not (tree.op == "product" and tree.parts[-1].op == "stack"):
            return tree
        *before, matrix, stack = tree.parts
        if not isinstance(matrix, Name):
            raise self.source.fault(matrix.at, "found no letter before vectors below each other", "expected a matrix")
        if one := next((row for row in stack.parts if not names_in(row)), None):
            found = f"found {self.source.words(one.at)} among vectors"
            raise self.source.fault(one.at, found, "expected a vector", "a bias as a term of its own, as W x_t + b")
        labels = [row.base if isinstance(row, Name) else str(n) for n, row in enumerate(stack.parts, 1)]
        labels = [f"{one}{n}" if labels.count(one) > 1 else one for n, one in enumerate(labels, 1)]
        labels = self.blocks.setdefault(matrix.key(), labels)
        if len(labels) != len(stack.parts):
            found = f"found {matrix.key()} before {len(stack.parts)} vectors"
            raise self.source.fault(stack.at, found, f"expected {len(labels)}, as above")
        blocks = [replace(matrix, marks=(*matrix.marks, label)) for label in labels]
        if both := {one.key() for one in blocks} & self.written:
            found = f"found {min(both)}, and {matrix.key()} before vectors, a part of which has this name"
            raise self.source.fault(matrix.at, found, "expected another letter for one of them")
        pairs = zip(stack.parts, blocks, strict=True)
        return Tree("sum", tree.at, tuple(Tree("product", row.at, (*before, block, row)) for row, block in pairs))

    @staticmethod
    def _as_start(equation: Assignment, computed: set[str]) -> Assignment | None:
        """h_0 = s or h(0) = s as an equation of h at the time 0; None for another equation."""
        left = equation.left
        if left.time is None and left.marks[-1:] == ("0",):
            left = replace(left, marks=left.marks[:-1], time=("", 0))
        at_start = left.time == ("", 0) and left.key(equation.letters) in computed
        return replace(equation, left=left) if at_start else None

    @staticmethod
    def _is_the_loss(equation: Assignment, computed: set[str]) -> bool:
        """Whether it says L = sum_t L_t, which is so for a cost L_t without being said."""
        left, (right, *_) = equation.left, equation.rights
        term = right.parts[0] if right.op == "total" and right.value[1] == ("1", "T") else None
        timed = isinstance(term, Name) and term.time and term.key() == left.key()
        return bool(timed and not left.time and left.base in COSTS and left.key() in computed)

    def uses(self) -> Iterator[Use]:
        """All occurrences of quantities, left sides first."""
        all = (*self.equations, *self.starts)
        sides: list[tuple[Assignment, tuple[Tree, ...]]] = [(one, (one.left,)) for one in all]
        sides += [(one, one.rights) for one in all]
        sizes = self.sizes | {"T"} | ({"I"} - {*self.declared, *self.roles})  # a bare I is the identity
        for one, parts in sides:
            for name in names_in(*parts):
                sized = not name.time and name.key() in sizes and not name.places
                if not sized and not (is_kronecker(name, one.letters) and "delta" not in self.declared):
                    yield name.key(one.letters), name, name.indices(one.letters) if one.letters else None

    def _assign_roles(self) -> None:
        for one in self.equations:
            key = one.left.key(one.letters)
            if key in self.roles:
                hint = "another letter for one of them"
                raise self.source.fault(
                    one.left.at, f"found {key} on the left again", "expected one equation for each", hint
                )
            self.roles[key] = DEFINED
        for key, name, _ in self.uses():
            self.names.setdefault(key, name)
            self.roles.setdefault(key, INPUT if name.time else PARAMETER)

    # ---- what is written in a manner that could mean something else

    def _check_names(self) -> None:
        """NotationError for a name that lacks its time, and for what people write for two things."""
        now, timed = self.now, {key for key, name, _ in self.uses() if name.time}
        for declared in self.declared.values():
            if both := timed.intersection(declared.sizes):
                found = f"found the size {min(both)}, while {min(both)}_{now} is a quantity"
                raise self.source.fault(declared.name.at, found, "expected another letter for one of them")
        if not timed:
            left = self.equations[0].left
            base = left.base[:-1] if left.base[1:] == now else left.base
            hint = f"as {base}_{now} = ... with {base}_{{{now}-1}} on the right"
            raise self.source.fault(left.at, "found no time at any quantity", "expected some", hint)
        for key, name, indices in self.uses():
            base, capital = name.base, name.base[0].isupper() and name.base not in GREEK
            whole = re.sub(rf"({now}|_\d+)$", "", key)
            if not name.time and key in timed:
                hint = f"as {base}_{now} or {base}_{{{now}-1}}, or another letter for what has no time"
                hint = self.source.word(name.at) or hint
                raise self.source.fault(name.at, f"found {key} without a time", "expected it as elsewhere", hint)
            if not name.time and whole != key and whole in timed and key not in self.declared:
                meant = f"{whole}_{now}" if key == whole + now else f"{base}_{{{name.marks[-1]},{now}}} for a label"
                raise self.source.two_readings(name.at, key, meant, f"{key} in R^n for a weight")
            role = self.roles[key] if key not in self.declared else ""
            if role == PARAMETER and indices == () and capital:
                element = f"{key}_{{ij}} for an element of it"
                raise self.source.two_readings(name.at, f"{key} beside indices", element, f"{key} in R for a number")
            if indices is not None and not capital and self.source.is_bold(name.at) and key not in self.declared:
                element = f"{self.source.words(name.at)}, a bold letter, in an equation with indices"
                hint = f"one more index, as {base}_{{ij}}, and a sum over it"
                hint += f", or a number for {indices[0]} if it is a label" if indices else ""
                raise self.source.fault(name.at, f"found {element}", "expected numbers", hint)
            if indices == () and {*base[1:]} and {*base[1:]} <= INDICES and base not in (*GREEK, *self.declared):
                element = f"{base[0]}_{{{base[1:]}}} for an element"
                raise self.source.two_readings(name.at, key, element, f"{key} in R for a number")
            if role == PARAMETER and key in ("i", "j"):
                raise self.source.two_readings(name.at, f"{key} without a time", REAL, f"{key} in R^n for a weight")
            if role == PARAMETER and re.fullmatch(f"[a-ce-z]{now}", key) and "\\" not in self.source.text:  # xt
                weight = f"{key} in R^n for a weight"
                raise self.source.two_readings(name.at, key, f"{key[0]}_{now} for what is given at each time", weight)
            if role == PARAMETER and key in ("x", "h"):
                hint = f"{base}_{now} for what is given at each time, or {key} in R^n for what is learned"
                raise self.source.fault(name.at, f"found {key} without a time", "expected one", hint)
            if not name.time and indices is not None and len(indices) == 1 and capital:
                element = f"{base}_{{{indices[0]}j}} x_j for an element of the matrix"
                label = f"another letter on the left, if {indices[0]} is a label"
                raise self.source.two_readings(name.at, name.key(), element, label)
            known = self.roles.get(base.removesuffix("_tilde"))
            if self.roles[key] == INPUT and known == DEFINED and base.endswith("_tilde") and key not in self.declared:
                hint = f"or say that it is given: {base}_{now} in R^n"
                raise self.source.fault(name.at, f"found {key}, which nothing computes", "expected its equation", hint)
            if self.roles[key] == INPUT and name.time and not name.time[0]:
                hint = f"{base}_{name.time[1]} for a label"
                raise self.source.fault(name.at, f"found {key} at the time {name.time[1]}", f"expected {now}", hint)
            two = r"([A-Z](?:_[a-z]+|\d+|([a-z])(?=\2))?)([a-z])(?![A-Za-z0-9])"  # Wx_t, W_xx_t, W1x_t, Wxx_t
            glued = re.match(two, self.source.text[name.at :])
            if self.roles[key] == INPUT and glued and key not in self.declared:
                one, other = f"{glued[1]} {glued[3]}_{now} for a product", f"{key}_{now} in R^n"
                raise self.source.two_readings(name.at, f"{glued[0]}_{now}", one, other)

    def _goals(self) -> set[str]:
        """The keys of targets of the last state: d and y without a time that only equations without a time read."""
        read = {
            one: {name.key(one.letters) for name in names_in(*one.rights)} for one in (*self.equations, *self.starts)
        }
        steps = {key for one, keys in read.items() if one.left.time for key in keys}
        return {key for key, role in self.roles.items() if role == PARAMETER and key in GOALS and key not in steps}

    def _ends(self) -> tuple[list[str], list[str]]:
        """`unread` and `outputs`; NotationError for a misspelt quantity: what no other line reads, beside what nothing
        computes and has nearly its name, or, if it is not the end of the text, begins with the same letter or is given
        beside an input."""
        computed = [key for key, role in self.roles.items() if role == DEFINED]
        given = [key for key, role in self.roles.items() if role == INPUT and key not in self.declared]
        written = {one.left.key(one.letters): one.left.time for one in self.equations}
        sides = [(one.left.key(one.letters), one.letters, names_in(*one.rights)) for one in self.equations]
        uses = [(left, name.key(letters), name.time) for left, letters, names in sides for name in names]
        by_others = {key for left, key, _ in uses if key != left}
        inside = {key for left, key, when in uses if key != left and when == written.get(key)}  # h_{t+1} = f(z_t)
        unread = [key for key in computed if key not in {key for _, key, _ in uses}]
        outputs = [key for key in computed if key not in by_others] or [key for key in computed if key not in inside]
        for key, other in product([key for key in computed if key not in by_others], given):
            made = {key}  # of what it is made at one time
            while new := {one for left, one, when in uses if left in made and when == written[left]} - made:
                made |= new
            beside = [{left for left, one, _ in uses if one == either} for either in (key, other)]
            two = other in made or beside[0] & beside[1] or (key in COSTS and key in unread)
            doubtful = key in unread and ([key] != outputs[-1:] or key == f"{other}_prime")
            strange = not two and len(given) > 1 and len(key + other) == 2 and other not in USUAL
            if (not two and _is_near(key, other)) or (doubtful and (strange or other[0].lower() == key[0].lower())):
                lines = "nothing" if key in unread else "no other line"
                found = f"found {other}, which nothing computes, while {lines} reads {key}"
                hint = STEP if key == f"{other}_prime" else f"or say that it is given: {other}_{self.now} in R^n"
                raise self.source.fault(self.names[other].at, found, f"expected {key}_{self.now}", hint)
        return unread, outputs


def _is_near(one: str, other: str) -> bool:
    """Whether two names differ in capitals, in how an accent is written, or, if they are words, in a letter."""
    a, b = (re.sub("_?(?:tilde|hat|bar)", "~", key.lower()).replace("_", "") for key in (one, other))
    words = "_" not in one + other and min(len(a), len(b)) > 3
    return a == b or (words and SequenceMatcher(None, a, b).ratio() > 0.8)
