"""Time that the engine takes for each derivative of cells that the book does not treat.

    python benchmarks/engine_cells.py                     every derivative of every cell
    python benchmarks/engine_cells.py gru_before mgu      of some cells
    python benchmarks/engine_cells.py mgu --only forward  of one kind
    python benchmarks/engine_cells.py --limit 20          seconds after which one derivative is given up

Each derivative is derived, each of its lines checked in general and on the exact instances, and the mutants of its
result are put to the instances (`throughtime.derivation.show`), in a process of its own. Time is the processor's, the
imports apart. A derivative that is refused or takes longer than the limit is shown as such, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator

from cells import CELLS, Cell, loss
from throughtime.derivation import DerivationError, show

LIMIT = 5
Task = tuple[str, str, Callable]  # kind, what is derived, the derivation in a bench


def tasks(cell: Cell) -> Iterator[Task]:
    """Every derivative of a cell: of its state by each weight, of the loss by each node and by each weight."""
    target = loss[()]
    for weight in cell.weights:
        yield "forward", f"d{cell.state}/d{weight}", lambda bench, weight=weight: bench.derive(cell.state, weight)
    for weight in cell.weights:
        yield (
            "truncated",
            f"d_tr {cell.state}/d{weight}",
            lambda bench, weight=weight: bench.derive(cell.state, weight, cuts=cell.cuts),
        )
    for node in cell.nodes:
        yield "backward", f"dL/d{node}", lambda bench, node=node: bench.derive_backward(target, node, keep=keep(cell))
    for weight in cell.weights:
        yield "gradient", f"dL/d{weight}", lambda bench, weight=weight: bench.derive_gradient(target, weight)


def keep(cell: Cell) -> list:
    """The quantities whose adjoints stay symbols, so that every line of the recursion is short."""
    return [node.quantity for node in cell.nodes]


def measured(cell: Cell, derivation: Callable, limit: float) -> tuple[str, float]:
    """The result in words and the processor's seconds, in a child process that ends at the limit."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_work, args=(cell, derivation, limit, theirs))
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    child.start()
    theirs.close()
    try:
        words = ours.recv()
    except EOFError:
        words = f"no answer, or none in {limit:g} s"
    child.join()
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return words, end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def _work(cell: Cell, derivation: Callable, limit: float, answer) -> None:
    spent = int(time.process_time() + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent, spent + 1))
    signal.signal(signal.SIGXCPU, lambda *_: sys.exit(1))
    try:
        bench = cell.make_bench()
        shown = show(bench, derivation(bench))
        answer.send(f"{shown.mutants.rejected} mutants rejected, {shown.mutants.equal} equal")
    except DerivationError as error:
        answer.send(f"REFUSED {error}"[:160])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", choices=[[], *CELLS], metavar="cell", help=", ".join(CELLS))
    parser.add_argument("--only", choices=["forward", "truncated", "backward", "gradient"])
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds for one derivative ({LIMIT})")
    given, missed = parser.parse_args(), 0
    for name in given.cells or CELLS:
        cell = CELLS[name]()
        for kind, what, derivation in tasks(cell):
            if given.only in (None, kind):
                words, seconds = measured(cell, derivation, given.limit)
                missed += seconds > given.limit or "mutants" not in words or words.startswith("REFUSED")
                print(f"{name:10} {kind:9} {what:22} {seconds:7.2f} s  {words}", flush=True)
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
