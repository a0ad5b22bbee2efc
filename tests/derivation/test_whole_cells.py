"""Whole cells as one writes them down: each derivative is derived, proved and shown without a word of advice."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest
from throughtime.derivation.deriving.system import LENGTH as T
from throughtime.derivation.deriving.system import System
from throughtime.derivation.formulas.domains import Dimension, domain, indices, union
from throughtime.derivation.formulas.functions import exp, maximum
from throughtime.derivation.formulas.nodes import (
    Activation,
    Quantity,
    Ref,
    parameter,
    scalar,
    sequence,
    sum_over,
    time,
    variable,
)
from throughtime.derivation.judging.bench import Bench, show

n, m = Dimension("n"), Dimension("m")
units, inputs, slots = domain("units", n), domain("inputs", m), domain("slots", m)
first = domain("first", 1)
later = domain("later", n, after=first)
taps = union("taps", first, later)
fast = domain("fast", n)
slow = domain("slow", m, after=fast)
modules = union("modules", fast, slow)
i, k, p, q = indices("i k p q", units)
j, l = indices("j l", inputs)
c, e, o = indices("c e o", slots)
t, s = time("t"), time("s")
f, sigma = Activation("f"), Activation("sigma")
x, h, a, loss = sequence("x", inputs), variable("h", units), variable("a", units), scalar("L")
w, W, u, b = parameter("w", units, inputs), parameter("U", units, units), parameter("u", units), parameter("b", units)


@dataclass
class Cell:
    """A system, what its loss is by, and the quantities whose adjoints stay symbols."""

    system: System
    states: list[Ref]
    weights: list[Ref]
    keep: list[Quantity] = field(default_factory=list)


def closed(system: System, state: Ref) -> System:
    """With the sum of squares of a state at all times as its loss."""
    (index,), (quantity, *_) = state.indices, state.args
    system[loss[()]] = sum_over((s, 1, T), index, quantity[index, s] ** 2) / 2
    return system


def clockwork() -> Cell:
    """Two modules: the slow one moves when its clock says so, and does not read the fast one."""
    system, clock = System("clockwork", t), sequence("clock", mask=True)
    y, net, drive, own = variable("y", modules), variable("z", modules), parameter("v", modules), sequence("v0")
    every, among = parameter("A", fast, modules), parameter("B", slow, slow)
    (g, g2), (r, r2), (z, z2) = indices("g g2", fast), indices("r r2", slow), indices("z z2", modules)
    system[net[g, t]] = drive[g] * own[t] + sum_over(z, every[g, z] * y[z, t - 1])
    system[net[r, t]] = drive[r] * own[t] + sum_over(r2, among[r, r2] * y[r2, t - 1])
    system[y[g, t]] = f(net[g, t])
    system[y[r, t]] = clock[t] * f(net[r, t]) + (1 - clock[t]) * y[r, t - 1]
    states = [y[g, t], y[r, t], net[g, t], net[r, t]]
    return Cell(closed(system, y[z, t]), states, [every[g2, z2], among[r2, indices("r3", slow)], drive[g2]], [net])


def legendre() -> Cell:
    """A linear memory of one number, which a layer writes and reads."""
    system, memory, write = System("Legendre memory unit", t), variable("m", slots), variable("v")
    turn, enter = parameter("A", slots, slots), parameter("B", slots)
    by_x, by_h, by_m = parameter("ex", inputs), parameter("eh", units), parameter("em", slots)
    out = parameter("Wm", units, slots)
    written = sum_over(k, by_h[k] * h[k, t - 1]) + sum_over(c, by_m[c] * memory[c, t - 1])
    system[write[t]] = sum_over(j, by_x[j] * x[j, t]) + written
    system[memory[c, t]] = sum_over(e, turn[c, e] * memory[e, t - 1]) + enter[c] * write[t]
    read = sum_over(c, out[i, c] * memory[c, t])
    system[h[i, t]] = f(sum_over(j, w[i, j] * x[j, t]) + sum_over(k, W[i, k] * h[k, t - 1]) + read)
    states, weights = [h[i, t], memory[c, t], write[t]], [by_m[e], by_h[p], by_x[l], out[p, o], W[p, q]]
    return Cell(closed(system, h[i, t]), states, weights, [write])


def shift_register() -> Cell:
    """Learnt taps on the last outputs of a unit."""
    system, register, out = System("shift register", t), variable("r", taps), variable("y")
    v, (z, z2) = indices("v", later), indices("z z2", taps)
    start, gain, drive, own = indices("v0", first), parameter("c", taps), parameter("g")[()], sequence("x0")
    system[register[start, t]] = out[t - 1]
    system[register[v, t]] = register[v - 1, t - 1]
    system[out[t]] = f(sum_over(z, gain[z] * register[z, t]) + drive * own[t])
    system[loss[()]] = sum_over((s, 1, T), out[s] ** 2) / 2
    return Cell(system, [out[t]], [gain[z2], drive])


def learnt_start_with_a_skip() -> Cell:
    """States before the first time are functions of parameters, and three of them are read."""
    system = System("learnt start", t)
    system[a[i, t]] = sum_over(j, w[i, j] * x[j, t]) + sum_over(k, W[i, k] * h[k, t - 1]) + u[i] * h[i, t - 3]
    system[h[i, t]] = f(a[i, t])
    system.initial(h[i, 0], sigma(b[i]))
    return Cell(closed(system, h[i, t]), [h[i, t], a[i, t]], [w[p, l], W[p, q], u[p], b[p]], [a])


def narx() -> Cell:
    """Inputs and outputs of two times."""
    system, V, w2 = System("NARX", t), parameter("V", units, units), parameter("w2", units, inputs)
    own = sum_over(j, w[i, j] * x[j, t] + w2[i, j] * x[j, t - 1])
    system[a[i, t]] = own + sum_over(k, W[i, k] * h[k, t - 1] + V[i, k] * h[k, t - 2]) + b[i]
    system[h[i, t]] = f(a[i, t])
    system.given_from(x, 0)
    return Cell(closed(system, h[i, t]), [h[i, t], a[i, t]], [w2[p, l], W[p, q], V[p, q], b[p]], [a])


def stabilized(start: bool) -> Cell:
    """Exponential gates, a normalizer, and a stabilizer that cancels; states that start at 0, or are learnt."""
    system, gates = System("sLSTM", t), {name: variable(f"a{name}", units) for name in "zifo"}
    state, norm, top = variable("c", units), variable("n", units), variable("m", units)
    weights: list[Ref] = []
    for name, net in gates.items():
        V, R, begin = (
            parameter(f"{letter}{name}", units, *over) for letter, *over in (("W", inputs), ("R", units), "b")
        )
        system[net[i, t]] = sum_over(j, V[i, j] * x[j, t]) + sum_over(k, R[i, k] * h[k, t - 1]) + begin[i]
        weights += [R[p, q], begin[p]] if name == "i" else []
    z, enter, stay, out = (net[i, t] for net in gates.values())
    system[top[i, t]] = maximum(stay + top[i, t - 1], enter)
    kept, new = exp(stay + top[i, t - 1] - top[i, t]), exp(enter - top[i, t])
    system[state[i, t]] = kept * state[i, t - 1] + new * f(z)
    system[norm[i, t]] = kept * norm[i, t - 1] + new
    system[h[i, t]] = sigma(out) * state[i, t] / norm[i, t]
    if start:
        begun = parameter("c0", units), parameter("n0", units)
        for one, value in zip((state, norm), begun, strict=True):
            system.initial(one[i, 0], value[i])
    states = [h[i, t], state[i, t], norm[i, t], top[i, t], enter, stay, z, out]
    return Cell(closed(system, h[i, t]), states, weights, [state, norm, top, *gates.values()])


CELLS = [clockwork, legendre, shift_register, learnt_start_with_a_skip, narx]
# A quarter of a minute each, by their four gates; by day test_language.py shows a stabilizer with one weight.
SLOW = {"stabilized sLSTM": True, "stabilized sLSTM from 0": False}
CELLS += [pytest.param(partial(stabilized, start), marks=pytest.mark.nightly, id=name) for name, start in SLOW.items()]


@pytest.mark.parametrize("build", CELLS)
def test_every_derivative_of_a_cell_is_shown(build: Callable[[], Cell]) -> None:
    cell = build()
    bench = Bench(cell.system, [{n: 2, m: 1}])
    for weight in cell.weights:
        show(bench, bench.derive(cell.states[0], weight))
        show(bench, bench.derive_gradient(loss[()], weight))
    for node in cell.states:
        show(bench, bench.derive_backward(loss[()], node, keep=cell.keep))
