"""A text as words, numbers and signs, each with its place. LaTeX and Unicode become the plain notation here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from throughtime.reading.source import Source

GREEK_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
CALLED = "tanh sigmoid logistic relu ReLU softplus exp log ln sqrt softmax sum mean norm max min diag"
FONTS = (
    "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr displaystyle textstyle limits nonumber notag "
    "mathbf boldsymbol bm mathcal mathscr mathsf mathbb vec pmb mathit"
)
GREEK, FUNCTIONS, SILENT = GREEK_LETTERS.split(), CALLED.split(), FONTS.split()
SIGNS = {
    "odot": "⊙", "circ": "⊙", "cdot": "·", "times": "·", "ast": "*", "in": "∈", "partial": "∂", "top": "⊤",
    "intercal": "⊤", "lVert": "‖", "rVert": "‖", "Vert": "‖", "|": "‖", "prime": "'", "newline": "\n", "\\": "\n",
    "quad": ",", "qquad": ",", "{": "(", "}": ")", "lbrack": "[", "rbrack": "]",
}  # fmt: skip
NAMES = {"varepsilon": "epsilon", "varphi": "phi", "vartheta": "theta", "ell": "l", "dfrac": "frac", "tfrac": "frac"}
ACCENTS = {"tilde": "tilde", "widetilde": "tilde", "hat": "hat", "widehat": "hat", "bar": "bar", "overline": "bar"}
WORD = re.compile(r"\\(?:mathrm|text|textrm|textbf|textit|mbox|operatorname)\*?\s*\{\s*([^{}\\]*?)\s*\}")
ENVIRONMENT = re.compile(r"\\(begin|end)\{[^}]*\}(?:\[[a-z]\]|\{[rlc]*\})?")
DROPPED = re.compile(r"\\(?:label|tag)\{[^}]*\}|\\[,;:! ]|\\\[|\\\]|[&$~%]|[^\S\n]+")
TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)|(?P<word>[A-Za-z][A-Za-z0-9]*)|\\(?P<macro>[A-Za-z]+|.)|(?P<sign>\|\||.|\n)"
)
MARKS = {"\u0303": "tilde", "\u0302": "hat", "\u0304": "bar"}
PLAIN = {"∘": "⊙", "∗": "*", "⋅": "·", "×": "·", "−": "-", "–": "-", "ϕ": r"\phi ", "ϵ": r"\epsilon ", "∑": " sum ",
         "ᵀ": "^T", "⊺": "⊤", "∥": "‖", "′": "'", "²": "^2", "½": "(1/2)"}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A piece of the text: its kind ("word", "number", "sign", "accent" or "end"), what it says, and its place."""

    kind: str
    text: str
    at: int

    def __str__(self) -> str:
        return {"": "the end of the text", "\n": "the end of the line"}.get(self.text, self.text)


def tokens(source: Source) -> list[Token]:
    """The tokens of a text; NotationError for a macro of LaTeX that has no meaning here."""
    latex, plain = "\\" in source.text, [*_plain(source.text)]
    text, places = "".join(char for char, _ in plain), [*(at for _, at in plain), len(source.text.rstrip())]
    found, place, deep = [], 0, 0
    while place < len(text):
        kinds = (ENVIRONMENT, DROPPED, WORD, TOKEN)
        match = next(filter(None, (kind.match(text, place) for kind in kinds)))
        at, place = places[place], match.end()
        if match.re is ENVIRONMENT:
            deep += {"begin": 1, "end": -1}[match[1]]
            found.append(Token("sign", "\n", at))
        elif match[0] == "\n" and deep:  # there a line ends with two backslashes
            continue
        elif match.re is WORD:
            found.append(Token("word", re.sub(r"\W+", "", match[1]), at))
        elif match.re is TOKEN:
            found += _token(match.lastgroup, match[match.lastgroup], at, latex, source)
    return [*found, Token("end", "", places[-1])]


def _token(kind: str, text: str, at: int, latex: bool, source: Source) -> Iterator[Token]:
    if kind == "word" and latex and text not in FUNCTIONS:  # in LaTeX each letter is a symbol of its own
        yield from (Token("number" if char.isdigit() else "word", char, at + n) for n, char in enumerate(text))
    elif kind != "macro":
        yield Token("accent after", MARKS[text], at) if text in MARKS else Token(kind, text.replace("||", "‖"), at)
    elif text in ACCENTS:
        yield Token("accent", ACCENTS[text], at)
    elif text in SIGNS:
        yield Token("sign", SIGNS[text], at)
    elif text in GREEK or text in FUNCTIONS or text in NAMES or text == "frac":
        yield Token("word", NAMES.get(text, text), at)
    elif text not in SILENT:
        raise source.fault(at, f"found \\{text}", "this macro of LaTeX has no meaning here")


def _plain(text: str) -> Iterator[tuple[str, int]]:
    """The characters of a text with their places: Greek letters as macros, lowered ones as a subscript."""
    lowered = False
    for at, char in enumerate(text):
        low = unicodedata.decomposition(char).startswith("<sub>")
        if low != lowered:
            yield from ((new, at) for new in ("_{" if low else "}"))
        lowered, name = low, unicodedata.name(char, "").replace("LAMDA", "LAMBDA").split()
        if char in PLAIN:
            new = PLAIN[char]
        elif name[:1] == ["GREEK"] and name[2:3] == ["LETTER"]:
            new = f"\\{name[3].lower() if name[1] == 'SMALL' else name[3].title()} "
        else:
            new = unicodedata.normalize("NFKD" if low else "NFD", char).replace("\u2212", "-")
        yield from ((piece, at) for piece in new)
    if lowered:
        yield "}", len(text)
