"""Letters and quantities over one layer H with two parts, A and B, for tests that need a formula and no network."""

from random import Random

from sympy import Integer
from throughtime.derivation.deriving.induction import lag
from throughtime.derivation.formulas.domains import Dimension, Index, domain, union
from throughtime.derivation.formulas.nodes import Activation, Delta, parameter, sequence, sum_over, time, variable

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
KINDS = ("sum", "product", "add", "apply", "square")


def random_formula(draw: Random, letters: tuple, depth: int = 3, kinds: tuple = KINDS, names: str = "abcd"):
    """A random formula with many deltas in some free indices; ``names`` are those of its summation indices by depth."""
    if depth == 0:
        row, column = draw.choice(letters), draw.choice(letters)
        return draw.choice([w[row, column], u[row], x[row, t], Integer(3), *2 * [Delta(row, column)]])
    kind = draw.choice(kinds)
    if kind == "sum":
        letter = Index(names[depth], H)
        return sum_over(letter, random_formula(draw, (*letters, letter), depth - 1, kinds, names))
    one, other = (random_formula(draw, letters, depth - 1, kinds, names) for _ in range(2))
    made = {"product": one * other, "add": one - 2 * other, "apply": f(one), "square": one**2}
    return made[kind] if kind in made else one / (u[draw.choice(letters)] ** 2 + 1)
