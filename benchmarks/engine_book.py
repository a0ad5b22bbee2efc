"""Time that the engine takes for each judged statement of the book, and for refusing what is wrong in each equation.

    python benchmarks/engine_book.py                            every chapter with statements
    python benchmarks/engine_book.py lstm1997/derivatives       of some chapters
    python benchmarks/engine_book.py --most 30                  how many of the slowest are listed (10)

The code cells of a notebook run in their order in a process of its own, the chapters one after the other. A statement
is one call of `Bench.equation`, `claim`, `show` or `prove`. Refused are, in a bench made anew, each printed
equation that the book corrects, without its correction, and the last mutant of each right side that holds. Time is the
processor's. A mutant that holds as well is left out. The exit status is 1 if something is over its limit.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

BOOK = Path(__file__).parents[1] / "book"
LIMITS = {"statement": 2.0, "refusal": 1.0}  # seconds
JUDGES = ("equation(", "claim(", "show(", "prove(")
Row = tuple[str, str, float]  # "statement" or "refusal", its id, seconds


def chapters() -> list[str]:
    """The chapters that judge something, as part/chapter."""
    found = (path for path in sorted(BOOK.glob("*/*.ipynb")) if any(map(path.read_text("utf-8").__contains__, JUDGES)))
    return [path.relative_to(BOOK).with_suffix("").as_posix() for path in found]


def timed(judge: Callable, name: Callable, rows: list[Row], running: list) -> Callable:
    """A judging function that notes its seconds, unless it is called by another one."""

    def measured(*args, **how):
        if running:
            return judge(*args, **how)
        running.append(judge)
        start = time.process_time()
        try:
            return judge(*args, **how)
        finally:
            rows.append(("statement", name(*args), time.process_time() - start))
            running.pop()

    return measured


def refusals(bench, statement, how: dict) -> list[Row]:
    """The seconds in which wrong equations in the place of a judged one are refused, each in a bench of its own."""
    from throughtime.derivation import AtMost, CheckError
    from throughtime.derivation.judging.mutants import mutants

    wrong = [("as printed", statement.printed)] if statement.corrected else []
    for left, *rights in statement.corrected or statement.printed:
        slips = [] if isinstance(rights[-1], AtMost) else mutants(rights[-1], left)
        wrong += [(str(slip), [(left, slip.expr)]) for slip in slips[-1:]]
    rows = []
    for what, chains in wrong:
        anew = replace(bench, sources={})
        start = time.process_time()
        try:
            anew.equation(f"refused: {statement.id}", *chains, **how)
        except CheckError as error:  # none from a mutant that says the same
            rows.append(("refusal", f"{statement.id}: {what} ({str(error)[:160]})", time.process_time() - start))
    return rows


def run(chapter: str) -> list[Row]:
    """The measurements of one chapter; what else its cells show is dropped."""
    import nbformat
    from IPython.core.interactiveshell import InteractiveShell
    from throughtime.derivation.judging import bench, claims, proofs

    rows, running, judged = [], [], []
    equation = bench.Bench.equation

    def noted(own, id, *printed, corrected=(), **how):
        lasting = {key: tuple(value) if key in ("derivations", "lemmas") else value for key, value in how.items()}
        statement = equation(own, id, *printed, corrected=corrected, **lasting)
        if len(running) == 1:
            judged.append((own, statement, lasting))
        return statement

    bench.Bench.equation = timed(noted, lambda own, id, *_: id, rows, running)
    for judge, name in (
        (claims.claim, lambda id, *_: id),
        (bench.show, lambda own, derivation: str(derivation.left)),
        (proofs.prove, lambda *steps: f"prove: {steps[0].words[:60]}"),
    ):
        replaced = timed(judge, name, rows, running)
        for user in [user for user in sys.modules.values() if getattr(user, "__name__", "").startswith("throughtime")]:
            if getattr(user, judge.__name__, None) is judge:
                setattr(user, judge.__name__, replaced)
    os.chdir(BOOK / Path(chapter).parent)
    shell = InteractiveShell.instance()
    for cell in nbformat.read(f"{Path(chapter).name}.ipynb", 4).cells:
        if cell.cell_type == "code":
            with redirect_stdout(io.StringIO()):
                shell.run_cell(cell.source)
    bench.Bench.equation = equation
    return rows + [row for own, statement, how in judged for row in refusals(own, statement, how)]


def measured(chapter: str) -> list[Row]:
    """The same in a process of its own, which prints them as its last line."""
    command = [sys.executable, __file__, chapter, "--here"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "MPLBACKEND": "Agg"})
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapters", nargs="*", metavar="part/chapter")
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        print(json.dumps(run(given.chapters[0])))
        return
    rows = [(*row, chapter) for chapter in given.chapters or chapters() for row in measured(chapter)]
    for kind, limit in LIMITS.items():
        slowest = sorted((row for row in rows if row[0] == kind), key=lambda row: -row[2])
        over = sum(row[2] > limit for row in slowest)
        print(f"{kind}: {len(slowest)}, of these {over} over the limit of {limit:g} s; the slowest:")
        for _, what, seconds, chapter in slowest[: given.most]:
            print(f"  {seconds:6.2f} s  {chapter:22} {what}")
    sys.exit(any(row[2] > LIMITS[row[0]] for row in rows))


if __name__ == "__main__":
    main()
