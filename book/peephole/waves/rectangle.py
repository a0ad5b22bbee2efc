"""peephole-difficulty-rect: the largest differences of the rectangle, for the periods of the experiments."""

from __future__ import annotations

import numpy as np
from sympy import Integer
from throughtime.derivation import Statement, Step, claim
from throughtime.tasks.waves import largest_difference, rectangle
from throughtime_book.peephole.waves import claims as w

ONE = Integer(1)
PRINTED = (w.equals(w.largest("rect", 1), ONE), w.equals(w.largest("rect", 2), ONE))
ASSUMED = (
    r"$F \in \{10, 25\}$, the periods that the section declares, and $t$ runs through the whole numbers.",
    r"The proof holds for all $F \ge 5$.",
)


def second_is_one_from_five_on() -> bool:
    """Whether the largest second difference is 2 for the periods 3 and 4, and 1 for those above."""
    return all(largest_difference(rectangle, n, 2) == (2 if n < 5 else 1) for n in range(3, 100))


PROOF = (
    Step(
        r"A period has $\lfloor (F-1)/2 \rfloor$ ones in a row and $F$ minus so many zeros. Both occur from "
        r"$F = 3$ on, so there is a step of size 1, and none is larger:",
        r"\#\{t : t \bmod F > F/2\} = \left\lfloor \tfrac{F-1}{2} \right\rfloor",
        lambda: all(rectangle(np.arange(n), n).sum() == (n - 1) // 2 for n in range(1, 200)),
    ),
    Step(
        "A second difference is larger than 1 only where a step up is followed at once by a step down, or the other "
        "way round: where a run has length 1. The ones do so for $F = 3$ and $F = 4$, the zeros never:",
        r"\left\lfloor \tfrac{F-1}{2} \right\rfloor = 1 \iff F \in \{3, 4\}, \qquad "
        r"F - \left\lfloor \tfrac{F-1}{2} \right\rfloor \ge 2",
        lambda: (
            [n for n in range(3, 200) if (n - 1) // 2 == 1] == [3, 4]
            and all(n - (n - 1) // 2 >= 2 for n in range(3, 200))
        ),
    ),
)


def judged() -> Statement:
    """The box of peephole-difficulty-rect."""
    return claim(
        "peephole-difficulty-rect",
        PRINTED,
        decide=w.of_declared_periods,
        verdict="holds",
        proof=PROOF,
        instance=second_is_one_from_five_on,
        numeric="differences of zeros and ones are exact; there is nothing left for floating-point numbers to add",
        assumptions=ASSUMED,
    )
