"""The paper's statements beside those of the note: the boxes of both, and what differs."""

import posixpath

from book.reference.ledger import read_book
from book.shared.rendered import Rendered, table_of, table_row
from throughtime.derivation import prose

AS_PAPER = "the same slip in both"
RIGHT = "both right"
INDEX = "right in the paper; the note has a slip of index"
ROWS = {
    "1": ("21 22", RIGHT),
    "2": ("22", "subscripts exchanged in the paper, put right by the note"),
    "explode": ("23", AS_PAPER),
    "vanish": ("24", AS_PAPER),
    "four": ("26", AS_PAPER + "; the paper has the true bound beside it"),
    "global": ("28", AS_PAPER),
    "coth": (
        "coth coth-remark",
        "right in both, in the notes under the paper's condition on $y$; their remark on it is wrong",
    ),
    "cec-back": ("30", RIGHT),
    "cec-required": ("31", RIGHT),
    "cec-linear": ("32", AS_PAPER),
    "3": ("squashing", RIGHT),
    "6": ("36 39 42 43", INDEX),
    "cut": ("44", "the note cuts hidden units here as well, the paper in (11)"),
    "cut-cells": ("45 46", RIGHT),
    "cut-others": ("47", AS_PAPER),
    "10": ("49 50 51 52", INDEX),
    "11": ("54", INDEX),
    "12": ("62", INDEX),
    "14": ("67 68 deltas", "both right; the note's objection is wrong"),
    "15": ("58 59 60", RIGHT),
    "22": (
        "69 70 71",
        "a single time for two in the paper; no error signals in the note, and in (71) one output weight for all cells",
    ),
    "26": ("72 73", "right in the paper; no error signals in the note, and in (72) one output weight for all cells"),
    "29": ("74", "both right, with different programs"),
    "storage": ("76", RIGHT),
    "locality": ("locality", RIGHT),
    "drift": ("drift", "the note shortens the sentence"),
}
"""By the name of a statement of the paper: those of the note, behind `lstm97-`, and what differs."""


def ids(name: str) -> list[str]:
    """The statements of the note beside one of the paper."""
    return [f"lstm97-{one}" for one in ROWS[name][0].split()]


def beside_the_note(*names: str) -> Rendered:
    """A row for each of these statements of the paper, whose boxes the page has."""
    pages = {item.id: posixpath.relpath(item.page, "lstm1997") for item in read_book()}
    lines, text = [], []
    for name in names:
        notes, words = ids(name), ROWS[name][1]
        links = ", ".join(f'<a href="{pages[note]}.html#{note}">{note}</a>' for note in notes)
        own = f'<a href="#paper97-{name}">paper97-{name}</a>'
        lines.append(table_row([own, links, prose(words)]))
        text.append(f"paper97-{name}  {' '.join(notes)}  {words}")
    return Rendered(table_of(["paper", "note", "what differs"], lines), "\n".join(text))
