"""Judge many cases: `python -m fuzzing --cases 520 --workers 2`; `--show 17.3` prints one item with all that is known,
`--kinds plain masks sizes texts` chooses: equations of systems, those of masks, of sizes and lengths, and printed
formulas about texts; each kind has tables of its own.

What is judged is kept in a file, so that a run that was stopped goes on; a change to the engine or to the generator
begins anew.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from fuzzing import report
from fuzzing.items import KINDS, items
from fuzzing.worker import Worker

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "_build" / "fuzz" / "results.jsonl"
SOURCES = (*(ROOT / "lib" / "throughtime" / part for part in ("derivation", "reading")), Path(__file__).parent)


def digest() -> str:
    """The digest of the engine's and the generator's sources."""
    total = sha256()
    for path in sorted(path for folder in SOURCES for path in folder.rglob("*.py")):
        total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()


def kept(path: Path) -> dict[str, dict[str, Any]]:
    """The records of a file, by item; none if it was made with other sources."""
    if not path.exists():
        return {}
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    whole = (line for line in lines if line.endswith("}"))  # the last one may be cut off
    return {record["item"]: record for record in map(json.loads, whole)} if head == digest() else {}


def judge_all(items: Iterable[str], workers: int) -> Iterator[dict[str, Any]]:
    """The record of each item, as the workers get done."""
    free: SimpleQueue[Worker] = SimpleQueue()
    crew = [Worker() for _ in range(workers)]
    for worker in crew:
        free.put(worker)

    def judged(item: str) -> dict[str, Any]:
        worker = free.get()
        try:
            return worker.judged(item)
        finally:
            free.put(worker)

    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(judged, items)
        finally:
            pool.shutdown(cancel_futures=True)
            for worker in crew:
                worker.close()


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = argparse.ArgumentParser(prog="fuzzing", description=__doc__)
    parser.add_argument("--cases", type=int, default=520, help="how many, each a truth and its falsehoods")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--show", metavar="CASE.PLACE", help="print one item and the engine's verdict")
    return parser


def main() -> int:
    """Judge, print the tables; 1 if the report finds a fault."""
    chosen = parser().parse_args()
    if chosen.show:
        print(report.described(chosen.show, Worker().judged(chosen.show)))
        return 0
    done = kept(RESULTS)
    parts = {kind: items(kind, range(chosen.cases)) for kind in chosen.kinds}
    wanted = [item for part in parts.values() for item in part]
    todo = [item for item in wanted if item not in done]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("w", encoding="utf-8") as file:
        print(digest(), *map(json.dumps, done.values()), sep="\n", file=file, flush=True)
        for number, record in enumerate(judge_all(todo, chosen.workers), 1):
            print(json.dumps(record), file=file, flush=True)
            done[record["item"]] = record
            if record["verdict"] == "holds" and not record["item"].endswith(".0"):
                print(f"\r{report.described(record['item'], record)}", flush=True)
            print(f"\r   {number} of {len(todo)}", end="", file=sys.stderr, flush=True)
    wrong = False
    for kind, part in parts.items():
        records = [done[item] for item in part]
        print(f"\n== {kind}\n{report.tables(records)}")
        wrong |= bool(report.faults(records))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
