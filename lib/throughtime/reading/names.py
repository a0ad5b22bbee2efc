"""Names with what is lowered and raised, functions with their arguments, sums and derivatives."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace

from throughtime.reading.cursor import CLOSING, SCRIPTS, Cursor
from throughtime.reading.source import NotationError
from throughtime.reading.spelling import FUNCTIONS, GREEK, Token
from throughtime.reading.trees import Name, Tree

SAME = {"sigmoid": "sigma", "logistic": "sigma", "relu": "positive", "ln": "log"}
ACTIVATIONS = {"f", "g", "phi", "psi", "sigma", "rho"}


class Names(Cursor):
    """Reads what begins with a letter. `known` are names after a d that makes a derivative, as L in dL/dh_t."""

    def __init__(self, text: str, time: str = "t", known: frozenset[str] = frozenset()):
        super().__init__(text)
        self.now, self.known, self.times, self.lags = time, known, {time, "T"}, {}
        pairs = [*zip(self.tokens, self.tokens[1:], strict=False)]
        self.lettered = {one.text for one, after in pairs if one.kind == "word" and after.kind in SCRIPTS}
        self.alone = {one.text for one, after in pairs if after.kind not in SCRIPTS and after.text not in ("(", "'")}

    @abstractmethod
    def expression(self) -> Tree:
        """Terms with their signs."""

    @abstractmethod
    def term(self) -> Tree:
        """Products of what stands side by side."""

    @abstractmethod
    def factor(self) -> Tree:
        """One factor with its powers."""

    @abstractmethod
    def powers(self, base: Tree) -> Tree:
        """Powers and the sign of a transpose behind a formula."""

    @abstractmethod
    def listed(self, *commas: str) -> tuple[Tree, ...]:
        """Formulas with commas between them."""

    def two_readings(self, at: int, what: str, one: str, other: str) -> NotationError:
        """The refusal of what can be read in two ways."""
        found = f"{what} can be read in two ways"
        return self.source.fault(at, found, "write the one that is meant", f"{one}, or {other}")

    def word(self) -> Tree:
        """A fraction, a sum, a derivative, a function of something, or a name."""
        token, following = self.token, self.tokens[self.place + 1]
        if token.text == "frac":
            return self.fraction(self.take().at)
        if token.text == "sum" and (following.kind == "low" or following.text == "["):
            return self.total(self.take().at)
        if self.known and token.text == "d" and following.kind == "word":
            return self.differential(self.take().at)
        if self.known and token.text not in self.known and token.text[0] == "d" and token.text[1:] in self.known:
            self.tokens[self.place] = Token("word", token.text[1:], token.at + 1)
            return self.differential(token.at)
        return self.name(self.letter())

    def letter(self) -> Name:
        """A letter or a word."""
        token = self.take()
        if token.kind != "word":
            raise self.fault(token, "a letter")
        return Name("name", token.at, base=token.text)

    def name(self, name: Name) -> Tree:
        """A name with what is lowered and raised, its indices and its time; a function with its argument."""
        primes, after = 0, []
        while True:
            token = self.token
            if self.took("'"):
                primes += 1
            elif token.kind == "high" and re.fullmatch(r"[T⊤]|-?\d+", token.text):
                after.append(self.take().text)
            elif token.kind in SCRIPTS:
                name = self.marked(name, self.take())
            elif token.text == "[" and self.source.text[token.at - 1 : token.at].strip():
                found = self._in_brackets("]", name)
                if found is name:
                    break
                name = found
            elif token.text == "(" and (found := self._in_brackets(")", name)) is not name:
                name = found
            else:
                break
        if name.base in FUNCTIONS and self.token.text not in CLOSING:
            raise self.fault(self.token, f"the argument of {name.base} in brackets", f"{name.base}(...)")
        bare = name.time is None and not name.places and not after
        opens = self.token.text == "(" or (name.base in (*FUNCTIONS, "sigma") and self.token.text in CLOSING)
        if opens and bare and self.is_function(name):
            return self.powers(self.call(name, primes))
        made: Tree = replace(name, base=name.base + "_prime" * primes)
        for text in after:
            made = self.raised_to(made, text)
        return made

    def raised_to(self, base: Tree, text: str) -> Tree | None:
        """A transpose or a power; None if the script is neither."""
        if text in ("T", "⊤"):
            return Tree("transposed", base.at, (base,))
        return Tree("power", base.at, (base,), int(text)) if re.fullmatch(r"-?\d+", text) else None

    def marked(self, name: Name, script: Token) -> Name:
        """The name with what is lowered or raised at it: labels, indices, and a time."""
        sign, number = (*self.tokens[self.place :], script)[:2]
        tight = [one.at - script.at - len(script.text) for one in (sign, number)] == [1, 2]
        if script.text in self.times and tight and sign.text in "+-" and number.kind == "number":
            step = f"{script.text}{sign.text}{number.text}"
            other = f"{name.base}_{script.text} {sign.text} {number.text}"
            raise self.two_readings(name.at, f"{name.base}_{step}", f"{name.base}_{{{step}}}", other)
        text = "star" if script.text == "*" else script.text.replace("'", "prime")
        for part in text.split(","):
            mixed = re.fullmatch(rf"([i-n]{{1,2}})({self.now}(?:[+-]\w+)?)", part)
            for piece in mixed.groups() if mixed else (part,):
                time = None if piece == "T" and name.base[0].isupper() else self.time(piece)
                if (not re.fullmatch(r"\w+|\(\w+\)", piece) and not time) or re.fullmatch(rf"{self.now}\d+", piece):
                    expected = "expected a label, an index or a time"
                    hint = f"a time stands as {name.base}_{self.now} or {name.base}_{{{self.now}-1}}"
                    raise self.source.fault(name.at, f"found {piece} at {name.base}", expected, hint)
                label = str(self.lags.get(piece, piece)).strip("()")
                name = replace(name, time=time) if time else replace(name, marks=(*name.marks, label))
        return name

    def time(self, text: str) -> tuple[str, int] | None:
        """A time as its letter and the steps after it; None for what is none."""
        for letter, value in self.lags.items():
            text = re.sub(rf"\b{letter}\b", str(value), text)
        found = re.fullmatch(r"\(?([A-Za-z]+)((?:[+-]\d+)*)\)?", text)
        steps = sum(map(int, re.findall(r"[+-]\d+", text)))
        return (found[1], steps) if found and found[1] in self.times else None

    def _in_brackets(self, closing: str, name: Name) -> Name:
        """A name with the time of h(t - 1), h(0) or h[t], or the indices of w[i, j]; itself if neither follows."""
        behind = [one.text for one in self.tokens[self.place + 1 :]]
        if closing not in behind:
            return name
        inner = behind[: behind.index(closing)]
        text = "".join(inner)
        found = ("", int(text)) if text.isdigit() else self.time(text)
        if found and name.time is None:
            made = replace(name, time=found)
        elif closing == "]" and all(one.isalpha() for one in inner[::2]) and {*inner[1::2]} <= {","} and inner:
            made = replace(name, places=tuple(inner[::2]))
        else:
            return name
        self.place += len(inner) + 2
        return made

    # ---- functions and sums

    def is_function(self, name: Name) -> bool:
        """Whether a name before a bracket is a function; a capital letter is a matrix, and the bracket a factor."""
        base, alone = name.base, name.base in self.alone and not name.marks
        if base.lower() in (*FUNCTIONS, *SAME):
            return True
        if base in ACTIVATIONS and (name.marks or base not in self.lettered):
            return base == "sigma" or not alone
        if base[0].isupper() or alone or (base in GREEK and base not in ACTIVATIONS):
            return False
        if len(base) > 1 and "_" not in base and not name.marks and base not in self.lettered:
            return True
        product, function = f"{name.key()} * ( ) for a product", "f, g, phi, psi, rho, sigma or a word for a function"
        raise self.two_readings(name.at, f"{name.key()} ( )", product, function)

    def call(self, name: Name, order: int) -> Tree:
        """A function with its arguments; max(0, a) is relu(a)."""
        arguments = self.inside(CLOSING[self.take().text], lambda: self.listed(","))
        base = name.base.lower() if name.base.lower() in (*FUNCTIONS, *SAME) else name.base
        base, wanted = SAME.get(base, base), 2 if base in ("max", "min") else 1
        if (many := len(arguments)) != wanted:
            raise self.source.fault(name.at, f"found {base} of {many} arguments", f"expected {wanted}")
        shown = [one for one in arguments if one.op != "number" or one.value]
        if base == "max" and len(shown) == 1:
            base, arguments = "positive", tuple(shown)
        return Tree("call", name.at, arguments, ("_".join([base, *name.marks]), order))

    def differential(self, at: int) -> Tree:
        """dL, or the whole of dL/dh_t."""
        found = self.name(self.letter())
        if not isinstance(found, Name):
            raise self.fault(found, "the name of a quantity behind the d")
        if not self.took("/"):
            return Tree("differential", at, (found,))
        below = self.factor()
        if below.op != "differential":
            raise self.fault(below, "a d below the d, as in dL/dh_t")
        return Tree("slope", at, (found, *below.parts))

    def fraction(self, at: int) -> Tree:
        """What follows frac: both sides of the bar."""
        sides = [self.inside("}", self.expression) for _ in range(2) if self.take("{")]
        if {side.op for side in sides} == {"differential"}:
            return Tree("slope", at, (*sides[0].parts, *sides[1].parts))
        return self.powers(Tree("quotient", at, tuple(sides)))

    def total(self, at: int) -> Tree:
        """A sum over letters, each with its limits if they are written, up to the next plus or minus."""
        text, upper = self.take().text, ""
        if text == "[":
            closing = next(n for n, one in enumerate(self.tokens) if n > self.place and one.text in ("]", ""))
            text, self.place = "".join(one.text for one in self.tokens[self.place : closing]), closing
            self.take("]")
        elif self.token.kind == "high":
            upper = self.take().text
        found = re.fullmatch(r"([A-Za-z,]+)(?:=(\w+)(?:\.\.(\S+))?)?", text)
        if not found:
            raise self.source.fault(at, f"found a sum over {text}", "expected a letter, as in sum_j or sum_{t=1}^T")
        letters, lower, upper = found[1].split(","), found[2] or "", found[3] or upper
        if self._is_a_lag(letters[0]):
            return self._written_out(at, letters[0], lower, upper)
        timed = {letter for letter in letters if letter == self.now or upper == "T"}
        self.times |= timed
        part = self.term()
        self.times -= timed - {self.now}
        for letter in reversed(letters):
            limits = (lower or "1", upper or "T") if letter in timed else (upper,) if upper else ()
            part = Tree("total", at, (part,), (letter, limits))
        return part

    def _is_a_lag(self, letter: str) -> bool:
        """Whether a letter under a sum counts steps, as the k of x_{t-k}."""
        behind = [one.text for one in self.tokens[self.place :]]
        within = " ".join(behind[: behind.index("\n")] if "\n" in behind else behind)
        return re.search(rf"\b{self.now} ?[+-] ?(?:\d ?[+-] ?)?{letter}\b", within) is not None

    def _written_out(self, at: int, letter: str, lower: str, upper: str) -> Tree:
        """A sum over lags, term by term."""
        if not (lower.isdigit() and upper.isdigit() and int(lower) <= int(upper)):
            found = f"found a sum over lags up to {upper or 'no number'}"
            raise self.source.fault(at, found, "expected numbers, as in sum_{k=1}^3 A_k x_{t-k}")
        first, terms = self.place, []
        for value in range(int(lower), int(upper) + 1):
            self.place, self.lags[letter] = first, value
            terms.append(self.term())
        del self.lags[letter]
        return terms[0] if len(terms) == 1 else Tree("sum", at, tuple(terms))
