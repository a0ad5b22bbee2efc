"""Sums over letters: over units, over times, and over lags, which are written out term by term."""

from __future__ import annotations

import re

from throughtime.reading.names import Names
from throughtime.reading.spelling import GREEK
from throughtime.reading.trees import Tree, names_in


class SumParser(Names):
    """Reads what stands behind the sign of a sum."""

    def term(self) -> Tree:
        """One term, in which the letters of a sum are bound."""
        raise NotImplementedError

    def is_a_lag(self, letter: str) -> bool:
        """Whether a letter under a sum counts steps, as the k of x_{t-k}."""
        within = " ".join(one.text for one in self.tokens[self.place :]).split("\n")[0]
        return re.search(rf"\b{self.now} ?[+-] ?(?:\d ?[+-] ?)?{letter}\b", within) is not None

    def total(self, at: int) -> Tree:
        """A sum over letters, each with its limits if they are written, up to the next plus or minus."""
        text, upper = self.take().text or "{}", ""
        while text[:1] == "[" and text[-1] != "]" and self.token.kind != "end":
            text += self.take().text
        if self.token.kind == "high":
            upper = self.take().text
        text = re.sub(r"^(\d+)<=([a-z])<=(\w+)$", r"\2=\1..\3", text)
        found = re.fullmatch(r"([A-Za-z,]+)(?:=([\w+-]+)(?:\.\.(\S+))?)?", text.strip("[]"))
        if not found or any(len(one) > 1 and one not in GREEK for one in found[1].split(",")):
            hint = "a letter for each sum; what is left out of it has the weight 0"
            expected = "expected a letter, as in sum_j or sum_{t=1}^T"
            raise self.source.fault(at, f"found a sum over {text}", expected, hint)
        letters, lower, upper = found[1].split(","), found[2] or "", found[3] or upper
        if self.is_a_lag(letters[0]):
            return self._written_out(at, letters[0], lower, upper)
        timed = {letter for letter in letters if letter == self.now or re.fullmatch(r"T([+-]\d+)?", upper)}
        if upper and not timed and not (re.fullmatch(r"[A-Za-z]\w*|\d+", upper) and upper != self.now):
            hint = f"a sum up to now is a state: s_{self.now} = s_{{{self.now}-1}} + ..., s_0 = 0"
            hint = hint if re.match(rf"{self.now}\b", upper) else "a letter for the number of its terms"
            expected = "expected a size, as n, or the length T of the time"
            raise self.source.fault(at, f"found a sum to {upper}", expected, hint)
        if lower not in ("", "1") and not timed:
            raise self.source.fault(at, f"found a sum from {lower}", "expected all of a size, as sum_{j=1}^n")
        self.times |= timed
        part = self.term()
        self.times -= timed - {self.now}
        for letter in reversed(letters):
            limits = (lower or "1", upper or "T") if letter in timed else (upper,) if upper else ()
            part = Tree("total", at, (part,), (letter, limits))
        return part

    def _written_out(self, at: int, letter: str, lower: str, upper: str) -> Tree:
        """A sum over lags, term by term."""
        if not (lower.isdigit() and upper.isdigit() and int(lower) <= int(upper)):
            found = f"found a sum over lags up to {upper or 'no number'}"
            hint = f"a sum up to now is a state: s_{self.now} = a * s_{{{self.now}-1}} + ..., s_0 = 0"
            hint = hint if re.match(rf"{self.now}\b", upper) else ""
            raise self.source.fault(at, found, "expected numbers, as in sum_{k=1}^3 A_k x_{t-k}", hint)
        first, terms = self.place, []
        for value in range(int(lower), int(upper) + 1):
            self.place, self.lags[letter] = first, value
            terms.append(self.term())
        del self.lags[letter]
        for name in names_in(*terms):
            if glued := next((mark for mark in name.marks if letter in mark and mark not in ("in", "out", "hid")), ""):
                found, hint = (
                    f"found {letter} inside the label {glued}",
                    f"{name.base}_{{..., {letter}}} for the letter",
                )
                raise self.source.fault(name.at, found, "expected it apart", hint)
        return terms[0] if len(terms) == 1 else Tree("sum", at, tuple(terms))
