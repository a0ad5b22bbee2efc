"""The paper's statements beside those of the note: the boxes of both, and what differs."""

import posixpath

from book.reference.ledger import read_book
from book.shared.rendered import Rendered, table_of, table_row
from throughtime.derivation import prose

AS_PAPER = "the same slip in both"
RIGHT = "both right"
INDEX = "right in the paper; the note has a slip of index"
ROWS = (
    ("1", ("lstm97-21", "lstm97-22"), RIGHT),
    ("2", ("lstm97-22",), "subscripts exchanged in the paper, put right by the note"),
    ("explode", ("lstm97-23",), AS_PAPER),
    ("vanish", ("lstm97-24",), AS_PAPER),
    ("four", ("lstm97-26",), AS_PAPER + "; the paper has the true bound beside it"),
    ("global", ("lstm97-28",), AS_PAPER),
    (
        "coth",
        ("lstm97-coth", "lstm97-coth-remark"),
        "right in both, in the notes under the paper's condition on $y$; their remark on it is wrong",
    ),
    ("cec-back", ("lstm97-30",), RIGHT),
    ("cec-required", ("lstm97-31",), RIGHT),
    ("cec-linear", ("lstm97-32",), AS_PAPER),
    ("3", ("lstm97-squashing",), RIGHT),
    ("6", ("lstm97-36", "lstm97-39", "lstm97-42", "lstm97-43"), INDEX),
    ("cut", ("lstm97-44",), "the note cuts hidden units here as well, the paper in (11)"),
    ("cut-cells", ("lstm97-45", "lstm97-46"), RIGHT),
    ("cut-others", ("lstm97-47",), AS_PAPER),
    ("10", ("lstm97-49", "lstm97-50", "lstm97-51", "lstm97-52"), INDEX),
    ("11", ("lstm97-54",), INDEX),
    ("12", ("lstm97-62",), INDEX),
    ("14", ("lstm97-67", "lstm97-68", "lstm97-deltas"), "both right; the note's objection is wrong"),
    ("15", ("lstm97-58", "lstm97-59", "lstm97-60"), RIGHT),
    (
        "22",
        ("lstm97-69", "lstm97-70", "lstm97-71"),
        r"a single time for two in the paper; no error signals in the note, and in "
        "(71) one output weight for all cells",
    ),
    (
        "26",
        ("lstm97-72", "lstm97-73"),
        r"right in the paper; no error signals in the note, and in (72) one "
        "output weight for all cells",
    ),
    ("29", ("lstm97-74",), "both right, with different programs"),
    ("storage", ("lstm97-76",), RIGHT),
    ("locality", ("lstm97-locality",), RIGHT),
    ("drift", ("lstm97-drift",), "the note shortens the sentence"),
)


def beside_the_note(*names: str) -> Rendered:
    """A row for each of these statements of the paper, whose boxes the page has.

    Raises KeyError for one that the note does not retell.
    """
    listed = {name: rest for name, *rest in ROWS}
    pages = {item.id: posixpath.relpath(item.page, "lstm1997") for item in read_book()}
    lines, text = [], []
    for name in names:
        notes, words = listed[name]
        links = ", ".join(f'<a href="{pages[note]}.html#{note}">{note}</a>' for note in notes)
        own = f'<a href="#paper97-{name}">paper97-{name}</a>'
        lines.append(table_row([own, links, prose(words)]))
        text.append(f"paper97-{name}  {' '.join(notes)}  {words}")
    return Rendered(table_of(["paper", "note", "what differs"], lines), "\n".join(text))
