"""Slips made in the TeX of a formula, as a printer makes them, and whether the reader rejects each of them."""

import random
import re
from collections.abc import Iterator
from itertools import chain, zip_longest

from outside_reader.judge import refused
from outside_reader.pages import Box

SUBSCRIPT = re.compile(r"(?<!t)_\{([a-z](?:_\{?\d\}?|\^\{\\star\})?(?: [a-z](?:_\{?\d\}?|\^\{\\star\})?)*)\}")
LABEL = re.compile(r"(?<=\^\{\\mathrm\{)(\w+)(?=\}\})")
FACTOR = re.compile(r"(?<=\\,)(?:[^&{}\\]|\\[a-zA-Z]+ ?|\{[^{}]*\}|\{[^{}]*\{[^{}]*\}[^{}]*\})*?\\,|(?<==)[^=&{}]*?\\,")
# What is looked for, and what stands there after the slip.
PATTERNS = {
    "a time": (
        (r"(?<=[ts]) - 1(?=\))", " - 2"),
        (r"(?<=t) \+ 1(?=\))", ""),
        (r"(?<=\()t(?=\))", "t - 1"),
        (r"\\tau \+ 1", r"\\tau"),
    ),
    "a sign": ((r" \+ (?=[^\d][^}]*[\\(])", " - "), (r" - (?=\\hat|[dys]_)", " + ")),
    "a limit": (
        (r"(?<==)1(?=\}\^)", "2"),
        (r"(?<=\}\^\{)(?=[dnrT])", "1 + "),
        (r"(?<==)0(?=\}\^)", "1"),
        (r"\bT(?=\})", "T - 1"),
    ),
    "a prime": ((r"'", ""), (r"(?<=\})(?=\(t|\\left\()", "'")),
    "a number": (
        (r"\\frac\{1\}\{2\}", r"\\frac{1}{3}"),
        (r"(?<=\}\^\{)2(?=\})", "3"),
        (r"(?<== )2(?=\\,)", "4"),
        (r"(?<== )0", "1"),
        (r"(?<== )1(?!\d)", "0"),
    ),
    "an accent": ((r"\\tilde", r"\\bar"), (r"\\bar", r"\\tilde"), (r"\\hat ", "")),
    "a second superscript": (
        (r"(?<=\}\})_\{[^{}]*\}(?!\})", r"\g<0>^{2}"),
        (r"(?<=[a-zA-Z])_\{[^{}]*\}(?=\()", r"\g<0>^{2}^{2}"),
    ),
    "a power": ((r"(?<=[a-z])_\{[a-z ]*\}(?=\(t)", r"\g<0>^{2}"), (r"\\delta_\{[^{}]*\}", r"2\\,\g<0>")),
    "a sum lost": ((r"\\sum_\{[^{}]*\}\^\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", ""),),
    "a right side": (
        (r"(?<=[^&]= )(?!\\begin)|(?<=&= )(?!\\begin)", r"2\\,"),
        (r"(?=\\end\{aligned\}$)", " + 1"),
        (r"(?<=&= )(?!\\begin)", "- "),
    ),
    "a quantity": tuple((rf"(?<![\\a-zA-Z^{{])(?!{new})[a-zA-Z](?=_\{{|\(t|\^\{{\\mathrm)", new) for new in "ywxzfs"),
    "another number": tuple((rf"(?<![\\w\\[])(?!{new})[0-3](?![\\w\\]])", new) for new in "0123"),
    "a comparison": ((r"(?<=[a-z]) = (?=[a-z] )", " < "), (r"(?<=[a-z]) = (?=[a-z] )", " > ")),
    "no number": (
        (r"(?<== )0", "t"),
        (r"(?<=\} )0", "2"),
        (r"(?<=\} )0", "1"),
        (r"\bt \+ 1", "t + 2"),
        (r"\bI\b", "I + 1"),
        (r"N", "N + 1"),
    ),
    "letters side by side": tuple(
        (r"_\{([a-z])([a-z])\}", f"_{{{new}}}") for new in (r"\2\1", r"\1\1", r"\2\2", r"\1")
    ),
    "letters with a comma": tuple((r"_\{j,j\}|(?<=[a-z}])_j", new) for new in ("_{1}", "_{j,1}", "_{1,j}")),
    "a factor": (
        (r"(?<=\(t\\right\))", "^{2}"),
        (r"(?<= )f_j\\left", r"2 f_j\\left"),
        (r"(?<= )y_j\\left", r"2 y_j\\left"),
    ),
    "a rate": ((r"\\alpha ", ""), (r"\\alpha ", r"2 \\alpha "), (r" - \\alpha", r" + \\alpha")),
    "a size": tuple((rf"(?<=[ {{(])(?!{new})[INKJ](?=[ )}}])", new) for new in "INKJ"),
    "a matrix": (
        *((rf"(?<=[ {{])(?!{new})[XFGv](?=[ }}])", new) for new in "XFG"),
        (r"\\omega", "v"),
        (r"\\overline\{(\w)\}", r"\1"),
        (r"- 1", "- 2"),
        (r"e\^\{-", "e^{"),
        (r"\^\{T\}", ""),
        (r"\^\{-1\}", ""),
    ),
    "a derivative": ((r"\\mathrm\{d\}_\{\\mathrm\{tr\}\}", r"\\mathrm{d}"), (r"\\approx_\{\\mathrm\{tr\}\}", "=")),
}


def candidates(tex: str) -> Iterator[list[str]]:
    """The slips that can be made in a formula, kind by kind."""
    letters = sorted(set("".join(SUBSCRIPT.findall(tex))) & set("ijkpqmlc")) or ["i"]
    labels = sorted(set(LABEL.findall(tex)))
    pairs = []
    for found in SUBSCRIPT.finditer(tex):
        own = found[1].split(" ")
        others = [[*own[:n], other, *own[n + 1 :]] for n in range(len(own)) for other in letters if other != own[n]]
        pairs += [
            change(tex, found, f"_{{{' '.join(new)}}}")
            for new in (own[::-1], *others, [*own, own[0]], own[1:])
            if new != own
        ]
    yield pairs
    yield [change(tex, found, other) for found in LABEL.finditer(tex) for other in labels if other != found[1]]
    yield [change(tex, found, "") for found in FACTOR.finditer(tex)]
    for patterns in PATTERNS.values():
        yield [change(tex, found, found.expand(new)) for old, new in patterns for found in re.finditer(old, tex)]


def change(tex: str, found: re.Match, new: str) -> str:
    return tex[: found.start()] + new + tex[found.end() :]


def slips(box: Box) -> Iterator[str]:
    """Every slip once, in an order drawn from the id, the kinds by turns."""
    draw, kinds = random.Random(box.id), []
    for kind in candidates(re.sub(r"\\tag\{[^}]*\}", "", box.accepted)):
        draw.shuffle(kind)
        kinds.append(kind)
    draw.shuffle(kinds)
    yield from dict.fromkeys(slip for slip in chain(*zip_longest(*kinds)) if slip is not None)


def rejected(box: Box, wanted: int) -> tuple[int, int]:
    """How many slips of a box are rejected, up to ``wanted``, and how many were made in vain: they hold as well."""
    count = equal = 0
    for slip in slips(box):
        holds = not refused(box, slip, printed=box.verdict != "corrected")
        count, equal = count + (not holds), equal + holds
        if count == wanted:
            break
    return count, equal
