"""The lines of a text: equations, and names with the sets that they are in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from throughtime.reading.cursor import SCRIPTS
from throughtime.reading.parser import Parser
from throughtime.reading.spelling import WORDS
from throughtime.reading.trees import Declared, Equality, Name

ENDS = {"\n", ",", ".", ";", "}"}  # braces around equations have no meaning


class Lines(Parser):
    """Reads the statements of a text."""

    def statements(self) -> list[Equality | Declared]:
        """All equations and declarations of the text."""
        found: list[Equality | Declared] = []
        while True:
            while self.tokens[self.place].text in ENDS:
                self.place += 1
            if self.token.kind == "end":
                return found
            found += self.statement()
            if self.token.text not in ENDS and self.token.kind != "end":
                hint = WORDS if self.token.kind == "word" else ""
                hint = "no bracket is open here" if self.token.text in (")", "]") else hint
                raise self.fault(self.token, "an operator or the end of the equation", hint)

    def statement(self) -> Sequence[Equality | Declared]:
        """One equation, or names with the set that they are in: R, R^n or R^{n x m}."""
        left = self.expression()
        names = [left]
        while self._is_a_list() and self.took(","):
            names.append(self.expression())
        if all(isinstance(one, Name) for one in names) and self.took("∈", "in"):
            sizes = self.sizes()
            return [Declared(one, sizes) for one in names if isinstance(one, Name)]
        if self.token.text != "=":
            hint = "a line for each quantity, as f_t = ..." if self.token.text == "," else WORDS
            comma = re.match(r"\d,\d", self.source.text[max(self.token.at - 1, 0) :])
            hint = "a point in numbers, as 0.5" if comma else hint
            if self.token.text in ENDS or self.token.kind == "end":
                found = "found several names" if self.token.text == "," else "found no '='"
                raise self.source.fault(left.at, found, "expected an equation, as h_t = ...", hint)
            raise self.fault(self.token, "'=' and what the left side is, as in h_t = ...", hint)
        rights = []
        while self.took("="):
            rights.append(self.expression())
        declared = [Declared(left, self.sizes())] if isinstance(left, Name) and self.took("∈", "in") else []
        return [Equality(left, tuple(rights)), *declared]

    def _is_a_list(self) -> bool:
        """Whether names with commas between them go on up to a set."""
        for token in self.tokens[self.place :]:
            if token.text in ("∈", "in"):
                return True
            if token.kind not in (*SCRIPTS, "word") and token.text not in (",", "(", ")", "[", "]"):
                return False
        return False

    def sizes(self) -> tuple[str, ...]:
        """The sizes in R, R^n or R^{n x m}."""
        braced = self.took("{")
        if not self.took("R"):
            raise self.fault(self.token, "R, R^n or R^{n x m}")
        if braced:
            self.take("}")
        sizes = self.take().text if self.token.kind == "high" else ""
        return tuple(part for part in re.split(r"[·,]|(?<=\w)x(?=\w)", sizes) if part)
