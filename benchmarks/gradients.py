"""Time of one gradient, for every model and method, beside PyTorch and JAX on the same network and loss.

    python benchmarks/gradients.py          a few minutes; needs tests/oracles/requirements.txt
    python benchmarks/gradients.py --again  a second run, to see how far ratios repeat; into gradients_again.csv
    python benchmarks/gradients.py --table  only writes the table again from the stored measurements

PyTorch (reverse mode) and JAX (jit; reverse mode beside BPTT and truncation, forward mode beside RTRL) run the forward
passes of tests/oracles, except where those are written for other ends than speed: the fully recurrent network has one
activation here, and the LSTM without peepholes is also torch.nn.LSTM. Before anything is timed, each gradient is
compared with the library's. All of it is float64 on one thread, one sequence at a time. Time is the processor's, the
least of all rounds; a round times everything once, so that what else the machine does hits all alike. Measurements
are stored after each round in gradients.csv; the script goes on where it was stopped.
"""

import csv
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from throughtime.gradcheck import relative_error
from throughtime.models.activations import logistic, tanh
from throughtime.models.lfmn import LFMN
from throughtime.models.library_lstm import library_lstm, to_library
from throughtime.models.lstm1997 import LSTM1997
from throughtime.models.peephole import PeepholeLSTM
from throughtime.models.recurrent import Elman, FullyRecurrent, Jordan

ROOT = Path(__file__).parents[1]
CSV, AGAIN, SUMMARY = (ROOT / "benchmarks" / f"gradients{end}" for end in (".csv", "_again.csv", ".md"))
SEED, N_IN, N_OUT, LENGTH = 0, 2, 2, 200
ROUNDS, LEAST = 10, 0.02  # seconds that one measurement takes at least
TOLERANCE = 1e-9
WINDOW = 10  # of the truncated gradient of the fully recurrent network

# By size: the units below the outputs, gates and cells alike; the peephole LSTM has a fourth more.
MODELS = {
    "LFMN": lambda n: LFMN(N_IN, (n // 4, n // 4, n // 2), (N_OUT, 0, 0)),
    "fully recurrent": lambda n: FullyRecurrent(N_IN, n, tanh),
    "Elman": lambda n: Elman(N_IN, n, N_OUT, tanh, logistic),
    "Jordan": lambda n: Jordan(N_IN, n, N_OUT, tanh, logistic),
    "LSTM 1997": lambda n: LSTM1997(N_IN, n // 4, 2, N_OUT, bias=True),
    "peephole LSTM": lambda n: PeepholeLSTM(N_IN, n // 4, 2, N_OUT, bias=True),
    "LSTM of the libraries": lambda n: library_lstm(N_IN, n // 4, N_OUT),
}
METHODS = dict.fromkeys(MODELS, ("bptt", "rtrl", "truncated")) | {"LFMN": ("bptt", "rtrl")}
SIZES = (8, 32)
OURS, TORCH, LAYER, JAX = "throughtime", "PyTorch", "torch.nn.LSTM", "JAX"
PROBLEM = ("model", "size", "weights", "length", "method", "implementation")


def setting() -> dict[str, object]:
    packages = {name: version(name) for name in ("numpy", "numba", "torch", "jax")}
    machine = {"machine": f"{platform.system()} {platform.machine()}", "cores": os.cpu_count()}
    return {"seed": SEED, "python": platform.python_version()} | packages | machine


# ---------------------------------------------------------------- the same gradient by others


def oracles(name: str) -> tuple[object, object]:
    """The modules of tests/oracles with this model's forward pass, for PyTorch and for JAX."""
    sys.path.insert(0, str(ROOT / "tests" / "oracles"))
    stems = {"LFMN": "lfmn", "Elman": "elman_jordan", "Jordan": "elman_jordan", "LSTM 1997": "lstm1997"}
    stem = stems.get(name, "peephole")
    return __import__(f"test_{stem}_torch"), __import__(f"test_{stem}_jax")


def torch_loss(name: str, model, method: str) -> Callable:
    """theta, x, targets, mask to the loss."""
    import torch

    if name == "fully recurrent":

        def recurrent(theta, x, targets, mask):
            w_in, w = theta.reshape(model.n_out, -1).split([N_IN, model.n_out], dim=1)
            y, loss = torch.zeros(model.n_out, dtype=theta.dtype), 0.0
            for x_t, target, m in zip(x, targets, mask, strict=True):
                y = torch.tanh(w_in @ x_t + w @ y)
                loss = loss + (m * (y - target) ** 2).sum() / 2
            return loss

        return recurrent
    oracle, cut = oracles(name)[0], method == "truncated"
    if name == "LFMN":
        return partial(oracle.loss_of, model)
    if name in ("Elman", "Jordan"):
        return lambda *given: oracle.loss_of(model, *given, cut)
    return lambda *given: oracle.run(model, *given, cut)[0]


def jax_loss(name: str, model, method: str) -> Callable:
    """The same for JAX."""
    import jax
    import jax.numpy as jnp

    if name == "fully recurrent":

        def recurrent(theta, x, targets, mask):
            weights = theta.reshape(model.n_out, -1)

            def step(y, at):
                x_t, target, m = at
                y = jnp.tanh(weights @ jnp.concatenate([x_t, y]))
                return y, jnp.sum(m * (y - target) ** 2) / 2

            return jax.lax.scan(step, jnp.zeros(model.n_out), (x, targets, mask))[1].sum()

        return recurrent
    oracle, cut = oracles(name)[1], method == "truncated"
    return partial(oracle.loss_of, model) if name == "LFMN" else partial(oracle.loss_of, model, cut)


def layer_gradient(model, theta, x, targets, mask) -> Callable[[], np.ndarray]:
    """The gradient of the read-out's weights by torch.nn.LSTM; all others are computed along with it."""
    import torch

    layer = torch.nn.LSTM(N_IN, model.blocks, dtype=torch.float64)
    layer.load_state_dict({key: torch.tensor(value) for key, value in to_library(model, theta).items()})
    read = torch.tensor(model.layout.views(theta)["w_out"], requires_grad=True)
    x, targets, mask = (torch.tensor(array) for array in (x, targets, mask))

    def gradient() -> np.ndarray:
        layer.zero_grad()
        read.grad = None
        outputs = layer(x)[0] @ read.T
        loss = (mask * (outputs - targets) ** 2).sum() / 2
        loss.backward()
        return read.grad.numpy().ravel()

    return gradient


def gradients(name: str, model, method: str) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """Functions that return the gradient of one problem, by implementation."""
    import jax
    import torch

    random = np.random.default_rng(SEED)
    theta = model.init(random, 0.3)
    batch = (1,) if name in ("Elman", "Jordan") else ()
    shape = (*batch, LENGTH, model.output.total if name == "LFMN" else model.n_out)
    x, targets = random.normal(size=(*batch, LENGTH, N_IN)), random.normal(size=shape)
    mask = np.ones(shape[:1] if name == "LFMN" else shape)
    given = theta, x, targets, mask
    window = {"window": WINDOW} if name == "fully recurrent" and method == "truncated" else {}
    yield OURS, lambda: model.gradient(*given, method=method, **window).gradient
    if window:
        return  # in one graph it takes as many copies of the state as the window has steps
    loss, tensors = torch_loss(name, model, method), [torch.tensor(array) for array in given[1:]]

    def by_torch() -> np.ndarray:
        leaf = torch.tensor(theta, requires_grad=True)
        loss(leaf, *tensors).backward()
        return leaf.grad.numpy()

    mode = jax.jacfwd if method == "rtrl" else jax.grad
    by_jax = jax.jit(mode(jax_loss(name, model, method)))
    if method != "rtrl":
        yield TORCH, by_torch
    yield JAX, lambda: np.asarray(by_jax(*given))
    if name == "LSTM of the libraries" and method == "bptt":
        yield LAYER, layer_gradient(model, *given)


def problems() -> Iterator[tuple[dict[str, object], Callable[[], np.ndarray]]]:
    """The rows of the table with what they measure, each compared with the library."""
    for name, make in MODELS.items():
        for size in SIZES:
            model = make(size)
            for method in METHODS[name]:
                expected = None
                for implementation, gradient in gradients(name, model, method):
                    found = gradient()
                    expected = found if expected is None else expected
                    reference = expected
                    if implementation == LAYER:
                        reference = expected[model.layout.slice("w_out")]
                    error = relative_error(found, reference)
                    if not error <= TOLERANCE:
                        raise AssertionError(f"{name}, {method}: {implementation} differs by {error}")
                    row = (name, size, model.layout.size, LENGTH, method, implementation)
                    yield dict(zip(PROBLEM, row, strict=True)), gradient


# ---------------------------------------------------------------- measuring


def timed(gradient: Callable[[], np.ndarray], repeats: int) -> float:
    """Seconds of one gradient."""
    start = time.process_time()
    for _ in range(repeats):
        gradient()
    return (time.process_time() - start) / repeats


def measure(path: Path) -> list[dict[str, object]]:
    """All rows; rounds that are stored already are not taken again."""
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before JAX starts
    import torch

    torch.set_num_threads(1)
    torch.Tensor.retain_grad = lambda tensor: None  # the oracles keep all inner gradients; no timing needs them
    rows, calls = zip(*problems(), strict=True)
    rows = stored(path, [row | {"seconds": np.inf, "rounds": 0} | setting() for row in rows])
    repeats = [max(1, round(LEAST / max(timed(call, 1), 1e-5))) for call in calls]
    for number in range(1 + min(int(row["rounds"]) for row in rows), ROUNDS + 1):
        for row, call, times in zip(rows, calls, repeats, strict=True):
            row["seconds"], row["rounds"] = f"{min(float(row['seconds']), timed(call, times)):.4g}", number
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"round {number} of {ROUNDS}", flush=True)
    return rows


def stored(path: Path, rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The stored rows if they are of the same problems and settings, else these."""
    if not path.exists():
        return rows
    old = read(path)
    fixed = [key for key in rows[0] if key not in ("seconds", "rounds")]
    same = [[row.get(key) for key in fixed] for row in old] == [[str(row[key]) for key in fixed] for row in rows]
    return old if same else rows


NOTE = """\
Time of one gradient divided by the library's time for the same gradient: above 1, the library is faster. All are
float64, one thread, one sequence of {length} steps at a time; PyTorch and JAX run forward passes written step by step
for the same network, JAX compiled as a whole, PyTorch operation by operation; torch.nn.LSTM is its own layer. For RTRL
the other column is JAX in forward mode. PyTorch's times are mostly the cost of starting many small operations: with
many sequences at once, with large layers or on another machine the ratios will differ. Size is the number of units
below the outputs, gates and cells alike; the peephole LSTM has a fourth more. The truncated gradient of the fully
recurrent network, with a window of 10 steps, stands alone: the others would carry a copy of the state for each of them.

These ratios are from one run of gradients.py on {machine} with {cores} cores, shared with other work: least of
{rounds} rounds, each of which times everything once. The library's time includes the check of all its arguments, which
at size 8 is a large part of it; JAX makes none. Python {python}, NumPy {numpy},
Numba {numba}, PyTorch {torch}, JAX {jax}.

"""


def written(ratio: float) -> str:
    """Two digits."""
    return f"{ratio:.2g}" if ratio < 10 else f"{float(f'{ratio:.2g}'):.0f}"


def grouped(rows: list[dict[str, object]]) -> dict[tuple[str, ...], dict[str, float]]:
    """Seconds by implementation, for each model, size and method."""
    groups: dict[tuple, dict[str, float]] = {}
    for row in rows:
        key = tuple(str(row[name]) for name in ("model", "size", "weights", "method"))
        groups.setdefault(key, {})[str(row["implementation"])] = float(row["seconds"])
    return groups


def repeated(first: list[dict[str, object]], second: list[dict[str, object]]) -> str:
    """By how much the ratios of a second run differ."""
    runs = [
        {(key, other): times[other] / times[OURS] for key, times in grouped(rows).items() for other in times}
        for rows in (first, second)
    ]
    changes = [abs(runs[1][key] / ratio - 1) for key, ratio in runs[0].items() if key[1] != OURS]
    return (
        f"In a second run the ratios to the others differed by {np.median(changes):.0%} in the median and by "
        f"{max(changes):.0%} at most.\n"
    )


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(rows: list[dict[str, object]]) -> str:
    """The ratios as Markdown."""
    groups = grouped(rows)
    bptt = {(model, size): times[OURS] for (model, size, _, method), times in groups.items() if method == "bptt"}
    others = (TORCH, JAX, LAYER)
    head = ["model", "size", "weights", "method", "library, to its BPTT", *others]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (model, size, weights, method), times in groups.items():
        ratios = (written(times[other] / times[OURS]) if other in times else "" for other in others)
        own = written(times[OURS] / bptt[model, size])
        lines.append(f"| {model} | {size} | {weights} | {method} | {own} | {' | '.join(ratios)} |")
    return "\n".join(lines) + "\n\n" + NOTE.format(**rows[0])


def summary(first: list[dict[str, object]], second: list[dict[str, object]]) -> str:
    """The whole of the Markdown file; ``second`` may be empty."""
    return table(first) + (repeated(first, second) if second else "")


def main() -> None:
    if "--table" not in sys.argv[1:]:
        measure(AGAIN if "--again" in sys.argv[1:] else CSV)
    first = read(CSV)
    SUMMARY.write_text(summary(first, read(AGAIN) if AGAIN.exists() else []), encoding="utf-8")
    print(SUMMARY.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
