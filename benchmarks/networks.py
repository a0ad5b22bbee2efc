"""A gradient of each network: by the textbook, compiled, and by the loops that were written by hand until af19189.

``python benchmarks/networks.py`` measures the three in turn in processes of their own and writes networks.md. A time is
the least of all turns. The old library is taken from the history of this repository.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import throughtime as tt

HERE, COMMIT, TURNS = Path(__file__).parent, "af19189", 5
LENGTH, COUNTS, LEAST = 50, (1, 100), 0.2  # steps, sequences at a time, seconds of one measurement
HEAD = "| network | method | sequences | textbook, ms | compiled | loops of af19189 |\n|---|---|---|---|---|---|\n"


def networks() -> dict[str, tuple[object, tuple[str, ...]]]:
    """The networks of the notes with some 10 to 30 units, and their methods."""
    both = ("bptt", "truncated")
    return {
        "fully recurrent, 16 units": (tt.FullyRecurrent(4, 16), ("bptt",)),
        "Elman, 16 hidden units": (tt.Elman(4, 16, 2), both),
        "Jordan, 16 hidden units": (tt.Jordan(4, 16, 2), both),
        "LFMN, 18 units": (tt.LFMN(4, (4, 4, 4), (2, 2, 2)), ("bptt",)),
        "LSTM 1997, 8 blocks of 2 cells": (tt.LSTM1997(4, 2, 8, 2, 2), both),
        "peephole LSTM, 8 blocks of 2 cells": (tt.PeepholeLSTM(4, 8, 2, 2), both),
    }


def seconds(run: Callable[[], object]) -> float:
    """The least time of a call; calls are repeated for a fifth of a second."""
    run(), run()
    found, end = [], time.perf_counter() + LEAST
    while time.perf_counter() < end or len(found) < 3:
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def measured(compiled: bool) -> dict[str, float]:
    """Seconds of a gradient for each network, method and number of sequences, with the library that is imported."""
    random, found = np.random.default_rng(0), {}
    if compiled:
        from throughtime.evidence.compiled import compiled as made  # the old library has none
    for name, (net, methods) in networks().items():
        model = made(net, True) if compiled else net
        theta, n_out = net.init(0), sum(net.output) if isinstance(net, tt.LFMN) else net.n_out
        for count in COUNTS:
            x, targets = random.normal(size=(count, LENGTH, 4)), random.uniform(size=(count, LENGTH, n_out))
            for method in methods:
                found[f"{name} | {method} | {count}"] = seconds(
                    partial(model.gradient, theta, x, targets, method=method)
                )
    return found


def earlier() -> str:
    """A folder with the library of that commit."""
    folder = tempfile.mkdtemp()
    archive = subprocess.run(["git", "archive", COMMIT, "lib"], check=True, capture_output=True, cwd=HERE.parent).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return f"{folder}/lib"


def turn(library: str, kind: str) -> dict[str, float]:
    """One measurement in a process that imports this library."""
    path = {"PYTHONPATH": os.pathsep.join([library, str(HERE.parent)])}
    done = subprocess.run([sys.executable, __file__, kind], check=True, capture_output=True, env=os.environ | path)
    return json.loads(done.stdout)


def main() -> None:
    """Measure, print and write the table."""
    ways = {"textbook": str(HERE.parent / "lib"), "compiled": str(HERE.parent / "lib"), "loops": earlier()}
    least: dict[str, dict[str, float]] = {}
    for number in range(TURNS):
        for kind, library in ways.items():
            for row, value in turn(library, kind).items():
                times = least.setdefault(row, {})
                times[kind] = min(value, times.get(kind, np.inf))
        print(f"turn {number + 1} of {TURNS}", flush=True)
    lines = [
        f"| {row} | {1e3 * times['textbook']:.2g} | {times['textbook'] / times['compiled']:.2g} times as fast "
        f"| {times['textbook'] / times['loops']:.2g} times as fast |"
        for row, times in least.items()
    ]
    (HERE / "networks.md").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1] == "compiled"))) if sys.argv[1:] else main()
