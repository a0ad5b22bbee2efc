"""A place in the tokens of a text, and refusals that point there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from throughtime.reading.glyphs import check_glyphs
from throughtime.reading.source import NotationError, SourceText
from throughtime.reading.spelling import Token, tokens
from throughtime.reading.trees import Tree

Made = TypeVar("Made")
CLOSING = {"(": ")", "[": "]", "{": "}", "‖": "‖"}
SCRIPTS = ("low", "high")
OPEN = "a bracket was opened and is still open here"
JOINS = {"+", "-", "*", "⊙", "·", "="}


class Cursor:
    """Steps through the tokens of one text."""

    def __init__(self, text: str, words: Iterable[str] = ()):
        self.source = SourceText(text)
        check_glyphs(self.source)
        self.tokens, self.place, self.depth = tokens(self.source, words), 0, 0

    @property
    def token(self) -> Token:
        """The next token; inside brackets, and where a line goes on, the ends of lines are passed over."""
        while self.tokens[self.place].text == "\n" and (self.depth or self._goes_on()):
            self.place += 1
        return self.tokens[self.place]

    def _goes_on(self) -> bool:
        """Whether the line after the end of this one begins with a sign that cannot begin an equation."""
        following = next(one for one in self.tokens[self.place :] if one.text != "\n")
        before = self.tokens[self.place - 1] if self.place else following
        return following.text in JOINS | {"/"} or (before.kind == "sign" and before.text in JOINS | {"@"})

    def take(self, *expected: str) -> Token:
        """The next token, which has to be one of those expected, if any are."""
        token = self.token
        if expected and token.text not in expected:
            raise self.fault(token, " or ".join(f"'{one}'" for one in expected))
        self.place += token.kind != "end"
        return token

    def took(self, *texts: str) -> Token | None:
        """The next token if it is one of these."""
        return self.take() if self.token.text in texts and self.token.kind not in ("end", *SCRIPTS) else None

    def fault(self, token: Token | Tree, expected: str, instead: str = "") -> NotationError:
        """The refusal of a token."""
        found = f"found {token}" if isinstance(token, Token) else "this has no meaning here"
        return self.source.fault(token.at, found, f"expected {expected}", instead)

    def inside(self, closing: str, read: Callable[[], Made]) -> Made:
        """What `read` finds up to a closing bracket; the opening one has been taken."""
        first = self.place
        self.depth += 1
        found = read()
        token = self.token
        self.depth -= 1
        if token.text != closing:
            if token.text == "=":  # of the next equation: the bracket is missing before it
                token = next((one for one in reversed(self.tokens[first : self.place]) if one.text == "\n"), token)
            one = "a function takes one formula, and a matrix [a; b] for vectors one below the other"
            one += "; noise is given, as xi_t"
            hint = one if token.text in (",", ";") else "[a; b] for one below the other" if closing == "‖" else OPEN
            raise self.fault(token, f"'{closing}'", hint)
        self.place += 1
        return found
