"""How many indices each quantity has: 0 a number, 1 a vector, 2 a matrix.

A capital letter is a matrix, a small one a vector, a small Greek one a number, unless the equations say otherwise:
W x_t is a vector, w^T x_t a number, and both sides of an equation are of one rank. First what must be, then terms of a
sum like each other, then the letters; a number may be added to each element of a vector only if it is one for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from throughtime.derivation import DEFINED, PARAMETER
from throughtime.reading.names import COSTS
from throughtime.reading.source import NotationError, SourceText
from throughtime.reading.spelling import GREEK, NUMBERS
from throughtime.reading.trees import WHOLE, Equality, Name, Tree, is_matrix, names_in

ROW = -1
Rank = int | None
KINDS = {ROW: "a row", 0: "a number", 1: "a vector", 2: "a matrix"}
PRODUCTS: dict[tuple[Rank, Rank], int]  # of two factors
PRODUCTS = {(2, 1): 1, (2, 2): 2, (1, 2): 1, (ROW, 1): 0, (ROW, 2): ROW, (1, ROW): 2}
PRODUCTS |= {(2, 3): 3, (1, 3): 2, (ROW, 3): 2}  # the derivative of a vector by a matrix has three indices
MISPLACED = {
    "stack": ("found vectors one below the other", "expected them behind a matrix, as in W [h_{t-1}; x_t]"),
    "differential": ("found a d of its own", "expected a derivative, as dL/dh_t"),
}


def is_tiny(tree: Tree) -> bool:
    """Whether it is the epsilon below a bar, which is added to each element."""
    return isinstance(tree, Name) and tree.base in ("eps", "epsilon")


def kind(rank: int) -> str:
    """A rank in words."""
    return KINDS.get(rank, f"an array of {rank} indices")


def product(ranks: Sequence[Rank]) -> Rank:
    """The rank of a product of factors side by side, from the right on; None for a product that there is not."""
    found: Rank = 0
    turned = False  # a vector before a matrix is a row, with nothing before it
    for rank in filter(None, reversed(ranks)):
        turned, last = (rank, found) == (1, 2), turned
        found = rank if found == 0 else PRODUCTS.get((rank, found))
        if found is None or rank is None or last:
            return None
    return found


class Ranks:
    """The ranks of names, found from equations in matrix notation. `known` are those that are given, and then all.

    `letters` are the indices of the equation that is looked at: with some, all names in it are single elements.
    """

    def __init__(self, source: SourceText, known: dict[str, int]):
        self.source, self.known, self.letters = source, known, frozenset[str]()
        self.alike, self.changed = False, False
        self.exponentials: set[str] = set()  # names for exp(...)
        self.closed = False  # what is judged has powers of matrices; a recurrence has labels

    def settle(self, equations: Sequence[Equality], names: Sequence[tuple[str, Name, str]]) -> None:
        """Find the rank of every name of some equations; `names` are all, with where they stand, and their roles."""
        called = [one.left for one in equations if one.rights[0].value == ("exp", 0)]
        self.exponentials = {name.key() for name in names_in(*called)}
        said, capital = {*self.known}, {key: one.base[0].isupper() for key, one, _ in names}
        lefts = {
            one.left.key() for one in equations if isinstance(one.left, Name) and one.left.time and not one.letters
        }
        greek = {key for key, one, _ in names if one.base in (*GREEK, *NUMBERS)}
        matrices = [key for key, _, role in names if capital[key] and role != DEFINED and key not in greek]
        self.known = {**dict.fromkeys(matrices, 2), "I": 2, "dt": 0, **self.known}
        while True:
            self._spread([one for one in equations if not one.letters])
            key, name = next(((key, name) for key, name, _ in names if key not in self.known), ("", None))
            if not name:
                break
            if capital[key] and key in greek:
                written = f"{key}_t" if name.time else key
                below = [tree.parts for one in equations for tree in one.rights[0].all() if tree.op == "power"]
                inverse = any(one.key() == key for one in names_in(*sum(below, ())))
                other = "another letter for the inverse" if inverse else f"{written} in R^{{n x n}} or R^n"
                raise self.source.two_readings(name.at, written, f"{written} in R", other)
            self.known[key] = 0 if key in greek else 2 if capital[key] else 1
        for key, name, role in names:
            if self.known[key] == 0 and key in lefts and capital[key] and key not in said | greek | {*COSTS}:
                found, hint = f"found {key}, a capital letter, equal to a number", f"{key}_t in R if it is one"
                hint += ", a b^T for the matrix of two columns"
                raise self.source.fault(name.at, found, "expected a matrix", hint)
            if self.known[key] == 2 and role == PARAMETER and not capital[key] and key not in said | greek:
                found, hint = f"found {key}, a small letter, beside a matrix", f"{key} in R^{{n x m}} if it is one"
                raise self.source.fault(name.at, found, "expected a capital letter", hint)

    def _spread(self, equations: Iterable[Equality]) -> None:
        """What follows from what is known: without likening terms first, and again as long as something is new."""
        self.alike = False
        while True:
            self.changed = False
            for equation in equations:
                found = self.of(equation.rights[0], self.of(equation.left))
                if found is not None:
                    self.of(equation.left, abs(found))
            if not self.changed and self.alike:
                return
            self.alike = not self.changed

    def check(self, equation: Equality, start: bool = False) -> None:
        """NotationError where the sides of an equation are not of one rank; a start may be one number for all."""
        self.letters = equation.letters
        left = self.found(equation.left)
        for right in equation.rights:
            found = self.found(right)
            jacobian = equation.left.op == "slope" and [*map(self.found, equation.left.parts)] == [1, 1]
            for part in right.parts if jacobian and not any(one.key() == "I" for one in names_in(right)) else ():
                if right.op == "sum" and not self.found(part):
                    said, each = self.source.words(part.at), "a matrix, as a b^T, for one number at each place"
                    raise self.source.two_readings(part.at, f"{said} beside a matrix", f"{said} I", each)
            nothing = self.closed and right.op == "number" and right.value == 0  # each element of a judged derivative
            if found != left and not nothing and not (start and found == 0):
                name = equation.left
                hint = f"{name.key()}_t in R if it is a number" if found == 0 and isinstance(name, Name) else ""
                hint = "(...)^T for a column" if found == ROW and left == 1 else hint
                other = {1: "diag(a) for one derivative each unit", 0: "a b^T for the product of a column and a row"}
                hint = other.get(found, hint) if left == 2 and self.closed else hint
                expected = f"expected {kind(left)}, as on the left"
                raise self.source.fault(right.at, f"found {kind(found)}", expected, hint)

    def of(self, tree: Tree, want: Rank = None) -> Rank:
        """The rank of a formula, None if it is not known yet; names in it get theirs where `want` decides it.

        NotationError where its parts do not fit.
        """
        if tree.op in MISPLACED:
            raise self.source.fault(tree.at, *MISPLACED[tree.op])
        return getattr(self, f"_{tree.op}", self._each)(tree, want)

    def found(self, tree: Tree) -> int:
        """The rank of a formula when all are known."""
        return self.of(tree) or 0

    def _name(self, tree: Name, want: Rank) -> Rank:
        if self.letters:
            return 0
        key = tree.key()
        if key not in self.known and want is not None:
            self.known[key], self.changed = abs(want), True
        return self.known.get(key)

    def _each(self, tree: Tree, want: Rank) -> Rank:
        """The rank of a sum or of an elementwise product: that of its parts that are no numbers."""
        parts = [part for part in tree.parts if names_in(part)]
        if want == 0:
            ranks = [self.of(part, 0) for part in parts]
        else:
            ranks = [self.of(part) for part in parts]
            highest = next(filter(None, ranks), None)
            if self.alike and (highest or want or None not in ranks):
                like = highest or want
            else:
                unknown = (part for part, rank in zip(parts, ranks, strict=True) if rank is None)
                number = self.alike or (not highest and all(map(is_greek, unknown)))  # as in mean(a_t) + epsilon
                plain = [part for part, rank in zip(parts, ranks, strict=True) if rank == 0 and not is_tiny(part)]
                like = 0 if number and plain and tree.op == "sum" else None
            if None in ranks and like is not None:
                pairs = zip(parts, ranks, strict=True)
                ranks = [self.of(part, own_rank(tree, part, like)) if rank is None else rank for part, rank in pairs]
        if None in ranks:
            return next(filter(None, ranks), None)
        known = [rank or 0 for rank in ranks]
        found = next(filter(None, known), 0)
        self._fit(tree, zip(parts, known, strict=True), found)
        if tree.op == "elementwise" and len(parts) == 2 and known[0] and parts[1].value == "@":
            first, *_, last = parts[1].parts  # a program goes from left to right
            if tree.value == "*" or not is_matrix(first):
                a, b, c = (self.source.words(one.at) for one in (parts[0], first, last))
                one, other = f"({a} * {b}) @ {c}, {b} @ ({a} * {c}) of columns", f"{a} * ({b} @ {c})"
                raise self.source.two_readings(tree.at, f"{a} * {b} @ {c}", one, other)
        return found

    def _fit(self, tree: Tree, ranks: Iterable[tuple[Tree, int]], found: int) -> None:
        for part, rank in ranks:
            inner = [(a, b) for a, b in pairwise(part.parts) if part.op == "product" and a.op == "transposed"]
            timed = any(all(name.time for name in names_in(*two)) for two in inner)
            if timed and tree.op == "sum" and rank == 0 and found:
                said = " ".join(self.source.words(one.at) for one in inner[0])
                added = "a line of its own for a number, which is added to each element"
                matrix = "a b^T" + ", with a capital letter on the left," * (found == 1) + " for a matrix"
                raise self.source.two_readings(part.at, f"{said} beside {kind(found)}", added, matrix)
            # a single letter that could as well be a vector is no number to be added to each element
            alone = isinstance(part, Name) and not part.time and part.base not in (*GREEK, *NUMBERS)
            number = rank == 0 and not (alone and tree.op == "sum")
            if rank != found and not number and not is_of_columns(tree, part):
                among = tree.parts if tree.op == "elementwise" else part.parts if part.op == "product" else ()
                learned = [one for one in among if is_matrix(one) and isinstance(one, Name) and not one.time]
                learned += [part] if isinstance(part, Name) and rank == 2 else []  # b in R^{n x 1}
                rows = "a capital letter for a matrix, diag(a) B for its rows, each by a number"
                hint = rows if {rank, found} == {1, 2} else ""
                if (tree.op, rank, found, part.op) == ("elementwise", 2, 1, "product"):
                    a, b = self.source.words(tree.parts[0].at), self.source.text[part.at : part.parts[-1].at].strip()
                    hint = f"({a} * {b}) {self.source.words(part.parts[-1].at)} for a column before a row"
                learned = [part] if isinstance(part, Name) and is_matrix(part) else learned
                hint = f"{self.source.words(learned[0].at)} in R^n if it is a vector" if learned else hint
                raise self.source.fault(part.at, f"found {kind(rank)}", f"expected {kind(found)}, as beside it", hint)
        if tree.op == "power" and found == 2 and self.closed and any(name.time for name in names_in(tree)):
            a = self.source.words(tree.parts[0].at).split("^")[0]
            raise self.source.two_readings(tree.at, f"a power of {a}", f"{a} {a} for the product", f"{a} * {a}")
        if tree.op == "power" and found == 2 and self.closed and not isinstance(tree.value, str) and tree.value < 0:
            hint = "the equation without it, as A B = I"
            raise self.source.fault(tree.at, "found the inverse of a matrix", "expected a power from 0 on", hint)
        if tree.op == "power" and found == 2 and not self.closed:
            expected = "expected one of numbers or of a vector's elements"
            (name, *_), hint = names_in(tree), ""
            if name.marks or name.base[0].isupper():
                hint = f"a label is {name.base}_{{{','.join((*name.marks, str(tree.value)))}}}"
            hint = "another letter for the inverse, which is given" if tree.value < 0 else hint
            raise self.source.fault(tree.at, "found a power of a matrix", expected, hint)

    def _product(self, tree: Tree, want: Rank) -> Rank:
        ranks = [self.of(factor) for factor in tree.parts]
        for one in (one for one in tree.parts if one.op == "number" and ROW in ranks and self.source.is_bold(one.at)):
            hint = "diag(a_t) S for (a_t^T 1) ⊙ S, sum(a) for a^T 1"
            raise self.source.fault(one.at, "found a vector of ones", "expected a number", hint)
        for place, factor in enumerate(tree.parts):
            before = next((rank for rank in reversed(ranks[:place]) if rank != 0), 0)
            letter = before in (2, ROW) and is_matrix(factor) and factor.op != "transposed"  # M of A M can be a matrix
            if ranks[place] is None and not letter and (before in (2, ROW) or (want == 0 and ROW not in ranks)):
                ranks[place] = self.of(factor, 1 if before in (2, ROW) else 0)
        if None not in ranks:
            known = [rank or 0 for rank in ranks]
            for factor, rank in zip(tree.parts, ranks, strict=True):
                if rank == 2 and self._is_exponential(factor) and sum(map(bool, ranks)) > 1:
                    each, hint = "expected one of a number or a vector", "diag(exp(a)) where the matrix is diagonal"
                    raise self.source.fault(factor.at, "found exp of a matrix", each, hint)
                if rank == 2 and factor.op == "sum" and sum(map(bool, ranks)) > 1:
                    self._check_identity(tree, factor)
            return self.of_factors(tree.parts, known)
        if want is not None and ranks.count(None) == 1 and self.alike:
            place = ranks.index(None)
            fit = [rank for rank in (0, 1, 2) if product((*ranks[:place], rank, *ranks[place + 1 :])) == want]
            if len(fit) == 1:
                self.of(tree.parts[place], fit[0])
                return want
        return None

    def _is_exponential(self, factor: Tree) -> bool:
        """Whether a factor is exp(A), or a name for it: exp of a matrix for many, and of each element for others."""
        return factor.value == ("exp", 0) or (isinstance(factor, Name) and factor.key() in self.exponentials)

    def _check_identity(self, product: Tree, factor: Tree) -> None:
        """NotationError for (1 - K) P: the 1 is the identity for many, or the product one of elements."""
        for one in (one for one in factor.parts if not names_in(one)):
            said, number = self.source.words(factor.at), self.source.words(one.at)
            what, other = f"{number} beside a matrix in {said}", f"* beside {said} for elements"
            raise self.source.two_readings(one.at, what, f"I instead of {number} for the identity", other)

    def of_factors(self, factors: Sequence[Tree], ranks: Sequence[int]) -> int:
        """The rank of a product; NotationError where two factors do not fit."""
        found = 0
        for place in reversed(range(len(ranks))):
            if (next_found := product(ranks[place:])) is None:
                second, *more = (n for n in range(place + 1, len(ranks)) if ranks[n])
                if ranks[second] == 1 and more and ranks[more[0]] == 2:
                    after, hint = kind(ranks[place]), "diag(a) stands before a vector, a^T before a matrix"
                    said = f"found a vector between {after} and a matrix"
                    raise self.source.fault(factors[second].at, said, "expected factors that fit", hint)
                raise self._unfit(factors[place], ranks[place], factors[second], found)
            found = next_found
        return found

    def _unfit(self, first: Tree, left: int, second: Tree, right: int) -> NotationError:
        a, b = self.source.words(first.at), self.source.words(second.at)
        b += " ..." * is_matrix(second)
        if left == right == 1:
            letter = self.source.words(names_in(first)[0].at) if len(names_in(first)) == 1 else a  # of 1 - a
            one, other = f"{a} * {b} for one product each unit", f"{a}^T {b} for one number, {letter} in R for a factor"
            return self.source.two_readings(first.at, f"{a} {b}, a vector beside a vector,", one, other)
        found, hint = f"found {kind(left)} before {kind(right)}", f"{a} * (...) multiplies element by element"
        hint += f", {a} in R^n if it is a vector" * (right == ROW and isinstance(first, Name))
        return self.source.fault(first.at, found, "expected factors that fit", hint)

    def _call(self, tree: Tree, want: Rank) -> Rank:
        function, (inner,) = tree.value[0], tree.parts
        if function not in WHOLE:
            return self._each(tree, want)
        if self.alike:
            self.of(inner, 1)
        rank = self.of(inner)
        if function != "norm" and (rank == 0 or (rank == 2 and function in ("softmax", "diag"))):
            raise self.source.fault(tree.at, f"found {function} of {kind(rank)}", "expected one of a vector")
        return WHOLE[function]

    def _transposed(self, tree: Tree, want: Rank) -> Rank:
        (inner,) = tree.parts
        found = self.of(inner, 1 if isinstance(inner, Name) and not is_matrix(inner) else None)
        if found == 0:
            hint = f"{inner.key()}_t in R^{{n x m}} if it is a matrix" if isinstance(inner, Name) else ""
            hint += ", a power with t in place of T, as u^t beside h_t" * self.closed
            found_, wanted = "found the transpose of a number", "expected one of a vector or a matrix"
            raise self.source.fault(tree.at, found_, wanted, hint)
        return {1: ROW, ROW: 1}.get(found, found) if found else found

    def _total(self, tree: Tree, want: Rank) -> Rank:
        return self.of(tree.parts[0], want)

    _multiplied = _total

    def _slope(self, tree: Tree, want: Rank) -> Rank:
        return sum(self.of(part) or 0 for part in tree.parts)


def own_rank(tree: Tree, part: Tree, like: int) -> int:
    """The rank of a part that nothing else decides, of a formula whose other parts are of one rank."""
    number = is_number(tree, part) or (isinstance(part, Name) and part.base in NUMBERS and not part.time)
    return 0 if number else 1 if like == 2 and is_of_columns(tree, part) else like


def is_of_columns(tree: Tree, part: Tree) -> bool:
    """Whether a part is the b of X_t W + b, which has an element for each column of a batch in rows."""
    first = [one.parts[0] for one in tree.parts if one.op == "product" and is_matrix(one.parts[-1])]
    batch = tree.op == "sum" and any(isinstance(one, Name) and is_matrix(one) and one.time for one in first)
    return batch and isinstance(part, Name) and not part.time and part.base[0].islower() and part.base not in GREEK


def is_number(tree: Tree, part: Tree) -> bool:
    """Whether a part of a formula is made of small Greek letters, and stands at a * or at a bar: a number.

    A gamma above the bar is the gain of a normalization, a vector.
    """
    gain = any(name.base == "gamma" for name in names_in(part)) and part is tree.parts[0]
    beside = tree.value == "*" or (tree.op == "quotient" and not gain)
    plain = all(one.op != "call" and (not isinstance(one, Name) or is_greek(one)) for one in part.all())
    return beside and plain


def is_greek(tree: Tree) -> bool:
    """Whether it is a small Greek letter without a time."""
    return isinstance(tree, Name) and tree.base in (*GREEK, *NUMBERS) and tree.base[0].islower() and not tree.time
