"""lfmn-example-1: how many recurrent units five classes need, in noise; and why the noise has to be there."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import And, Eq, Equivalent, Implies, Le, ceiling, log
from throughtime.derivation import Statement, Step, claim
from throughtime.tasks.first_input import binary_code, first_input
from throughtime_book.lfmn.examples import claims as judge
from throughtime_book.lfmn.examples.claims import KEEPS, SOLVED, K, n, r
from throughtime_book.lfmn.examples.experiment import share_right
from throughtime_book.lfmn.latching import by_hand
from throughtime_book.lfmn.latching import numbers as lt

PRINTED = Implies(And(Eq(K, 5), SOLVED), r >= 3)
THEOREM = Equivalent(KEEPS, Le(K, 2**n))
ASSUMED = (
    "$K$ classes, $r$ recurrent units",
    "one hidden layer of units with local feedback of any kind, a static read-out, sequences of every length",
    "the inputs behind the first are noise, as the task has it: solved is what is right for every noise up to some "
    "bound, however small, with a gap between the answers",
    "at least three means that three are enough as well",
)


def share_of_one_value(noise: float, length: int) -> float:
    """The share of sequences of five classes that one unit with u = 1 still tells after that many steps."""
    model, theta = by_hand.classes_in_one_value(5)
    x, labels = first_input(5, length, 20, noise, seed=4)
    x = np.concatenate([x, np.ones_like(x[:, :, :1])], axis=2)
    return float(np.mean(model.forward(theta, x).y[:, -1].argmax(axis=1) == labels))


def one_value() -> list[list[str]]:
    """A row for each noise: its strength, and the share that one unit with u = 1 gets right after 2000 steps."""
    return [[f"{noise:g}", f"{share_of_one_value(noise, 2000):.0%}"] for noise in (0.0, 0.05)]


def fates(weight: float, seed: int = 0) -> int:
    """How many bundles forty starts have run into after 600 steps of one weak noise."""
    noise = np.random.default_rng(seed).uniform(0.001, 0.003, 600)
    return judge.distinct(lt.activation(lt.trajectory(weight, np.linspace(-6, 6, 40), noise)[-1])[:, None])


def noise_takes_a_difference_back(noise: float = 0.01, seed: int = 0) -> bool:
    """Whether weak noise makes two first inputs alike in units with u = 1 and u = -1, and changes no latched sign.

    Four units read three lines: u = 1 twice, u = -1, and a latch. The two first inputs leave the latch the same sign.
    """
    draw = np.random.default_rng(seed)
    active, weight = np.array([False, False, False, True]), np.array([1.0, 1.0, -1.0, 4.0])
    into = draw.uniform(-1, 1, (3, 4))
    into[:, 3] = 1.0
    first = np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    steps = 2 * round(np.abs(first[0] - first[1]).max() / noise)  # a part at every other step
    x = draw.uniform(-noise, noise, (steps + 101, 1, 3)) * np.ones((1, 2, 1))
    x[0] = first
    kept = judge.late_states(active, weight, x @ into)
    x[2 : steps + 1 : 2] = 0.0
    x[2 : steps + 1 : 2, 1] = (first[0] - first[1]) / (steps // 2)
    alike = judge.late_states(active, weight, x @ into)
    return judge.distinct(kept) == 2 and judge.distinct(alike, 1e-9) == 1 and bool(np.all(alike[:, 3] > 0))


def worst_noise_is_withstood(classes: int = 5, noise: float = 0.1) -> bool:
    """The three units set by hand, each pushed by the worst noise of that bound for 400 steps, either way."""
    code = binary_code(classes)
    model, theta = by_hand.classes_in_signs(code, noise)
    x, labels = first_input(classes, 400, 1, 0.0, seed=0)
    good = []
    for row in model.layout.views(theta)["w_hid"]:
        for side in (-1, 1):
            x[:, 1:] = side * noise * np.sign(row)
            good.append(np.array_equal(np.sign(model.forward(theta, x).y[:, -1]), code[labels]))
    return all(good)


def three_units_are_right() -> bool:
    """The three units set by hand are right at lengths up to 2000 in noise of 0.1, and the one value is not."""
    five = binary_code(5)
    shares = (
        share_right(*by_hand.classes_in_signs(five, 0.1), first_input(5, length, 5, 0.1, seed=length), five)
        for length in (2, 50, 2000)
    )
    return all(share == 1 for share in shares) and share_of_one_value(0.05, 2000) < 0.9


PROOF = (
    Step(
        r"A unit in weak noise has at most two fates, as the page on latching shows, and one if $|v| < "
        r"2$: all its starts run into so many bundles, whose members draw together. A unit with $|u| < 1$ "
        r"has one fate too, one with $|u| > 1$ two. Units with $|u| = 1$ keep the difference of two first inputs until "
        r"noise takes it back in small parts, one at every other step.",
        None,
        lambda: (
            all(fates(x) == 2 for x in (2.4, 3.0, 4.0, -3.0, 6.0))
            and all(fates(x) == 1 for x in (0, 1, 1.7, -1.5))
            and noise_takes_a_difference_back()
        ),
    ),
    Step(
        r"So late in a sequence a hidden layer with $m$ units that store a bit, and any others, can be brought to "
        r"$2^m$ places at most, and what reads it can give $2^m$ answers at most. (The one start between "
        r"the bundles is left by almost any second input.)",
        Le(K, 2 ** sp.Symbol("m")),
        lambda: all(told <= 2**storing for units in (1, 2, 3) for storing, told in judge.random_nets(units)),
    ),
    Step(
        r"So many are possible: class $k$ gets a sign pattern of its own, the first input sets each unit "
        r"to $\pm\xi$, and noise stays below the bound $B(v)$ if $v$ is chosen large enough. A read-out "
        r"with one static unit for each binary digit is right for ever.",
        None,
        worst_noise_is_withstood,
    ),
    Step(
        r"Hence the theorem, for $n$ units that store a bit (a unit with $|u| > 1$ or $v < -2$ is one of them):",
        THEOREM,
        lambda: judge.units_for_classes(THEOREM),
    ),
    Step(
        r"Five classes need three such units, for $2^2 < 5 \le 2^3$; and units that store a bit are recurrent units.",
        Eq(ceiling(log(5, 2), evaluate=False), 3, evaluate=False),
        lambda: ceiling(log(5, 2)) == 3 and 2**2 < 5 <= 2**3,
    ),
)


def judged() -> Statement:
    """The box of lfmn-example-1."""
    return claim(
        "lfmn-example-1",
        PRINTED,
        decide=judge.least_units,
        verdict="holds",
        strictness=True,
        proof=PROOF,
        instance=lambda: [judge.capacity(units) for units in (1, 2, 3)] == [2, 4, 8],
        numeric=three_units_are_right,
        assumptions=ASSUMED,
    )
