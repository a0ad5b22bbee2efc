"""Records of statements as notebooks store them, and notebooks that hold them."""

import json
from dataclasses import asdict
from pathlib import Path

from book.reference.ledger import KINDS, MIME
from throughtime.derivation import Source

PASSED = {"passed": True, "reason": "", "count": 3}


def record(name: str, verdict: str = "holds", kind: str = "", **changes) -> dict:
    source = Source(f"title of {name}", kind=kind, fault=f"{name} is < wrong." * bool(kind))
    made = {
        "id": name,
        "anchor": name,
        **asdict(source),
        "verdict": verdict,
        "words": source.words(verdict),
        "checks": {kind: dict(PASSED) for kind in KINDS},
        "mutants": {"tried": 7, "rejected": 6, "equal": 1, "survivors": []},
        "assumptions": ["$x$ is real"],
        "printed": f"P_{{{name}}} < 1 & 2",
        "corrected": f"C_{{{name}}}" if verdict == "corrected" else "",
        "counterexample": "At $t=2$ the left side $a<b$ is 1 & not <b>2</b>." if verdict != "holds" else "",
    }
    return made | changes


def write(path: Path, *records: object) -> None:
    """Write a notebook with text, a cell of streams and plain results, and one cell per statement."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {"output_type": "execute_result", "data": {"text/plain": ["3"]}}
    shown = [[{"output_type": "stream", "text": ["printed"]}, plain]]
    shown += [[{"data": {MIME: made, "text/plain": ["a box"]}}] for made in records]
    cells = [{"cell_type": "code", "outputs": outputs} for outputs in shown]
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["# A *title*"]}, *cells]}))
