"""Operations counted by running the three gradients and the note's list on arrays that count."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
from book.lstm1997.complexity.checks import KEPT, STEP, network, value
from throughtime.textbook.lstm1997 import KINDS, LSTM1997, LSTM1997Trace

outer = np.multiply.outer


OPERATIONS = ("multiplications", "additions", "functions")
"""What is counted; one value of an activation or of its slope is a function."""


class Counted(np.ndarray):
    """An array whose products and sums count in ``tally``; a matrix product adds each product to a sum from zero."""

    tally: ClassVar[Counter[str]] = Counter()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = (), **options: Any) -> "Counted":
        plain, tally = [np.asarray(part) for part in inputs], Counted.tally
        options |= {"out": tuple(map(np.asarray, out))} if out else {}
        found = np.asarray(getattr(ufunc, method)(*plain, **options))
        if ufunc is np.matmul:
            tally.update(dict.fromkeys(("multiplications", "additions"), found.size * plain[0].shape[-1]))
        elif ufunc is np.multiply:
            tally["multiplications"] += found.size
        elif ufunc in (np.add, np.subtract):
            tally["additions"] += plain[0].size - found.size if method == "reduce" else found.size
        else:
            raise TypeError(f"ufunc: expected products and sums, got {ufunc.__name__}")
        return out[0] if out else found.view(Counted)


@contextmanager
def counting(tally: Counter[str] | None = None) -> Iterator[Counter[str]]:
    """Count in ``tally``, or in a new one, all that arrays that count take part in."""
    before, Counted.tally = Counted.tally, Counter() if tally is None else tally
    try:
        yield Counted.tally
    finally:
        Counted.tally = before


def counted(values: Any) -> Counted:
    """A copy of an array that counts."""
    return np.array(values, float).view(Counted)


def zeros(*shape: int) -> Counted:
    """Zeros that count."""
    return counted(np.zeros(shape))


def applied(f: Callable, z: np.ndarray) -> Counted:
    """f(z), or a slope f'(z): one operation for each entry."""
    Counted.tally["functions"] += z.size
    return counted(f(np.asarray(z)))


def add_rows(result: Counted, factors: Counted, matrix: Counted) -> None:
    """result += sum of the rows of the matrix times their factors."""
    for row, factor in zip(matrix, factors, strict=True):
        result += factor * row


# ---- the three methods


class Program:
    """The network of a model with biases and ``timing="previous"``: W of units, V of outputs, their gradients.

    W (units, inputs of a unit and 1), V (n_out, inputs of an output and 1). Units stand in the order of the columns
    of W: hidden units, input gates, output gates, cells.
    """

    def __init__(self, model: LSTM1997, theta: np.ndarray) -> None:
        self.model, (self.W, self.V) = model, map(counted, matrices(model, theta))
        ends = np.cumsum([0, model.hidden, model.blocks, model.blocks, model.blocks * model.cells])
        self.hid, self.ig, self.og, self.cell = map(slice, ends, ends[1:])
        self.block = np.arange(ends[-1] - ends[-2]) % model.blocks  # of each cell
        self.dW, self.dV = zeros(*self.W.shape), zeros(*self.V.shape)
        self.y, self.s = zeros(len(self.W)), zeros(len(self.block))

    def advance(self, x: np.ndarray) -> tuple[Counted, ...]:
        """Take a step. Inputs of an output and its net input, both from before; the units' inputs and net inputs."""
        m, before = self.model, self.y
        read = counted(np.r_[x, before[self.hid], before[self.cell], 1.0])
        z_out = self.V @ read
        r = counted(np.r_[x, before, 1.0])
        z, y = self.W @ r, zeros(len(self.W))
        y[self.hid], y[self.ig] = applied(m.f_hid, z[self.hid]), applied(m.f, z[self.ig])
        self.s = self.s + y[self.ig][self.block] * applied(m.g, z[self.cell])
        y[self.og] = applied(m.f, z[self.og])
        y[self.cell] = y[self.og][self.block] * applied(m.h, self.s)
        self.y = y
        return read, z_out, r, z

    def add_output_error(self, error: Counted, by_y: Counted) -> None:
        """Add dE/dy of hidden units and cells, from dE/dz of the outputs."""
        first = self.model.n_in + self.model.hidden
        add_rows(by_y[self.hid], error, self.V[:, self.model.n_in : first])
        add_rows(by_y[self.cell], error, self.V[:, first:-1])


class Online(Program):
    """A method that carries derivatives forwards; a subclass says which."""

    def run(self, inputs: np.ndarray, targets: np.ndarray) -> None:
        """Add the gradient of the squared errors of all steps."""
        m, mask, loss = self.model, counted(np.ones(self.model.n_out)), counted(0.0)
        self.made_from = zeros(self.W.shape[1]), zeros(len(self.W))
        for x, target in zip(inputs, targets, strict=True):
            made_from, y, s = self.made_from, self.y, self.s
            read, z_out, *self.made_from = self.advance(x)
            difference = applied(m.f_out, z_out) - target
            loss += difference @ (0.5 * mask * difference)
            error = mask * difference * applied(m.f_out.derivative, z_out)
            self.dV += outer(error, read)
            by_y = zeros(len(self.W))
            self.add_output_error(error, by_y)
            self.add_gradient(by_y, *made_from, y, s)
            self.move(*self.made_from)


class Truncated(Online):
    """Kept: ds_c/dW of the row of its input gate and of its own row (lstm97-67, lstm97-68)."""

    def __init__(self, model: LSTM1997, theta: np.ndarray) -> None:
        super().__init__(model, theta)
        self.kept = [zeros(len(self.s), self.W.shape[1]) for _ in range(2)]

    def move(self, r: Counted, z: Counted) -> None:
        """From t-1 to t: both only add, since net inputs of the past are held."""
        m, y_ig = self.model, self.y[self.ig][self.block]
        slope = applied(m.f.derivative, z[self.ig][self.block])
        self.kept[0] += outer(applied(m.g, z[self.cell]) * slope, r)
        self.kept[1] += outer(y_ig * applied(m.g.derivative, z[self.cell]), r)

    def add_gradient(self, by_y: Counted, r: Counted, z: Counted, y: Counted, s: Counted) -> None:
        """Add dE/dy times the derivatives of hidden units and cells."""
        m, y_og = self.model, y[self.og][self.block]
        self.dW[self.hid] += outer(applied(m.f_hid.derivative, z[self.hid]) * by_y[self.hid], r)
        by_og = applied(m.h, s) * applied(m.f.derivative, z[self.og][self.block]) * by_y[self.cell]
        by_s = (y_og * applied(m.h.derivative, s) * by_y[self.cell])[:, None]
        self.dW[self.cell] += by_s * self.kept[1]
        for first in range(0, len(s), m.blocks):
            cells = slice(first, first + m.blocks)
            self.dW[self.og] += outer(by_og[cells], r)
            self.dW[self.ig] += by_s[cells] * self.kept[0][cells]


class Exact(Online):
    """Kept: dy_u/dW and ds_c/dW of all units and states, with respect to all weights below the outputs."""

    def __init__(self, model: LSTM1997, theta: np.ndarray) -> None:
        super().__init__(model, theta)
        self.kept = [zeros(number, *self.W.shape) for number in (len(self.W), len(self.s))]

    def move(self, r: Counted, z: Counted) -> None:
        """From t-1 to t."""
        m, (of_y, of_s), of_z, units = self.model, self.kept, zeros(*self.kept[0].shape), range(len(self.W))
        of_z[units, units] = r
        for l in units:
            of_z += outer(self.W[:, m.n_in + l], of_y[l])
        of_y[:] = 0.0

        def add(to: Counted, factors: Counted, derivatives: Counted) -> None:
            to += factors[:, None, None] * derivatives

        for kind, f in ((self.hid, m.f_hid), (self.ig, m.f), (self.og, m.f)):
            add(of_y[kind], applied(f.derivative, z[kind]), of_z[kind])
        add(of_s, applied(m.g, z[self.cell]), of_y[self.ig][self.block])
        add(of_s, self.y[self.ig][self.block] * applied(m.g.derivative, z[self.cell]), of_z[self.cell])
        add(of_y[self.cell], applied(m.h, self.s), of_y[self.og][self.block])
        add(of_y[self.cell], self.y[self.og][self.block] * applied(m.h.derivative, self.s), of_s)

    def add_gradient(self, by_y: Counted, *_: Counted) -> None:
        """Add dE/dy times the derivatives of all units."""
        add_rows(self.dW, by_y, self.kept[0])


class Backwards(Program):
    """BPTT. The errors of the outputs are given: their differences from the targets are not counted."""

    def run(self, inputs: np.ndarray, targets: np.ndarray) -> None:
        """Add the gradient of the squared errors of all steps."""
        m, steps = self.model, []
        for x in inputs:
            read, z_out, *made_from = self.advance(x)
            y_out = applied(m.f_out, z_out)
            steps.append((read, z_out, np.asarray(y_out), *made_from, self.y, self.s))
        by_y, by_s = zeros(len(self.W)), zeros(len(self.s))
        for (read, z_out, y_out, r, z, y, s), target in zip(steps[::-1], targets[::-1], strict=True):
            error = applied(m.f_out.derivative, z_out) * (y_out - target)
            before, by_z = zeros(len(self.W)), counted(by_y)
            self.add_output_error(error, before)
            by_s += y[self.og][self.block] * applied(m.h.derivative, s) * by_y[self.cell]
            for kind, of_cells in (
                (self.og, applied(m.h, s) * by_y[self.cell]),
                (self.ig, applied(m.g, z[self.cell]) * by_s),
            ):
                for part in of_cells.reshape(m.cells, m.blocks):
                    by_z[kind] += part
            by_z[self.cell] = y[self.ig][self.block] * applied(m.g.derivative, z[self.cell]) * by_s
            for kind, f in ((self.hid, m.f_hid), (self.ig, m.f), (self.og, m.f)):
                by_z[kind] *= applied(f.derivative, z[kind])
            add_rows(before, by_z, self.W[:, m.n_in : -1])
            self.dW += outer(by_z, r)
            self.dV += outer(error, read)
            by_y = before


PROGRAMS = {"truncated": Truncated, "bptt": Backwards, "rtrl": Exact}


def matrices(model: LSTM1997, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """W and V of a flat vector of weights; a bias is the last column."""
    p = model.layout.views(theta)
    *units, V = (np.concatenate([p[f"w_{kind}"], p[f"b_{kind}"][..., None]], -1) for kind in KINDS)
    return np.vstack([part.reshape(-1, part.shape[-1]) for part in units]), V


# ---- the note's list: the schedule of one update above lstm97-74, whose lines are parts of lstm97-69 to lstm97-73

UPDATE = "sums over time"  # 69d, 70i, 71k, 72r, 73q: not in the note's list


def carried_out(model: LSTM1997, theta: np.ndarray, x: np.ndarray) -> tuple[dict[int | str, Counter[str]], np.ndarray]:
    """Operations of the last step by line number, and the sum over time and outputs of the truncated dy_i(t+1)/dw.

    In lines 9 and 16 the error signal of a cell is a factor inside the sum over the cells of a block, since an output
    weight belongs to one cell; nothing is left to do in lines 29 and 31. The model has no biases, as the note's.
    """
    trace, weights = model.forward(theta, x), model.layout.views(theta)
    kept = [zeros(*weights["w_cell"].shape) for _ in range(2)]
    total, lines = {name: zeros(*view.shape) for name, view in weights.items()}, {}

    def line(number: int | str, operation: Callable, *of: Any, **how: Any) -> Any:
        with counting(lines.setdefault(number, Counter())):
            return operation(*of, **how)

    for t in range(trace.length):
        lines.clear()
        for name, part in one_step(line, model, weights["w_out"], trace, t, kept).items():
            line(UPDATE, np.add, total[name], part, out=total[name])
    return lines, model.layout.flatten({name: np.asarray(part) for name, part in total.items()})


def one_step(
    line: Callable, m: LSTM1997, w_out: np.ndarray, trace: LSTM1997Trace, t: int, kept: list[Counted]
) -> dict[str, Counted]:
    """What the outputs at t+1 add to the update; ``kept``, the derivatives 72c and 73c, go from t-1 to t."""
    times = np.multiply
    past = {name: rows[max(t - 1, 0)].ravel() for name, rows in trace.items()}
    source = np.concatenate([past[name] for name in ("x", "y_hid", "y_ig", "y_og", "y_cell")]) * (t > 0)
    read = np.concatenate([trace.x[t], trace.y_hid[t], trace.y_cell[t].ravel()])
    now = {name: counted(rows[t]) for name, rows in trace.items() if len(rows) > t}
    g, h = counted(m.g(trace.net_cell[t])), counted(m.h(trace.s[t]))
    d_hid, d_ig, d_og, d_cell = (
        line(3, applied, f.derivative, now[f"net_{kind}"])
        for kind, f in (("hid", m.f_hid), ("ig", m.f), ("og", m.f), ("cell", m.g))
    )
    by_hid, by_og = line(4, outer, d_hid, source), line(5, outer, d_og, source)
    by_ig, by_cell = line(6, outer, d_ig, source), line(7, outer, d_cell, source)
    line(12, np.add, kept[0], line(11, times, g[..., None], by_ig), out=kept[0])
    line(14, np.add, kept[1], line(13, times, now["y_ig"][:, None], by_cell), out=kept[1])
    d_h = line(15, applied, m.h.derivative, now["s"])
    d_out = line(22, applied, m.f_out.derivative, counted(trace.net_out[t + 1]))
    error = line(26, np.sum, line(25, times, d_out[:, None], w_out[:, m.n_in :]), axis=0)
    e_hid, e_cell = error[: m.hidden], error[m.hidden :].reshape(m.cells, m.blocks)
    block = line(9, np.sum, line(9, times, e_cell, h), axis=0)  # printed without the factor e_cell
    of_states = line(16, times, line(16, times, d_h, e_cell)[..., None], kept[0])  # printed without it, too
    of_block, of_cell = line(17, np.sum, of_states, axis=0), line(18, times, d_h[..., None], kept[1])
    opened = line(21, times, now["y_og"][:, None], of_cell)
    return {
        "w_out": line(23, outer, d_out, read),
        "w_og": line(10, times, by_og, block[:, None]),
        "w_ig": line(20, times, now["y_og"][:, None], of_block),
        "w_hid": line(27, times, e_hid[:, None], by_hid),
        "w_cell": line(33, times, e_cell[..., None], opened),
    }


# ---- counts


@cache
def count(method: str, sizes: tuple[int, ...], length: int = 1) -> Counter[str]:
    """Operations of one gradient of a sequence."""
    model, random = network(sizes), np.random.default_rng(0)
    program = PROGRAMS[method](model, model.init(0))
    with counting() as tally:
        program.run(random.normal(size=(length, model.n_in)), random.normal(size=(length, model.n_out)))
    return tally


@cache
def kept(method: str, sizes: tuple[int, ...], length: int = 1) -> int:
    """Numbers that a program keeps of a sequence, weights and gradient included; for BPTT, the trace of all steps."""
    model = network(sizes)
    if method == "bptt":
        trace = model.forward(model.init(0), np.ones((length, model.n_in)))
        return 2 * model.layout.size + sum(array.size for _, array in trace.items())
    program = PROGRAMS[method](model, model.init(0))
    program.run(np.ones((length, model.n_in)), np.zeros((length, model.n_out)))
    parts = program.W, program.V, program.dW, program.dV, program.y, program.s, *program.kept, *program.made_from
    return sum(part.size for part in parts)


def agrees(method: str, sizes: tuple[int, ...], length: int = 1) -> bool:
    """Whether the polynomials equal the counts of operations and of stored numbers, one by one."""
    found = count(method, sizes, length)
    expected = [length * value(part, sizes) for part in STEP[method]]
    same = [found[name] for name in OPERATIONS] == expected
    return same and kept(method, sizes, length) == value(KEPT[method], sizes, length)


@cache
def agrees_on_grid(method: str) -> bool:
    """Whether the polynomials equal the counts on 108 networks.

    These are one size more in each direction than the degree for truncation and BPTT; for RTRL they are a sample.
    """
    return all(agrees(method, sizes) for sizes in product((0, 1), (0, 1, 2), (1, 2, 3), (1, 2, 3), (1, 2)))
