"""Checks of gradient descent as the note on peepholes prints it, of counts of parameters, and of a sign."""

from functools import cache
from itertools import product

import numpy as np
from book.peephole.bench import LENGTH, make_bench
from book.peephole.factors import d_tr
from book.shared.reading import equals
from book.shared.words import Where
from sympy import Equality, Expr, Function, Integer, Symbol, lambdify, symbols
from throughtime.arrays.activations import logistic
from throughtime.derivation import Ref
from throughtime.evidence.trace import Arrays
from throughtime.systems import lstm_family as family
from throughtime.textbook.peephole import PeepholeLSTM

rate = Symbol(r"{\alpha}", real=True)
PLACES = {"w_out": "ij", "w_block": "pq"}
PLACES |= {f"{letter}_{name}": "kq" for letter in "wu" for name in ("og", "ig", "fg")}


def _letters(name: str) -> tuple[str, str, str]:
    letter, kind = name.split("_")
    return letter, rf"\mathrm{{{kind}}}" + (",k" if kind == "block" else ""), PLACES[name]


def old(name: str) -> Symbol:
    """A weight before the update."""
    letter, kind, place = _letters(name)
    return Symbol(rf"{letter}^{{{kind}}}_{{{place}}}", real=True)


def new(name: str) -> Symbol:
    """The same weight after it."""
    letter, kind, place = _letters(name)
    return Symbol(rf"{letter}^{{{kind},\,\mathrm{{new}}}}_{{{place}}}", real=True)


def slope(name: str) -> Symbol:
    """The truncated derivative of the error at this time with respect to the weight, with the note's sign."""
    letter, kind, place = _letters(name)
    return Symbol(rf"{{\frac{{\partial E(t)}}{{\partial {letter}^{{{kind}}}_{{{place}}}}}}}", real=True)


def rule(name: str, start: str | None = None) -> Equality:
    """name_new = start - rate * slope; `start` is the same matrix unless a source prints another."""
    return equals(new(name), old(start or name) - rate * slope(name))


_bench = cache(make_bench)


@cache
def _values() -> dict[Symbol, np.ndarray]:
    """Weights of the net in numbers and truncated derivatives of its last error, by symbol."""
    found: dict[Symbol, np.ndarray] = {rate: np.array(0.0)}
    weights = {quantity.name: quantity for quantity in family.parameters(_bench().system)}
    last = family.cost[Integer(LENGTH)]
    twin = _bench().twin([last])
    for name in PLACES:
        start = _bench().model.parameters[name]
        found |= {old(name): start, slope(name): np.zeros(start.shape)}
        for place in np.ndindex(start.shape):
            weight = Ref(weights[name], *(Integer(1 + index) for index in place))
            found[slope(name)][place] = twin.value(d_tr(family.LSTM2002, last, weight), {})
    return found


def after(update: Expr, size: float) -> np.ndarray:
    """The updated matrix in the net in numbers, for one rate; or what else is made of weights and the output layer."""
    values = {**_values(), **_output_layer(), rate: size}
    letters = sorted(update.free_symbols, key=str)
    return lambdify(letters, update, "numpy")(*(values[letter] for letter in letters))


def descends(formula: Equality) -> bool:
    """Whether an update leaves its matrix as it is for rate 0, and sets out along minus its own truncated gradient.

    Along it the error of this time falls at the rate |g|^2 in the net whose cut arguments are held.
    """
    name = next((name for name in PLACES if formula.lhs == new(name)), None)
    if name is None:
        return False
    start, g = (_values()[symbol(name)] for symbol in (old, slope))
    try:
        stays = np.array_equal(after(formula.rhs, 0.0) + 0 * start, start)
        moves = (after(formula.rhs, 1.0) - after(formula.rhs, 0.0)) + 0 * g
    except ValueError:  # matrices of different shapes
        return False
    return stays and bool(abs(np.sum(moves * g) + np.sum(g * g)) <= 1e-12 * np.sum(g * g))


def right_alone(right: dict[str, Equality], printed: dict[str, Equality]) -> bool:
    """Whether all right updates descend, and of the printed ones none that differs from the right one."""
    wrong = [formula for name, formula in printed.items() if formula != right[name]]
    return all(map(descends, right.values())) and bool(wrong) and not any(map(descends, wrong))


def example(name: str, start: str) -> str:
    """Numbers at which an update that sets out from another matrix goes wrong."""
    rows = {what: _values()[old(what)] for what in (name, start)}
    g, size = _values()[slope(name)], 0.1
    wrong, right = (after(rule(name, start=what).rhs, size) for what in (start, name))
    return (
        f"In a net with random weights the first entries are ${old(name)} = {rows[name][0, 0]:.6g}$ and "
        f"${old(start)} = {rows[start][0, 0]:.6g}$, and ${slope(name)} = {g[0, 0]:.4g}$. "
        f"With $\\alpha = {size}$ the printed rule makes the former {wrong[0, 0]:.6g}, "
        f"where gradient descent makes it {right[0, 0]:.6g}."
    )


# ---- how many parameters

P = Function("P")
SIZES = symbols(r"d_{\mathrm{in}} n_{\mathrm{block}} d_{\mathrm{block}} d_{\mathrm{out}}", integer=True, positive=True)


@cache
def in_system(n_in: int, blocks: int, cells: int, n_out: int) -> int:
    """The parameters that the system of the experiments' net lists, for given sizes."""
    letters = family.d_in, family.n_blk, family.d_blk, family.d_out, family.n_src
    sizes = dict(zip(letters, (n_in, blocks, cells, n_out, n_in + blocks * cells), strict=True))
    return sum(family.size_of(item, sizes) for item in family.parameters(family.EXPERIMENTS.build().check()))


def in_library(n_in: int, blocks: int, cells: int, n_out: int) -> int:
    """The length of the library's parameter vector for that net."""
    return PeepholeLSTM(n_in, blocks, cells, n_out, feedback="cells", direct=False, bias=True).layout.size


def counts(formula: Equality) -> bool:
    """Whether a formula in P and the sizes counts the parameters of the system, for several sizes."""
    given = (dict(zip(SIZES, map(Integer, sizes), strict=True)) for sizes in product((1, 2), repeat=4))
    counted = lambda *sizes: Integer(in_system(*map(int, sizes)))  # noqa: E731
    return all(formula.xreplace(sizes).replace(P, counted) == True for sizes in given)  # noqa: E712


# ---- the sign of an update of output weights

CHANGE, DELTA, Y_M = (Symbol(name, real=True) for name in (r"\Delta w_{km}(t)", r"{\delta_{k}(t)}", "{y_{m}(t)}"))
OUT_SLOPE = Symbol(r"f_{k}'(\mathrm{net}_{k}(t))", real=True)
TARGET, OUTPUT = Symbol(r"\hat y_{k}(t)", real=True), Symbol("y_{k}(t)", real=True)


@cache
def _output_layer() -> dict[Symbol, np.ndarray]:
    """The symbols above in the net at its last time, as arrays over outputs k and cells m."""
    now = {name: array[LENGTH].real for name, array in _run().items()}
    target = _bench().model.inputs["d"][LENGTH - 1]
    columns = {OUT_SLOPE: logistic.derivative(now["net_out"]), TARGET: target, OUTPUT: now["y"]}
    return {symbol: column[:, None] for symbol, column in columns.items()} | {Y_M: now["y_block"].reshape(1, -1)}


def _run(**moved: np.ndarray) -> Arrays:
    """The forward pass of the net, with other weights in some matrices."""
    model = _bench().model
    return model.forward(model.parameters | moved, model.inputs)


def _changes(formula: Where, size: float) -> np.ndarray | None:
    """The change of the output weights under a rule and its meaning of delta; None for a formula of another shape."""
    body, meaning = formula.args
    both = isinstance(body, Equality) and isinstance(meaning, Equality)
    if not both or (body.lhs, meaning.lhs) != (CHANGE, DELTA):
        return None
    return after(body.rhs.xreplace({DELTA: meaning.rhs}), size)


def sign_is_right(formula: Where) -> bool:
    """Whether a rule for output weights is minus the rate times the gradient of this time's error, exact for these."""
    found, gradient = _changes(formula, 0.5), _values()[slope("w_out")]
    gradient = gradient.reshape(len(gradient), -1)
    return found is not None and bool(np.abs(found + 0.5 * gradient).max() <= 1e-12 * np.abs(gradient).max())


def one_update(sign: int) -> tuple[float, float]:
    """The error of the last time before and after an update of the output weights by sign * 0.1 * delta * y."""
    weights = _values()[old("w_out")]
    rule_ = Where(equals(CHANGE, sign * rate * DELTA * Y_M), equals(DELTA, OUT_SLOPE * (TARGET - OUTPUT)))
    moved = weights + np.reshape(_changes(rule_, 0.1), weights.shape)
    return tuple(float(_run(w_out=each)["E"][LENGTH]) for each in (weights, moved))
