"""Doubts that show when the rank of each letter is known: a gate before an outer product, Greek letters at matrices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from throughtime.derivation import DEFINED, INPUT
from throughtime.reading.ranks import Ranks
from throughtime.reading.rows import is_vector
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Assignment, Name, Tree, is_matrix, names_in

if TYPE_CHECKING:
    from throughtime.reading.statements import Statements

NOISE = ("epsilon", "xi", "eta", "zeta", "nu", "omega")


def check_gates(read: Statements, ranks: Ranks) -> None:
    """NotationError for C_t = C_{t-1} + i_t v_t k_t^T, where i_t is a number and C a matrix for most."""
    for one, tree in _trees(read):
        key = one.left.key()
        if tree.op != "product" or len(tree.parts) < 3 or not is_matrix(one.left) or key in read.declared:
            continue
        *_, gate, column, row = tree.parts
        outer = row.op == "transposed" and is_vector(row.parts[0]) and ranks.of(column) == 1 and ranks.of(gate)
        if ranks.known.get(key) == 1 and outer and not is_matrix(gate):
            i, v, k = (read.source.words(part.at) for part in (gate, column, row))
            number, each = f"{i} in R for a number", f"({i} * {v}) {k} for one factor each unit"
            raise read.source.two_readings(gate.at, f"{i} before {v} {k}", number, each)


def check_greek(read: Statements, ranks: Ranks) -> None:
    """NotationError for a small Greek letter that the equations make a matrix, and for a Greek number that is added to
    one: a multiple of the identity for many."""
    for key, name, _ in read.uses():
        if name.base in GREEK and name.base[0].islower() and ranks.known.get(key) == 2 and _is_open(read, key):
            a = read.source.words(name.at)
            number = f"{a} in R for a number, {a} I for one on the diagonal"
            raise read.source.two_readings(name.at, f"{a} at a matrix", number, f"{a} in R^{{n x m}} for a matrix")
    for one, tree in _trees(read):
        parts = [(part, ranks.of(part)) for part in tree.parts] if tree.op == "sum" else []
        whole = tree != one.rights[0] or ranks.known.get(one.left.key()) == 2
        for part, rank in parts if whole and any(found == 2 for _, found in parts) else ():
            plain = part.parts[-1] if part.op == "product" and part.parts[0].value == -1 else part
            base = plain.parts[0] if plain.op == "power" else plain
            if rank == 0 and isinstance(base, Name) and base.base in GREEK and base.key() not in read.declared:
                a = read.source.words(plain.at)
                each = "a line of its own for a number that is added to each element"
                raise read.source.two_readings(plain.at, f"{a} beside a matrix", f"{a} I for the diagonal", each)


def check_circles(read: Statements, ranks: Ranks) -> None:
    """NotationError for alpha ⊙ h + alpha x, where the sign says that alpha is a vector, and the product that it is
    none."""
    for _, tree in _trees(read):
        for name, other in (tree.parts, tree.parts[::-1]) if tree.value == "⊙" and len(tree.parts) == 2 else ():
            inner = names_in(name)[0] if len(names_in(name)) == 1 else None
            if not inner or inner.base not in GREEK or ranks.of(other) != 1 or not _is_open(read, inner.key()):
                continue
            if ranks.known.get(inner.key()) == 0:
                a = inner.key() + f"_{read.now}" * bool(inner.time)
                vector, number = f"{a} in R^n for a vector, with ⊙ at every product", f"{a} in R for a number"
                raise read.source.two_readings(inner.at, f"{a}, a number with ⊙,", vector, number)


def check_noise(read: Statements, ranks: Ranks) -> None:
    """NotationError for sigma_t epsilon_t of a vector and one number, where most have noise for each unit."""
    for _, tree in _trees(read):
        for a, b in pairwise(tree.parts) if tree.op == "product" else ():
            if not isinstance(b, Name) or b.base not in NOISE or not b.time or read.roles.get(b.key()) != INPUT:
                continue
            if ranks.of(a) == 1 and ranks.known.get(b.key()) == 0 and b.key() not in read.declared:
                s, e = (read.source.words(part.at) for part in (a, b))
                each, one = f"{s} * {e} for noise of each unit", f"{e} in R for one number"
                raise read.source.two_readings(b.at, f"{s} {e}", each, one)


def check_inner(read: Statements, ranks: Ranks) -> None:
    """NotationError for bold letters at a dot that are numbers: their inner product for most."""
    for _, tree in _trees(read):
        for a, b in pairwise(tree.parts) if tree.op == "product" else ():
            dot = re.search(r"·|⋅|\\cdot", read.source.text[a.at : b.at])
            bold = read.source.is_bold(a.at) and read.source.is_bold(b.at)
            if dot and bold and isinstance(a, Name) and isinstance(b, Name) and ranks.of(a) == ranks.of(b) == 0:
                w, x = a.base, b.base + f"_{read.now}" * bool(b.time)
                inner, number = f"{w}^T {x} for the inner product", f"{w} in R and {x} in R for numbers"
                raise read.source.two_readings(a.at, f"{w} and {x} at a dot", inner, number)


def _is_open(read: Statements, key: str) -> bool:
    """Whether nothing computes a letter, or says what it is."""
    return read.roles.get(key) != DEFINED and key not in read.declared


def _trees(read: Statements) -> Iterator[tuple[Assignment, Tree]]:
    equations = (one for one in read.equations if not one.letters)
    return ((one, tree) for one in equations for tree in one.rights[0].all())


OF_RANKS = (check_gates, check_greek, check_circles, check_noise, check_inner)
