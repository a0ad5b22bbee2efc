"""One unit that feeds back to itself (section 3.2 of the paper), with the error of its output."""

from __future__ import annotations

from throughtime.derivation import Activation, Setting, System, parameter, sequence, variable
from throughtime.systems.letters import t

w, target = parameter("w")[()], sequence("d", latex=r"\hat y")
z, y, E = variable("z", latex=r"\mathrm{net}"), variable("y"), variable("E")
f = Activation("f")


def build() -> System:
    """The unit: net input, activation, half the squared error."""
    net = System("one unit", t)
    net[z[t]] = w * y[t - 1]
    net[y[t]] = f(z[t])
    net[E[t]] = (y[t] - target[t]) ** 2 / 2
    return net


def setting() -> Setting:
    """Its setting, without a model; a new one by each call."""
    return Setting(build(), [{}], length=4)
