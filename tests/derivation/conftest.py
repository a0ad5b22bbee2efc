"""Five small networks, for derivatives by the engine and by dual numbers through the unrolled system."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from throughtime.derivation.deriving.forward import Cut, cut
from throughtime.derivation.deriving.reduce import Reducer
from throughtime.derivation.deriving.steps import Derivation, derive, derive_backward, derive_gradient
from throughtime.derivation.deriving.system import LENGTH, System
from throughtime.derivation.evaluating.unroll import ExactInstance, polynomial
from throughtime.derivation.formulas.domains import Dimension, domain, indices, union
from throughtime.derivation.formulas.nodes import Activation, Ref, parameter, scalar, sequence, sum_over, time, variable

t, s = time("t"), time("s")
n_in, n, m = Dimension("n_in"), Dimension("n"), Dimension("m")
X, H, Y = domain("X", n_in), domain("H", n), domain("Y", m)
Z = domain("Z", m, after=H)
HZ = union("HZ", H, Z)
k = indices("k", X)
i, j, l = indices("i j l", H)
a, b = indices("a b", Y)
c, o, e = *indices("c o", Z), indices("e", HZ)
x = sequence("x", X)
goal = sequence("goal", H)
loss = scalar("loss")
f, g = Activation("f"), Activation("g", H)


@dataclass
class Net:
    """A system, generic elements of its weights and states, and the cuts worth making."""

    system: System
    weights: list[Ref]
    states: list[Ref]
    cuts: list[Cut] = field(default_factory=list)
    loss: Ref = field(default_factory=lambda: loss[()])

    def unrolled(self, sizes: tuple[int, int, int], length: int, seed: int) -> ExactInstance:
        """The unrolled network; quadratic activations keep its rational numbers short over several steps."""
        functions = {"f": polynomial(1, -1, Fraction(1, 2)), "g": polynomial(Fraction(-1, 2), 1, 1)}
        dims = dict(zip((n_in, n, m), sizes, strict=True))
        return ExactInstance(self.system, dims, length, seed=seed, activations=functions)

    def derivations(self, cuts: tuple[Cut, ...] = ()) -> Iterator[Derivation]:
        """Each state and the loss forwards by each weight, each state backwards, and the gradients."""
        reducer = Reducer(self.system)
        for state in self.states:
            yield derive_backward(reducer, self.loss, state, cuts=cuts)
        for weight in self.weights:
            yield derive_gradient(reducer, self.loss, weight, cuts=cuts)
            for target in (*self.states, self.loss):
                yield derive(reducer, target, weight, cuts=cuts)


def leaky() -> Net:
    net = System("leaky unit")
    w, u, z, h = parameter("w", H, X), parameter("u", H), variable("z", H), variable("h", H)
    net[z[i, t]] = u[i] * z[i, t - 1] + sum_over(k, w[i, k] * x[k, t])
    net[h[i, t]] = f(z[i, t])
    net[loss[()]] = sum_over((s, 1, LENGTH), i, (h[i, s] - goal[i, s]) ** 2)
    return Net(net, [w[j, k], u[j]], [z[i, t], h[i, t]], [cut(z[i, t - 1], into=z)])


def gated() -> Net:
    """A state gated by its own past: one quantity enters a definition at two lags."""
    net = System("gated unit")
    w, v, z, c, h = parameter("w", H, X), parameter("v", H), variable("z", H), variable("c", H), variable("h", H)
    net[z[i, t]] = sum_over(k, w[i, k] * x[k, t]) + v[i] * h[i, t - 1] * h[i, t - 2]
    net[c[i, t]] = c[i, t - 1] * g[i](z[i, t]) + f(z[i, t])
    net[h[i, t]] = c[i, t] * g[i](z[i, t])
    net[loss[()]] = sum_over((s, 1, LENGTH), i, h[i, s] ** 3)
    return Net(net, [w[j, k], v[j]], [z[i, t], c[i, t], h[i, t]], [cut(h[i, t - 1], into=z)])


def recurrent() -> Net:
    net = System("fully recurrent network")
    w, r, z, h = parameter("w", H, X), parameter("r", H, H), variable("z", H), variable("h", H)
    net[z[i, t]] = sum_over(k, w[i, k] * x[k, t]) + sum_over(j, r[i, j] * h[j, t - 1])
    net[h[i, t]] = g[i](z[i, t])
    net[loss[()]] = sum_over((s, 1, LENGTH), i, (h[i, s] - goal[i, s]) ** 2) / 2
    return Net(net, [w[j, k], r[j, l]], [z[i, t], h[i, t]], [cut(h[j, t - 1], into=z)])


def two_layers() -> Net:
    """A recurrent layer below a normalized static one, and a penalty on one weight matrix."""
    net = System("two layers")
    w, r, o = parameter("w", H, X), parameter("r", H, H), parameter("o", Y, H)
    h, e, total, y = variable("h", H), variable("e", Y), variable("S"), variable("y", Y)
    penalty = scalar("penalty")
    net[h[i, t]] = f(sum_over(k, w[i, k] * x[k, t]) + sum_over(j, r[i, j] * h[j, t - 1]))
    net[e[a, t]] = f(sum_over(j, o[a, j] * h[j, t])) ** 2 + 1
    net[total[t]] = sum_over(b, e[b, t])
    net[y[a, t]] = e[a, t] / total[t]
    net[penalty[()]] = sum_over(a, i, o[a, i] ** 2)
    net[loss[()]] = sum_over((s, 1, LENGTH), a, y[a, s] ** 2) + penalty[()]
    return Net(net, [w[j, k], r[j, l], o[b, j]], [h[i, t], e[a, t], y[a, t]], [cut(h[j, t - 1], into=h)])


def by_cases() -> Net:
    """One quantity defined by cases: units of one part read themselves alone, those of the other read all units."""
    net = System("by cases")
    u, z, h = parameter("u", HZ), variable("z", HZ), variable("h", HZ)
    net[z[i, t]] = u[i] * h[i, t - 1] + 1
    net[z[c, t]] = u[c] * sum_over(e, h[e, t - 1]) + 2
    net[h[e, t]] = f(z[e, t])
    net[loss[()]] = sum_over((s, 1, LENGTH), i, h[i, s] ** 2) + sum_over((s, 1, LENGTH), c, h[c, s])
    return Net(net, [u[j], u[o]], [z[i, t], z[c, t], h[i, t], h[c, t]], [cut(h[e, t - 1], into=z)])


@pytest.fixture(
    scope="session", params=[leaky, gated, recurrent, two_layers, by_cases], ids=lambda build: build.__name__
)
def net(request) -> Net:
    return request.param()
