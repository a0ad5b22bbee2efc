"""Doubts about characters: two forms of one letter, bold letters side by side, powers and labels without braces."""

from __future__ import annotations

import re
import unicodedata

from throughtime.reading.source import SourceText
from throughtime.reading.spelling import FUNCTIONS

TWINS = [  # two forms of one letter, which are two letters in a text that has both
    *((rf"\\{one}(?![A-Za-z])", rf"\\var{one}(?![A-Za-z])") for one in ("phi", "epsilon", "theta", "rho", "sigma")),
    *map(tuple, ("φϕ", "εϵ", "θϑ", "ρϱ", "σς")),
]
LOOSE = r"([_^])\s*(?:(-?\d*\.\d+|-?1/\d+)|(\d\d+))(?![\w.])"  # x^0.5, and in LaTeX b_10


def check_glyphs(source: SourceText) -> None:
    """NotationError where characters can be taken for others, or stand above and below without braces."""
    text = source.text
    for pair in TWINS:
        plain, variant = (re.search(pattern, text) for pattern in pair)
        if plain and variant:
            said, last = f"{plain[0]} beside {variant[0]}", max(plain.start(), variant.start())
            raise source.two_readings(last, said, f"{plain[0]} for both", f"another letter for {variant[0]}")
    for loose in re.finditer(LOOSE, text):
        if found := loose[2] or ("\\" in text and loose[3]):
            hint = f"{loose[1]}{{{found}}}" + " for a label" * (loose[1] == "_")
            hint = "sqrt(a) for a root, exp(b * log(a)) for the power b of a" if loose[2] else hint
            said = f"found {loose[1]}{found} without braces"
            raise source.fault(loose.start(), said, "expected one character or braces", hint)
    if minus := re.search(r"\^-(?=\s*(?:[A-Za-z]|\\[a-z]))", text):
        raise source.fault(minus.start(), "found ^- without braces", "expected them around all that is raised", "^{-a}")
    for run in re.finditer("[\U0001d400-\U0001d7ff\u210e]{2,}", text):
        word = unicodedata.normalize("NFKC", run[0])
        if word not in (*FUNCTIONS, "tanh", "sigmoid", "relu"):
            raise source.two_readings(run.start(), run[0], f"{' '.join(word)} for factors", f"{word} for one name")
