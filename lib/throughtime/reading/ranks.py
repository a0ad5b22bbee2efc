"""How many indices each quantity has: 0 a number, 1 a vector, 2 a matrix.

A capital letter is a matrix, a small one a vector, a small Greek one a number, unless the equations say otherwise:
W x_t is a vector, w^T x_t a number, and both sides of an equation are of one rank. First what must be, then terms of a
sum like each other, then the letters; a number may be added to each element of a vector only if it is one for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from throughtime.reading import trees
from throughtime.reading.tokens import GREEK

ROW = -1
Rank = int | None
WHOLE = {"softmax": 1, "sum": 0, "mean": 0, "norm": 0, "diag": 2}  # functions of a whole vector: the rank of the value


class Ranks:
    """The ranks of names, found from equations in matrix notation; `known` are those that are given."""

    def __init__(self, known: dict[str, int]):
        self.known, self.alike, self.changed = known, False, False

    def settle(self, equations: Sequence[trees.Equation], names: Sequence[tuple[str, str, bool]]) -> dict[str, int]:
        """The rank of every name of some equations; `names` are all of them with their letter, and whether given."""
        matrices = [key for key, letter, free in names if letter[0].isupper() and free and letter not in GREEK]
        self.known = {**dict.fromkeys(matrices, 2), **self.known}
        while True:
            self._spread(equations)
            key, letter = next(((key, letter) for key, letter, _ in names if key not in self.known), ("", ""))
            if not key:
                return self.known
            self.known[key] = 0 if letter in GREEK else 1

    def _spread(self, equations: Sequence[trees.Equation]) -> None:
        """What follows from what is known: without likening terms first, and again as long as something is new."""
        self.alike = False
        while True:
            self.changed = False
            for equation in equations:
                self._equate(equation)
            if not self.changed and self.alike:
                return
            self.alike = not self.changed

    def _equate(self, equation: trees.Equation) -> None:
        for right in equation.rights:
            found = self.of(right, self.of(equation.left))
            if found is not None:
                self.of(equation.left, abs(found))

    def of(self, tree: trees.Tree, want: Rank = None) -> Rank:
        """The rank of a formula, None if it is not known yet; names in it get theirs where `want` decides it."""
        for kind, rule in RULES.items():
            if isinstance(tree, kind):
                return rule(self, tree, want)
        return None

    def _name(self, tree: trees.Name, want: Rank) -> Rank:
        key = tree.key()
        if key not in self.known and want is not None:
            self.known[key], self.changed = abs(want), True
        return self.known.get(key)

    def _terms(self, parts: Sequence[trees.Tree], want: Rank, added: bool = False) -> Rank:
        """The rank of a sum or an elementwise product: the highest of its parts."""
        parts = [part for part in parts if not is_number(part)]
        if want == 0:
            return max((self.of(part, 0) or 0 for part in parts), default=0)
        ranks = [self.of(part) for part in parts]
        highest = next((rank for rank in ranks if rank), None)
        if self.alike and (highest or want or all(rank is not None for rank in ranks)):
            ranks = [
                self.of(part, highest or want) if rank is None else rank
                for part, rank in zip(parts, ranks, strict=True)
            ]
            highest = next((rank for rank in ranks if rank), None)
        elif self.alike and 0 in ranks and added:
            ranks = [self.of(part, 0) for part in parts]
        return highest or (0 if None not in ranks else None)

    def _product(self, tree: trees.Product, want: Rank) -> Rank:
        ranks = [self.of(factor) for factor in tree.factors]
        row = ROW in ranks
        for place, factor in enumerate(tree.factors):
            before = next((rank for rank in reversed(ranks[:place]) if rank != 0), 0)
            after = ranks[place + 1] if place + 1 < len(ranks) else None
            if ranks[place] is None:
                decided = 1 if before in (2, ROW) else 0 if after == 2 or (want == 0 and not row) else None
                ranks[place] = None if decided is None else self.of(factor, decided)
        if None in ranks:
            unknown = [factor for factor, rank in zip(tree.factors, ranks, strict=True) if rank is None]
            others = {rank for rank in ranks if rank is not None}
            alone = len(unknown) == 1 and others <= {0} and want is not None and self.alike
            return self.of(unknown[0], want) if alone else None
        return product_rank(ranks)

    def _call(self, tree: trees.Call, want: Rank) -> Rank:
        if tree.function in WHOLE:
            if self.alike:
                self.of(tree.arguments[0], 1)
            self.of(tree.arguments[0])
            return WHOLE[tree.function]
        return self._terms(tree.arguments, want)

    def _transposed(self, tree: trees.Transposed, want: Rank) -> Rank:
        found = self.of(tree.part, 1 if isinstance(tree.part, trees.Name) else None)
        return {1: ROW, ROW: 1}.get(found, found)


def is_number(tree: trees.Tree) -> bool:
    """Whether a formula is made of numbers alone."""
    return not any(isinstance(part, trees.Name) for part in tree.all())


def product_rank(ranks: Sequence[int]) -> int | None:
    """The rank of a product of factors side by side; None for a product that there is not."""
    shaped = [rank for rank in ranks if rank]
    found = shaped.pop() if shaped else 0
    for left in reversed(shaped):
        pair = {(2, 1): 1, (2, 2): 2, (ROW, 1): 0, (ROW, 2): ROW, (1, ROW): 2}
        if found == 0 or (left, found) not in pair:
            return None if found else left
        found = pair[left, found]
    return found


RULES: dict[type[trees.Tree], Callable] = {
    trees.Number: lambda ranks, tree, want: 0,
    trees.Name: Ranks._name,
    trees.Sum: lambda ranks, tree, want: ranks._terms(tree.terms, want, True),
    trees.Elementwise: lambda ranks, tree, want: ranks._terms(tree.factors, want),
    trees.Quotient: lambda ranks, tree, want: ranks._terms((tree.over, tree.under), want),
    trees.Product: Ranks._product,
    trees.Power: lambda ranks, tree, want: ranks.of(tree.base, want),
    trees.Transposed: Ranks._transposed,
    trees.Call: Ranks._call,
    trees.Norm: lambda ranks, tree, want: [ranks.of(tree.part), 0][1],
    trees.Total: lambda ranks, tree, want: ranks.of(tree.part, want),
    trees.Slope: lambda ranks, tree, want: sum(ranks.of(part) or 0 for part in (tree.target, tree.wrt)),
    trees.Stack: lambda ranks, tree, want: [*map(ranks.of, tree.rows), 1][-1],
}
