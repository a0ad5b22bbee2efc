"""Read the TeX of a formula into a tree, as a person reads it: nothing is known but the symbols of the page.

Nodes are tuples, their first entry says what they are:
("num", n), ("letter", name, subscript), ("unit", key, indices, time), ("call", key, indices, primes, argument),
("+", parts), ("*", parts), ("/", a, b), ("^", base, exponent), ("abs", a), ("delta", a, b),
("sum" | "prod", letter, low, high, body), ("paths", last, low, high, body, ends), ("d", sign, what, by),
("extreme", letter, kind, over all reals, body), ("chain", members, signs); of matrices ("ones",), ("rows", row),
("blocks", parts), ("before", a), ("shape", rows, columns)
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

SPACES = re.compile(r"\\[,;!: ]|\\(?:qquad|quad|left|right|[Bb]igg?[lr])(?![A-Za-z])|\{\}")
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+|\S")
TABLES = tomllib.loads(Path(__file__).with_name("systems.toml").read_text(encoding="utf-8"))
SIGNS, FONTS, ACCENTS, CLOSING, HEADS, EXTREMES = TABLES["tex"].values()
ENDS = {"", "+", "-", ",", *CLOSING.values(), *SIGNS, r"\or", r"\when", r"\cdots"}
BEFORE = ("+", [("letter", "t", None), ("*", [("num", -1), ("num", 1)])])


class Unreadable(ValueError):
    """A formula that a reader cannot make sense of, with the reason."""


def lines(tex: str) -> list[tuple[str, str]]:
    """The equations of a display without what only sets them out, each with its range in brackets or ""."""
    if any(tex.count(a) - tex.count(f"\\{a}") != tex.count(b) - tex.count(f"\\{b}") for a, b in ("{}", "()")):
        raise Unreadable("brackets do not close")
    tex = re.sub(r"\\tag\{[^}]*\}|\\(?:begin|end)\{aligned\}(?:\[t\])?", " ", tex)
    inner = re.compile(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", re.S)
    tex = inner.sub(lambda m: r"\bmatrix{" + m[1].replace(r"\\", r"\or ").replace("&", r"\when ") + "}", tex)
    tex = tex.replace(r"\\[4pt]", "¶").replace(r"\\", " ").replace("&", " ")
    tex = re.sub(r"\\(left|right|[Bb]igg?[lr]?)\|", lambda m: "⟨⟩"["r" in m[1]], tex)
    tex = re.sub(r"(?<!\\)\|([^|]*)\|", r"⟨\1⟩", tex)
    found: list[tuple[str, str]] = []
    for line in SPACES.sub(" ", tex).split("¶"):
        body, where = line.strip(), ""
        if tail := re.search(r"\(((?:[^()]|\([^()]*\))*\\le (?:[^()]|\([^()]*\))*)\)$", body):
            body, where = body[: tail.start()].strip(), tail[1]
        if found and TOKEN.findall(body + "?")[0] in SIGNS:
            before = found.pop()
            body, where = f"{before[0]} {body}", where or before[1]
        found.append((body, where))
    return found


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


class Reader:
    """A recursive-descent reader over the tokens of one formula."""

    def __init__(self, tex: str | list[str], symbols: dict, names: set[str] | None = None) -> None:
        self.tokens = TOKEN.findall(SPACES.sub(" ", tex)) if isinstance(tex, str) else tex
        self.place, self.symbols = 0, symbols
        self.names = names or {key.rpartition("/")[0] for key in symbols}

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        """The next token, which has to be one of those expected; nothing matches any."""
        token = self.peek()
        if not token or (expected and token not in expected):
            raise Unreadable(f"{token or 'the end'} where {' or '.join(expected) or 'more'} is expected")
        self.place += 1
        return token

    def group(self, *before: str) -> list[str]:
        """The tokens of a group in braces, or one token, behind some tokens."""
        for token in before:
            self.take(token)
        if self.peek() != "{":
            return [self.take(), *(self.group() if self.tokens[self.place - 1] in FONTS else [])]
        start, depth = self.place + 1, 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)
            if not depth:
                return self.tokens[start : self.place - 1]

    def inner(self, tokens: list[str]) -> Reader:
        return Reader(tokens, self.symbols, self.names)

    def all(self, node: tuple | None = None) -> tuple:
        """The expression, or the node read so far, if nothing is left over."""
        node = node or self.expression()
        if self.peek():
            raise Unreadable(f"{self.peek()} is left over")
        return node

    def chain(self) -> tuple:
        members, signs = [self.expression()], []
        while self.peek() in SIGNS:
            signs.append(SIGNS[self.take()])
            if signs[-1] == "tr" and label(self.group("_")) != "tr":
                raise Unreadable("approximately, of an unknown kind")
            if signs[-1] == "in":
                sizes = split(self.group(r"\mathbb", *"{R}^"), r"\times")
                members.append(("shape", *(self.inner(size).all() for size in sizes)))
            else:
                members.append(self.expression())
        return ("chain", members, signs)

    def expression(self) -> tuple:
        parts = []
        while not parts or self.peek() in ("+", "-"):
            sign = self.take() if self.peek() in ("+", "-") else "+"
            parts.append(("*", [("num", -1), self.term()]) if sign == "-" else self.term())
        return ("+", parts) if len(parts) > 1 else parts[0]

    def term(self) -> tuple:
        parts = []
        while self.peek() not in ENDS:
            if self.peek() == r"\cdot":
                self.take()
            else:
                parts.append(self.factor())
        if not parts:
            raise Unreadable("a term is missing")
        if parts[0] == BEFORE and len(parts) == 2:  # a time in front of a matrix is that at which it is taken
            return ("before", parts[1])
        return ("*", parts) if len(parts) > 1 else parts[0]

    def factor(self) -> tuple:
        node = self.atom()
        while self.peek() in ("^", "'") or (node[0] == "name" and self.peek() in ("(", "{")):
            if self.peek() in ("(", "{"):
                node = ("call", *node[1:], self.atom())
            elif self.take() == "'" and node[0] == "name":
                node = (*node[:3], node[3] + 1)
            elif self.tokens[self.place - 1] == "^" and node[0] not in ("name", "^"):
                node = ("^", node, self.inner(self.group()).all())
            else:
                raise Unreadable("double superscript")
        if node[0] == "name":
            raise Unreadable(f"{node[1]} without its argument")
        return node

    def bracket(self) -> tuple:
        closing = CLOSING[self.take()]
        node = self.expression()
        self.take(closing)
        return node

    def atom(self) -> tuple:
        match self.peek():
            case token if token.isdigit():
                return ("num", int(self.take()))
            case "{":
                inner = self.inner(self.group())
                return inner.all(inner.atom() if self.peek() == "'" else None)
            case "(":
                return self.bracket()
            case "⟨":
                return ("abs", self.bracket())
            case "[":
                return self.paths() if self.tokens[self.place + 1] == r"\sum" else self.symbol(*self.joined())
            case r"\sum" | r"\prod" as kind:
                return (kind[1:], *self.binder(), self.term())
            case token if token in EXTREMES:
                kind, (name, *domain) = self.take()[1:], split(self.group("_"), r"\in")
                return ("extreme", self.inner(name).letter(), kind, bool(domain), self.term())
            case r"\frac" | r"\dfrac":
                return self.fraction()
            case r"\bmatrix":
                return self.matrix()
            case r"\delta":
                self.take()
                return ("delta", *self.indices(self.group("_")))
        return self.symbol(*self.name())

    def fraction(self) -> tuple:
        self.take()
        above, below = self.group(), self.group()
        for head, sign in HEADS.items():
            tokens = TOKEN.findall(head)
            if above[: len(tokens)] == tokens:
                low = tokens if sign == "∂" else TOKEN.findall(r"\mathrm{d}")
                if below[: len(low)] != low or (by := self.inner(below[len(low) :]).all())[0] != "unit":
                    raise Unreadable("a derivative with two signs, or by what is no quantity")
                return ("d", sign, self.inner(above[len(tokens) :]).all(), by)
        return ("/", self.inner(above).all(), self.inner(below).all())

    def matrix(self) -> tuple:
        """Blocks side by side, a row of ones, or rows one below the other, the first and last shown."""
        tokens = self.group(r"\bmatrix")
        if tokens == TOKEN.findall(r"1, \dots, 1"):
            return ("ones",)
        if r"\vdots" not in tokens:
            return ("blocks", [self.inner(part).all() for part in split(tokens, r"\when")])
        first, dots, last = split(tokens, r"\or")
        if [token if token != "I" else "1" for token in last] != first or "1" not in first or dots != [r"\vdots"]:
            raise Unreadable("first and last row do not fit")
        return ("rows", self.inner([token if token != "1" else "i" for token in first]).all())

    def binder(self) -> tuple[tuple, tuple, tuple]:
        """The letter of a sum or product and its limits."""
        self.take(r"\sum", r"\prod")
        ends = split(self.group("_"), "=")
        if len(ends) != 2:
            raise Unreadable("a sum without a lower limit")
        return self.inner(ends[0]).letter(), self.inner(ends[1]).all(), self.inner(self.group("^")).all()

    def letter(self) -> tuple:
        name, sub, sup = self.name()
        return self.all(("letter", name + "*" * bool(sup), self.inner(sub).all() if sub else None))

    def paths(self) -> tuple:
        self.take("[")
        (first, low, high), _ = self.binder(), self.take(r"\cdots")
        last, *limits = self.binder()
        body, _ = self.term(), self.take("]")
        ends = [split(part, "=") for part in split(self.group("_"))]
        if limits != [low, high] or first != ("letter", last[1], ("num", 1)) or any(len(end) != 2 for end in ends):
            raise Unreadable("paths whose sums differ")
        return ("paths", last, low, high, body, [(self.inner(a).letter(), self.inner(b).all()) for a, b in ends])

    def name(self) -> tuple[str, list[str], list[str]]:
        """A name with the tokens of its subscript and of its superscript."""
        token = self.take()
        if token in ACCENTS or token in FONTS:
            token = ACCENTS.get(token, "") + label(self.group())
        elif not re.fullmatch(r"\\?[A-Za-z]+", token):
            raise Unreadable(f"{token} cannot be read")
        scripts: dict[str, list[str]] = {}
        while self.peek() in ("_", "^"):
            if (mark := self.take()) in scripts:
                raise Unreadable(f"double {'sub' if mark == '_' else 'super'}script")
            scripts[mark] = self.group()
        if "^" in scripts and self.peek() == "'":
            raise Unreadable("double superscript")
        return token.lstrip("\\"), scripts.get("_", []), scripts.get("^", [])

    def joined(self) -> tuple[str, list[str], list[str]]:
        """The name of a vector of which the parts are listed."""
        self.take("[")
        parts = []
        while not parts or self.take(";", "]") == ";":
            base, sub, sup = self.name()
            parts.append(base + "^" * bool(sup) + label(sup) + "?" * bool(sub))
        return f"[{';'.join(parts)}]", self.group("_"), []

    def indices(self, tokens: list[str]) -> list[tuple]:
        """Subscripts: set apart by commas, one sum, or one beside the other."""
        pieces = split(tokens)
        if len(pieces) > 1 or any(len(split(tokens, sign)) > 1 for sign in "+-"):
            return [self.inner(piece).all() for piece in pieces]
        inner, found = self.inner(tokens), []
        while inner.peek():
            found.append(inner.atom())
        return found

    def symbol(self, name: str, sub: list[str], sup: list[str]) -> tuple:
        """What a name with its scripts stands for."""
        power = None
        if sup[:1] == ["("]:
            sub, sup = sup[1:-1], []
        if len(parts := split(sup)) > 1:  # labels, and indices among them
            sub = [*(part[0] for part in parts if len(part) == 1), *sub]
            sup = [token for part in parts if len(part) > 1 for token in part]
        if sup and (any(token in FONTS for token in sup) or f"{name}^{label(sup)}" in self.names):
            name = f"{name}^{label(sup)}"
        elif sup and label(sup) == r"\star":
            name = f"{name}*"
        elif sup:
            power = self.inner(sup).all()
        if sub and f"{name}_{label(sub)}" in self.names:
            name, sub = f"{name}_{label(sub)}", []
        indices = self.indices(sub)
        symbol = self.symbols.get(f"{name}/{len(indices)}")
        if symbol is None:
            if (
                name in self.names
                or (len(name.rstrip("*")) > 1 and name not in ("tau", "cdot", "pi"))
                or len(indices) > 1
            ):
                raise Unreadable(f"{name} with {len(indices)} indices is no symbol of the page")
            node: tuple = ("letter", name, indices[0] if indices else None)
        elif symbol.kind in ("function", "known"):
            node = ("name", f"{name}/{len(indices)}", indices, 0)
        elif symbol.timed and self.peek() not in ("(", "["):
            raise Unreadable(f"{name} without its time")
        else:
            node = ("unit", f"{name}/{len(indices)}", indices, self.bracket() if symbol.timed else None)
        return ("^", node, power) if power else node


def read(tex: str, symbols: dict) -> list[tuple[tuple, tuple | None]]:
    """The equations of a display as trees, each with the tree of its range or None."""
    found = []
    for body, where in lines(tex):
        reader = Reader(body, symbols)
        found.append((reader.all(reader.chain()), Reader(where, symbols).chain() if where else None))
    return found
