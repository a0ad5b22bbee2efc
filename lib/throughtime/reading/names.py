"""Names with what is lowered and raised, functions with their arguments, sums and derivatives."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace

from throughtime.reading import trees
from throughtime.reading.cursor import CLOSING, Cursor
from throughtime.reading.tokens import FUNCTIONS, GREEK, Token

SAME = {"sigmoid": "sigma", "logistic": "sigma", "relu": "positive", "ReLU": "positive", "ln": "log"}
ACTIVATIONS = {"f", "g", "phi", "psi", "sigma", "rho"}


class Names(Cursor):
    """Reads what begins with a letter."""

    @abstractmethod
    def expression(self) -> trees.Tree:
        """Terms with their signs."""

    @abstractmethod
    def term(self) -> trees.Tree:
        """Products of what stands side by side."""

    @abstractmethod
    def factor(self) -> trees.Tree:
        """One factor with its powers."""

    @abstractmethod
    def powers(self, base: trees.Tree) -> trees.Tree:
        """Powers and the sign of a transpose behind a formula."""

    def word(self) -> trees.Tree:
        """A fraction, a sum, a derivative, a function of something, or a name."""
        token = self.token
        if token.text == "frac":
            return self.fraction(self.take().at)
        if token.text == "sum" and self.tokens[self.place + 1].text in ("_", "["):
            return self.total(self.take().at)
        following = self.tokens[self.place + 1]
        if self.known and token.text == "d" and following.kind in ("word", "accent"):
            return self.differential(self.take().at)
        if self.known and token.text not in self.known and token.text[0] == "d" and token.text[1:] in self.known:
            self.tokens[self.place] = Token("word", token.text[1:], token.at + 1)
            return self.differential(token.at)
        return self.name(self.letter())

    def letter(self) -> trees.Name:
        """A letter or a word with its accent, or a name in braces."""
        token = self.take()
        if token.kind == "accent" or token.text == "{":
            inner = self.letter()
            if token.text == "{":
                inner = self.name(inner)
                self.take("}")
            return replace(inner, base=f"{inner.base}_{token.text}") if token.kind == "accent" else inner
        if token.kind != "word":
            raise self.fault(token, "a letter")
        after = self.token
        self.place += after.kind == "accent after"
        return trees.Name(token.at, f"{token.text}_{after.text}" if after.kind == "accent after" else token.text)

    def name(self, name: trees.Name) -> trees.Tree:
        """A name with what is lowered and raised, its indices and its time; a function with its argument."""
        primes, after = 0, []
        while True:
            token = self.token
            if self.took("'"):
                primes += 1
            elif self.took("_"):
                name = self.lowered(name, token.at)
            elif token.text == "^":
                found = self.raised(name)
                if not isinstance(found, trees.Name):
                    after.append(found)
                else:
                    name = found
            elif token.text == "[" and (places := self._letters_in_brackets(token)):
                name = replace(name, places=places)
            elif token.text == "(" and name.time is None and (time := self._time_in_brackets()):
                name = replace(name, time=time)
            else:
                break
        if name.base in FUNCTIONS and self.token.text not in CLOSING:
            raise self.fault(self.token, f"the argument of {name.base} in brackets")
        bare = name.time is None and not name.places and not after
        if self._opens(name) and bare and self.is_function(name):
            return self.powers(self.call(name, primes))
        if primes:
            name = replace(name, base=name.base + "_prime" * primes)
        for text in after:
            name = trees.Transposed(name.at, name) if text in ("T", "⊤") else trees.Power(name.at, name, int(text))
        return name

    def _opens(self, name: trees.Name) -> bool:
        return self.token.text == "(" or (name.base in (*FUNCTIONS, "sigma") and self.token.text in CLOSING)

    def lowered(self, name: trees.Name, at: int) -> trees.Name:
        """The name with its subscript: a time, labels or indices."""
        before = self.token
        text, _ = self.group()
        behind = self.tokens[self.place : self.place + 2]
        near = before.text in self.times and [one.at - before.at for one in behind] == [1, 2]
        if near and behind[0].text in "+-" and behind[1].kind == "number":
            step = f"{before.text}{behind[0].text}{behind[1].text}"
            what = f"{name.base}_{step}"
            raise self.two_readings(
                at, what, f"{name.base}_{{{step}}}", f"{name.base}_{before.text} {behind[0].text} {behind[1].text}"
            )
        return self.marked(name, text)

    def marked(self, name: trees.Name, text: str) -> trees.Name:
        """The name with marks, of which one may be a time."""
        for part in text.split(","):
            mixed = re.fullmatch(rf"([i-n]{{1,2}})({self.now}(?:[+-]\d+)?)", part)
            for piece in mixed.groups() if mixed else (part,):
                if not re.fullmatch(r"\w+|\(?\w+[+-]\d+\)?", piece):
                    raise self.source.fault(
                        name.at, f"found {piece} at {name.base}", "expected a label, an index or a time"
                    )
                time = None if piece == "T" and name.base[0].isupper() else self.time(piece)
                name = replace(name, time=time) if time else replace(name, marks=(*name.marks, piece))
        return name

    def raised(self, name: trees.Name) -> trees.Name | str:
        """The name with its superscript, or the superscript if it is a power or the sign of a transpose."""
        self.take("^")
        text, bracketed = self.group()
        if text in ("T", "⊤") or (re.fullmatch(r"-?\d+", text) and not bracketed):
            return text
        return self.marked(name, "star" if text == "*" else text.replace("'", "prime"))

    def time(self, text: str) -> tuple[str, int] | None:
        """A time as its letter and the steps after it; None for what is none."""
        found = re.fullmatch(r"\(?([A-Za-z]+)([+-]\d+)?\)?", text)
        return (found[1], int(found[2] or 0)) if found and found[1] in self.times else None

    def _time_in_brackets(self) -> tuple[str, int] | None:
        """The time of h(t - 1) or h(0), taken; None if the bracket holds something else."""
        closing = next((n for n, one in enumerate(self.tokens[self.place :]) if one.text == ")"), 0)
        text = "".join(one.text for one in self.tokens[self.place + 1 : self.place + closing])
        found = ("", int(text)) if text.isdigit() else self.time(text)
        if found:
            self.place += closing + 1
        return found

    def _letters_in_brackets(self, token: Token) -> tuple[str, ...]:
        """The indices of w[i, j], taken; none if something else stands in the brackets or before them."""
        found, place = [], self.place + 1
        while self.tokens[place].kind == "word" and self.tokens[place + 1].text in (",", "]"):
            found.append(self.tokens[place].text)
            place += 2
        tight = self.source.text[token.at - 1 : token.at].strip() != ""
        if not found or self.tokens[place - 1].text != "]" or not tight:
            return ()
        self.place = place
        return tuple(found)

    # ---- functions and sums

    def is_function(self, name: trees.Name) -> bool:
        """Whether a name before a bracket is a function; a capital letter is a matrix, and the bracket a factor."""
        base = name.base
        if base in FUNCTIONS or base in SAME or (base in ACTIVATIONS and (name.marks or base not in self.lettered)):
            return not (base in ACTIVATIONS and base in self.alone and base != "sigma" and not name.marks)
        if base[0].isupper() or (base in self.alone and not name.marks) or (base in GREEK and base not in ACTIVATIONS):
            return False
        word = len(base) > 1 and "_" not in base
        if word and not name.marks and base not in self.lettered:
            return True
        what = f"{name.key()} ( )"
        raise self.two_readings(
            name.at, what, f"{name.key()} * ( ) for a product", "f, g, phi, psi, rho, sigma or a word for a function"
        )

    def call(self, name: trees.Name, order: int) -> trees.Call:
        """A function with its arguments."""
        arguments = self.inside(CLOSING[self.take().text], self.arguments)
        base = SAME.get(name.base, name.base)
        if (many := len(arguments)) != (wanted := 2 if base in ("max", "min") else 1):
            raise self.source.fault(name.at, f"found {base} of {many} arguments", f"expected {wanted}")
        return trees.Call(name.at, "_".join([base, *name.marks]), arguments, order)

    def arguments(self) -> tuple[trees.Tree, ...]:
        """What stands between the brackets of a function."""
        found = [self.expression()]
        while self.took(","):
            found.append(self.expression())
        return tuple(found)

    def differential(self, at: int) -> trees.Tree:
        """dL, or the whole of dL/dh_t."""
        found = self.name(self.letter())
        if not isinstance(found, trees.Name):
            raise self.fault(found, "the name of a quantity behind the d")
        if self.token.text != "/":
            return trees.Differential(at, found)
        self.take()
        below = self.factor()
        if not isinstance(below, trees.Differential):
            raise self.fault(below, "a d below the d, as in dL/dh_t")
        return trees.Slope(at, found, below.part)

    def fraction(self, at: int) -> trees.Tree:
        """What follows frac: both sides of the bar."""
        sides = []
        for _ in range(2):
            self.take("{")
            sides.append(self.inside("}", self.expression))
        over, under = sides
        if isinstance(over, trees.Differential) and isinstance(under, trees.Differential):
            return trees.Slope(at, over.part, under.part)
        return self.powers(trees.Quotient(at, over, under))

    def total(self, at: int) -> trees.Tree:
        """A sum over letters, each with its limits if they are written, up to the next plus or minus."""
        bracket = self.take("_", "[").text == "["
        text = self._up_to("]") if bracket else self.group()[0]
        upper = self.group()[0] if not bracket and self.took("^") else ""
        found = re.fullmatch(r"([A-Za-z,]+)(?:=(\w+)(?:\.\.(\S+))?)?", text)
        if not found:
            raise self.source.fault(at, f"found a sum over {text}", "expected a letter, as in sum_j or sum_{t=1}^T")
        letters, lower, upper = found[1].split(","), found[2] or "", found[3] or upper
        timed = [letter for letter in letters if letter == self.now or upper == "T"]
        self.times |= {*timed}
        part = self.term()
        self.times -= {*timed} - {self.now}
        for letter in reversed(letters):
            limits = (trees.Name(at, lower or "1"), trees.Name(at, upper or "T")) if letter in timed else ()
            limits = (trees.Name(at, upper),) if upper and not limits else limits
            part = trees.Total(at, letter, part, limits)
        return part

    def _up_to(self, closing: str) -> str:
        text = ""
        while (token := self.take()).text != closing:
            if token.kind == "end":
                raise self.fault(token, f"'{closing}'")
            text += token.text
        return text
