"""The times of all systems, and how they write their quantities."""

from __future__ import annotations

from throughtime.derivation import LENGTH, time

T = LENGTH
t, s, tau, m = map(time, ("t", "s", "tau", "m"))


def roman(letter: str, name: str) -> str:
    r"""The LaTeX of a letter with an upright name above it, such as `w^{\mathrm{hid}}`."""
    return rf"{letter}^{{\mathrm{{{name}}}}}"
