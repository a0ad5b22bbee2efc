"""A statement about a recurrence, and the random elements and cuts that statements are made of."""

from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import NamedTuple

from fuzzing.language import Formula, ref, when
from fuzzing.recurrences import Recurrence

Pair = tuple[tuple, tuple] | None


class Statement(NamedTuple):
    """An equation of a recurrence. `form` is "equation"; "induction" for a claim about every lag q from 0
    on, proved as such; or "lemma" for such a claim proved, and then used to judge it as an equation."""

    recurrence: Recurrence
    kind: str
    left: Formula
    right: Formula
    form: str = "equation"

    def nodes(self) -> Iterator[Formula]:
        """Every formula in both sides."""
        return chain(self.left.nodes(), self.right.nodes())


class Draw:
    """Random elements of one recurrence."""

    def __init__(self, recurrence: Recurrence, draw: Random):
        self.recurrence, self.draw = recurrence, draw

    def letters(self, quantity: str, stem: str, narrow: bool = False) -> tuple:
        """Index letters for a quantity; of a union a part where the quantity is defined by cases, or by chance."""
        found = []
        for place, domain in enumerate(self.recurrence.quantities[quantity].domains):
            cases = {case.letters[place][1] for case in self.recurrence.cases(quantity)}
            if domain in self.recurrence.unions and (cases - {domain} or (narrow and self.draw.random() < 0.3)):
                domain = self.draw.choice(self.recurrence.parts(domain))
            found.append((f"{stem}{place or ''}" if domain != "X" else "j", domain))
        return tuple(found)

    def state(self, lag: int = 0) -> tuple:
        """A generic element of a random state."""
        name = self.draw.choice(self.recurrence.named("state"))
        return ref(name, self.letters(name, "i", narrow=True), when("t", -lag))

    def weight(self) -> tuple:
        """A generic element of a random parameter."""
        name = self.draw.choice(self.recurrence.named("parameter"))
        return ref(name, self.letters(name, "p", narrow=True))

    def wrt(self, most: int = 2) -> tuple:
        """A parameter, or a state up to `most` steps back."""
        if self.draw.random() < 0.6:
            return self.weight()
        name = self.draw.choice(self.recurrence.named("state"))
        return ref(name, self.letters(name, "p"), when("t", -self.draw.randint(1, most)))

    def cuts(self) -> tuple:
        """One or two dependences of the recurrence, of a sum over a union at times a part."""
        read = self.recurrence.reads()
        chosen = self.draw.sample(read, min(len(read), self.draw.choice((1, 1, 2))))
        wide = [(name, over and "U", lag, into) for name, over, lag, into in chosen]
        return tuple(dict.fromkeys(chosen if self.draw.random() < 0.25 else wide))
