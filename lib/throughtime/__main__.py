"""`python -m throughtime statements`: what the executed notebooks say."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from .ledger import find_book, listed, matches, missing, read_book


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m throughtime", description="Gradients Through Time")
    commands = parser.add_subparsers(dest="command", required=True)
    statements = commands.add_parser("statements", help="list the statements that the executed notebooks judge")
    statements.add_argument("--book", type=Path, help="the folder of the chapters (default: book/ of this checkout)")
    statements.add_argument("--json", action="store_true", help="print a list of objects")
    statements.add_argument("--missing", action="store_true", help="print the ids that no notebook judges")
    statements.add_argument(
        "--require",
        metavar="PREFIX",
        action="append",
        default=[],
        help="exit 1 while an id of this part is missing or failed",
    )
    return _statements(parser.parse_args(arguments))


def _statements(options: argparse.Namespace) -> int:
    try:
        judged = read_book(options.book if options.book is not None else find_book())
    except FileNotFoundError as error:
        print(f"throughtime: {error}", file=sys.stderr)
        return 2
    if options.missing:
        print("\n".join(missing(judged)))
    elif options.json:
        print(json.dumps([item.as_json() for item in judged], indent=2, ensure_ascii=False))
    elif not options.require:
        for item in judged:
            report = item.record["mutants"]
            bad = f"  FAILED: {', '.join(item.failed)}" if item.failed else ""
            print(
                f"{item.id:28} {item.record['verdict']:10} {report['rejected']:4}/{report['tried']:<4} {item.page}{bad}"
            )
    return max((_require(prefix, judged) for prefix in options.require), default=0)


def _require(prefix: str, judged: list) -> int:
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


if __name__ == "__main__":
    sys.exit(main())
