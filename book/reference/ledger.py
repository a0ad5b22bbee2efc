"""The ledger: what the stored outputs of the executed notebooks say of each statement of the project's list."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from throughtime.derivation import Source

MIME = "application/vnd.throughtime.statement+json"
KINDS = ("general", "instance", "numeric")
OWN = "Our own"  # in place of a note, for statements that no note makes


@dataclass(frozen=True)
class Listed:
    """A row of the list of statements, ``book/data/statements.csv``, whose columns ``book/data/README.md`` explains."""

    id: str
    note: str
    printed_as: str
    states: str
    put: str = "printed"
    quote: str = ""
    translation: str = ""
    verdict: str = ""
    checks: str = ""
    fault: str = ""
    sentence: str = ""

    @property
    def source(self) -> "Source":
        """Metadata of the statement for the engine."""
        from throughtime.derivation import Source  # the list can be read without SymPy

        tag = None if self.printed_as == "unnumbered" else self.printed_as
        kind = self.fault or ("definition" if self.put == "defined" else "")
        return Source(self.states, tag, self.quote, self.translation, kind, self.sentence)


@cache
def rows() -> tuple[Listed, ...]:
    """Every statement of the book, those of its sources in their order, then those of its own."""
    text = (Path(__file__).parents[1] / "data" / "statements.csv").read_text(encoding="utf-8")
    return tuple(Listed(**row) for row in csv.DictReader(text.splitlines()))


def listed() -> list[Listed]:
    """Every statement of a source, in the order of the sources."""
    return [row for row in rows() if row.note != OWN]


@dataclass(frozen=True)
class Judged:
    """A statement as an executed notebook shows it. `page` is the notebook's path below the book, without suffix.

    `chapter` is the notebook's title, without its marks. What several sources print has one box: there is one of these
    for each of them, and `box` is the id of the first.
    """

    page: str
    record: dict[str, Any]
    chapter: str = ""

    @property
    def id(self) -> str:
        """The statement's id."""
        return self.record["id"]

    @property
    def box(self) -> str:
        """The id of the box; another one than the statement's where an earlier source prints the same."""
        return self.record.get("box", self.id)

    @property
    def failed(self) -> list[str]:
        """The checks that did not pass; empty for a sound statement."""
        checks = [kind for kind in KINDS if self.record["checks"][kind]["passed"] is False]
        mutants = self.record["mutants"]
        sound = mutants["tried"] > 0 and mutants["rejected"] + mutants["equal"] == mutants["tried"]
        return checks if sound else [*checks, "mutants"]

    def as_json(self) -> dict[str, Any]:
        """The public form: id, page, anchor, verdict, kind of fault, checks, mutants, assumptions."""
        record = self.record
        checks: dict[str, Any] = {kind: record["checks"][kind]["passed"] for kind in KINDS}
        checks["reasons"] = {k: record["checks"][k]["reason"] for k in KINDS if record["checks"][k]["passed"] is None}
        mutants = {key: record["mutants"][key] for key in ("tried", "rejected", "equal")}
        head = {"id": self.id, "page": self.page} | {name: record[name] for name in ("anchor", "verdict", "kind")}
        return head | {"checks": checks, "mutants": mutants, "assumptions": record["assumptions"]}


# The fields of a stored record that the ledger uses, each with its type.
CHECK = {"passed": bool | None, "reason": str}
RECORD = dict.fromkeys(("id", "anchor", "verdict", "words", "kind"), str) | {
    "checks": dict.fromkeys(KINDS, CHECK),
    "mutants": {"tried": int, "rejected": int, "equal": int},
    "assumptions": list,
}


def read_notebook(path: Path, book: Path) -> Iterator[Judged]:
    """The statements among the stored outputs of one notebook of the folder `book`, in order, one for each source."""
    page = path.relative_to(book).with_suffix("").as_posix()
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        title = next(("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"), "")
        outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
        stored = (output["data"][MIME] for output in outputs if MIME in output.get("data", {}))
        records = [record for found in stored for record in _of_each_source(found)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: expected a notebook, but found {type(error).__name__}: {error}") from error
    for record in records:
        for fault in _misfits(record, RECORD, "record"):
            raise ValueError(f"{path}: {fault}; make update-outputs stores it anew")
        yield Judged(page, record, title.lstrip("# ").partition("\n")[0].replace("*", ""))


def _of_each_source(record: Any) -> list[Any]:
    """A stored record, and the same with the id, title, number and sentence of each further source under "also"."""
    further = record.get("also", ()) if isinstance(record, dict) else ()
    return [record, *({**record, **own, "box": record["id"]} for own in further)]


def _misfits(found: Any, shape: Any, name: str) -> Iterator[str]:
    """Where a value read from JSON is not of the shape: a type, or a dictionary of shapes by key."""
    if not isinstance(shape, dict):
        if not isinstance(found, shape):
            yield f"{name}: expected {getattr(shape, '__name__', shape)}, got {found!r}"
    elif not isinstance(found, dict):
        yield f"{name}: expected an object, got {found!r}"
    else:
        for key, inner in shape.items():
            if key in found:
                yield from _misfits(found[key], inner, f"{name}.{key}")
            else:
                yield f"{name} has no {key!r}"


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
