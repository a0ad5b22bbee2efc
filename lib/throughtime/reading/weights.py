"""Doubts about weights: what is the identity for most, and one letter for two matrices."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from throughtime.derivation import PARAMETER
from throughtime.reading.rows import is_vector
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Name, is_matrix

if TYPE_CHECKING:
    from throughtime.reading.statements import Statements


def check_identity(read: Statements) -> None:
    """NotationError for I_n and Id that are learned, which are the identity for most."""
    for key, name, _ in read.uses():
        sized = name.base == "I" and len(name.marks) == 1 and re.fullmatch("[a-zN]", name.marks[0])
        if read.roles[key] == PARAMETER and key not in read.declared and (sized or name.base in ("Id", "eye")):
            a, other = read.source.words(name.at), f"{key} in R^{{n x n}} for a weight"
            raise read.source.two_readings(name.at, a, "I for the identity", other)


def check_sources(read: Statements) -> None:
    """NotationError for sum_i w_{ij} x_i + sum_k w_{kj} h_k of one letter w: two matrices for most."""
    for one in (one for one in read.equations if one.letters):
        first: dict[str, tuple[Name, Name]] = {}
        pairs = (two for tree in one.rights[0].all() if tree.op == "product" for two in pairwise(tree.parts))
        for a, b in ((a, b) for a, b in pairs if isinstance(a, Name) and isinstance(b, Name)):
            key, summed = a.key(one.letters), {*a.indices(one.letters)} - {*one.left.indices(one.letters)}
            if read.roles.get(key) != PARAMETER or not b.time or {*b.indices(one.letters)} != summed:
                continue
            other, source = first.setdefault(key, (a, b))
            if other.marks != a.marks and source.key(one.letters) != b.key(one.letters) and key not in read.declared:
                w, u = (read.source.words(each.at) for each in (other, a))
                two, letter = f"w^{{{b.base}}} for the weights from {b.base}", f"{key} in R^{{n x n}} for one matrix"
                raise read.source.two_readings(a.at, f"{w} beside {u}", two, letter)


def check_outer(read: Statements) -> None:
    """NotationError for S_t = A S_{t-1} + beta_t k_t^T v_t: the last term is a matrix where vectors are rows."""
    for one in (one for one in read.equations if is_matrix(one.left) and not one.letters):
        terms = one.rights[0].parts if one.rights[0].op == "sum" else ()
        for term in (term for term in terms if term.op == "product" and not any(map(is_matrix, term.parts))):
            vectors = [part for part in term.parts if is_vector(part) or part.op == "transposed"]
            rates = [one for one in term.parts if isinstance(one, Name) and one.base in GREEK]
            if rates and [part.op == "transposed" for part in vectors] == [True, False]:
                a, b = (read.source.words(part.at) for part in vectors)
                matrix, number = "a b^T for the matrix of two columns", "a line of its own for a number"
                raise read.source.two_readings(vectors[0].at, f"{a} {b} beside a matrix", matrix, number)


OF_WEIGHTS = (check_identity, check_sources, check_outer)
