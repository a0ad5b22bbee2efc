"""Random formulas with sums over times, products and derivatives: equivalent versions are accepted, slips refused."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_formulas import H, f, i, m, n, q, s, t, u, w, x, y, z
from sympy import Integer, expand_mul
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.system import LENGTH as T
from throughtime.derivation.deriving.system import System
from throughtime.derivation.evaluating.unroll import ExactInstance
from throughtime.derivation.formulas.domains import Index
from throughtime.derivation.formulas.nodes import Delta, Sigma, d, product_over, refs, scalar, sum_over, time
from throughtime.derivation.formulas.rewrite import bound, rename_bound, replace, split_sums, substitute
from throughtime.derivation.judging.checks import places
from throughtime.derivation.judging.mutants import mutants
from throughtime.derivation.judging.survivors import Differences

p, loss = Index("p", H), scalar("loss")

NET = System("a net to be wrong about")
NET[z[i, t]] = u[i] * y[i, t - 1] + x[i, t]
NET[y[i, t]] = f(z[i, t])
NET.initial(y, 2)
NET[loss[()]] = sum_over((s, 1, T), i, y[i, s] ** 2)
REDUCER = Reducer(NET)
WITNESSES = [ExactInstance(NET, {n: 1, m: 2}, length, seed=length) for length in (3, 1)]
SEEDS = st.integers(0, 10**6)


class Writer:
    """Draws random formulas in which every bound index has a name of its own."""

    def __init__(self, seed: int):
        self.draw, self.count = random.Random(seed), 0

    def letter(self) -> str:
        self.count += 1
        return f"b{self.count}"

    def formula(self, units: tuple, whens: tuple, depth: int = 3):
        kinds = ["leaf", "leaf", "sum", "product"] + ["units", "times", "factors", "square"] * (depth > 0)
        kind, less = self.draw.choice(kinds), depth - 1
        if depth <= 0 or kind == "leaf":
            return self.leaf(units, whens)
        if kind in ("sum", "product"):
            one, two = (self.formula(units, whens, less) for _ in range(2))
            return one * two if kind == "product" else one - self.draw.choice((1, 2)) * two
        if kind == "square":
            return self.formula(units, whens, less - 1) ** 2
        if kind == "units":
            index = Index(self.letter(), H)
            return sum_over(index, self.leaf((index,), whens) * self.formula((*units, index), whens, less - 1))
        when = time(self.letter())
        if kind == "factors":
            return product_over((when, 1, q), self.leaf(units, (t - when,)))
        limits = self.draw.choice([(1, T), (1, t), (0, T - 1), (0, t), (2, T), (1, T - 1)])
        return sum_over((when, *limits), self.leaf(units, (when,)) * self.formula(units, (*whens, when), less - 1))

    def leaf(self, units: tuple, whens: tuple):
        one, two, when = self.draw.choice(units), self.draw.choice(units), self.draw.choice(whens)
        early = when - self.draw.choice((0, 0, 1))
        return self.draw.choice(
            [w[one, two], u[one], y[one, early], z[one, early], y[one, early], Delta(one, two) + 1, Integer(3),
             f.prime(z[one, when]), d(y[one, early], u[two]), d(loss[()], z[one, when]), x[one, early],
             self.draw.choice((2, 4)) ** self.draw.choice((q, q + 1))]
        )  # fmt: skip


def rewritten(expr, draw: random.Random):
    """An equivalent version of ``expr``, by a random one of seven rewritings."""
    how = draw.choice(["letters", "brackets", "parts", "delta", "definition", "shift", "last"])
    if how == "letters":
        return rename_bound(expr, bound(expr))
    if how == "brackets":
        return expand_mul(expr)
    if how == "parts":
        return split_sums(expr)
    if how == "delta":
        other = Index("other", H)
        return sum_over(other, Delta(other, i) * substitute(expr, {i: other}))
    if how == "definition":
        read = [ref for ref in refs(expr) if ref.quantity in (z, y) and ref.time == t]
        return replace(expr, lambda node: NET.definition(node) if node in read[:1] else None)
    return replace(expr, lambda node: shifted(node) if how == "shift" else last_apart(node))


def shifted(node):
    if isinstance(node, Sigma) and node.limits:
        later = substitute(node.body, {node.index: node.index + 2})
        return Sigma(later, node.index, *(limit - 2 for limit in node.limits))
    return None


def last_apart(node):
    if isinstance(node, Sigma) and node.limits and node.limits[0] == 1:
        upper = node.limits[1]
        return Sigma(node.body, node.index, 1, upper - 1) + substitute(node.body, {node.index: upper})
    return None


@settings(max_examples=30)
@given(SEEDS)
def test_what_is_true_is_accepted(seed) -> None:
    expr = Writer(seed).formula((i, p), (t,))
    same = rewritten(expr, random.Random(seed))
    assert all(a == b for net in WITNESSES for _, a, b in places(net, expr, same))
    assert REDUCER.equal(expr, same)


@pytest.mark.parametrize("examples", [8, pytest.param(30, marks=pytest.mark.nightly)])
def test_what_is_wrong_somewhere_is_refused(examples) -> None:
    @settings(max_examples=examples)
    @given(SEEDS)
    def refused(seed) -> None:
        expr = Writer(seed).formula((i, p), (t,), 2)
        slips = mutants(expr)
        for mutant in random.Random(seed).sample(slips, min(2, len(slips))):
            read = [pair for net in WITNESSES for _, *pair in places(net, expr, mutant.expr)]
            if any(a != b for a, b in read):
                assert not REDUCER.equal(expr, mutant.expr), mutant

    refused()


def test_most_slips_are_wrong_in_numbers() -> None:
    """Otherwise the previous test would have almost nothing to refuse."""
    drawn = [(base, mutant) for seed in range(20) for base in [Writer(seed).formula((i, p), (t,), 2)]
             for mutant in mutants(base)[:3]]  # fmt: skip
    assert sum(Differences().found(WITNESSES, base, mutant.expr) for base, mutant in drawn) > 0.8 * len(drawn) > 30
