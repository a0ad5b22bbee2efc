"""Two notions of storing a sign: that of the note (lfmn-latching), and the sharper one that asks for robustness."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import Eq, Implies, Le
from throughtime.derivation import Statement, Step, claim, identity, prove
from throughtime.derivation.judging.proofs import Proof
from throughtime_book.lfmn.latching import by_hand
from throughtime_book.lfmn.latching import claims as judge
from throughtime_book.lfmn.latching import numbers as lt
from throughtime_book.lfmn.latching.claims import I, a, b, f, t, t0, v
from throughtime_book.shared.words import ForSome, Throughout

STANDS = Throughout(Eq(sp.sign(a(t)), sp.sign(a(t0))), t > t0)
ROBUST = ForSome(Implies(Throughout(Le(abs(I(t)), b), t > t0), STANDS), b > 0)
ASSUMED = (
    "The note names no forcing: the definition speaks of the undisturbed run after $t_0$.",
    "$a(t_0) \\neq 0$; hidden and output units alike.",
)
UP_TO_TWO = (0.0, 0.3, 1.0, 1.7, 2.0)
s = sp.Symbol("s", real=True)
drift = v * f(s) - s


def through_the_model(weight: float, forcing: object) -> np.ndarray:
    """States of a hidden unit of the library's LFMN, times 1, 2, ..."""
    model, theta = by_hand.one_unit(weight)
    return model.forward(theta, np.asarray(forcing)[:, None]).net_hid[1:, 0]


def note_definition() -> Statement:
    """The box of lfmn-latching."""
    return claim(
        "lfmn-latching",
        STANDS,
        decide=judge.defines_latching,
        verdict="holds",
        proof=[
            identity(
                r"Which units it picks out. For $v > 0$ the map $v f(s)$ has the sign of $s$, since $f$ is odd and "
                r"rises,",
                sp.Derivative(f(s), s),
                (1 - f(s) ** 2) / 2,
            ),
            Step(
                r"so the sign stands for ever; for $v < 0$ it turns at the first step. With net-input feedback the "
                r"same is true of $u s$.",
                r"f(-s) = -f(s)",
                lambda: all(judge.never_turns(unit) == (unit.weight > 0) for unit in judge.UNITS),
            ),
        ],
        instance=lambda: bool(
            np.all(lt.trajectory(4.0, 1.0, np.zeros(40)) > 0) and lt.trajectory(-3.0, 1.0, np.zeros(1))[-1] < 0
        ),
        numeric=lambda: bool(
            np.all(through_the_model(4.0, [1.0] + [0.0] * 40) > 0)
            and np.all(through_the_model(1.0, [1.0] + [0.0] * 40) > 0)
            and through_the_model(-3.0, [1.0, 0.0])[-1] < 0
        ),
        assumptions=ASSUMED,
    )


def sharper_definition() -> Proof:
    """The sharper notion in steps: what fades is not stored, and what stands against some forcing is."""
    return prove(
        identity(
            r"For $0 < v \le 2$ and $s > 0$ the drift is at most 0, since it is 0 at 0 and has this slope; so "
            r"the state shrinks, and for $v < 2$ at least by the factor $v/2$ a step.",
            sp.Derivative(drift, s),
            (v / 2 - 1) - v * f(s) ** 2 / 2,
        ),
        Step(
            r"A forcing of $-b$, however weak, then lowers the state by at least $b$ at each step, so its "
            r"sign is lost after at most $a(t_0)/b + 1$ steps. Nothing was stored.",
            Le(drift - b, -b),
            lambda: all(
                lt.steps_to_flip(x, 1.0, -force) <= 1 / force + 1 for x in UP_TO_TWO for force in (1e-4, 0.01, 0.3)
            ),
        ),
        Step(
            r"So let a sign count as stored if it stands against every forcing up to some strength $b > 0$. "
            r"This picks out just those units whose sign a reader can trust late and in weak noise:",
            ROBUST,
            lambda: judge.defines_robust_latching(ROBUST),
        ),
        Step(
            r"For $v = 4$ a sign is stored in that sense: from $s = 2$ up to $s = 3$ the drift outweighs "
            r"$b = \frac12$, and beyond that $v f(a) - b > 3$.",
            None,
            lambda: (
                all(float(x) > 0.5 for x in lt.drift(4.0, np.linspace(2, 3, 101)))
                and 4 * np.tanh(1.5) - 0.5 > 3
                and all(lt.steps_to_flip(4.0, 2.0, -force) is None for force in (0.1, 0.5))
                and through_the_model(4.0, [3.0] + [-0.5] * 400)[-1] > 2
            ),
        ),
    )


def fading_unit() -> list[list[str]]:
    """The unit v = 1 from a(0) = 1, a row for each forcing: its strength, a(20), and when the sign has turned."""
    rows = []
    for force in (0.0, -0.01):
        last = lt.trajectory(1.0, 1.0, np.full(20, force))[-1]
        flip = lt.steps_to_flip(1.0, 1.0, force) if force else None
        digits, power = f"{last:.1e}".split("e")
        size = rf"${digits} \cdot 10^{{{int(power)}}}$"
        rows.append([f"{force:g}", size, "never" if flip is None else f"after {flip} steps"])
    return rows
