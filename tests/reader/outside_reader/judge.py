"""The verdict on a formula: at each place of several random networks both sides are the same number, or not."""

import random
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from math import prod
from typing import Any

from outside_reader.pages import TABLES, Box, letters, of_page, symbols_of
from outside_reader.tex import Unreadable, read
from outside_reader.world import REALS, Env, NoSuchTime, NoSuchUnit, World

READ = TABLES["read"]
WORLDS, PLACES, TRIES = 3, 16, 600  # networks, and of each: places looked at, and places drawn to find them


worlds = cache(lambda name, early: [World(name, number, early) for number in range(WORLDS)])


def refused(box: Box, tex: str, *, printed: bool) -> str:
    """Why a form of a statement is not true of networks that obey the definitions of its page, "" if it is."""
    try:
        if not (name := of_page(box)):
            raise Unreadable("the page defines no network")
        ranges, of = letters(box.ranges, symbols_of(name)), worlds(name, "belongs to time" in box.assumed)
        tex = tex.replace(*READ["letters"].get(box.id, ("", "")))
        for tree, where in read(tex.replace("(t)", "(T)") if box.id in READ["at_end"] else tex, symbols_of(name)):
            if tree[1][0][0] == "abs" and "The line with moduli is about" in box.assumed:
                where = ("chain", [("letter", "q", None), ("num", 1)], [">="])
            tree = signed(tree, printed, "immediate" in box.assumed, "the truncated derivative" in box.assumed)
            if not sum(compare(world, tree, where, ranges) for world in of):
                raise Unreadable("there is no place at which all of it is defined")
    except Unreadable as error:
        return str(error)
    return ""


def verdict(box: Box) -> str:
    """The verdict that the reader comes to, "" where it comes to none."""
    as_printed = refused(box, box.printed, printed=True)
    if not box.corrected:
        return "" if as_printed else "holds"
    return "corrected" if as_printed and not refused(box, box.corrected, printed=False) else ""


def signed(tree: Any, printed: bool, immediate: bool, truncated: bool = False) -> Any:
    """The tree with the source's one sign of derivatives replaced by that which the line is about."""
    if not (printed or truncated) or not isinstance(tree, (tuple, list)):
        return tree
    truncated = truncated or (tree[:1] == ("chain",) and "tr" in tree[2])
    found = [signed(part, printed, immediate, truncated) for part in tree]
    if tree[:2] == ("d", "∂") and not (immediate and tree[2][1] == "f/1" and tree[3][3] is None):
        found[1] = "tr" if truncated else "d"
    return type(tree)(found)


def compare(world: World, tree: tuple, where: tuple | None, ranges: dict) -> int:
    """At how many places one equation holds in one network; raises Unreadable where it does not."""
    left, free, found = tree[1][0], free_letters(tree), 0
    times = [(node[3], {*free_letters(node[3])}) for node in walk(left) if node[0] == "unit" and node[3] is not None]
    for env in places(world, left, where, ranges, free):
        with suppress(NoSuchTime):
            if exists(world, left, env, times, any(free[key] for key in free if key[0] not in world.reals)):
                if not world.truth(tree, env):
                    raise Unreadable("false at " + ", ".join(f"{name} = {value}" for (name, _), value in env.items()))
                found += 1
        if found == PLACES:
            break
    return found


def exists(world: World, left: tuple, env: Env, times: list, timed: bool) -> bool:
    """Whether there is what an equation is about: its units, at times from 1 to the end."""
    try:
        world.value(left, env)
    except NoSuchUnit:
        return False
    latest = max((world.whole(time, env) for time, of in times if of <= env.keys()), default=0)
    return latest <= world.sizes["T"] and (latest >= 1 or not timed)


def places(world: World, left: tuple, where: Any, ranges: dict, free: dict) -> Iterator[Env]:
    """Values of the free letters, drawn from all in their ranges, or where the left side exists; times from 0 on."""
    choices, own = [], free_letters(where) if where else {}
    for key, timelike in free.items():
        units = (node for node in walk(left) if node[0] == "unit")
        pairs = (pair for node in units for pair in zip(node[2], world.bounds[node[1]], strict=False))
        bounds = [bound for index, bound in pairs if index[0] == "letter" and [*free_letters(index)] == [key]]
        if key in ranges and key not in own:
            ends = [[world.value(end, {}) for end in pair] for pair in ranges[key]]
            choices.append(sorted({n for low, high in ends for n in range(low, high + 1)}))
        elif key[0] in world.reals:
            choices.append(REALS)
        elif timelike:
            choices.append(range(world.sizes["T"] + 1))
        elif bounds:
            choices.append(range(max(low for low, _ in bounds), min(high for _, high in bounds) + 1))
        else:
            raise Unreadable(f"the letter {key[0]} has no range")
    draw, seen, ways = random.Random(world.seed), set(), prod(map(len, choices))
    for values in (tuple(map(draw.choice, choices)) for _ in range(TRIES) if len(seen) < ways):
        env = dict(zip(free, values, strict=True))
        if values not in seen and (where is None or world.truth(where, env)):
            yield env
        seen.add(values)


def walk(tree: Any) -> Iterator[tuple]:
    """Every node of a tree."""
    if isinstance(tree, (tuple, list)):
        if tree and isinstance(tree[0], str):
            yield tree
        for part in tree:
            yield from walk(part)


def free_letters(tree: Any) -> dict:
    """The letters that nothing in a tree binds; true for those that stand in a time or in an exponent."""
    found, timed, bound = {}, [], {("i", None)} if any(node[0] == "rows" for node in walk(tree)) else set()
    for node in walk(tree):
        if node[0] in ("sum", "prod", "extreme"):
            bound.add(known_as(node[1]))
        elif node[0] == "paths":
            bound |= {(node[1][1], "?"), *(known_as(letter) for letter, _ in node[5])}
            timed += walk(node[1][2])
        elif node[0] in ("unit", "^"):
            timed += walk(node[3] if node[0] == "unit" else node[2])
        if node[0] == "letter" and node[1] not in ("e", "T", "pi"):  # the base of exp, transposition
            found[known_as(node)] = None
    return {key: key in map(known_as, timed) for key in found if key not in bound and (key[0], "?") not in bound}


def known_as(node: tuple) -> tuple:
    """How an environment knows a letter, "?" for a subscript that is computed."""
    sub = node[2] if node[0] == "letter" else None
    return node[1] if node[0] == "letter" else "", None if sub is None else sub[1] if sub[0] == "num" else "?"
