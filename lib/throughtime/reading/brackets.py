"""A letter directly before a bracket: a function of what is in it, or a factor of it.

W (r_t * h_{t-1}) is a product, and alpha (x_t - h_{t-1}) too. What stands only before brackets that hold what functions
are taken of, a net input above all, can be either, and is refused with both readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from throughtime.reading.source import NotationError, SourceText
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Equality, Name, Tree, is_matrix, names_in

WEIGHTS = {*"ABCDUVW"}  # letters of matrices, whatever is in the bracket
RATES = [(name, 0) for name in ("phi", "psi", "rho")]
FUNCTIONS = {*"FGHJLNOST"}  # and those of functions, as are words and capital Greek letters
STEPS = {"alpha", "beta", "gamma", "delta", "epsilon", "eta", "kappa", "lambda", "mu", "dt"}  # of what is added


def check_brackets(
    source: SourceText, equations: Sequence[Equality], opened: Mapping[int, Name], declared: set[str]
) -> None:
    """NotationError for a letter that can be a function of the bracket behind it, or a factor.

    `opened` are the names directly before brackets, by the places of those; `declared` are known to be factors.
    """
    before = {name.at for name in opened.values()}
    sides = [side for one in equations for side in (one.left, *one.rights)]
    factors = {name.key() for name in names_in(*sides) if name.at not in before} | declared
    for side in sides:
        for call in _of_differences(side):
            said = f"{_plain(source.words(call.at))}, a function of a difference or a factor of it,"
            name = call.value[0]
            raise source.two_readings(call.at, said, "f(...) for the function", f"{name} * (...) for the product")
        for product, alone in _products(side, True):
            for place, inner in enumerate(product.parts):
                name = opened.get(inner.at) if inner.op != "stack" else None
                turned = product.parts[place - 1]
                if not name or name.key() in factors or turned.op == "transposed" or turned.value == -1:
                    continue
                factor = name.base in WEIGHTS or (name.base in STEPS and isinstance(inner, Name))
                spaced = factor and " " in source.text[name.at : inner.at]  # as nobody writes a function
                if not spaced and _is_open(name.base, inner, alone and place == 1):
                    raise _refusal(source, name, product, inner)


def _of_differences(tree: Tree) -> Iterator[Tree]:
    """phi(h_{t-1} - mu) in a sum, of a letter with a time and one without: for many the coefficient of a regression."""
    for sum_ in (one for one in tree.all() if one.op == "sum"):
        for call in (one for one in sum_.parts if one.op == "call" and one.value in RATES):
            parts = call.parts[0].parts if call.parts[0].op == "sum" else ()
            times = [one.time is not None for one in names_in(*parts)]
            less = len(parts) == 2 and parts[1].op == "product" and parts[1].parts[0].value == -1
            lag = times == [True, True] and all(isinstance(one, Name) for one in (parts[0], parts[-1].parts[-1]))
            if less and (times == [True, False] or lag):
                yield call


def _products(tree: Tree, whole: bool) -> Iterator[tuple[Tree, bool]]:
    """The products in a formula, and whether each is all of a side or of an argument."""
    if tree.op == "product":
        yield tree, whole
    for part in tree.parts:
        yield from _products(part, tree.op == "call")


def _is_open(base: str, inner: Tree, whole: bool) -> bool:
    """Whether a letter that is nowhere else a factor can be a function of what is in brackets."""
    terms, net = inner.parts if inner.op == "sum" else (inner,), _is_net(inner)
    single = isinstance(inner, Name)
    if base in WEIGHTS:
        return single
    if base[0].isupper() and (base in FUNCTIONS or len(base) > 1):
        gated = inner.op in ("product", "elementwise") and not any(map(_is_weighted, terms))
        return not gated
    if base in STEPS:
        return single or (whole and net)
    return single or net or (whole and base[0].islower() and inner.op == "sum")


def _is_net(inner: Tree) -> bool:
    """Whether it is a sum of weighted terms and biases."""
    terms = inner.parts if inner.op == "sum" else ()
    return any(map(_is_weighted, terms)) and all(_is_weighted(one) or _is_bias(one) for one in terms)


def _is_weighted(term: Tree) -> bool:
    return term.op == "total" or (term.op == "product" and any(map(is_matrix, term.parts)))


def _is_bias(term: Tree) -> bool:
    return isinstance(term, Name) and term.time is None


def _refusal(source: SourceText, name: Name, product: Tree, inner: Tree) -> NotationError:
    """Both readings, and how each is written. Capital letters side by side, as LN, are one name."""
    first = name.at
    for one in reversed(product.parts[: product.parts.index(inner)]):
        if isinstance(one, Name) and source.text[one.at : name.at].isalpha():
            first = one.at
    said = _plain(source.text[first : name.at] + source.words(name.at))
    if name.base in GREEK and name.base[0].isupper():
        factor = f"a line {said} in R, or in R^{{n x n}},"
    else:
        sign = "*" if name.base[0].islower() else r"\cdot" if "\\" in said else "@"
        factor = f"{said} {sign} (...)"
    what = f"{said}{_plain(source.words(inner.at))}, a function {said} of the bracket or the product of {said} with it,"
    function = "f(...) for the function, with f, g, phi, psi, rho, sigma or a word in small letters"
    return source.two_readings(first, what, function, f"{factor} for the product")


def _plain(written: str) -> str:
    """A part of a text without what LaTeX says about the size of brackets."""
    return re.sub(r"\s*\\([lL]eft|[rR]ight|[bB]igg?[lr]?)(?![a-z])", "", written)
