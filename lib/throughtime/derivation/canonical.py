"""A normal form of formulas: two formulas with one normal form are equal for all dimensions.

A formula becomes a sum of terms, a term a rational coefficient, a multiset of bound indices and a sorted product
of factors. Sums over a union are split into its leaves, deltas are summed out, and bound indices are renamed to
the lexicographically smallest naming. The converse does not hold: two normal forms may differ and be equal by a
property of the activation, so a mismatch is a question, never a refutation.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import count, permutations, product

from sympy import Add, Expr, Integer, Mul, Pow, factorrat

from .domains import Index, lies_in
from .errors import DerivationError
from .nodes import Applied, Bound, Delta, Paths, Product, Ref, Sigma, nodes
from .rewrite import another, free, has_length, in_times, own_letter, substitute

MAX_BOUND = 6
_dummies = count()


@dataclass(frozen=True)
class Term:
    """coefficient * sum over the bound indices (each with its time limits, if any) of the product of factors."""

    coefficient: Expr
    factors: tuple[Expr, ...]
    bound: tuple[tuple[Expr, tuple], ...] = ()


def canonical(expr: Expr) -> tuple:
    """The normal form, as a nested tuple that can be compared and hashed."""
    total: dict[tuple, Expr] = defaultdict(lambda: Integer(0))
    for term in terms(expr):
        key, coefficient = _named(term)
        total[key] += coefficient
    return tuple(sorted((key, str(value)) for key, value in total.items() if value != 0))


def equal(left: Expr, right: Expr) -> bool:
    """Whether both sides have one normal form: then they are equal for all dimensions and all functions."""
    return left == right or canonical(left - right) == ()


def terms(expr: Expr) -> list[Term]:
    """A formula as a sum of terms: all brackets multiplied out, all deltas summed out."""
    return [done for term in _terms(expr) for done in _contracted(term)]


def _terms(expr: Expr) -> list[Term]:
    if expr.is_Rational:
        return [Term(expr, ())] if expr else []
    if isinstance(expr, Add):
        return [term for arg in expr.args for term in _terms(arg)]
    if isinstance(expr, Mul):
        return _multiplied([_terms(arg) for arg in expr.args])
    if isinstance(expr, Pow) and expr.exp.is_Integer and 0 < expr.exp <= 8 and isinstance(expr.base, Add | Bound | Mul):
        return _multiplied([_terms(expr.base) for _ in range(int(expr.exp))])
    if isinstance(expr, Sigma):
        return _summed(expr)
    if isinstance(expr, Product):
        return _product(expr)
    if isinstance(expr, Paths):
        return _paths(expr)
    return [Term(Integer(1), (expr,))]


def _paths(expr: Paths) -> list[Term]:
    """Links beyond a bare symbol are taken off at the start, one sum each."""
    beyond, last = expr.steps.as_coeff_Add()
    if not (beyond.is_Integer and beyond >= 0) or expr.steps == last != 0:
        return [Term(Integer(1), (expr,))]
    if expr.steps == 0:
        return _terms(Delta(expr.start, expr.end))
    link, one = expr.link, {expr.count: Integer(1)}
    if expr.steps == 1:
        return _terms(substitute(link, {expr.before: expr.start, expr.after: expr.end, **one}))
    middle = Index(_dummy(), expr.after.domain)
    first = substitute(link, {expr.before: expr.start, expr.after: middle, **one})
    rest = Paths(
        substitute(link, {expr.count: expr.count + 1}), *expr.args[1:4], middle, expr.end, expr.steps - 1
    )  # fmt: skip
    return _terms(Sigma(first * rest, middle))


def _summed(expr: Sigma) -> list[Term]:
    if isinstance(expr.index, Index):
        places = [(Index(_dummy(), leaf), ()) for leaf in expr.index.domain.leaves()]
    else:
        expr = own_letter(expr)
        places = [(another(expr.index, _dummy()), expr.limits)]
    summed = []
    for index, limits in places:
        body = substitute(expr.body, {expr.index: index})
        summed += [Term(t.coefficient, t.factors, (*t.bound, (index, limits))) for t in _terms(body)]
    return summed


def _dummy() -> str:
    return f"#{next(_dummies)}"


def _multiplied(groups: list[list[Term]]) -> list[Term]:
    """Distribute; every copy of a group's bound indices is renamed apart."""
    result = []
    for chosen in product(*groups):
        coefficient = Mul(*(term.coefficient for term in chosen))
        factors: list[Expr] = []
        binders: list = []
        seen: set[Expr] = set()
        for term in chosen:
            values = {index: _renamed(index) for index, _ in term.bound if index in seen}
            seen.update(index for index, _ in term.bound)
            factors += [substitute(factor, values) for factor in term.factors]
            binders += [(values.get(index, index), limits) for index, limits in term.bound]
        result.append(Term(coefficient, tuple(factors), tuple(binders)))
    return result


def _renamed(index: Expr) -> Expr:
    return Index(_dummy(), index.domain) if isinstance(index, Index) else another(index, _dummy())


def _product(expr: Product) -> list[Term]:
    """One product for each factor, its index shifted so that times read t - m, counted from 1 to a bare symbol.

    What that leaves over at either end is multiplied or divided out, so that g(1) * prod_{m=1..q} g(m + 1) and
    prod_{m=1..q+1} g(m) have one normal form.
    """
    expr = own_letter(expr)
    index, (lower, upper) = expr.index, expr.limits
    groups = [_one_product(factor, index, lower, upper) for factor in Mul.make_args(expr.body)]
    return _multiplied(groups)


def _one_product(body: Expr, index: Expr, lower: Expr, upper: Expr) -> list[Term]:
    if not has_length(lower, upper):
        return [Term(Integer(1), (Product(body, index, lower, upper),))]  # could end before it begins
    if index not in free(body):
        return _terms(body ** (upper - lower + 1))
    shift = _shift(body, index)
    body, lower, upper = substitute(body, {index: index - shift}), lower + shift, upper + shift
    beyond, last = upper.as_coeff_Add()
    if not (lower.is_Integer and beyond.is_Integer):
        return [Term(Integer(1), (Product(body, index, lower, upper),))]
    exponents = {last + step: 1 for step in range(1, int(beyond) + 1)}
    exponents |= {last - step: -1 for step in range(-int(beyond))}
    ends = [(place, sign) for place, sign in exponents.items()]
    ends += [(Integer(place), -1) for place in range(1, int(lower))]
    ends += [(Integer(place), 1) for place in range(int(lower), 1)]
    groups = [[Term(Integer(1), (Product(body, index, 1, last),))]] if last != 0 else []
    groups += [_terms(substitute(body, {index: place}) ** sign) for place, sign in ends]
    return _multiplied(groups)


def _shift(body: Expr, index: Expr) -> Expr:
    """How far to move the index so that the first time that reads it has no number in it."""
    for node in nodes(body):
        if isinstance(node, Ref) and node.time is not None and index in free(node.time):
            slope = node.time.coeff(index)
            return slope * node.time.as_coeff_Add()[0] if abs(slope) == 1 else Integer(0)
    return Integer(0)


def _contracted(term: Term) -> list[Term]:
    factors, binders = list(term.factors), list(term.bound)
    done = False
    while not done:
        done = True
        for place, factor in enumerate(factors):
            if not isinstance(factor, Delta):
                continue
            hit = _summed_index(factor, binders)
            if hit is None:
                continue
            index, other = hit
            if other is None:
                return []
            rest = factors[:place] + factors[place + 1 :]
            factors = [substitute(item, {index: other}) for item in rest]
            binders = [
                (item, tuple(substitute(limit, {index: other}) for limit in limits))
                for item, limits in binders
                if item != index
            ]
            if any(item == 0 for item in factors):
                return []
            factors = [item for item in factors if item != 1]
            done = False
            break
    unique = list(dict.fromkeys(f for f in factors if isinstance(f, Delta)))
    rest = [f for f in factors if not isinstance(f, Delta)]
    for left, right in (delta.args for delta in unique):
        if isinstance(left, Index) and isinstance(right, Index) and left.domain == right.domain:
            rest = [substitute(factor, {right: left}) for factor in rest]
    return [Term(term.coefficient, (*unique, *rest), tuple(binders))]


def _summed_index(delta: Delta, binders: list) -> tuple[Expr, Expr | None] | None:
    """The summed index and what the delta makes of it: None where that lies outside the sum."""
    bound = dict(binders)
    for index, other in (delta.args, delta.args[::-1]):
        if index not in bound or index in free(other):
            continue
        inside = lies_in(other, index.domain) or None if isinstance(index, Index) else in_times(other, bound[index])
        if inside is not None:
            return index, other if inside else None
    return None


def _named(term: Term) -> tuple[tuple, Expr]:
    """The key of a term with its bound indices named in the smallest of all ways, and its coefficient."""
    if len(term.bound) > MAX_BOUND:
        raise DerivationError(f"{len(term.bound)} bound indices in one term, at most {MAX_BOUND} are compared")
    groups: dict[str, list[Expr]] = defaultdict(list)
    for index, limits in term.bound:
        groups[index.domain.name if isinstance(index, Index) else f"time{limits}"].append(index)
    coefficient, factors = _powers(Mul.make_args(Mul(*term.factors)))
    outer = _names_in(factors)
    best = None
    for arrangement in product(*(permutations(group) for group in groups.values())):
        values = {}
        for name, group in zip(groups, arrangement, strict=True):
            for number, index in enumerate(group):
                stand_in = f"{name}#{outer + number}"
                values[index] = Index(stand_in, index.domain) if isinstance(index, Index) else another(index, stand_in)
        key = tuple(sorted(_key(substitute(factor, values)) for factor in factors))
        best = key if best is None or key < best else best
    ranges = tuple(sorted((name, len(group)) for name, group in groups.items()))
    return (ranges, best), term.coefficient * coefficient


def _names_in(factors: list[Expr]) -> int:
    """How many names the sums around a nested one have taken: an argument of an activation may sum as well."""
    numbers = [int(str(letter).rpartition("#")[2]) for f in factors for letter in free(f) if "#" in str(letter)[1:]]
    return max(numbers, default=-1) + 1


def _powers(factors: tuple[Expr, ...]) -> tuple[Expr, list[Expr]]:
    """The number in a product, and the other factors: one power for each base and symbolic exponent, one for the whole
    number beside it, so that u^(q+1) is u^q * u. Numbers go by their primes: 2 * 4^q is 2^(2q+1).
    """
    exponents: dict[Expr, Expr] = defaultdict(lambda: Integer(0))
    numbers = [factor for factor in factors if factor.is_Rational]
    for factor in factors:
        base, exponent = factor.as_base_exp()
        for part in Mul.make_args(base) if not factor.is_Rational else ():
            if part.is_Rational and part != 0 and exponent.is_integer:
                for prime, times in factorrat(part).items():
                    exponents[Integer(prime)] += times * exponent
            else:
                exponents[part] += exponent
    split = ((base, part) for base, exponent in exponents.items() for part in exponent.as_coeff_Add())
    made = [base**part for base, part in split if part != 0]
    numbers += [power for power in made if power.is_Rational]
    return Mul(*numbers), [power for power in made if not power.is_Rational]


def _key(expr: Expr) -> str:
    """A factor as text; arguments of functions and bodies of products are in normal form themselves."""
    if isinstance(expr, Applied):
        places = ",".join(map(_place, expr.indices))
        return f"{expr.function.name}[{places}]^({expr.order})({canonical(expr.argument)})"
    if isinstance(expr, Product):
        depth = sum(isinstance(node, Product) for node in nodes(expr.body))
        body = substitute(expr.body, {expr.index: another(expr.index, f"#m{depth}")})
        return f"Product({canonical(body)},{','.join(map(_place, expr.limits))})"
    if isinstance(expr, Paths):
        ends = ",".join(_place(arg) for arg in expr.args[1:])
        return f"Paths({canonical(expr.link)},{ends})"
    if isinstance(expr, Pow):
        return f"({_inner(expr.base)})^({_inner(expr.exp)})"
    if isinstance(expr, Ref) or not expr.args or isinstance(expr, Delta):
        return _place(expr)
    return f"{expr.func.__name__}({','.join(_inner(arg) for arg in expr.args)})"


def _inner(expr: Expr) -> str:
    return str(canonical(expr)) if expr.args else _place(expr)


def _place(expr: Expr) -> str:
    """A reference or an index; indices show their domain, since one letter may be restricted to a part."""
    if isinstance(expr, Index):
        return f"{expr.name}:{expr.domain.name}"
    if not expr.args:
        return str(expr) if expr.is_Number or expr.is_Symbol else f"{expr.func.__name__} {expr}"
    return f"{expr.func.__name__}({','.join(_place(a) for a in expr.args)})"
