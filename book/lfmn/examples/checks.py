"""Checks of what latches can and cannot learn, by simulated units: lfmn-example-1, lfmn-example-2.

Random units of both kinds run under the same weak noise, so that what any of them still tells apart late is what a
network of them can tell apart. Networks set by hand show what can be kept. No check uses the chapter's proofs.
"""

from functools import cache, reduce
from itertools import combinations, product

import numpy as np
from book.lfmn import one_unit as lt
from book.lfmn.examples.experiment import share_right
from book.shared.samples import Samples
from book.shared.words import Denied, Words
from sympy import Function, Symbol, symbols
from sympy.logic.boolalg import Boolean
from throughtime.arrays.activations import tanh_half
from throughtime.tasks.counting import last_occurrences
from throughtime.tasks.first_input import binary_code, first_input
from throughtime.textbook.lfmn import LFMN

K, n, r, k, j, C = symbols("K n r k j C", integer=True, positive=True)
KEEPS = Words("$n$ latching units can keep $K$ classes in noise")
SOLVED = Words("the task is solved")
COUNTED, ORDERED = Denied("counting is possible"), Denied("keeping an order is possible")
TOLD = Words("two words $w$ and $w'$ can be told apart")
order = Function("ell")
w1, w2 = Symbol("w"), Symbol("w'")

NOISE, GAP = 0.003, 240
FORGETTING, LATCHING = (0.0, 1.7), (2.3, 6.0)  # self weights v, away from 2, where all is slow
DECAYING, GROWING = (0.0, 0.85), (1.15, 1.6)  # self weights u, away from 1


def draw_units(count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Units at random: whether each feeds back its activation, its self weight, whether that stores a sign.

    About seven of ten do: |v| > 2 or |u| > 1, of either sign, since a sign that turns at every step is stored.
    """
    active, storing = random.random(count) < 0.6, random.random(count) < 0.7
    ranges = np.array([[DECAYING, GROWING], [FORGETTING, LATCHING]])[active.astype(int), storing.astype(int)]
    return active, random.uniform(*ranges.T) * random.choice([-1, 1], count), storing


def late_states(active: np.ndarray, weight: np.ndarray, forcing: np.ndarray) -> np.ndarray:
    """Activations after the forcing of shape (T, sequences, units), from the state 0; shape (sequences, units)."""
    state = np.zeros(forcing.shape[1:])
    for push in forcing:
        state = weight * np.where(active, tanh_half(state), state) + push
    return tanh_half(state)


def distinct(states: np.ndarray, tolerance: float = 1e-4) -> int:
    """How many rows differ from each other by more than the tolerance somewhere."""
    found: list[np.ndarray] = []
    for row in states:
        if all(np.abs(row - other).max() > tolerance for other in found):
            found.append(row)
    return len(found)


def _noise(steps: int, weights: np.ndarray) -> np.ndarray:
    """Weak noise that drives every unit in one direction: its input z (2 + (-1)^t), shape (steps, 1, units)."""
    return NOISE * weights * (2 + (-1.0) ** np.arange(steps))[:, None, None]


@cache
def random_nets(units: int, nets: int = 60, inputs: int = 40, seed: int = 1) -> tuple[tuple[int, int], ...]:
    """For random networks: (number of units that store a sign, number of first inputs distinguishable at the end)."""
    random = np.random.default_rng(seed)
    drawn = [
        (*draw_units(units, random), random.uniform(-2, 2, units), random.uniform(-6, 6, (inputs, units)))
        for _ in range(nets)
    ]
    active, weight, storing, into, first = (np.concatenate(every, axis=-1) for every in zip(*drawn, strict=True))
    forcing = _noise(600, into) * np.ones((1, inputs, 1))
    forcing[0] = first
    late = np.split(late_states(active, weight, forcing), nets, axis=1)  # all nets at once: no unit sees another
    return tuple(
        (int(n), distinct(states)) for n, states in zip(storing.reshape(nets, -1).sum(axis=1), late, strict=True)
    )


def capacity(units: int) -> int:
    """The largest number of first inputs distinguishable at the end in any of the random networks."""
    return max(told for _, told in random_nets(units))


def solved_in_noise() -> dict[int, int]:
    """The largest number of classes that some network of so many recurrent units tells apart, in noise."""
    return {units: capacity(units) for units in (1, 2, 3)}


def least_units(formula: Boolean) -> bool:
    """Example 1: whether a formula in K and r says of each number of units whether five classes can be solved with it.

    It has to be true of every network: of those that solve their task, and, whatever K and r are, of those that do
    not. And it has to rule out what no network does: five classes solved by so few units that none solves them.
    """
    can, letters, classes = solved_in_noise(), (K, r, SOLVED), range(2, 10)
    seen = [(many, units, many <= most) for many in classes for units, most in can.items()]
    failed = [(many, units, False) for many in classes for units in can]
    never = [(5, units, True) for units, most in can.items() if most < 5]
    return Samples(letters, seen + failed).holds(formula) and not Samples(letters, never).truth(formula).any()


@cache
def kept_in_noise() -> Samples:
    """The theorem behind example 1: whether so many latching units keep so many classes, of the random networks."""
    return Samples((K, n, KEEPS), ((x, units, x <= capacity(units)) for units in (1, 2, 3) for x in range(2, 10)))


# ---- networks set by hand

SELF_WEIGHT = 4.0
MARK = 8.0  # sets a unit of weight 4 from any state: -4 + 8 - 0.6 > xi = 1.763
BIAS = 0.6  # above the noise of at most 0.4; their sum stays below B(4) = 1.066
READ_OUT = 4.0


def classes_in_signs(code: np.ndarray, noise: float) -> tuple[LFMN, np.ndarray]:
    """Example 1 (lfmn-example-1): latching unit j stores column j of ``code`` for output j; net and parameters.

    ``code`` holds signs, shape (classes, units). The net is right on ``first_input`` of any length with noise up to
    ``noise``: the first input sets each unit to +-xi, all later forcing stays within B. ValueError if no self weight
    up to 100 suffices.
    """
    classes, units = code.shape
    for v in np.arange(2.5, 100.5, 0.5):
        xi = lt.critical_point(v)
        if classes * noise * xi <= lt.largest_disturbance(v):
            net = LFMN(classes, hidden=(0, 0, units), output=(units, 0, 0))
            return _assemble(net, w_hid=xi * code.T, v_hid=np.full(units, v), w_out=READ_OUT * np.eye(units))
    raise ValueError(f"noise: {classes} lines with noise of {noise} ask for a self weight above 100")


def four_orders() -> tuple[LFMN, np.ndarray]:
    """Example 2 (lfmn-example-2): three latching units classify XX, XY, YX and YY with any gaps, in noise up to 0.05.

    Units: X has occurred, Y has occurred, the last mark was X. Outputs: the first mark was X, the last mark was X.
    Input lines X, Y and 1 as in ``marked_noise``. A bias stronger than the noise drives the first two units from 0 to
    the negative state.
    """
    return _assemble(
        LFMN(3, hidden=(0, 0, 3), output=(2, 0, 0)),
        w_hid=np.array([[MARK, 0.0, -BIAS], [0.0, MARK, -BIAS], [MARK, -MARK, 0.0]]),
        v_hid=np.full(3, SELF_WEIGHT),
        w_out=READ_OUT * np.array([[1.0, -1.0, -1.0], [0.0, 0.0, 1.0]]),
    )


def classes_in_one_value(classes: int) -> tuple[LFMN, np.ndarray]:
    """Example 1 outside the theorem: one unit with net-input feedback u = 1 stores a value instead of a sign.

    Input lines: one per class, then a constant 1 that feeds a static unit. The largest of the ``classes`` outputs is
    the class, at any length without noise; noise makes the stored value drift. The net input of output k is a
    tangent of a parabola in the stored activation.
    """
    values = np.linspace(-1.5, 1.5, classes)
    s, constant = tanh_half(values), tanh_half(1.0)
    return _assemble(
        LFMN(classes + 1, hidden=(1, 1, 0), output=(classes, 0, 0)),
        w_hid=np.vstack([np.append(np.zeros(classes), 1.0), np.append(values, 0.0)]),
        u_hid=np.ones(1),
        w_out=READ_OUT * np.column_stack([-(s**2) / constant, 2 * s]),
    )


def letter_action(v: float, pulse: float, gap: int = 1000) -> tuple[int, int]:
    """Effect of a mark of one step, of strength ``pulse``, on the sign of a unit: the final signs from - and from +.

    (-1, 1) keeps, (1, 1) sets, (-1, -1) resets; (1, -1) would toggle. Before and after the mark come ``gap`` steps
    with a weak forcing down. Only |v| is used: a negative self weight is taken in the frame that flips every step.
    """
    still = np.full(gap, -1e-3)
    states = lt.trajectory(abs(v), np.array([-20.0, 20.0]), np.concatenate([still, [pulse], still]))
    first, second = np.sign(states[-1]).astype(int).tolist()
    return first, second


def _assemble(model: LFMN, **weights: np.ndarray) -> tuple[LFMN, np.ndarray]:
    absent = {name: np.zeros(shape) for name, shape in model.layout.shapes.items() if name not in weights}
    return model, model.layout.flatten(weights | absent)


def share_of_one_value(noise: float, length: int) -> float:
    """The share of sequences of five classes that one unit with u = 1 still tells after that many steps."""
    model, theta = classes_in_one_value(5)
    x, labels = first_input(5, length, 20, noise, seed=4)
    x = np.concatenate([x, np.ones_like(x[:, :, :1])], axis=2)
    return float(np.mean(model.forward(theta, x).y[:, -1].argmax(axis=1) == labels))


def fates(weight: float, seed: int = 0) -> int:
    """How many bundles forty starts have run into after 600 steps of one weak noise."""
    noise = np.random.default_rng(seed).uniform(0.001, 0.003, 600)
    return distinct(tanh_half(lt.trajectory(weight, np.linspace(-6, 6, 40), noise)[-1])[:, None])


def noise_takes_a_difference_back(noise: float = 0.01, seed: int = 0) -> bool:
    """Whether weak noise makes two first inputs alike in units with u = 1 and u = -1, and changes no latched sign.

    Four units read three lines: u = 1 twice, u = -1, and a latch. The two first inputs leave the latch the same sign.
    """
    draw = np.random.default_rng(seed)
    active, weight = np.array([False, False, False, True]), np.array([1.0, 1.0, -1.0, 4.0])
    into = draw.uniform(-1, 1, (3, 4))
    into[:, 3] = 1.0
    first = np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    steps = 2 * round(np.abs(first[0] - first[1]).max() / noise)  # a part at every other step
    x = draw.uniform(-noise, noise, (steps + 101, 1, 3)) * np.ones((1, 2, 1))
    x[0] = first
    kept = late_states(active, weight, x @ into)
    x[2 : steps + 1 : 2] = 0.0
    x[2 : steps + 1 : 2, 1] = (first[0] - first[1]) / (steps // 2)
    alike = late_states(active, weight, x @ into)
    return distinct(kept) == 2 and distinct(alike, 1e-9) == 1 and bool(np.all(alike[:, 3] > 0))


def worst_noise_is_withstood() -> bool:
    """The three units set by hand for five classes, each pushed by the worst noise for 400 steps, either way."""
    code, noise, good = binary_code(5), 0.1, []
    model, theta = classes_in_signs(code, noise)
    x, labels = first_input(5, 400, 1, 0.0, seed=0)
    for row, side in product(model.layout.views(theta)["w_hid"], (-1, 1)):
        x[:, 1:] = side * noise * np.sign(row)
        good.append(np.array_equal(np.sign(model.forward(theta, x).y[:, -1]), code[labels]))
    return all(good)


def three_units_are_right() -> bool:
    """The three units set by hand are right at lengths up to 2000 in noise of 0.1, and the one value is not."""
    five = binary_code(5)
    shares = (
        share_right(*classes_in_signs(five, 0.1), first_input(5, length, 5, 0.1, seed=length), five)
        for length in (2, 50, 2000)
    )
    return all(share == 1 for share in shares) and share_of_one_value(0.05, 2000) < 0.9


# ---- words of marks


def words(letters: int) -> list[str]:
    """All words of 1 to 3 of the first letters of X, Y, Z."""
    return ["".join(word) for length in (1, 2, 3) for word in product("XYZ"[:letters], repeat=length)]


@cache
def told_apart(letters: int, units: int = 400, seed: int = 2) -> np.ndarray:
    """The pairs of words that some random unit distinguishes at the end, boolean of shape (words, words).

    Marks are one step long, of random strength, and stand at even times with long gaps of noise around them.
    """
    random, every = np.random.default_rng(seed), words(letters)
    active, weight, _ = draw_units(units, random)
    strength = random.uniform(-9, 9, (letters, units))
    forcing = _noise(4 * GAP, random.uniform(-2, 2, units)) * np.ones((1, len(every), 1))
    for place, word in enumerate(every):
        for slot, letter in enumerate(word, start=4 - len(word)):
            forcing[slot * GAP, place] = strength["XYZ".index(letter)]
    late = late_states(active, weight, forcing)
    return np.abs(late[:, None] - late[None]).max(axis=2) > 1e-4


def classes_of_words(letters: int) -> int:
    """The number of classes of words that no random unit distinguishes."""
    return len({tuple(row) for row in told_apart(letters)})


def order_and_count(formula: Boolean) -> bool:
    """Example 2: a formula in words and the orders of last occurrences, or in C and k, or in what is possible."""
    if formula.has(C):
        return Samples((C, k), ((classes_of_words(letters), letters) for letters in (1, 2, 3))).holds(formula)
    if formula.has(order):
        told, kept = told_apart(3), [int(last_occurrences(word), base=36) for word in words(3)]
        pairs = ((bool(told[p, q]), kept[p], kept[q]) for p, q in combinations(range(len(kept)), 2))
        return Samples((TOLD, order(w1), order(w2)), pairs).holds(formula)
    two, told = words(2), told_apart(2)
    counted, ordered = (bool(told[two.index(p), two.index(q)]) for p, q in (("X", "XX"), ("XY", "YX")))
    return Samples((COUNTED, ORDERED), [(counted, ordered)]).holds(formula)


def same_fate_by_sets(word: str, other: str) -> bool:
    """Whether two words end alike for every way in which their letters set, reset or keep, from either sign."""
    letters = sorted({*word, *other})
    for start, *actions in product((-1, 1), *[(1, -1, 0)] * len(letters)):  # 0: it keeps
        action = dict(zip(letters, actions, strict=True))
        one, two = (reduce(lambda sign, mark: action[mark] or sign, each, start) for each in (word, other))
        if one != two:
            return False
    return True
