"""Letters and quantities of a single unit, and two systems of them."""

from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.nodes import Activation, parameter, scalar, sequence, time, variable

t, s = time("t"), time("s")
u, w, x = parameter("u")[()], parameter("w")[()], sequence("x")
v, z, h, y, loss = variable("v"), variable("z"), variable("h"), variable("y"), scalar("loss")[()]
f = Activation("f")


def leak() -> System:
    """v(t) = u v(t-1) + x(t)."""
    system = System("leak", t)
    system[v[t]] = u * v[t - 1] + x[t]
    return system


def unit() -> System:
    """z(t) = u h(t-1) + w x(t), h = f(z)."""
    system = System("one unit", t)
    system[z[t]] = u * h[t - 1] + w * x[t]
    system[h[t]] = f(z[t])
    return system
