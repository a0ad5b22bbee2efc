"""The verdict on a formula: at every place of several random networks both sides are the same number, or they are not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import prod

from outside_reader.pages import Box
from outside_reader.systems import SYSTEMS, definitions, letters
from outside_reader.tex import Unreadable, read
from outside_reader.world import Env, NoSuchTime, NoSuchUnit, World

WORLDS = 3
CONSTANTS = ("e", "T")  # as letters: the base of exp, and the sign of transposition
PLACES = 16
TRIES = 600

PAGES = {
    "index.ipynb": "lfmn",
    "lfmn": "lfmn",
    "bptt": "recurrent",
    "lstm1997": "lstm1997",
    "peephole/forget-gates.ipynb": "lstm2000",
    "peephole/gradients.ipynb": "lstm2000",
    "peephole/peepholes.ipynb": "lstm2002",
    "training/bit-counter.ipynb": "counter",
}
OTHERS = {
    **dict.fromkeys(("bptt-21", "lstm97-29", "bptt-22", "lstm97-30"), "alone"),
    **dict.fromkeys(("bptt-forward", "lstm97-1"), "matrix"),
    **dict.fromkeys(("bptt-26", "lstm97-34", "bptt-27", "lstm97-35"), "columns"),
    "peephole-3": "squashed",
}
# The page says beside each of them that a state by a weight is an immediate derivative here.
# The page says beside it that the bound, the line with moduli, is about lags from 1 on.
FROM_ONE = {"lfmn-22": "q"}
IMMEDIATE = ("rnn-19", "rnn-21", "rnn-23", "rnn-25")


UNDECIDED: dict[str, str] = {"rnn-xor": "a sequence of bits that is read off a table"}


@dataclass(frozen=True)
class Finding:
    """What the reader makes of a formula: true, false or unreadable, with a reason, and at how many places."""

    verdict: str
    reason: str = ""
    places: int = 0


def system_of(box: Box) -> str | None:
    """The name of the system whose definitions the statement's page shows."""
    if box.page == "training/elman-jordan.ipynb":
        return "elman" if box.id in ("rnn-1", *SYSTEMS["elman"].sources) else "jordan"
    return OTHERS.get(box.id) or PAGES.get(box.page) or PAGES.get(box.page.partition("/")[0])


@cache
def worlds(name: str, before: bool, kind: str = "") -> list[World]:
    system = SYSTEMS[name]
    overrides = {"w/2": lambda world, at, *_: only_itself(world, at)} if kind == "itself" else {}
    return [
        World(system.symbols(), definitions(name), system.cuts, f"{name} {n}", (max(1 + (n == 0), system.smallest), system.largest), overrides, before)
        for n in range(WORLDS)
    ]


def only_itself(world: World, at: tuple[int, ...]) -> int:
    """A weight of a unit that reads, beside the inputs, itself alone."""
    unit, column = at
    return 0 if column > world.sizes["d_in"] and column != world.sizes["d_in"] + unit else world.draw(("w/2", *at))


def judge(box: Box, tex: str, *, printed: bool) -> Finding:
    """What a form of a statement says of networks that obey the definitions of its page."""
    name = system_of(box)
    if name is None:
        return Finding("unreadable", "no network is defined")
    symbols = SYSTEMS[name].symbols()
    kind = "itself" if "all other recurrent weights are 0" in box.assumed else ""
    try:
        equations, ranges, total = read(tex, symbols), letters(box.ranges, symbols), 0
        for tree, where in equations:
            if tree[0] == "chain" and tree[1][0][0] == "abs" and box.id in FROM_ONE:
                where = ("chain", [("letter", FROM_ONE[box.id], None), ("num", 1)], [">="])
            tree, places = signed(tree, printed, box.id in IMMEDIATE), 0
            for world in worlds(name, "What belongs to time" in box.assumed, kind):
                finding = compare(world, tree, where, ranges)
                if finding.verdict != "true":
                    return finding
                places += finding.places
            if not places:
                return Finding("unreadable", "there is no place at which all of it is defined")
            total += places
    except Unreadable as error:
        return Finding("unreadable", str(error))
    return Finding("true", "", total)


def verdict(box: Box) -> tuple[str, str]:
    """The verdict that the reader comes to, "" where it comes to none, and then the reason."""
    if reason := UNDECIDED.get(box.id):
        return "", reason
    printed = judge(box, box.printed, printed=True)
    if not box.corrected:
        return ("holds", "") if printed.verdict == "true" else ("", printed.reason)
    corrected = judge(box, box.corrected, printed=False)
    if corrected.verdict == "true" and printed.verdict != "true":
        return "corrected", ""
    return "", corrected.reason or "the print holds"


def signed(tree, printed: bool, immediate: bool, truncated: bool = False):
    """The tree with the source's one sign of derivatives replaced by that which the line is about."""
    if not printed or not isinstance(tree, (tuple, list)):
        return tree
    truncated = truncated or (tree[:1] == ("chain",) and "tr" in tree[2])
    found = [signed(part, printed, immediate, truncated) for part in tree]
    if tree[:2] == ("d", "∂") and not (immediate and tree[2][1] == "f/1" and tree[3][3] is None):
        found[1] = "tr" if truncated else "d"
    return type(tree)(found)


def compare(world: World, tree: tuple, where: tuple | None, ranges: dict) -> Finding:
    """One equation in one network, at places spread over all there are."""
    free = letters_of(tree)
    found = 0
    for env in spread(world, tree, where, ranges, free):
        if found == PLACES:
            break
        try:
            if tree[0] == "chain":
                try:
                    world.value(tree[1][0], env)
                except NoSuchUnit:
                    continue
                end = latest(world, tree[1][0], env)
                if end > world.sizes["T"] or (end < 1 and any(free.values())):
                    continue
            if not world.truth(tree, env):
                at = ", ".join(f"{name} = {value}" for (name, _), value in env.items())
                return Finding("false", f"false at {at}, T = {world.sizes['T']}")
            found += 1
        except NoSuchTime:
            continue
    return Finding("true", "", found)


def latest(world: World, tree, env: Env) -> int:
    """The latest time at which a side of an equation takes a quantity; 0 where a sum runs over times."""
    if not isinstance(tree, (tuple, list)):
        return 0
    own = 0
    if tree[:1] == ("unit",) and tree[3] is not None and letters_of(tree[3]).keys() <= env.keys():
        own = world.whole(tree[3], env)
    return max([own, *(latest(world, part, env) for part in tree)])


def spread(world: World, tree: tuple, where: tuple | None, ranges: dict, free: dict) -> Iterator[Env]:
    """Values of the free letters, drawn from all: in their ranges, or where the left side exists; times from 0 on."""
    choices, own = [], letters_of(where) if where else {}
    for key, timelike in free.items():
        if key in ranges and key not in own:
            ends = [[world.value(end, {}) for end in pair] for pair in ranges[key]]
            choices.append(sorted({n for low, high in ends for n in range(low, high + 1)}))
        elif timelike:
            choices.append(range(world.sizes["T"] + 1))
        elif bounds := bounds_of(world, tree[1][0] if tree[0] == "chain" else tree, key):
            choices.append(range(max(low for low, _ in bounds), min(high for _, high in bounds) + 1))
        elif tree[0] == "chain" and key in letters_of(tree[1][0]):
            choices.append(range(1, 4))
        else:
            raise Unreadable(f"the letter {key[0]} has no range")
    count = prod(map(len, choices))
    for number in random.Random(world.seed).sample(range(count), min(count, TRIES)):
        env = {}
        for key, values in zip(free, choices, strict=True):
            number, at = divmod(number, len(values))
            env[key] = values[at]
        if where is None or world.truth(where, env):
            yield env


def bounds_of(world: World, tree, key: tuple) -> list[tuple[int, int]]:
    """The ranges of the units at which a letter stands as an index."""
    if not isinstance(tree, (tuple, list)):
        return []
    found = [bound for part in tree for bound in bounds_of(world, part, key)]
    if tree[:1] == ("unit",):
        pairs = zip(tree[2], world.bounds[tree[1]], strict=True)
        found += [bound for index, bound in pairs if index[0] == "letter" and letters_of(index).keys() == {key}]
    return found


def letters_of(tree, bound: frozenset = frozenset(), timelike: bool = False) -> dict:
    """The free letters of a tree; true for those that stand in a time or in an exponent."""
    found: dict = {}
    if not isinstance(tree, (tuple, list)):
        return found
    if tree[:1] == ("letter",) and tree[1] in CONSTANTS:
        return found
    if tree[:1] == ("rows",):
        bound |= {("i", None)}
    if tree[:1] == ("letter",):
        key = (tree[1], None if tree[2] is None else tree[2][1] if tree[2][0] == "num" else "?")
        return {} if key in bound or tree[1] in bound else {key: timelike}
    if tree[:1] in (("sum",), ("prod",)):
        parts = [(tree[2], bound, timelike), (tree[3], bound, timelike)]
        parts.append((tree[4], bound | {(tree[1][1], tree[1][2] and tree[1][2][1])}, timelike))
    elif tree[:1] == ("paths",):
        inside = bound | {tree[2][1], "m"}
        parts = [(part, bound, timelike) for part in (tree[3], tree[4], [index for _, index in tree[6]])]
        parts += [(tree[5], inside, timelike), (tree[2][2], bound, True)]
    elif tree[:1] == ("unit",):
        parts = [(tree[2], bound, timelike), (tree[3], bound, True)]
    elif tree[:1] == ("^",):
        parts = [(tree[1], bound, timelike), (tree[2], bound, True)]
    else:
        parts = [(part, bound, timelike) for part in tree]
    for part, inside, time in parts:
        for key, value in letters_of(part, inside, time).items():
            found[key] = found.get(key, False) or value
    return found
