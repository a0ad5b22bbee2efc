"""Letters and quantities over one layer H with two parts, A and B, for tests that need a formula and no network."""

from throughtime.derivation.deriving.induction import lag
from throughtime.derivation.formulas.domains import Dimension, Index, domain, union
from throughtime.derivation.formulas.nodes import Activation, parameter, sequence, time, variable

n, m = Dimension("n"), Dimension("m")
A = domain("A", n)
B = domain("B", m, after=A)
H = union("H", A, B)
i, j, k = Index("i", H), Index("j", H), Index("k", H)
a, b = Index("a", A), Index("b", B)
t, s, r, q = time("t"), time("s"), time("r"), lag("q")
w, u, x = parameter("w", H, H), parameter("u", H), sequence("x", H)
z, y, v = variable("z", H), variable("y", H), variable("v")
f, g = Activation("f"), Activation("g", H)
