"""The trials with a later idea: which setting of each is chosen, and what it came to beside the letter."""

from __future__ import annotations

from collections.abc import Iterable

Line = dict[str, str]


def chosen(lines: Iterable[Line], row: str) -> dict[str, str]:
    """Of each idea the reading that solved most trials of a row, then with the fewest sequences in all."""
    counts: dict[str, tuple[int, int]] = {}
    for line in lines:
        if line["row"] == row:
            solved, taken = counts.get(line["reading"], (0, 0))
            counts[line["reading"]] = solved - (line["solved"] == "True"), taken + int(line["sequences"])
    best: dict[str, str] = {}
    for reading in sorted(counts, key=counts.__getitem__):
        best.setdefault(reading.partition("-")[0], reading)
    return best
