"""A place in the tokens of a text, and refusals that point there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from throughtime.reading import trees
from throughtime.reading.source import NotationError, Source
from throughtime.reading.tokens import Token, tokens

Made = TypeVar("Made")
CLOSING = {"(": ")", "[": "]", "{": "}", "‖": "‖"}
GOES_ON = {"+", "-", "*", "⊙", "·", "@", "="}


class Cursor:
    """Reads one text. `known` are names after a d that makes a derivative, as L in dL/dh_t: none in a recurrence."""

    def __init__(self, text: str, time: str = "t", known: frozenset[str] = frozenset()):
        self.source, self.now, self.known = Source(text), time, known
        self.tokens, self.place, self.depth = tokens(self.source), 0, 0
        self.times = {time, "T"}
        pairs = [*zip(self.tokens, self.tokens[1:], strict=False)]
        self.lettered = {one.text for one, after in pairs if one.kind == "word" and after.text in ("_", "^")}
        self.alone = {one.text for one, after in pairs if one.kind == "word" and after.text not in ("_", "^", "(", "'")}

    # ---- tokens

    @property
    def token(self) -> Token:
        """The next token; inside brackets, and where a line goes on, the ends of lines are passed over."""
        while self.tokens[self.place].text == "\n" and (self.depth or self._goes_on()):
            self.place += 1
        return self.tokens[self.place]

    def _goes_on(self) -> bool:
        """Whether the line after the end of this one begins with a sign that cannot begin an equation."""
        following = next(one for one in self.tokens[self.place :] if one.text != "\n")
        before = self.tokens[self.place - 1].text if self.place else ""
        return following.text in {"+", "-", "*", "⊙", "·", "/", "="} or before in {"+", "-", "*", "⊙", "·", "=", "@"}

    def take(self, *expected: str) -> Token:
        """The next token, which has to be one of those expected, if any are."""
        token = self.token
        if expected and token.text not in expected:
            raise self.fault(token, " or ".join(f"'{one}'" for one in expected))
        self.place += token.kind != "end"
        return token

    def took(self, *texts: str) -> Token | None:
        """The next token if it is one of these."""
        return self.take() if self.token.text in texts and self.token.kind != "end" else None

    def fault(self, token: Token | trees.Tree, expected: str, instead: str = "") -> NotationError:
        """The refusal of a token."""
        found = f"found {token}" if isinstance(token, Token) else "this has no meaning here"
        return self.source.fault(token.at, found, f"expected {expected}", instead)

    def two_readings(self, at: int, what: str, one: str, other: str) -> NotationError:
        """The refusal of what can be read in two ways."""
        return self.source.fault(
            at, f"{what} can be read in two ways", "write the one that is meant", f"{one}, or {other}"
        )

    def inside(self, closing: str, read: Callable[[], Made]) -> Made:
        """What `read` finds up to a closing bracket; the opening one has been taken."""
        self.depth += 1
        found = read()
        token = self.token
        self.depth -= 1
        if token.text != closing:
            raise self.fault(token, f"'{closing}'", "a bracket was opened and is still open here")
        self.place += 1
        return found

    def group(self) -> tuple[str, bool]:
        """What is lowered or raised, as text, and whether it stands in round brackets."""
        first = self.take()
        if first.text not in ("{", "("):
            return first.text, False
        text, open_ = "", [CLOSING[first.text]]
        while open_:
            token = self.take()
            if token.kind == "end" or token.text == "\n":
                raise self.fault(token, f"'{open_[-1]}'")
            if token.text in ("{", "("):
                open_.append(CLOSING[token.text])
            if token.text == open_[-1]:
                open_.pop()
            text += "" if token.text in "{}" else token.text
        inner = first.text == "(" or (text.startswith("(") and text.endswith(")"))
        return text.strip("()") if inner else text, inner
