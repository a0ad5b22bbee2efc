"""What each letter of a text was taken for: the first lines of what a reading shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape

from sympy import Expr

from throughtime.derivation import DEFINED, INPUT, PARAMETER, Activation, Quantity, inline, to_latex

ROLES = {DEFINED: "computed", INPUT: "inputs", PARAMETER: "learned"}
WORDS = ("computed", "inputs", "targets", "given", "learned", "functions")


def in_text(
    quantities: Iterable[Quantity],
    targets: Iterable[Quantity],
    functions: Iterable[Activation],
    sentences: Iterable[str],
) -> Iterator[str]:
    """A line for each role that a letter has, the letters with their sizes; and one for words that were passed over."""
    sized = _rows(quantities, targets, lambda one, sizes: one.name + f" ({' x '.join(map(str, sizes))})" * bool(sizes))
    return _lines(sized, (one.name for one in functions), sentences)


def in_html(
    quantities: Iterable[Quantity],
    targets: Iterable[Quantity],
    functions: Iterable[Activation],
    sentences: Iterable[str],
) -> Iterator[str]:
    """The same, with letters as formulas, each line a paragraph."""

    def sized(one: Quantity, sizes: list[Expr]) -> str:
        power = r" \times ".join(map(to_latex, sizes))
        return inline(rf"{one.latex} \in \mathbb{{R}}" + f"^{{{power}}}" * bool(sizes))

    rows = _rows(quantities, targets, sized)
    lines = _lines(rows, (inline(one.latex) for one in functions), map(escape, sentences))
    return (f"<p>{row}</p>" for row in lines)


def _rows(
    quantities: Iterable[Quantity], targets: Iterable[Quantity], sized: Callable[[Quantity, list[Expr]], str]
) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = {word: [] for word in WORDS}
    for one in quantities:
        once = one.role == INPUT and not one.timed
        word = "targets" if one in targets else "given" if once else ROLES[one.role]
        rows[word].append(sized(one, [over.upper for over in one.domains]))
    return rows


def _lines(rows: dict[str, list[str]], functions: Iterable[str], sentences: Iterable[str]) -> Iterator[str]:
    rows["functions"], rows["passed over"] = [*functions], [*sentences]
    return (f"{word}: {', '.join(row)}" for word, row in rows.items() if row)
