"""Time that it takes to read each cell of tests/reading, and to derive from it, in one run.

    python benchmarks/reading.py             every cell; writes reading.md
    python benchmarks/reading.py lstm mgu    some cells; prints alone
    python benchmarks/reading.py --limit 20  seconds after which one derivative is given up

A cell is a text as its paper prints it. Derived are the derivative of the loss with respect to its state, backwards in
time, and the gradient of one recurrent weight, each with all checks of `throughtime.derivation.show`, in a process of
its own. Time is the processor's, the imports apart.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "reading"))

import gated_cells  # noqa: F401  registers its cells
import normalized_cells  # noqa: F401  registers its cells
import pasted_cells  # noqa: F401  registers its cells
import plain_cells  # noqa: F401  registers its cells
from printed import CELLS
from throughtime.derivation import DEFINED, PARAMETER, DerivationError, Quantity, refs
from throughtime.reading import Reading, read

SUMMARY = Path(__file__).with_suffix(".md")
LIMIT = 30
HEAD = ["cell", "paper", "lines", "read", "backward", "gradient"]


def state_of(reading: Reading) -> Quantity:
    """h if it is computed, or else the last quantity that is read at an earlier time."""
    earlier = [
        ref.quantity
        for case in reading.system.all_definitions()
        for ref in refs(case.right)
        if case.left.quantity.timed
        and ref.quantity.role == DEFINED
        and ref.quantity.timed
        and ref.time != case.left.time
    ]
    return next((quantity for quantity in earlier if quantity.name == "h"), earlier[-1])


def weight_of(reading: Reading) -> Quantity:
    """A square matrix that multiplies a state of an earlier time, or else the first that is learned."""
    learned = [one for one in reading._built.quantities.values() if one.role == PARAMETER]
    squares = [one for one in learned if len(one.domains) == 2 and len({*one.domains}) == 1]
    return (squares or learned)[0]


OF = {"backward": state_of, "gradient": weight_of}


def measured(text: str, kind: str, limit: float) -> tuple[str, float | None]:
    """What is read or derived, and the processor's seconds in a child process; None at the limit or a refusal."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_work, args=(text, kind, limit, theirs))
    child.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return f"no answer in {limit:g} s", None
    finally:
        child.join()


def _work(text: str, kind: str, limit: float, answer) -> None:
    spent = int(time.process_time() + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent, spent + 1))
    signal.signal(signal.SIGXCPU, lambda *_: sys.exit(1))
    try:
        start, name = time.process_time(), ""
        reading = read(text)
        if kind != "read":
            start, name = time.process_time(), OF[kind](reading).name
            getattr(reading, kind)(name)
        answer.send((name, time.process_time() - start))
    except DerivationError as error:
        answer.send((f"refused: {error}".split("\n")[0][:120], None))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", choices=[[], *CELLS], metavar="cell", help=", ".join(CELLS))
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds for one derivative ({LIMIT})")
    given = parser.parse_args()
    rows, left_out = [" | ".join(HEAD), " | ".join(["---"] * len(HEAD))], []
    for name in given.cells or CELLS:
        text = CELLS[name].text
        lines = [line for line in text.splitlines() if line.strip() and not re.match(r"\s*\\(begin|end)", line)]
        cells = [name, CELLS[name].paper, str(len(lines))]
        for kind in ("read", "backward", "gradient"):
            what, seconds = measured(text, kind, given.limit)
            cells.append(f"{what} {seconds:.2f}".strip() if seconds is not None else "—")
            left_out += [] if seconds is not None else [f"{name}, {kind}: {what}"]
        rows.append(" | ".join(cells))
        print(rows[-1], flush=True)
    if not given.cells:
        table = "\n".join(f"| {row} |" for row in rows)
        without = "\n".join(f"- {one}" for one in left_out)
        note = f"\nLeft out:\n\n{without}\n" if left_out else ""
        SUMMARY.write_text(f"{HEADER}\n{table}\n{note}", encoding="utf-8")


HEADER = """Processor seconds to read each cell of `tests/reading`, and to derive and check, with the name of what is
derived: the derivative of the loss with respect to a state, and the gradient of a weight. Written by
`python benchmarks/reading.py` in one run.
"""

if __name__ == "__main__":
    main()
