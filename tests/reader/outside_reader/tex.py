"""Read the TeX of a formula into a tree, as a person reads it: nothing is known but the symbols of the page.

Nodes are tuples, their first entry says what they are:
("num", n), ("letter", name, subscript), ("unit", key, indices, time), ("call", key, indices, primes, argument),
("+", parts), ("*", parts), ("neg", a), ("/", a, b), ("^", base, exponent), ("abs", a), ("delta", a, b),
("sum" | "prod", letter, low, high, body), ("paths", first, last, low, high, body, ends),
("d", sign, what, by), ("cases", pairs), ("chain", members, signs), ("if" | "iff" | "and", a, b)
"""

from __future__ import annotations

import re

SPACES = re.compile(r"\\[,;!: ]|\\(?:qquad|quad|left|right|[Bb]igg?[lr])(?![A-Za-z])|\{\}")
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+|\S")
BREAK = "¶"
SIGNS = {"=": "=", r"\le": "<=", r"\leq": "<=", r"\ge": ">=", r"\geq": ">=", "<": "<", ">": ">", r"\approx": "tr", r"\in": "in"}
LOGIC = {r"\iff": "iff", r"\Leftrightarrow": "iff", r"\Rightarrow": "if", r"\wedge": "and"}
FONTS = (r"\mathrm", r"\operatorname", r"\text")
ACCENTS = {r"\overline": "over.", r"\mathcal": "cal.", r"\hat": "hat.", r"\tilde": "tilde.", r"\bar": "bar."}
GREEK = (r"\sigma", r"\alpha", r"\vartheta", r"\tau", r"\Delta", r"\cdot", r"\omega")
BEFORE = ("+", [("letter", "t", None), ("neg", ("num", 1))])
CLOSING = {"(": ")", "{": "}", "[": "]", "⟨": "⟩"}


class Unreadable(ValueError):
    """A formula that a reader cannot make sense of, with the reason."""


def lines(tex: str) -> list[tuple[str, str]]:
    """The equations of a display, each with its range in brackets ("" if it has none)."""
    if any(len(re.findall(rf"(?<!\\){re.escape(a)}", tex)) != len(re.findall(rf"(?<!\\){re.escape(b)}", tex)) for a, b in ("{}", "()")):
        raise Unreadable("brackets do not close")
    found: list[tuple[str, str]] = []
    for body in tidy(tex):
        where = ""
        if tail := re.search(r"\(([^()]*\\le [^()]*)\)$", body):
            body, where = body[: tail.start()].strip(), tail[1]
        if body.startswith(tuple(SIGNS)) and found:
            found[-1] = (f"{found[-1][0]} {body}", where or found[-1][1])
        else:
            found.append((body, where))
    return found


def tidy(tex: str) -> list[str]:
    """The lines of a display without what only sets them out."""
    tex = re.sub(r"\\tag\{[^}]*\}|\\(?:begin|end)\{aligned\}(?:\[t\])?", " ", tex)
    for name in ("cases", "bmatrix"):
        inner = re.compile(rf"\\begin\{{{name}\}}(.*?)\\end\{{{name}\}}", re.S)
        tex = inner.sub(lambda m: f"\\{name}{{" + m[1].replace(r"\\", r"\or ").replace("&", r"\when ") + "}", tex)
    tex = tex.replace(r"\\[4pt]", BREAK).replace(r"\\", " ").replace("&", " ")
    tex = re.sub(r"\\(?:left|[Bb]iggl?)\|", "⟨", tex)
    tex = re.sub(r"\\(?:right|[Bb]iggr?)\|", "⟩", tex)
    return [line.strip() for line in SPACES.sub(" ", tex).split(BREAK)]


class Reader:
    """A recursive-descent reader over the tokens of one formula."""

    def __init__(self, tex: str | list[str], symbols: dict) -> None:
        self.tokens = TOKEN.findall(SPACES.sub(" ", tex)) if isinstance(tex, str) else tex
        self.place, self.symbols = 0, symbols

    # -- tokens

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise Unreadable(f"{token or 'the end'} where {expected or 'more'} is expected")
        self.place += 1
        return token

    def group(self) -> list[str]:
        """The tokens of a group in braces, or one token."""
        if self.peek() != "{":
            return [self.take()]
        start, depth = self.place + 1, 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if not depth:
                return self.tokens[start : self.place - 1]

    def inner(self, tokens: list[str]) -> Reader:
        return Reader(tokens, self.symbols)

    def whole(self, node: tuple) -> tuple:
        if self.peek():
            raise Unreadable(f"{self.peek()} is left over")
        return node

    # -- formulas

    def formula(self) -> tuple:
        left = self.chain()
        while self.peek() in LOGIC:
            left = (LOGIC[self.take()], left, self.chain())
        return left

    def chain(self) -> tuple:
        members, signs = [self.expression()], []
        while self.peek() in SIGNS:
            signs.append(SIGNS[self.take()])
            if signs[-1] == "tr":
                self.take("_")
                if label(self.group()) != "tr":
                    raise Unreadable("approximately, of an unknown kind")
            members.append(self.shape() if signs[-1] == "in" else self.expression())
        return ("chain", members, signs)

    def shape(self) -> tuple:
        if [self.take(), label(self.group()), self.take()] != [r"\mathbb", "R", "^"]:
            raise Unreadable("a set other than of real matrices")
        return ("shape", *(self.inner(part).all() for part in split(self.group(), r"\times")))

    def expression(self) -> tuple:
        parts = []
        while not parts or self.peek() in ("+", "-"):
            sign = self.take() if self.peek() in ("+", "-") else "+"
            term = self.term()
            parts.append(("neg", term) if sign == "-" else term)
        return ("+", parts) if len(parts) > 1 else parts[0]

    def term(self) -> tuple:
        parts = []
        while self.peek() not in ("", "+", "-", ",", *CLOSING.values(), *SIGNS, *LOGIC, r"\or", r"\when", r"\cdots"):
            if self.peek() == r"\cdot":
                self.take()
                continue
            parts.append(self.factor())
        if not parts:
            raise Unreadable("a term is missing")
        if parts[0] == BEFORE and len(parts) == 2:  # a time in front of a matrix is that at which it is taken
            return ("before", parts[1])
        return ("*", parts) if len(parts) > 1 else parts[0]

    def factor(self) -> tuple:
        node = self.atom()
        while self.peek() in ("^", "'") or (node[0] == "name" and self.peek() == "("):
            if self.peek() == "'" and node[0] == "name":
                self.take()
                node = (*node[:3], node[3] + 1)
            elif node[0] == "name" and self.peek() == "(":
                node = ("call", *node[1:], self.bracket("("))
            elif self.take() == "^" and node[0] != "name" and node[0] != "^":
                node = ("^", node, self.inner(self.group()).all())
            else:
                raise Unreadable("double superscript")
        if node[0] == "name":
            raise Unreadable(f"{node[1]} without its argument")
        return node

    def all(self) -> tuple:
        return self.whole(self.expression())

    def bracket(self, opening: str) -> tuple:
        self.take(opening)
        node = self.expression()
        self.take(CLOSING[opening])
        return node

    def atom(self) -> tuple:
        token = self.peek()
        if token.isdigit():
            return ("num", int(self.take()))
        if token == "{":
            inner = self.inner(self.group())
            return inner.whole(inner.atom()) if self.peek() == "'" else inner.all()
        if token in ("(", "⟨"):
            node = self.bracket(token)
            return ("abs", node) if token == "⟨" else node
        if token == "[":
            return self.paths() if self.tokens[self.place + 1] == r"\sum" else self.symbol(self.concatenation())
        if token in (r"\sum", r"\prod"):
            return self.over()
        if token == r"\frac":
            return self.fraction()
        if token == r"\cases":
            return self.cases()
        if token == r"\bmatrix":
            return self.matrix()
        if token == r"\delta":
            self.take()
            self.take("_")
            indices = self.indices(self.group())
            if len(indices) != 2:
                raise Unreadable("a delta without two indices")
            return ("delta", *indices)
        return self.symbol(self.name())

    def fraction(self) -> tuple:
        self.take()
        above, below = self.group(), self.group()
        heads = {r"\partial": "∂", r"\mathrm{d}": "d", r"\mathrm{d}_{\mathrm{tr}}": "tr"}
        for head, sign in sorted(heads.items(), key=lambda item: -len(item[0])):
            tokens = TOKEN.findall(head)
            if above[: len(tokens)] == tokens:
                low = TOKEN.findall(head if sign == "∂" else r"\mathrm{d}")
                if below[: len(low)] != low:
                    raise Unreadable("a derivative with two signs")
                by = self.inner(below[len(low) :]).all()
                if by[0] != "unit":
                    raise Unreadable("a derivative by what is no quantity")
                return ("d", sign, self.inner(above[len(tokens) :]).all(), by)
        return ("/", self.inner(above).all(), self.inner(below).all())

    def cases(self) -> tuple:
        self.take()
        inner, pairs = self.inner(self.group()), []
        while inner.peek():
            value = inner.expression()
            inner.take(r"\when")
            inner.take(r"\text")
            pairs.append((value, inner.formula() if label(inner.group()) == "for" else None))
            if inner.peek():
                inner.take(r"\or")
        return ("cases", pairs)

    def matrix(self) -> tuple:
        """Blocks side by side; a row of ones; or rows one below the other, of which the first and the last are written."""
        self.take()
        tokens = self.group()
        if tokens == TOKEN.findall(r"1, \dots, 1"):
            return ("ones",)
        if r"\vdots" not in tokens:
            return ("blocks", [self.inner(part).all() for part in split(tokens, r"\when")])
        first, dots, last = split(tokens, r"\or")
        if [token if token != "I" else "1" for token in last] != first or "1" not in first or dots != [r"\vdots"]:
            raise Unreadable("first and last row do not fit")
        return ("rows", self.inner([token if token != "1" else "i" for token in first]).all())

    # -- sums, products, paths

    def binder(self) -> tuple:
        self.take()
        self.take("_")
        sub = self.group()
        if "=" not in sub:
            raise Unreadable("a sum without a lower limit")
        cut = sub.index("=")
        letter = self.inner(sub[:cut]).letter()
        self.take("^")
        return letter, self.inner(sub[cut + 1 :]).all(), self.inner(self.group()).all()

    def letter(self) -> tuple:
        name, sub, sup = self.name()
        if sup and label(sup) != r"\star":
            raise Unreadable("a letter with a superscript")
        return self.whole(("letter", name + "*" * bool(sup), self.inner(sub).all() if sub else None))

    def over(self) -> tuple:
        kind = self.peek()[1:]
        return (kind, *self.binder(), self.term())

    def paths(self) -> tuple:
        self.take("[")
        first, low, high = self.binder()
        self.take(r"\cdots")
        last, low_2, high_2 = self.binder()
        body = self.term()
        self.take("]")
        self.take("_")
        ends = [self.inner(part).end() for part in split(self.group())]
        if (low, high) != (low_2, high_2) or first[1] != last[1] or first[2] != ("num", 1):
            raise Unreadable("paths whose sums differ")
        return ("paths", first, last, low, high, body, ends)

    def end(self) -> tuple:
        cut = self.tokens.index("=") if "=" in self.tokens else 0
        return self.inner(self.tokens[:cut]).letter(), self.inner(self.tokens[cut + 1 :]).all()

    # -- names

    def name(self) -> tuple[str, list[str], list[str]]:
        """A name with the tokens of its subscript and of its superscript."""
        token = self.take()
        if token in ACCENTS:
            base = ACCENTS[token] + label(self.group())
        elif token in FONTS:
            base = label(self.group())
        elif token in GREEK or (len(token) == 1 and token.isalpha()):
            base = token.lstrip("\\") if len(token) > 1 else token
        else:
            raise Unreadable(f"{token} cannot be read")
        return self.scripts(base)

    def scripts(self, base: str) -> tuple[str, list[str], list[str]]:
        sub: list[str] = []
        sup: list[str] = []
        while self.peek() in ("_", "^"):
            if self.peek() == "_" and not sub:
                self.take()
                sub = self.group()
            elif self.peek() == "^" and not sup:
                self.take()
                sup = self.group()
            else:
                raise Unreadable(f"double {'sub' if self.peek() == '_' else 'super'}script")
        if sup and self.peek() == "'":
            raise Unreadable("double superscript")
        return base, sub, sup

    def concatenation(self) -> tuple[str, list[str], list[str]]:
        self.take("[")
        parts = [""]
        while self.peek() != "]":
            if self.peek() == ";":
                self.take()
                parts.append("")
            else:
                base, sub, sup = self.name()
                parts[-1] += base + ("^" + label(sup) if sup else "") + ("?" if sub else "")
        self.take("]")
        return self.scripts(f"[{';'.join(parts)}]")

    def indices(self, tokens: list[str]) -> list[tuple]:
        """Subscripts: set apart by commas, one sum, or one beside the other."""
        pieces = split(tokens)
        if len(pieces) > 1 or any(len(split(tokens, sign)) > 1 for sign in "+-"):
            return [self.inner(piece).all() for piece in pieces]
        inner, found = self.inner(tokens), []
        while inner.peek():
            found.append(inner.atom())
        return found

    def symbol(self, read: tuple[str, list[str], list[str]]) -> tuple:
        """What a name with its scripts stands for."""
        name, sub, sup = read
        power = None
        if sup[:1] == ["("]:
            sub, sup = sup[1:-1], []
        if sup and (any(token in FONTS for token in sup) or f"{name}^{label(sup)}" in self.names):
            name = f"{name}^{label(sup)}"
        elif sup and label(sup) == r"\star":
            name = f"{name}*"
        elif sup:
            power = self.inner(sup).all()
        if sub and f"{name}_{label(sub)}" in self.names:
            name, sub = f"{name}_{label(sub)}", []
        indices = self.indices(sub) if sub else []
        symbol = self.symbols.get(f"{name}/{len(indices)}")
        if symbol is None:
            if name in self.names or len(name.rstrip("*")) > 1 and name not in ("tau", "cdot") or len(indices) > 1:
                raise Unreadable(f"{name} with {len(indices)} indices is no symbol of the page")
            node: tuple = ("letter", name, indices[0] if indices else None)
        elif symbol.kind == "function":
            node = ("name", f"{name}/{len(indices)}", indices, 0)
        else:
            time = None
            if symbol.timed:
                if self.peek() != "(":
                    raise Unreadable(f"{name} without its time")
                time = self.bracket("(")
            node = ("unit", f"{name}/{len(indices)}", indices, time)
        return ("^", node, power) if power else node

    @property
    def names(self) -> set[str]:
        return {key.rpartition("/")[0] for key in self.symbols}


def label(tokens: list[str]) -> str:
    """The bare text of some tokens."""
    return "".join(token for token in tokens if token not in (*FONTS, "{", "}"))


def split(tokens: list[str], mark: str = ",") -> list[list[str]]:
    """Tokens cut at the marks outside of all braces."""
    pieces, depth = [[]], 0
    for token in tokens:
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token == mark and not depth:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


def read(tex: str, symbols: dict) -> list[tuple[tuple, tuple | None]]:
    """The equations of a display as trees, each with the tree of its range or None."""
    found = []
    for body, where in lines(tex):
        reader = Reader(body, symbols)
        tree = reader.whole(reader.formula())
        found.append((tree, Reader(where, symbols).formula() if where else None))
    return found
