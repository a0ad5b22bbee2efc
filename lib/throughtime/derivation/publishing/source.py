"""Metadata of a statement: its place in a source, the quotation, the kind of fault."""

from __future__ import annotations

import re
from dataclasses import dataclass

from throughtime.derivation.publishing.render import prose

VERDICTS = {
    "holds": "holds as printed",
    "corrected": "holds after a correction",
    "refuted": "refuted",
    "supported": "supported by experiment",
}
WRONG = ("corrected", "refuted")
# In order of weight.
FAULTS = {
    "result": "wrong result",
    "hypothesis": "missing hypothesis",
    "index": "slip of index, time or shape",
    "misprint": "misprint",
}


@dataclass(frozen=True)
class Source:
    """A statement in its source.

    title        what it states, in a few words
    tag          the number that the source gives its formula, None if it gives none
    quote        the source's sentence, where it says in words what the formula says; "" where it prints the formula
    translation  that sentence in English, "" where it is English
    kind         a key of FAULTS where the statement is wrong, "definition" where it only defines, else ""
    fault        what is wrong, in one sentence

    Raises ValueError for another kind.

    >>> from throughtime.derivation import Source
    >>> source = Source(title="The chain rule", tag="3", kind="index")
    >>> source.words("corrected")
    'slip of index, time or shape'
    """

    title: str = ""
    tag: str | None = None
    quote: str = ""
    translation: str = ""
    kind: str = ""
    fault: str = ""

    def __post_init__(self) -> None:
        if self.kind not in ("", "definition", *FAULTS):
            raise ValueError(f"kind: expected one of {('definition', *FAULTS)} or '', got {self.kind!r}")

    @property
    def place(self) -> str:
        """Words for a tag that is no number: beside the formula it would take room on both sides."""
        return f" in {self.tag}" if self.tag and re.search("[A-Za-z]{3}", self.tag) else ""

    def words(self, verdict: str) -> str:
        """The verdict in words: the kind of fault where that is known."""
        if verdict == "holds":
            return "defined" if self.kind == "definition" else "holds as read" if self.quote else VERDICTS[verdict]
        return FAULTS.get(self.kind, VERDICTS[verdict])


def quotation(sentence: str, translation: str) -> str:
    """A source's sentence in its own words, with its translation, as HTML."""
    return f"<q>{prose(sentence)}</q>" + (f" ({prose(translation)})" if translation else "")
