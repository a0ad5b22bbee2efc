"""Doubts about small letters: what is a number, an exponent, a function or one number each unit for many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from throughtime.derivation import INPUT, PARAMETER
from throughtime.reading.names import ACTIVATIONS
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Name, Tree, is_matrix, names_in

if TYPE_CHECKING:
    from throughtime.reading.statements import Statements

EXPONENT = re.compile(rf"[^_^\n]*\^\s*\{{?\s*\\?([kmnNpdDKM]|{'|'.join(GREEK)})(?![A-Za-z0-9])")
EARLIER = ("last", "past", "prior", "before", "lag", "lag1", "tminus1", "prev_step")
WORDS = ("in", "out", "rec", "hid", "min", "max", "fb", "bias")  # labels, whatever is summed over
ORDER = re.compile(r"[^‖|\n]*(?:‖|\||\|)[|}\s]*_\s*\{?2")


def check_ones(read: Statements) -> None:
    """NotationError for (l - z_t) and (I - z_t) * h_t, in which the first letter is a 1 for most."""
    for tree in _trees(read):
        sums = [one for one in tree.parts if one.op == "sum"] if tree.op in ("product", "elementwise") else ()
        for first, second in (one.parts[:2] for one in sums):
            wanted = {"elementwise": "I", "product": "l"}[tree.op], "l"
            less = second.op == "product" and second.parts[0].value == -1
            if less and isinstance(first, Name) and first.key() in wanted and _is_open(read, first):
                letter = f"{first.key()} in R^n for a weight"
                other = letter if first.base == "l" else "a product without the * for the identity"
                raise read.source.two_readings(first.at, f"{first.base} before a minus", "1 for the number", other)


def check_exponents(read: Statements) -> None:
    """NotationError for lambda^n and gamma^tau, in which a label is a power for most."""
    labels = [name.marks for name in read.names.values()]
    for key, name, _ in read.uses():
        found = EXPONENT.match(read.source.text, name.at)
        alone = name.base in GREEK and not name.time and labels.count(name.marks) == 1
        if found and alone and name.marks == (found[1],) and _is_open(read, name):
            (n,) = name.marks
            label, power = f"{key} for a label", f"exp({n} * log({name.base})) with {n} in R for a power"
            raise read.source.two_readings(name.at, read.source.words(name.at), label, power)


def check_functions(read: Statements) -> None:
    """NotationError for sigma W x_t, in which sigma is a function for most."""
    for tree in (one for one in _trees(read) if one.op == "product"):
        first, second, *more = tree.parts
        weighted = is_matrix(second) and not names_in(second)[0].time and more
        if weighted and isinstance(first, Name) and first.key() in ACTIVATIONS and _is_open(read, first):
            f, a = first.key(), read.source.words(second.at)
            function, number = f"{f}(...) for the function", f"{f} in R for a number"
            raise read.source.two_readings(first.at, f"{f} before {a}", function, number)


def check_scales(read: Statements) -> None:
    """NotationError for gamma * (a normalized vector) + beta, in which both letters are vectors for most."""
    for tree in _trees(read):
        scaled = any(map(_is_normalized, tree.parts)) and tree.op in ("product", "elementwise")
        shifted = tree.op == "sum" and any(_is_normalized(one) for term in tree.parts for one in (term, *term.parts))
        within = tree.parts[0].parts if _is_normalized(tree) else tree.parts if scaled or shifted else ()
        for name in (one for one in within if isinstance(one, Name)):
            if name.base in GREEK and not name.time and _is_open(read, name):
                said, each = f"{name.key()} beside what is normalized", f"{name.key()} in R^n for one number each unit"
                raise read.source.two_readings(name.at, said, each, f"{name.key()} in R for one number")


def check_steps(read: Statements) -> None:
    """NotationError for exp(Delta_t A) * h_{t-1}, in which Delta_t is no row of a product for most."""
    calls = (one.parts[0] for one in _trees(read) if one.op == "call" and one.value == ("exp", 0))
    for first, second in (one.parts for one in calls if one.op == "product" and len(one.parts) == 2):
        if not isinstance(first, Name) or first.base not in ("Delta", "delta", "dt") or not first.time:
            continue
        if is_matrix(second) and first.key() not in read.declared:
            delta, a = (read.source.words(one.at) for one in (first, second))
            sign = r"\odot" if "\\" in read.source.text else "⊙"
            number, each = f"{first.key()}_{read.now} in R for a number", f"{delta} {sign} {a} for elements"
            raise read.source.two_readings(first.at, f"{delta} {a}", number, each)


def check_norms(read: Statements) -> None:
    """NotationError for the norm of order 2 of a matrix, its largest singular value for many."""
    roots = (one for one in _trees(read) if one.value == ("sqrt", 0) and one.parts[0].value == ("norm", 0))
    for root in roots:
        matrix = root.parts[0].parts[0].parts[0]
        if is_matrix(matrix) and ORDER.match(read.source.text, matrix.at):
            a, value = read.source.words(matrix.at), "a number that is given for the largest singular value"
            raise read.source.two_readings(root.at, f"‖{a}‖_2", f"‖{a}‖_F for the root of all squares", value)


def _is_normalized(tree: Tree) -> bool:
    """Whether it is divided by a root of a mean."""
    roots = (one for one in tree.parts[1].all() if one.value == ("sqrt", 0)) if tree.op == "quotient" else ()
    return any(inner.value == ("mean", 0) for root in roots for inner in root.all())


def _is_open(read: Statements, name: Name) -> bool:
    """Whether nothing computes a letter, or says what it is."""
    key = name.key()
    return key not in read.declared and read.roles.get(key, PARAMETER) == PARAMETER


def _trees(read: Statements) -> Iterator[Tree]:
    return (tree for one in read.equations for tree in one.rights[0].all())


def check_sizes(read: Statements) -> None:
    """NotationError for sum(h_t) / n, where n is the number of units for most."""
    below = (one.parts[1] for one in _trees(read) if one.op == "quotient")
    for name in (one for part in below for one in (part, *part.parts) if isinstance(one, Name)):
        if name.key() in ("d", "m", "n") and not name.time and _is_open(read, name):
            n = name.base
            number, vector = f"{n} in R for a number, mean(a) for a mean", f"{n} in R^n for a vector"
            raise read.source.two_readings(name.at, f"{n} under a bar", number, vector)


def check_before(read: Statements) -> None:
    """NotationError for h_t_1, h_last and h_t_next beside h_t: the values one step earlier and later for most."""
    made = {one.left.base: one.left for one in read.equations if one.left.time}
    for key, name, _ in read.uses():
        said = read.source.words(name.at)
        mark, t = "_".join(name.marks), read.now
        glued = re.search(rf"_{{?\s*{t}\s*}}?_(?:1|prev|minus_?1)$|minus_?1|tm1", said)
        if name.base in made and made[name.base].key() != key and _is_given(read, key) and (glued or mark in EARLIER):
            earlier = f"{name.base}_{{{t}-1}} for the value one step earlier"
            raise read.source.two_readings(name.at, said, earlier, f"{key} in R^n for another one")
        if name.marks and name.marks[-1] in ("next", "new") and name.time and _is_given(read, name.base):
            old = f"{name.base}_{t} = ... {name.base}_{{{t}-1}} for a step"
            raise read.source.two_readings(name.at, said, old, f"{name.base}_{t} in R^n for what is given")


def check_layers(read: Statements) -> None:
    """NotationError for W^2 h_t + b^2, where 2 is the label of W and a power of b."""
    for one in read.equations:
        marks = {*one.left.marks, *(mark for name in names_in(*one.rights) for mark in name.marks)}
        powers = (tree for tree in one.rights[0].parts if one.rights[0].op == "sum" and tree.op == "power")
        inner = (tree for call in one.rights[0].parts if call.op == "sum" for tree in call.parts if tree.op == "power")
        for tree in (*powers, *inner):
            b = tree.parts[0]
            if isinstance(b, Name) and not b.time and _is_open(read, b) and str(tree.value) in marks:
                n, label = tree.value, f"{b.key()}_{tree.value} for a label"
                raise read.source.two_readings(b.at, f"{b.key()}^{n}", label, f"({b.key()})^{n} for a power")


def check_summed(read: Statements) -> None:
    """NotationError for sum_j w_{fj} x_j, where j is a part of a label, and one w for all j."""
    for one in read.equations:
        for tree in (tree for tree in one.rights[0].all() if tree.op == "total" and len(tree.value[1]) < 2):
            letter = tree.value[0]
            for name in names_in(tree.parts[0]):
                key, indices = name.key(one.letters), name.indices(one.letters)
                held = [mark for mark in name.marks if mark == letter or (letter in mark and len(letter) == 1)]
                if held and letter not in indices and held[0] not in WORDS and read.roles.get(key) == PARAMETER:
                    label = held[0].replace(letter, "") if held[0] != letter else "a"
                    hint = f"{name.base}_{{{label},j}} with sum_j: an index is one of i to q, apart from a label"
                    said = f"found {letter} in the label {held[0]} under a sum over {letter}"
                    raise read.source.fault(name.at, said, "expected an index of its own", hint)


def _is_given(read: Statements, key: str) -> bool:
    return read.roles.get(key) in (INPUT, PARAMETER) and key not in read.declared


OF_LETTERS = (
    check_ones, check_exponents, check_functions, check_scales, check_steps, check_norms, check_sizes, check_before,
    check_layers, check_summed,
)  # fmt: skip
