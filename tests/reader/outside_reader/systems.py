"""The systems of systems.toml: the symbols of a page, and its definitions read off the page."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from outside_reader.pages import Box, boxes, display
from outside_reader.tex import Reader, read

TABLES = tomllib.loads(Path(__file__).with_name("systems.toml").read_text(encoding="utf-8"))
ITEM = re.compile(r"([^\s\[@]*(?:\[[^\s\]]*;[^\s\]]*\])?)(?:\[([^\];]*)\])?(@\d*)?$")


class Symbol(NamedTuple):
    """What a symbol stands for; its ranges are pairs of formulas in the sizes, `start` a time of value 0."""

    kind: str
    ranges: tuple[tuple[str, ...], ...]
    timed: bool
    start: int | None


class System(NamedTuple):
    """A network as its pages show it."""

    symbols: dict[str, Symbol]
    sources: list[str | list[str]]
    cuts: dict[str, list[str]]
    sizes: tuple[int, int]
    masked: str


class Definition(NamedTuple):
    """What is defined, by what, and where: by the range of the line and by those of the letters of its box."""

    left: tuple
    right: tuple
    where: tuple | None
    ranges: dict[tuple, list[tuple[tuple, ...]]]


@cache
def system(name: str) -> System:
    found, own = {}, TABLES["systems"][name]
    for line in own["table"].splitlines():
        kind, *items = line.split()
        for item in items:
            base, ranges, time = ITEM.match(item).groups()  # type: ignore[union-attr]
            pairs = tuple(tuple((r if ":" in r else f"1:{r}").split(":")) for r in ranges.split(",")) if ranges else ()
            start = int(time[1:]) if time and time[1:] else None
            found[f"{base}/{len(pairs) * (kind != 'matrix')}"] = Symbol(kind, pairs, bool(time), start)
    return System(found, own["sources"], own.get("cuts", {}), own.get("sizes", (1, 3)), own.get("masked", ""))


def of_page(box: Box) -> str:
    """The name of the system whose definitions the page of a statement shows, "" if it shows none."""
    pages = TABLES["read"]["pages"]
    return TABLES["read"]["boxes"].get(box.id) or pages.get(box.page) or pages.get(box.page.partition("/")[0], "")


@cache
def definitions(name: str) -> list[Definition]:
    """The definitions of a system, off its pages."""
    found, symbols = [], system(name).symbols
    for source in system(name).sources:
        box = boxes().get(source) if isinstance(source, str) else None
        tex = box.accepted if box else source if isinstance(source, str) else display(*source)
        for tree, where in read(tex, symbols):
            if tree[1][0][0] == "unit":
                found.append(Definition(*tree[1][:2], where, letters(box.ranges, symbols) if box else {}))
    return found


def letters(ranges: dict[str, list[tuple[str, str]]], symbols: dict[str, Symbol]) -> dict[tuple, Any]:
    """The ranges of a box as trees, by its letters."""
    return {
        (name, sub and sub[1]): [tuple(Reader(end, symbols).all() for end in pair) for pair in pairs]
        for letter, pairs in ranges.items()
        for _, name, sub in [Reader(letter, symbols).letter()]
    }
