"""The text that is read, and the refusal that points into it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from throughtime.derivation import DerivationError


class NotationError(DerivationError):
    """A text that cannot be read, or can be read in two ways; the message shows the line with a caret below it."""


@dataclass(frozen=True)
class SourceText:
    """A text, and where the factors in it end that have been read."""

    text: str
    ends: dict[int, int] = field(default_factory=dict)

    def fault(self, place: int, found: str, expected: str, instead: str = "") -> NotationError:
        """The refusal of what stands at a place: what was found, what was expected, what would be understood."""
        return self.shown(place, f"{found}; {expected}", instead)

    def shown(self, place: int, said: str, instead: str = "") -> NotationError:
        """A refusal above the line that it is of, with a caret below the place."""
        place = min(place, len(self.text))
        start = self.text.rfind("\n", 0, place) + 1
        end = self.text.find("\n", place)
        line, row = self.text[start : None if end < 0 else end], self.text.count("\n", 0, start) + 1
        hint = f"\n  {instead}" if instead else ""
        return NotationError(f"line {row}: {said}\n  {line}\n  {' ' * (place - start)}^{hint}")

    def two_readings(self, place: int, what: str, one: str, other: str) -> NotationError:
        """The refusal of what can be read in two ways."""
        found = f"{what} can be read in two ways"
        return self.fault(place, found, "write the one that is meant", f"{one}, or {other}")

    def is_bold(self, place: int) -> bool:
        """Whether a letter is a bold one in LaTeX, or one of the bold letters of Unicode."""
        return bool(re.match(r"\\(mathbf|mathbb|boldsymbol|bm|vec|pmb|bf)(?![a-z])", self.text[place:]))

    def is_script(self, place: int) -> bool:
        """Whether a letter is one in script in LaTeX."""
        return bool(re.match(r"\\math(cal|scr|sf|frak)(?![a-z])", self.text[place:]))

    def word(self, place: int) -> str:
        """A hint for a letter in LaTeX that is one of a word of three or more, or nothing."""
        runs = re.finditer(r"(?<![\\A-Za-z])[A-Za-z]{3,}", self.text if "\\" in self.text else "")
        found = next((run[0] for run in runs if run.start() <= place < run.end()), "")
        return rf"a word in LaTeX is \text{{{found}}}_t" if found else ""

    def words(self, place: int) -> str:
        """A factor from its place on as it is written."""
        said = self.text[place : self.ends.get(place)].rstrip(" \t\n&,;:!.\\")
        return re.sub(r"\s*\\(right|[bB]igg?r?)$", "", said)
