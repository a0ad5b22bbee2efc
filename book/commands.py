"""The commands of the book: `python -m throughtime statements` says what the executed notebooks judge, `experiments`
reruns those of the paper of 1997."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from book.reference.ledger import Judged, find_book, listed, matches, missing, read_book
from throughtime import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 0, 1 for what `--require` lacks, 2 for what cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m throughtime", description="Gradients Through Time")
    parser.add_argument("--version", action="version", version=f"throughtime {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    statements = commands.add_parser("statements", help="list the statements that the executed notebooks judge")
    statements.add_argument("--book", type=Path, help="the folder of the chapters (default: book/ of this checkout)")
    statements.add_argument("--json", action="store_true", help="print a list in JSON")
    statements.add_argument("--missing", action="store_true", help="print the ids that no notebook judges instead")
    words = "exit 1 while an id of this part is missing or failed"
    statements.add_argument("--require", metavar="PREFIX", action="append", default=[], help=words)
    words = "list, run and report the experiments of the papers of 1997 and 2002"
    commands.add_parser("experiments", help=words, add_help=False)
    options, rest = parser.parse_known_args(arguments)
    if options.command == "experiments":  # needs NumPy, which the other command does without
        return import_module("book.experiments.command").main(rest)
    return _statements(parser.parse_args(arguments))


def _statements(options: argparse.Namespace) -> int:
    try:
        judged = read_book(options.book if options.book is not None else find_book())
    except (OSError, ValueError) as error:
        print(f"throughtime: {error}", file=sys.stderr)
        return 2
    if options.json:
        listing = missing(judged) if options.missing else [item.as_json() for item in judged]
        print(json.dumps(listing, indent=2, ensure_ascii=False))
    elif options.missing or not options.require:
        for line in missing(judged) if options.missing else map(_line, judged):
            print(line)
    return max((_require(prefix, judged) for prefix in options.require), default=0)


def _line(item: Judged) -> str:
    report = item.record["mutants"]
    failed = f"  FAILED: {', '.join(item.failed)}" if item.failed else ""
    return f"{item.id:28} {item.record['verdict']:10} {report['rejected']:4}/{report['tried']:<4} {item.page}{failed}"


def _require(prefix: str, judged: list[Judged]) -> int:
    wanted = [row.id for row in listed() if matches(row.id, prefix)]
    if not wanted:
        print(f"throughtime: no statement of the list begins with {prefix!r}", file=sys.stderr)
        return 2
    absent = [id for id in missing(judged) if matches(id, prefix)]
    failed = [f"{item.id} ({', '.join(item.failed)})" for item in judged if matches(item.id, prefix) and item.failed]
    for id in absent:
        print(f"missing: {id}", file=sys.stderr)
    for text in failed:
        print(f"failed: {text}", file=sys.stderr)
    if not absent and not failed:
        print(f"{prefix}: {len(wanted)} of {len(wanted)} statements judged, no failed check")
    return 1 if absent or failed else 0
