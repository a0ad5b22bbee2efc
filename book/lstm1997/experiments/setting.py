"""Experiments: the equations as a system, and what the statements of the page are checked against."""

from __future__ import annotations

import throughtime as tt

n = tt.Dimension("n")
units = tt.domain("units", n)
i, t = tt.indices("i", units), tt.time("t")

w, x = tt.parameter("w", units), tt.sequence("x", units)
z, h = tt.variable("z", units), tt.variable("h", units)
f = tt.Activation("f")


def setting() -> tt.Setting:
    """Units that feed back to themselves, with two of them for the exact instance; every call makes a new one."""
    system = tt.System("Experiments", t)
    system[z[i, t]] = w[i] * h[i, t - 1] + x[i, t]
    system[h[i, t]] = f(z[i, t])
    return tt.Setting(system, sizes=[{n: 2}])
