"""The ledger: what the stored outputs of the executed notebooks say of each statement of the project's list."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

MIME = "application/vnd.throughtime.statement+json"
KINDS = ("general", "instance", "numeric")


@dataclass(frozen=True)
class Listed:
    """A row of the project's own list: the statement's id, its note, its number there, its kind, what it states."""

    id: str
    note: str
    printed_as: str
    kind: str
    states: str


def listed() -> list[Listed]:
    """Every statement the book has to judge, in the order of the notes."""
    text = (files("throughtime") / "data" / "statements.csv").read_text(encoding="utf-8")
    return [Listed(**row) for row in csv.DictReader(text.splitlines())]


def titles() -> dict[str, str]:
    """What each statement states, by id."""
    return {row.id: row.states for row in listed()}


@dataclass(frozen=True)
class Judged:
    """A statement as an executed notebook shows it. `page` is the notebook's path below the book, without suffix."""

    page: str
    record: dict[str, Any]

    @property
    def id(self) -> str:
        """The statement's id."""
        return self.record["id"]

    @property
    def failed(self) -> list[str]:
        """The checks that did not pass; empty for a sound statement."""
        checks = [kind for kind in KINDS if self.record["checks"][kind]["passed"] is False]
        mutants = self.record["mutants"]
        sound = mutants["tried"] > 0 and mutants["rejected"] + mutants["equal"] == mutants["tried"]
        return checks if sound else [*checks, "mutants"]

    def as_json(self) -> dict[str, Any]:
        """The public form: id, page, anchor, verdict, checks, mutants, assumptions."""
        record = self.record
        checks: dict[str, Any] = {kind: record["checks"][kind]["passed"] for kind in KINDS}
        checks["reasons"] = {k: record["checks"][k]["reason"] for k in KINDS if record["checks"][k]["passed"] is None}
        mutants = {key: record["mutants"][key] for key in ("tried", "rejected", "equal")}
        return {
            "id": self.id,
            "page": self.page,
            "anchor": record["anchor"],
            "verdict": record["verdict"],
            "checks": checks,
            "mutants": mutants,
            "assumptions": record["assumptions"],
        }


def read_notebook(path: Path, book: Path) -> Iterator[Judged]:
    """The statements among the stored outputs of one notebook, in order."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    page = path.relative_to(book).with_suffix("").as_posix()
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get(MIME)
            if record is not None:
                yield Judged(page, record)


def find_book(start: Path | None = None) -> Path:
    """The folder `book` of the project around `start` (the working folder); FileNotFoundError if there is none."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "_toc.yml").is_file() and (folder / "book").is_dir():
            return folder / "book"
    raise FileNotFoundError(f"no folder with _toc.yml and book/ at or above {here}; run this inside a checkout")


def read_book(book: Path | None = None) -> list[Judged]:
    """All judged statements of the book, in the order of the project's list, unknown ids last."""
    book = book or find_book()
    if not book.is_dir():
        raise FileNotFoundError(f"no folder {book}")
    notebooks = sorted(p for p in book.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
    found = [judged for path in notebooks for judged in read_notebook(path, book)]
    order = {row.id: place for place, row in enumerate(listed())}
    return sorted(found, key=lambda judged: (order.get(judged.id, len(order)), judged.page))


def missing(judged: list[Judged]) -> list[str]:
    """Ids of the list that no notebook judges."""
    done = {item.id for item in judged}
    return [row.id for row in listed() if row.id not in done]


def matches(id: str, prefix: str) -> bool:
    """Whether an id belongs to a part, such as `lfmn`, or is the id itself."""
    return id == prefix or id.startswith(prefix.rstrip("-") + "-")
