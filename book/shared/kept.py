"""Numbers that prose repeats: a cell keeps them, and a sentence has one of them before its mark, ``94<!-- wins -->``.

`make update-outputs` writes them into the sentences, and a guard of tests/guards compares.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from book.shared.intervals import wilson

KEPT = "application/vnd.throughtime.kept+json"
NUMBER = r"[-−]?\d+(?:[ ,]\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"
MARK = re.compile(rf"(?P<number>{NUMBER})?(?P<mark>\$?<!--\s*(?P<page>\S+:)?(?P<key>.*?)\s*-->)", re.S)


class Kept(dict[str, str]):
    """Numbers by their keys, as the result of a cell."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, dict[str, str]]:
        return {KEPT: dict(self)}


def keep(**numbers: object) -> Kept:
    """Numbers for the sentences of a page, written as they stand there: ``keep(wins=94, cosine=f"{c:.2f}")``.

    Raises ValueError for what is no number.
    """
    kept = Kept({key: str(number) for key, number in numbers.items()})
    if wrong := {key: number for key, number in kept.items() if not re.fullmatch(NUMBER, number)}:
        raise ValueError(f"numbers: expected each as a sentence has it, got {wrong}")
    return kept


def share(name: str, count: int, of: int) -> dict[str, int]:
    """A count of runs and the ends of its 95 % interval in percent: ``name``, ``name_low`` and ``name_high``."""
    low, high = (round(100 * end) for end in wilson(count, of))
    return {name: count, f"{name}_low": low, f"{name}_high": high}


def kept_by(page: str, notebook: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The key of each number that a page keeps, as ``lfmn/examples:wins``, and the number."""
    for output in (output for cell in notebook["cells"] for output in cell.get("outputs", ())):
        yield from ((f"{page}:{key}", number) for key, number in output.get("data", {}).get(KEPT, {}).items())


def marks(page: str, source: str) -> Iterator[tuple[str, str | None]]:
    """The key of each mark in a text of a page, and the number before it; a key of another page names that page."""
    for found in MARK.finditer(source):
        yield (found["page"] or f"{page}:") + found["key"], found["number"]


def written(page: str, source: str, numbers: Mapping[str, str]) -> str:
    """A text of a page with the kept number before each of its marks."""

    def one(found: re.Match[str]) -> str:
        return numbers.get((found["page"] or f"{page}:") + found["key"], found["number"] or "") + found["mark"]

    return MARK.sub(one, source)
