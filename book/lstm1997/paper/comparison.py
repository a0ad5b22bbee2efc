"""Where paper and note have the same statement: links to both boxes, and what differs."""

from __future__ import annotations

from throughtime.derivation import prose
from throughtime_book.shared.rendered import Rendered, table_of, table_row

FLOW, VANISHING, CONSTANT = "../bptt/error-flow", "../bptt/vanishing", "../bptt/constant-error"
CELL, CUT, DERIVATIVES, UPDATES, COST = "cell", "truncation", "derivatives", "updates", "complexity"
AS_PAPER = "the same slip in both"
RIGHT = "both right"
INDEX = "right in the paper; the note has a slip of index"
ROWS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("1", FLOW, ("lstm97-21", "lstm97-22"), RIGHT),
    ("2", FLOW, ("lstm97-22",), "subscripts exchanged in the paper, put right by the note"),
    ("explode", VANISHING, ("lstm97-23",), AS_PAPER),
    ("vanish", VANISHING, ("lstm97-24",), AS_PAPER),
    ("four", VANISHING, ("lstm97-26",), AS_PAPER + "; the paper has the true bound beside it"),
    ("global", VANISHING, ("lstm97-28",), AS_PAPER),
    ("coth", VANISHING, ("lstm97-coth", "lstm97-coth-remark"), "right in both; the note's remark on it is wrong"),
    ("cec-back", CONSTANT, ("lstm97-30",), RIGHT),
    ("cec-required", CONSTANT, ("lstm97-31",), RIGHT),
    ("cec-linear", CONSTANT, ("lstm97-32",), AS_PAPER),
    ("3", CELL, ("lstm97-squashing",), RIGHT),
    ("6", CELL, ("lstm97-36", "lstm97-39", "lstm97-42", "lstm97-43"), INDEX),
    ("cut", CUT, ("lstm97-44",), "the note cuts hidden units here as well, the paper in (11)"),
    ("cut-cells", CUT, ("lstm97-45", "lstm97-46"), RIGHT),
    ("cut-others", CUT, ("lstm97-47",), AS_PAPER),
    ("10", DERIVATIVES, ("lstm97-49", "lstm97-50", "lstm97-51", "lstm97-52"), INDEX),
    ("11", DERIVATIVES, ("lstm97-54",), INDEX),
    ("12", DERIVATIVES, ("lstm97-62",), INDEX),
    ("14", DERIVATIVES, ("lstm97-67", "lstm97-68", "lstm97-deltas"), "both right; the note's objection is wrong"),
    ("15", DERIVATIVES, ("lstm97-58", "lstm97-59", "lstm97-60"), RIGHT),
    (
        "22",
        UPDATES,
        ("lstm97-69", "lstm97-70", "lstm97-71"),
        "one time for two in the paper; no error signals in the note, and in (71) one output weight for all cells",
    ),
    (
        "26",
        UPDATES,
        ("lstm97-72", "lstm97-73"),
        "right in the paper; no error signals in the note, and in (72) one output weight for all cells",
    ),
    ("29", COST, ("lstm97-74",), "both right, with different programs"),
    ("storage", COST, ("lstm97-76",), RIGHT),
    ("locality", COST, ("lstm97-locality",), RIGHT),
    ("drift", "training", ("lstm97-drift",), "the note shortens the sentence"),
)


def side_by_side() -> Rendered:
    """The table, a row for each statement of the paper that the note has as well."""
    rows, lines = [], []
    for name, page, notes, words in ROWS:
        links = ", ".join(f'<a href="{page}.html#{note}">{note}</a>' for note in notes)
        rows.append(table_row([f'<a href="#paper97-{name}">paper97-{name}</a>', links, prose(words)]))
        lines.append(f"paper97-{name}  {' '.join(notes)}  {words}")
    return Rendered(table_of(["paper", "note", "what differs"], rows), "\n".join(lines))
