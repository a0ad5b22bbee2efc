"""`python -m throughtime experiments`: experiments of 1997 and 2002 listed, run and set beside the papers."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from book.experiments.later import LATER
from book.experiments.later import READINGS as IDEAS
from book.experiments.reading import DETAILS, READINGS
from book.experiments.rows import ROWS, Row
from book.experiments.runner import chosen, in_order, missing, records, run
from book.experiments.timed import READINGS as STARTS
from book.experiments.timed import TimedRow
from book.experiments.timed_rows import TIMED, summary
from book.experiments.verdict import judged
from book.shared.records import positive


def _parser() -> argparse.ArgumentParser:
    words = "Rerun the experiments of Hochreiter and Schmidhuber 1997, and timing tasks of Gers and others 2002"
    parser = argparse.ArgumentParser(prog="python -m throughtime experiments", description=words)
    actions = parser.add_subparsers(dest="action")
    actions.add_parser("list", help="list the rows of the tables (what the command does without an action)")
    one = actions.add_parser("run", help="run the trials of rows that the file lacks, the quickest row first")
    one.add_argument("row", nargs="+", help="names that `list` prints")
    every = actions.add_parser("all", help="run all rows of 1997, the quickest first")
    for action in (one, every):
        given = "letter" if action is one else "each in turn"
        choices = ", ".join([*READINGS, *DETAILS])
        others = f"of rows of 2002 {', '.join(STARTS)}; of rows with a later idea {', '.join(IDEAS)}"
        words = f"{choices}, or some joined by '+'; {others}; {given} if not given"
        action.add_argument("--reading", help=words, **({"nargs": "+", "default": ["letter"]} if action is one else {}))
        action.add_argument("--uncommitted", action="store_true", help="run code that differs from its commit, too")
        action.add_argument("--trials", type=positive, help="how many trials of a row, as planned if not given")
        action.add_argument("--jobs", type=positive, default=1, help="processes")
    report = actions.add_parser("report", help="our results beside the paper's")
    for action in (one, every, report):
        action.add_argument("--folder", type=Path, help="where the file of results is, book/data if not given")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run an action; returns the exit code: 0, or 2 for a row, a reading or a folder that is not there."""
    options = _parser().parse_args(arguments)
    try:
        if (folder := getattr(options, "folder", None)) and not folder.is_dir():
            raise ValueError(f"folder: expected one that is there, got {str(folder)!r}")
        if options.action in ("run", "all"):
            how = {"trials": options.trials, "jobs": options.jobs, "folder": folder, "uncommitted": options.uncommitted}
            some = options.action == "run"
            todo = chosen(options.row, options.reading) if some else in_order(options.reading)
            for one, each in todo:
                missing(one, each, options.trials, folder)  # refuses before anything is run
            for one, each in todo:
                run(one, each, **how)
        else:
            print(*(report(folder) if options.action == "report" else listing()), sep="\n")
    except ValueError as error:
        print(f"throughtime: {error}", file=sys.stderr)
        return 2
    return 0


def listing() -> list[str]:
    """A line for each row: table, the paper's mean, and what is planned."""
    head = f"{'row':13} {'table':>5} {'weights':>7} {'sequences':>10} {'of trials':>9} {'ours':>5} {'cap':>10}"
    line = "{0.name:13} {0.table:5} {0.weights:7} {0.sequences:10,} {0.counted:9} {0.trials:5} {0.cap:10,}"
    timed = "{0.name:18} steps {0.steps:2}, {0.trials:2} nets, cap {0.cap:,}"
    later = "{0.name:18} one later idea, {0.trials:2} nets, cap {0.cap:,}"
    others = *map(timed.format, TIMED.values()), *map(later.format, LATER.values())
    return [head, *map(line.format, ROWS.values()), *others]


def report(folder: Path | None = None) -> list[str]:
    """A line for each row and reading that has trials: the paper's mean, ours with its interval, the verdict."""
    lines = records(folder).read()
    numbers = f"{'paper':>5} {'mean':>9} {'median':>9} {'paper':>9}  interval of means"
    head = f"{'row':13} {'reading':15} {'solved':>7} {numbers}"
    names = sorted({line["reading"] for line in lines}, key=lambda name: (name not in READINGS, name))
    found = [text for one in ROWS.values() for name in names for text in _judged(one, name, lines)]
    return [head, *found, *map(str, summary(records(folder, TimedRow).read()))]


def _judged(one: Row, name: str, lines: list[dict[str, str]]) -> list[str]:
    mine = [line for line in lines if (line["row"], line["reading"]) == (one.name, name)]
    if not mine:
        return []
    found = judged(one, mine)
    means = "-" if found.means is None else f"{found.means[0]:,.0f} to {found.means[1]:,.0f}"
    solved = f"{found.solved}/{found.trials}"
    numbers = f"{one.share:5.0%} {found.mean:9,.0f} {found.median:9,.0f} {one.sequences:9,}"
    return [f"{one.name:13} {name:15} {solved:>7} {numbers}  {means}; {found.words}"]
