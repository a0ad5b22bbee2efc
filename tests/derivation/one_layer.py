"""Letters and quantities of one layer of units that read inputs, themselves and each other."""

from throughtime.derivation.formulas.domains import Dimension, domain, indices
from throughtime.derivation.formulas.nodes import Activation, parameter, scalar, sequence, time, variable

n, m = Dimension("n"), Dimension("m")
units, inputs = domain("the units", n), domain("the inputs", m)  # own names: quantities print in order of creation
i, k, p, e = indices("i k p e", units)
j, q = indices("j q", inputs)
t, s = time("t"), time("s")
u, U, w = parameter("u", units), parameter("U", units, units), parameter("w", units, inputs)
b, x = parameter("b", units), sequence("x", inputs)
h, a, loss = variable("h", units), variable("a", units), scalar("L")[()]
f = Activation("f")
