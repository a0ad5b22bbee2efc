"""The tables of symbols of the parts of the book, and where their pages define them.

A line of a table is a kind and its symbols: name[highest index, or lowest:highest, ...], "@n" for a sequence whose
value at time n is 0 (a unit) or that starts at time n (a given one). Definitions are taken from the pages: from a box
by its id, from a display by its page and beginning, or, where a page says it in words only, from these words as TeX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from outside_reader.pages import boxes, display
from outside_reader.tex import Reader, read
from outside_reader.world import Definition, Symbol

ITEM = re.compile(r"([^\s\[@]*(?:\[[^\s\]]*;[^\s\]]*\])?)(?:\[([^\];]*)\])?(@-?\d*)?$")
H, Y = "n_h+r_h+a_h", "n_y+r_y+a_y"
H_NET, H_ACT = "n_h+1:n_h+r_h", f"n_h+r_h+1:{H}"
Y_NET, Y_ACT = "n_y+1:n_y+r_y", f"n_y+r_y+1:{Y}"
ALL, OUT = "d_in+d_hid+(2+n_cell)*d_cell", "d_in+d_hid+n_cell*d_cell"
R, O = "[x;y^hid;y^ig;y^og;y^cell]", "[x;y^hid;y^cell]"


@dataclass(frozen=True)
class System:
    """A network as its pages show it."""

    table: str
    sources: tuple[str | tuple[str, str], ...]
    cuts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    largest: int = 3
    smallest: int = 1

    def symbols(self) -> dict[str, Symbol]:
        return table(self.table)


@cache
def table(text: str) -> dict[str, Symbol]:
    """The symbols of a table, by name and number of indices."""
    found = {}
    for line in text.strip().splitlines():
        kind, *items = line.split()
        for item in items:
            name, ranges, time = ITEM.match(item).groups()  # type: ignore[union-attr]
            pairs = tuple(tuple((r if ":" in r else f"1:{r}").split(":")) for r in (ranges.split(",") if ranges else ()))
            start = int(time[1:]) if time and time[1:] else None
            found[f"{name}/{len(pairs) * (kind != 'matrix')}"] = Symbol(kind, pairs, timed=bool(time), start=start)  # type: ignore[arg-type]
    return found


@cache
def definitions(name: str) -> list[Definition]:
    """The definitions of a system, off its pages."""
    system, found = SYSTEMS[name], []
    symbols = system.symbols()
    for source in system.sources:
        ranges = {}
        if isinstance(source, tuple):
            tex = display(*source)
        elif source in boxes():
            tex = boxes()[source].accepted
            ranges = letters(boxes()[source].ranges, symbols)
        else:
            tex = source
        for tree, where in read(tex, symbols):
            left, right = tree[1][:2]
            if left[0] == "unit":
                found.append(Definition(left, right, where, ranges))
    return found


def letters(ranges: dict[str, list[tuple[str, str]]], symbols: dict[str, Symbol]) -> dict:
    """The ranges of a box as trees, by their letters."""
    return {
        Reader(letter, symbols).letter()[1:]: [tuple(Reader(end, symbols).all() for end in pair) for pair in pairs]
        for letter, pairs in ranges.items()
    }


# Each error is defined inside of the sum of peephole-6 and bptt-1 only.
ERRORS = (
    r"E_{i}(t) = \frac{1}{2}\,{(y_{i}(t) - \hat y_{i}(t))}^{2} \\[4pt] E(t) = \sum_{i=1}^{d_{\mathrm{out}}} E_{i}(t)",
)
LSTM2000 = f"""
size d_in d_out n_block d_block n_src
number T
given x[d_in]@ hat.y[d_out]@
weight S^x[n_src,d_in] S^fg[n_src,n_block] S^ig[n_src,n_block] S^og[n_src,n_block] S^block[n_src,n_block,d_block]
weight w^fg[n_block,n_src] w^ig[n_block,n_src] w^og[n_block,n_src] w^block[n_block,d_block,n_src]
weight w^out[d_out,d_in] w^out[d_out,n_block,d_block]
weight u^fg[n_block,d_block] u^ig[n_block,d_block] u^og[n_block,d_block]
unit r[n_src]@ net^fg[n_block]@ net^ig[n_block]@ net^og[n_block]@ net^block[n_block,d_block]@ net^out[d_out]@
unit y^fg[n_block]@0 y^ig[n_block]@0 y^og[n_block]@0 y^block[n_block,d_block]@0 s^block[n_block,d_block]@0
unit y[d_out]@ E[d_out]@ E@
function f^fg[n_block] f^ig[n_block] f^og[n_block] f^out[d_out] g[n_block,d_block] h[n_block,d_block]
"""
SOURCES = ("peephole/forget-gates.ipynb", r"r_{q}(t) &=")
READ_LATE = {"r/1": ("y^fg/1", "y^ig/1", "y^og/1", "y^block/2")}
SEEN = dict.fromkeys(("net^fg/1", "net^ig/1", "net^og/1"), ("s^block/2",))
NET = """
size d_in d_out
number T
given x[d_in]@0 hat.y[d_out]@1
weight {weights}
unit {net}[d_out]@ y[d_out]@0 [x;y][d_in+d_out]@ E[d_out]@ E@
value cal.L
function f[d_out] sigma
"""

BATCH = """
size I N K J
matrix X[I,N] over.X[I,1+N+{fed}] over.\\overlineX[I,K] F[I,K] over.F[I,1+K] over.\\overlineF[I,J] G[I,J] cal.I[I,1]
matrix v[1+N+{fed},K] omega[1+K,J]
row x[I] over.x[I] f[I] over.f[I] g[I]
"""

SYSTEMS = {
    "lfmn": System(
        f"""
        size d_in n_h r_h a_h n_y r_y a_y
        number T M
        given x[d_in]@1 d[{Y}]@1 sigma@1
        weight w^hid[{H},d_in] u^hid[{H_NET}] v^hid[{H_ACT}]
        weight w^out[n_y,{H}] u^out[{Y_NET}] v^out[{Y_ACT}] W^out[n_y+1:{Y},d_in]
        unit c[{H}]@ tilde.h[{H_NET}]@0 bar.h[{H_ACT}]@ h[{H}]@0 a[n_y]@ tilde.y[{Y_NET}]@0 bar.y[{Y_ACT}]@ y[{Y}]@0 C@
        value loss
        function f
        """,
        (
            *(f"lfmn-{number}" for number in (1, 2, 3, 4, 5, 6, 7)),
            # Said in words around lfmn-1, lfmn-4 and lfmn-7; each stands there inside of a larger formula.
            r"c_{j}(t) = \sum_{k=1}^{d_{\mathrm{in}}} w^{\mathrm{hid}}_{j k}\,x_{k}(t)",
            r"a_{i}(t) = \sum_{j=1}^{n_{h} + r_{h} + a_{h}} w^{\mathrm{out}}_{i j}\,h_{j}(t)",
            r"C(t) = \sum_{i=1}^{n_{y} + r_{y} + a_{y}} {(y_{i}(t) - d_{i}(t))}^{2}",
        ),
        largest=2,
    ),
    "recurrent": System(
        NET.format(weights="w^in[d_out,d_in] w[d_out,d_out]", net="z"),
        (("bptt/forward.ipynb", r"z_{i}(t) &= \sum_{q=1}^{d_{\mathrm{in}}}"),),
    ),
    "alone": System(NET.format(weights="w[d_out,d_out]", net="z"), ("bptt-21", r"y_{j}(t) = f_{j}(z_{j}(t))", *ERRORS)),
    "matrix": System(
        NET.format(weights="W[d_out,d_in+d_out]", net="z"),
        (r"z_{i}(t + 1) = \sum_{j=1}^{d_{\mathrm{in}} + d_{\mathrm{out}}} W_{i j}\,[x;\,y]_{j}(t)", "lstm97-2"),
    ),
    "columns": System(
        NET.format(weights="w[d_out,d_in+d_out]", net="net"),
        (
            r"\operatorname{net}_{j}(t) = \sum_{q=1}^{d_{\mathrm{in}} + d_{\mathrm{out}}} w_{j q} [x; y]_{q}(t - 1)"
            r"\\[4pt] y_{j}(t) = f_{j}(\operatorname{net}_{j}(t))",
        ),
    ),
    "lstm1997": System(
        f"""
        size d_in d_hid d_cell n_cell d_out
        number T
        given x[d_in]@0 hat.y[d_out]@1
        weight w^hid[d_hid,{ALL}] w^ig[d_cell,{ALL}] w^og[d_cell,{ALL}] w^cell[n_cell,d_cell,{ALL}] w^out[d_out,{OUT}]
        unit net^hid[d_hid]@ net^ig[d_cell]@ net^og[d_cell]@ net^cell[n_cell,d_cell]@ net^out[d_out]@
        unit y^hid[d_hid]@0 y^ig[d_cell]@0 y^og[d_cell]@0 y^cell[n_cell,d_cell]@0 s[n_cell,d_cell]@0 y[d_out]@
        unit {R}[{ALL}]@ {O}[{OUT}]@
        function f^hid[d_hid] f^ig[d_cell] f^og[d_cell] f^out[d_out] g[n_cell,d_cell] h[n_cell,d_cell]
        """,
        (("lstm1997/cell.ipynb", r"\mathrm{net}^{\mathrm{hid}}_{i}(t) &="),),
        dict.fromkeys(("net^hid/1", "net^ig/1", "net^og/1", "net^cell/2"), (f"{R}/1",)),
        largest=2,
    ),
    "lstm2000": System(
        LSTM2000, (SOURCES, "peephole-1", "peephole-2", "peephole-4", "peephole-5", *ERRORS), READ_LATE, largest=2
    ),
    "squashed": System(LSTM2000, (SOURCES, "peephole-1", "peephole-2", "peephole-3"), READ_LATE, largest=2),
    "lstm2002": System(
        LSTM2000,
        (SOURCES, "peephole-13", "peephole-14", "peephole-2", "peephole-4", "peephole-5", *ERRORS),
        READ_LATE | SEEN,
        largest=2,
    ),
    "elman": System(BATCH.format(fed="K"), ("rnn-2", "rnn-3", "rnn-4", "rnn-5", "rnn-6", "rnn-7"), smallest=2, largest=7),
    "jordan": System(BATCH.format(fed="J"), ("rnn-9", "rnn-10", "rnn-11", "rnn-12", "rnn-13", "rnn-14"), smallest=2, largest=7),
    "counter": System(
        """
        size I
        number T
        given x[I]@1
        weight v_f v_x
        unit f[I]@0
        value y[I] hat.y[I] E
        """,
        ("rnn-15", "rnn-16", "rnn-17"),
    ),
}
