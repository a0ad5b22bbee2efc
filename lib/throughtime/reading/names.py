"""Names with what is lowered and raised: labels, indices, times, powers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from throughtime.reading.cursor import SCRIPTS, Cursor
from throughtime.reading.known import LOOSE, RAISED, called, near_to
from throughtime.reading.spelling import FUNCTIONS, GREEK, MARKS, STEP, Token
from throughtime.reading.trees import Name, Tree, each_power

POWER = re.compile(r"[T⊤]|-\d+|⊙?[2-9]|\d\d+")  # 0 and 1 are labels
ACCENTED = {ord(accent): word.strip("_") for accent, word in MARKS.items()}  # in a label
BEFORE = {"prev", "previous", "tm1", "old"}  # labels of the value one step earlier
ACTIVATIONS = {"f", "g", "phi", "psi", "sigma", "rho"}
COSTS = (*"LEJCl", "loss", "Loss", "cost")  # a number of one of these names at each time is summed over time


class Names(Cursor):
    """Reads letters and words with all that belongs to them. `lags` are letters that count steps, with their values."""

    def __init__(self, text: str, time: str, words: Iterable[str] = ()):
        super().__init__(text, words)
        self.now, self.times = time, {time, "T"}
        self.lags: dict[str, int] = {}
        self._order_labels()
        pairs = [*zip(self.tokens, self.tokens[1:], strict=False)]
        self.lettered = {one.text for one, script, after in self._in_threes() if not self._is_label(script, after)}
        self.indices = self._indices()
        self.numbered = self._numbered()
        self.labelled_T = self._labelled_T()
        self.raised_times: dict[int, str] = {}  # by the places of names: of h^t, not of h^{(t)}
        self.before, self.late_primes = set[int](), set[int]()  # the places of names such as h_prev, and of h_t'
        follows = ("(", "[", "'")
        self.alone = {one.text for one, after in pairs if after.kind not in SCRIPTS and after.text not in follows}

    def _order_labels(self) -> None:
        """Put the labels below and above a letter in the order in which it has them first: W^{(1)}_h is W_h^{(1)}."""
        first: dict[str, str] = {}
        for place, (word, *two) in enumerate(zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)):
            labels = {one.kind: one.text for one in two if not self.time(one.text)}
            both = word.kind == "word" and labels.keys() == {*SCRIPTS} and not POWER.fullmatch(labels["high"])
            if both and first.setdefault(word.text, two[0].kind) != two[0].kind:
                self.tokens[place + 1 : place + 3] = two[::-1]

    def _indices(self) -> set[str]:
        """The letters under sums and at left sides."""
        found, left = set[str](), True
        for word, script in zip(self.tokens, self.tokens[1:], strict=False):
            if script.kind in SCRIPTS and (left or word.text == "sum"):
                found |= {*re.sub(rf"{self.now}\b.*|[=(].*", "", script.text)}
            left = word.text in ("\n", ",", ";") or (left and script.kind in SCRIPTS)
        return found

    def _numbered(self) -> set[str]:
        """The letters with a raised 1, which is a label: so are their other raised numbers."""
        found, word = set[str](), ""
        for token in self.tokens:
            word = token.text if token.kind == "word" else word if token.kind in SCRIPTS else ""
            found |= {word} if (token.kind, token.text) == ("high", "1") else set()
        return found

    def _labelled_T(self) -> set[str]:
        """The small letters with the label T of a matrix, as b_T beside W_T, and nowhere at another time."""
        threes, costs = self._in_threes(), {*COSTS}
        timed = {one.text for one, script, _ in threes if self.now in re.findall("[A-Za-z]+", script.text)}
        last = {one.text for one, script, _ in threes if (script.kind, script.text) == ("low", "T")} - timed - costs
        return last if any(one[0].isupper() for one in last) else {*()}

    def _in_threes(self) -> list[tuple[Token, Token, Token]]:
        """Each word that has something at it, with that and what follows it."""
        threes = zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False)
        return [three for three in threes if three[0].kind == "word" and three[1].kind in SCRIPTS]

    def _is_label(self, script: Token, after: Token) -> bool:
        """Whether what stands at a letter before a bracket is the label or power of a function: f_c(x), f^2(x)."""
        word = script.kind == "low" or re.fullmatch("[A-Za-z]{2,}|[2-9]", script.text)
        return bool(word) and after.text == "(" and not self.time(script.text)

    def letter(self) -> Name:
        """A letter or a word."""
        token = self.take()
        if token.kind != "word":
            raise self.fault(token, "a letter")
        made = Name("name", token.at, base=token.text)
        if token.text in ("prev", "new", "next") and self.token.kind == "low":  # prev_h
            return self._labelled(replace(made, base=self.take().text), token.text)
        hprev = re.fullmatch(r"([A-Za-z]+?)(prev|tm1)", token.text)
        return self._labelled(replace(made, base=hprev[1]), hprev[2]) if hprev else made

    def scripts(self, name: Name) -> tuple[Name, int, list[str]]:
        """The name with its labels, indices and time; how many primes follow it; powers and signs of a transpose."""
        primes, after = 0, []
        while True:
            token = self.token
            if self.took("'"):
                primes += 1
                self.late_primes |= {name.at} if name.time else {*()}
            elif (
                token.kind == "high" and (both := re.fullmatch(r"(.+?)\^?([T⊤])", token.text)) and self._is_at(both[1])
            ):
                name = self.marked(name, Token("high", both[1], self.take().at))  # h^{(t)\top}, W^{(2)\top}
                after.append(both[2])
            elif token.kind == "high" and not token.text.strip("'"):  # h^{\prime}
                primes += len(self.take().text)
            elif token.kind == "high" and token.text in self.lags and name.base in GREEK:  # alpha^k
                after.append(str(self.lags[self.take().text]))
            elif token.kind == "high" and token.text.isdigit() and name.base in self.numbered:  # as b^2 beside b^1
                name = self.marked(name, self.take())
            elif token.kind == "high" and (POWER.fullmatch(token.text) or self.is_power(name, token.text)):
                after.append(self.take().text)
            elif token.kind in SCRIPTS:
                name = self.marked(name, self.take())
            elif token.text in ("(", "[") and (found := self._in_brackets(token, name)):
                name = found
            else:
                return name, primes, after

    def _is_at(self, text: str) -> bool:
        """Whether what is raised is a time, or a label in brackets."""
        return bool(self.time(text) or re.fullmatch(r"[(\[]\w+[)\]]", text))

    def is_power(self, name: Name, text: str) -> bool:
        """Whether what is raised at a name is a power, though it could be a time: never in a recurrence."""
        return False

    def word_before(self, name: Name) -> str:
        """The word that ends in a letter of LaTeX, where each letter is one of its own; "" for less than three."""
        if len(name.base) > 1 or "\\" not in self.source.text:
            return ""
        found = re.search(r"(?<![\\A-Za-z])[A-Za-z]{3,}$", self.source.text[: name.at + 1])
        return found[0] if found else ""

    def powers(self, base: Tree) -> Tree:
        """Powers, the sign of a transpose and an index behind a number, a bracket or a function."""
        while self.token.kind in SCRIPTS:
            token = self.take()
            if token.text in self.indices - self.times and token.text.isalpha() and len(token.text) == 1:
                base = Tree("element", base.at, (base,), token.text)
            elif token.kind == "high" and token.text == "1":
                expected = "expected a power, or none: the mark of a footnote has to be left out"
                raise self.source.fault(token.at, "found 1 at a bracket", expected)
            elif token.text == "+":
                base = Tree("call", base.at, (base,), ("relu", 0))
            elif token.kind == "low":
                hint = f"a line for what is in it, as a_{self.now} = ..., and a_{{{token.text},{self.now}}}"
                hint = f"a letter for it, as v_{{{token.text}}}" if self.time(token.text) else hint
                expected = "expected none but an index of the left side"
                raise self.source.fault(token.at, f"found {token.text} at a bracket", expected, hint)
            else:
                base = self.raised(base, token.text)
        return base

    def raised(self, base: Tree, text: str) -> Tree:
        """A transpose or a power."""
        if text in ("T", "⊤"):
            return Tree("transposed", base.at, (base,))
        if text[0] == "⊙":
            return each_power(base, int(text[1:]))
        if not re.fullmatch(r"-?\d{1,2}", text):
            expected = "expected a whole number below 100 or T for the transpose"
            hint = "sqrt(a) for a root, exp(b * log(a)) for the power b of a"
            raise self.source.fault(self.tokens[self.place - 1].at, f"found the power {text}", expected, hint)
        return Tree("power", base.at, (base,), int(text))

    def marked(self, name: Name, script: Token) -> Name:
        """The name with what is lowered or raised at it: labels, indices, and a time."""
        sign, number = (*self.tokens[self.place :], script)[:2]
        tight = [one.at - script.at - len(script.text) for one in (sign, number)] == [1, 2]
        if script.text in self.times and tight and sign.text in "+-" and number.kind == "number":
            step, other = (f"{script.text}{gap}{sign.text}{gap}{number.text}" for gap in ("", " "))
            one, two = f"{name.base}_{{{step}}}", f"{name.base}_{other}"
            raise self.source.two_readings(name.at, f"{name.base}_{step}", one, two)
        bare = script.kind == "high" and re.match(r"\^?\s*\{?\s*\w", self.source.text[script.at :])
        if bare and self.time(script.text):
            self.raised_times[name.at] = script.text
        if re.match("[<>]", script.text):
            raise self.source.fault(name.at, f"found several times at {name.base}", "expected one, as x_t")
        starred = self.source.text.startswith("**", script.at)
        odd = re.search(rf"frac|\d\.\d|^dt$|_{self.now}(?!\w)", script.text)
        if script.kind == "high" and (starred or odd):
            found, hint = f"found the power {script.text} at {name.base}", f"exp(... * log({name.base})), sqrt(...)"
            raise self.source.fault(name.at, found, "expected a whole number", hint)
        if re.search(rf"\w_{self.now}(?!\w)", script.text):  # e_{i_t}
            found, hint = f"found a time inside the label {script.text}", f"{name.base}_{self.now} for what is given"
            raise self.source.fault(name.at, found, "expected a label that is the same at all times", hint)
        text = "star" if script.text == "*" else script.text.replace("'", "prime").translate(ACCENTED)
        for part in text.split(","):
            mixed = re.fullmatch(rf"([i-n]{{1,2}})({self.now}(?:[+-]\w+)?)", part)
            bias = re.fullmatch(r"([i-n])(\d)", part)  # the label 0 and the index of w_{j0}
            mixed = bias if bias and bias[1] in self.indices else mixed
            for piece in mixed.groups() if mixed and self._is_index(name, mixed[1], part) else (part,):
                name = self._labelled(name, piece)
        return name

    def _is_index(self, name: Name, letters: str, part: str) -> bool:
        """Whether letters before a time are indices, as in x_{it}: those of W_{it} and w_in are a label, a word.

        A letter under a sum or of a left side is an index.
        """
        if self.token.text in ("(", "[") and self.tokens[self.place + 1].text == self.now:
            return False
        is_label = name.base[0].isupper() or part == "in"
        return not is_label or {*letters} <= self.indices

    def _labelled(self, name: Name, piece: str) -> Name:
        if piece in BEFORE and not name.time:
            begins = zip([Token("sign", "\n", 0), *self.tokens], self.tokens, strict=False)
            if not any(one.text == name.base and last.text in ("\n", ",", ";") for last, one in begins):
                earlier = f"{name.base}_{{{self.now}-1}} for the value one step earlier"
                raise self.source.two_readings(name.at, f"{name.base}_{piece}", earlier, "another label for a weight")
            self.before.add(name.at)
            return replace(name, time=(self.now, -1))
        of_matrix = piece == "T" and (name.base[0].isupper() or name.base in self.labelled_T)
        if (time := self.time(piece)) and not of_matrix:
            if name.time:  # A_{t,t-1}, x_t^y_t
                a = f"{name.base}_{self.now}"
                hint = f"{a} for what is given at each time, exp(b_{self.now} * log({a})) for a power"
                raise self.source.fault(name.at, f"found {name.base} with two times", "expected one", hint)
            return replace(name, time=time)
        if piece[:1] == self.now and {piece[1:], name.base} <= self.lettered:  # a_tb_t
            apart, label = f"{name.base}_{self.now} {piece[1:]}", f"{name.base}_{{{piece}}} for a label"
            raise self.source.two_readings(name.at, f"{name.base}_{piece}", apart, label)
        if (two := re.fullmatch(rf"{self.now},?([a-z])", piece)) and two[1] in self.indices | self.times - {self.now}:
            hint = f"{name.base}_{{{two[1]},{self.now}}} for an element, {two[1]}, of what is given at each time"
            found = f"found {name.base}_{{{piece}}}, of two times"
            raise self.source.fault(name.at, found, "expected quantities of one time", hint)
        timed = re.fullmatch(rf"\(?({self.now}(_\w+|\d+)|\d+{self.now})\)?", piece)  # h_{t_1}, h_{t1}, x_{2t}
        if timed or not re.fullmatch(r"\w+|\(\w+\)|\[\w+\]", piece):
            found, hint = f"found {piece or 'nothing'} at {name.base}", self._instead_of(name, piece)
            raise self.source.fault(name.at, found, "expected a label, an index or a time", hint)
        label = piece.strip("()[]")
        return replace(name, marks=(*name.marks, str(self.lags.get(label, label))))

    def _instead_of(self, name: Name, piece: str) -> str:
        """What is written for what stands at a letter and is no label, index or time."""
        base, now, label = name.base, self.now, re.sub(r"\\to|\\rightarrow|\W", "", piece)
        other, later = re.fullmatch(r"\(?([a-z])[+-]\d+\)?", piece), re.fullmatch(rf"{now}[+-]([A-Za-z]\w*)", piece)
        hints = {
            rf"another letter for what is predicted, as \bar{{{base[0]}}}_{now}": re.search(r"\\mid|\|", piece),
            "m_t = max(m_{t-1}, a_t) for one over all times": base in ("max", "min"),
            f"{base}^T for the transpose of what is real": piece == "†",
            f"a number for {piece[2:]}, as {base}_{{{piece[:2]}2}}": later,
            f"a word for a label, as {base}_{{{'plus' if piece == '+' else 'minus'}}}": piece in ("+", "-"),
            f'read(text, time="{label[:1]}") if {label[:1]} is the time': other and not self._has_times(),
            f"a line for each layer, as {base}^{{(2)}}_{now}": other or (name.time and piece not in ("1/2", "")),
            f"exp({piece})": base == "e",
            f"sqrt({base}_{now})": piece == "1/2",
            "another letter for an inverse, h_0 = s for a start": piece[:1] == "-",
            f"letters and digits for a label, as {base}_{{{label}}}": re.match(rf"(?!{now}).+[\^\\>]", piece),
            f"{base}_{{{piece[:-1]},{now}}} for a label and a time": re.fullmatch(rf"\d+{now}", piece),
        }
        default = f"a time stands as {base}_{now} or {base}_{{{now}-1}}"
        return next((hint for hint, said in hints.items() if said), default)

    def time(self, text: str) -> tuple[str, int] | None:
        """A time as its letter and the steps after it; None for what is none."""
        for letter, value in self.lags.items():
            text = re.sub(rf"\b{letter}\b", str(value), text)
        found = re.fullmatch(r"[(\[]?([A-Za-z]+)((?:[+-]\d+)*)[)\]]?", text)
        steps = sum(map(int, re.findall(r"[+-]\d+", text)))
        return (found[1], steps) if found and found[1] in self.times else None

    def _in_brackets(self, opening: Token, name: Name) -> Name | None:
        """A name with the time of h(t - 1), h(0) or h[t], or with the indices of w[i, j]; None if neither follows."""
        if name.base in FUNCTIONS:
            return None
        closing = {"(": ")", "[": "]"}[opening.text]
        behind = [one.text for one in self.tokens[self.place + 1 :]]
        inner = behind[: behind.index(closing)] if closing in behind else []
        tight = self.source.text[opening.at - 1 : opening.at].strip() or closing == ")"
        text = "".join(inner) if tight else ""
        if any(one.kind in SCRIPTS for one in self.tokens[self.place : self.place + len(inner) + 1]):
            return None
        if re.fullmatch(rf"{self.now}[+-]dt", text):
            expected = f"expected a time, {self.now} or {self.now}-1"
            raise self.source.fault(name.at, f"found the time {text} at {name.base}", expected, STEP)
        other = re.fullmatch(r"([a-z])([+-]\d+)?", text)
        before = other and re.search(rf"\({other[1]}\s*[-+]\s*1\)", self.source.text) and not self._has_times()
        if other and other[1] not in self.times and (before or (other[2] and closing == "]")):
            said = f"found {name.base}{opening.text}{text}{closing}"
            hint = f'read(text, time="{other[1]}") if {other[1]} is the time'
            raise self.source.fault(name.at, said, f"expected the time {self.now}", hint)
        later = re.fullmatch(rf"{self.now}([+-])([A-Za-z]\w*)", text)
        if name.time is None and (found := ("", int(text)) if text.isdigit() else self.time(text)):
            name = replace(name, time=found)
        elif name.time is None and later and closing == ")":
            hint = f"a number for {later[2]}, as {name.base}({self.now}{later[1]}2)"
            raise self.source.fault(name.at, f"found the time {text} at {name.base}", "expected one like t-1", hint)
        elif name.time and re.fullmatch("[i-npq]", text):  # p_t(i)
            name = replace(name, places=(text,))
        elif not name.time and (both := re.fullmatch(r"([^,]+)((?:,[a-z])+)", text)) and self.time(both[1]):
            name = replace(name, time=self.time(both[1]), places=tuple(both[2][1:].split(",")))
        elif name.time and closing == "]" and re.fullmatch(r"-?\d+", text):  # h_t[0]
            said, one = self.source.text[name.at : opening.at], "w^T a with a given vector w for an element of a"
            raise self.source.two_readings(name.at, f"{said}[{text}]", one, f"{text} * a for a factor")
        elif closing == "]" and re.fullmatch(r"[A-Za-z]+(,[A-Za-z]+)*", text):
            name = replace(name, places=(*name.places, *text.split(",")))
        else:
            return None
        self.place += len(inner) + 2
        return name

    def _has_times(self) -> bool:
        return re.search(rf"(?<![A-Za-z])(?<!Delta ){self.now}(?![A-Za-z])", self.source.text) is not None

    def is_power_of_value(self, name: Name, powers: list[str]) -> bool:
        """Whether powers before a bracket are those of a function's value: tanh^2(x_t) is tanh(x_t)^2."""
        return bool(powers) and all(map(str.isdigit, powers)) and called(name.base) in RAISED

    def is_raised_function(self, name: Name, powers: list[str]) -> bool:
        """Whether a name with powers before a bracket can be a function, as in sigma^2(x_t)."""
        alone = name.base in self.alone and name.base != "sigma"
        return name.base in ACTIVATIONS and not alone and any(one.lstrip("-").isdigit() for one in powers)

    def instead(self, name: Name) -> str:
        """What is written for a function that is none of each element, as a layer of a program: self.lin(x_t)."""
        if re.match(r"\\mathbb\s*\{?\s*[EP]", self.source.text[name.at :]):
            return "mean(a) for a mean over the units, 1/T sum_t a_t for one over time, nothing for one over the data"
        if name.base[-1] == "2" and name.base[:-1] in RAISED - {"exp", "log"}:  # a page lost the height of the 2
            return f"{name.base[:-1]}(...)^2 for a power"
        layer = self.source.text[: name.at].endswith("self.") and not re.search("act|nonlin", name.key())
        layer = layer and not called(name.base) and name.base not in ACTIVATIONS
        both = name.base.lower(), name.key().lower()
        found = [hint for words, hint in LOOSE.items() if layer or any(re.fullmatch(words, one) for one in both)]
        near = near_to(name.base) if name.base not in self.lettered and not name.time else ""
        return found[0] if found else f"{near}(...), or a letter for another function, as f(...)" * bool(near)

    def is_function(self, name: Name) -> bool:
        """Whether a name before a bracket is a function; a capital letter is a matrix, and the bracket a factor."""
        base, alone = name.base, name.base in self.alone and not name.marks
        if called(base):
            return True
        if base == "dt":
            return False
        if len(base) > 1 and base[0].isupper() and base not in GREEK and not name.marks:
            function = "a word in small letters for a function of each element"
            raise self.source.two_readings(name.at, f"{base} ( )", f"{base} @ ( ) for a product", function)
        if base.split("_")[0] in ACTIVATIONS and (name.marks or base not in self.lettered):
            return base == "sigma" or not alone
        if base[0].isupper() or alone or (base in GREEK and base not in ACTIVATIONS):
            return False
        if len(base) > 1 and "_" not in base and not name.marks and base not in self.lettered:
            return True
        product, function = f"{name.key()} * ( ) for a product", "f, g, phi, psi, rho, sigma or a word for a function"
        if name.key() in ACTIVATIONS:  # it is a quantity elsewhere
            function = f"{'sigmoid' if base == 'sigma' else 'another letter'} for the function"
        raise self.source.two_readings(name.at, f"{name.key()} ( )", product, function)
