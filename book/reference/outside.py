"""What the outside reader of the boxes cannot decide: its list, by reason."""

from collections import defaultdict
from pathlib import Path

from book.shared.records import read
from book.shared.rendered import Rendered, table

LIST = Path(__file__).resolve().parents[2] / "tests" / "reader" / "undecided.csv"


def undecided() -> dict[str, list[str]]:
    """The ids of the boxes that the reader cannot decide, by reason; a test holds the list up to date."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in read(LIST):
        found[row["reason"]].append(row["id"])
    return dict(found)


def reasons() -> Rendered:
    """How many boxes it cannot decide for each reason, and which."""
    rows = [[reason, len(ids), ", ".join(ids)] for reason, ids in undecided().items()]
    return table(["why it cannot decide", "boxes", "which"], sorted(rows, key=lambda row: -row[1]))
