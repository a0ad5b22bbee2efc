"""Training with the rules, and the angle of each rule's gradient to the exact one, on a temporal order task.

    python -m book.beyond.online_rules.experiment

First every rule is trained with each rate of ``RATES`` from ``TUNING`` starts, then with its best one from 100 others.
A seed has the same start and the same sequences under all rules. The networks that the exact gradient trains are
stopped at ``LOOKS``, and there the gradients of all rules are compared. Those that random feedback trains are stopped
there too, for the angle of its gradient to the exact one, and of B to the readout.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np
from book.beyond import leaky as s
from book.shared.alignment import Quality, quality
from book.shared.records import Records, begin, missing, versions
from throughtime.derivation import System
from throughtime.learning.optimizers import Adam
from throughtime.programs import CompiledNetwork, compile
from throughtime.tasks import AtEnd
from throughtime.tasks.temporal_order import SYMBOLS, temporal_order

UNITS, TAU, SEEDS, TUNING = 16, 2.0, 100, 10
WINDOWS, LENGTHS, CLASSES = ((1, 4), (10, 13)), (18, 20), 4
UPDATES, COPIES, EVERY = 800, 10, 50
RATES = (0.003, 0.01, 0.03, 0.1)
RULES = {"exact": "bptt", "snap": "snap", "rflo": "rflo", "one": "one", "fed": "fed"}
"""The method of the compiled network by the name of the rule."""
OTHERS = [*RULES][1:]
LOOKS, PROBES = (0, 100, 800), 200

RUNS = Records("online_rules_runs.csv", ("rule", "rate", "seed"))
ANGLES = Records("online_rules_angles.csv", ("seed", "updates", "rule"))
ALIGNED = Records("online_rules_aligned.csv", ("seed", "updates"))


@cache
def plain() -> CompiledNetwork:
    """The leaky network with the exact methods and the three cuts."""
    return _compiled(s.leaky(masked=True), s.CUTS)


def fed(seed: int) -> CompiledNetwork:
    """The same with feedback by a random matrix of its own for each seed, drawn like the readout."""
    return _compiled(s.feedback(masked=True), {"fed": s.FED}, B=given_feedback(seed))


def given_feedback(seed: int) -> np.ndarray:
    """The matrix B of a seed, (units, outputs), drawn apart from the start and the sequences."""
    return np.random.default_rng([seed, 1]).normal(size=(UNITS, CLASSES)) / np.sqrt(UNITS)


def _compiled(system: System, cuts: Mapping, **given: np.ndarray) -> CompiledNetwork:
    sizes, given = {s.n: UNITS, s.m: len(SYMBOLS), s.r: CLASSES}, {"tau": np.array(TAU)} | given
    return compile(system, s.loss, sizes, activations={"phi": "tanh"}, given=given, cuts=cuts, compiled=True)


def network(rule: str, seed: int) -> CompiledNetwork:
    """The network that has a rule among its methods."""
    return fed(seed) if rule == "fed" else plain()


def start(random: np.random.Generator) -> np.ndarray:
    """Weights from units and to outputs with variance 1/16, weights from inputs with variance 1."""
    spread = np.sqrt(UNITS)
    draws = {
        "W": random.normal(size=(UNITS, UNITS)) / spread,
        "W_in": random.normal(size=(UNITS, len(SYMBOLS))),
        "W_out": random.normal(size=(CLASSES, UNITS)) / spread,
    }
    return plain().layout.flatten(draws)


def draw(copies: int, random: np.random.Generator) -> AtEnd:
    """Sequences of the task: the order of two symbols, each somewhere in a window, told at the end."""
    return temporal_order(WINDOWS, LENGTHS, copies, random)


def problem(sequences: AtEnd) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, targets and the mask of the steps that count, as the networks take them."""
    targets, mask = sequences.by_step()
    return sequences.x, targets, mask[..., 0]


@cache
def probes() -> AtEnd:
    """The sequences on which losses and gradients are compared, the same at every call."""
    return draw(PROBES, np.random.default_rng(10**6))


def mean_loss(theta: np.ndarray) -> float:
    """Mean loss over the probes."""
    return plain().loss(theta, *problem(probes())) / PROBES


def right(theta: np.ndarray) -> float:
    """Share of the probes for which the largest output at the end is that of the class."""
    outputs = plain().forward(theta, probes().x).y[np.arange(PROBES), probes().lengths]
    return float(np.mean(outputs.argmax(axis=1) == probes().targets.argmax(axis=1)))


def train(
    rule: str, rate: float, seed: int, updates: int = UPDATES, look: Callable[[int, np.ndarray], None] = lambda *_: None
) -> np.ndarray:
    """The weights after so many updates by Adam; `look` is called with the number of updates and the weights."""
    net, random = network(rule, seed), np.random.default_rng(seed)
    theta = start(random)
    optimizer = Adam(len(theta), rate)
    for done in range(updates + 1):
        look(done, theta)
        if done < updates:
            found = net.gradient(theta, *problem(draw(COPIES, random)), method=RULES[rule])
            theta = optimizer.step(theta, found.gradient / COPIES)
    return theta


def into_units(gradient: np.ndarray) -> np.ndarray:
    """The part of a gradient by the weights into units; that by the readout is the same under every rule."""
    parts = plain().layout.views(gradient)
    return np.concatenate([parts["W"].ravel(), parts["W_in"].ravel()])


def angles(theta: np.ndarray, seed: int, rules: Sequence[str] = OTHERS) -> dict[str, Quality]:
    """Cosine and ratio of lengths, rule by rule, of the gradient over all probes to the exact one."""

    def gradient(rule: str) -> np.ndarray:
        return into_units(network(rule, seed).gradient(theta, *problem(probes()), method=RULES[rule]).gradient)

    exact = gradient("exact")
    return {rule: quality(gradient(rule), exact) for rule in rules}


def record(rule: str, rate: float, seed: int) -> None:
    """Train one network and store its losses; with the exact gradient, and no tuning, the angles on the way too."""
    losses: list[float] = []
    looks: list[dict[str, float | int | str]] = []

    def look(done: int, theta: np.ndarray) -> None:
        if done % EVERY == 0:
            losses.append(round(mean_loss(theta), 6))
        if rule == "exact" and seed < SEEDS and done in LOOKS:
            for name, found in angles(theta, seed).items():
                looks.append({"seed": seed, "updates": done, "rule": name} | found._asdict())

    theta = train(rule, rate, seed, look=look)
    settings = {"units": UNITS, "tau": TAU, "copies": COPIES} | versions()
    if looks:
        ANGLES.add(looks)
    result = {"right": right(theta), "losses": tuple(losses)}
    RUNS.add([{"rule": rule, "rate": rate, "seed": seed} | result | settings])


def alignment(theta: np.ndarray, seed: int) -> dict[str, float]:
    """Cosines: of the gradient by random feedback with the exact one, and of B with the transposed readout."""
    pair = quality(given_feedback(seed).ravel(), plain().layout.views(theta)["W_out"].T.ravel())
    return {"gradient": angles(theta, seed, ["fed"])["fed"].cosine, "readout": pair.cosine}


def aligned(name: str, updates: int) -> list[float]:
    """The stored cosines after so many updates, of all networks; `name` is "gradient" or "readout"."""
    return [float(row[name]) for row in ALIGNED.read() if int(row["updates"]) == updates]


def record_aligned(seed: int) -> None:
    """Train one network by random feedback and store the cosines at the three stages."""
    rate, kept = best_rate("fed"), {}
    train("fed", rate, seed, look=kept.__setitem__)
    ALIGNED.add(
        {"seed": seed, "updates": done} | alignment(kept[done], seed) | {"rate": rate} | versions() for done in LOOKS
    )


def best_rate(rule: str) -> float:
    """The rate with the least median of the last losses over the starts for tuning. ValueError if one is missing."""
    by_rate: dict[float, list[float]] = {rate: [] for rate in RATES}
    for row in RUNS.read():
        if row["rule"] == rule and int(row["seed"]) >= SEEDS:
            by_rate[float(row["rate"])].append(float(row["losses"].split()[-1]))
    if any(len(losses) < TUNING for losses in by_rate.values()):
        raise ValueError(f"{rule}: expected {TUNING} starts with each of {RATES}")
    return min(RATES, key=lambda rate: float(np.median(by_rate[rate])))


# ---- the traces of input weights as RFLO prints them, with the input of the previous step


def input_gradients(theta: np.ndarray) -> dict[str, np.ndarray]:
    """dL/dW_in over all probes, (units, inputs): "printed" with x(t-1) and "right", by RFLO's cut; "exact"."""
    weights, drawn, tau = plain().layout.views(theta), probes(), TAU
    found = {late: np.zeros(weights["W_in"].shape) for late in (False, True)}
    h, before = np.zeros((len(drawn.x), UNITS)), np.zeros(drawn.x[:, 0].shape)
    trace = {late: np.zeros((len(h), *weights["W_in"].shape)) for late in found}
    for step in range(drawn.x.shape[1]):
        now, ends = drawn.x[:, step], drawn.lengths == step + 1
        net_input = h @ weights["W"].T + now @ weights["W_in"].T
        slope = (1 - np.tanh(net_input) ** 2) / tau
        h = (1 - 1 / tau) * h + np.tanh(net_input) / tau
        signal = (h @ weights["W_out"].T - drawn.targets) @ weights["W_out"]
        for late, source in ((False, now), (True, before)):
            trace[late] = slope[:, :, None] * source[:, None] + (1 - 1 / tau) * trace[late]
            found[late] += np.einsum("ba,baq->aq", signal[ends], trace[late][ends])
        before = now
    exact = plain().gradient(theta, *problem(drawn), method="bptt").gradient
    return {"printed": found[True], "right": found[False], "exact": plain().layout.views(exact)["W_in"]}


def late_cosines(nets: int = SEEDS) -> dict[str, list[float]]:
    """Cosines of the three gradients with each other, of the networks of the experiment at their starts."""
    words = {"printed": "printed trace", "right": "right trace", "exact": "exact gradient"}
    gradients = [input_gradients(start(np.random.default_rng(seed))) for seed in range(nets)]
    return {
        f"{words[one]} and {words[other]}": [quality(net[one].ravel(), net[other].ravel()).cosine for net in gradients]
        for one, other in combinations(words, 2)
    }


# ---- the command line


def main(arguments: Sequence[str] = ()) -> None:
    """Command line: carry out the runs that are not in the files yet."""
    first = begin(__doc__, arguments, RUNS, ANGLES, ALIGNED)
    seeds = range(SEEDS, SEEDS + TUNING)
    tuning = {(rule, rate, seed): (rule, rate, seed) for rule in RULES for rate in RATES for seed in seeds}
    for _, run in missing(RUNS, tuning, first):
        record(*run)
    if first is None:
        best = {rule: best_rate(rule) for rule in RULES}
        todo = {(rule, best[rule], seed): (rule, best[rule], seed) for seed in range(SEEDS) for rule in RULES}
        for _, run in missing(RUNS, todo):
            record(*run)
        for _, seed in missing(ALIGNED, {(seed,): seed for seed in range(SEEDS)}):
            record_aligned(seed)


if __name__ == "__main__":
    main(sys.argv[1:])
