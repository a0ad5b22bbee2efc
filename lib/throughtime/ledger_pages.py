"""The ledger and the errata as pages show them: tables read off the stored outputs, as HTML and as plain text."""

from __future__ import annotations

import html
import posixpath
from collections import Counter
from collections.abc import Iterable, Sequence

from .derivation.render import VERDICTS, display, fold, prose
from .ledger import KINDS, Judged, Listed, listed
from .rendered import Rendered, table_of, table_row

TABLE = "tt-ledger"
HERE = "reference"  # the folder of the pages that show these tables, below the book
WRONG = ("corrected", "refuted")


def notes() -> list[str]:
    """The notes whose statements are on the project's list, in its order."""
    return list(dict.fromkeys(row.note for row in listed()))


def href(item: Judged) -> str:
    """The address of a statement's box, as seen from the pages in `reference`."""
    return f"{posixpath.relpath(item.page, HERE)}.html#{item.record['anchor']}"


def counts(judged: Sequence[Judged]) -> Rendered:
    """How many statements of each note are judged, with which verdicts, and how many are still missing."""
    head = ["note", "statements", "judged", *VERDICTS.values(), "with a failed check", "missing"]
    lines = [(note, *_count(_rows(note), judged)) for note in notes()]
    lines.append(("all", *map(sum, zip(*(line[1:] for line in lines), strict=True))))
    cells = (table_row([html.escape(note), *map(str, numbers)]) for note, *numbers in lines)
    text = [f"{note}: {numbers[1]} of {numbers[0]} judged, {numbers[-1]} missing" for note, *numbers in lines]
    return Rendered(table_of(head, cells, TABLE), "\n".join(text))


def _count(rows: Sequence[Listed], judged: Sequence[Judged]) -> list[int]:
    here = {item.id: item for item in judged if item.id in {row.id for row in rows}}
    verdicts = Counter(item.record["verdict"] for item in here.values())
    failed = sum(bool(item.failed) for item in here.values())
    return [len(rows), len(here), *(verdicts[name] for name in VERDICTS), failed, len(rows) - len(here)]


def table(judged: Sequence[Judged], note: str) -> Rendered:
    """Every judged statement of a note, one row each, and the list of those that no notebook judges yet."""
    rows = _rows(note)
    by_id = _by_id(judged)
    shown = [(row, item) for row in rows for item in by_id.get(row.id, [])]
    absent = [row for row in rows if row.id not in by_id]
    body = (_statement_row(item, _number(row), row.states) for row, item in shown)
    parts = [table_of(_HEAD, body, TABLE)] if shown else []
    parts.append(_absent(absent, len(rows)))
    text = [*(_line(item) for _, item in shown), f"not judged yet: {' '.join(row.id for row in absent) or 'none'}"]
    return Rendered("".join(parts), "\n".join(text))


def others(judged: Sequence[Judged]) -> Rendered:
    """Statements of the book that are on no list: worked examples, in order of their pages."""
    known = {row.id for row in listed()}
    found = sorted((item for item in judged if item.id not in known), key=lambda item: (item.page, item.id))
    if not found:
        return Rendered("<p>None.</p>", "none")
    body = (_statement_row(item, "", item.record["title"]) for item in found)
    return Rendered(table_of(_HEAD, body, TABLE), "\n".join(map(_line, found)))


_HEAD = ["statement", "number", "what it states", "verdict", "checks", "mutants rejected"]


def _statement_row(item: Judged, number: str, states: str) -> str:
    verdict = item.record["verdict"]
    badge = f'<span class="tt-verdict">{VERDICTS[verdict]}</span>'
    if item.failed:
        badge = f'<strong class="tt-failed">FAILED: {html.escape(", ".join(item.failed))}</strong>'
    link = f'<a href="{html.escape(href(item))}">{html.escape(item.id)}</a><br><small>{html.escape(item.page)}</small>'
    cells = [link, html.escape(number), prose(states), badge, _checks(item), _mutants(item)]
    return table_row(cells, kind=f"tt-{verdict}")


def _checks(item: Judged) -> str:
    shown = []
    for kind in KINDS:
        outcome = item.record["checks"][kind]
        if outcome["passed"] is None:
            shown.append(fold(f"{kind}: not applicable", prose(outcome["reason"])))
        else:
            shown.append(f"{kind}: {'passed' if outcome['passed'] else 'FAILED'}")
    return "".join(f"<div>{text}</div>" for text in shown)


def _mutants(item: Judged) -> str:
    mutants = item.record["mutants"]
    same = f"<br><small>{mutants['equal']} equal</small>" if mutants["equal"] else ""
    return f"{mutants['rejected']} of {mutants['tried']}{same}"


def _absent(absent: Sequence[Listed], wanted: int) -> str:
    if not absent:
        return f"<p>All {wanted} statements of this note are judged.</p>"
    items = "".join(f"<li><code>{html.escape(row.id)}</code> {prose(row.states)}</li>" for row in absent)
    return fold(f"{len(absent)} of {wanted} statements of this note are not judged yet", f"<ul>{items}</ul>")


def _line(item: Judged) -> str:
    mutants = item.record["mutants"]
    failed = f", FAILED: {', '.join(item.failed)}" if item.failed else ""
    return f"{item.id}: {item.record['verdict']}, {mutants['rejected']}/{mutants['tried']} mutants, {item.page}{failed}"


def errata(judged: Sequence[Judged], note: str) -> Rendered:
    """Every printed form of a note that is wrong: the print, its counterexample, and what is true instead."""
    by_id = _by_id(judged)
    rows = [(row, item) for row in _rows(note) for item in by_id.get(row.id, [])]
    wrong = [(row, item) for row, item in rows if item.record["verdict"] in WRONG]
    if not wrong:
        return Rendered(f"<p>None of the {len(rows)} judged statements.</p>", f"none of {len(rows)} judged statements")
    boxes = "".join(_erratum(row, item) for row, item in wrong)
    text = [f"{row.id}: {item.record['verdict']}. {item.record['counterexample']}" for row, item in wrong]
    return Rendered(boxes, "\n".join(text))


def _erratum(row: Listed, item: Judged) -> str:
    record = item.record
    verdict = record["verdict"]
    parts = [
        f'<header><a class="tt-tag" href="{html.escape(href(item))}">{html.escape(row.id)}</a>'
        f'<span class="tt-title">{prose(row.states)}</span>'
        f'<span class="tt-verdict">{VERDICTS[verdict]}</span></header>'
    ]
    tag = rf"\tag{{{row.printed_as}}}" if row.printed_as.isdigit() else ""
    if record["printed"]:
        parts.append("<p>As printed</p>" + display(record["printed"] + tag))
    parts.append(f'<p class="tt-counterexample"><strong>Counterexample.</strong> {prose(record["counterexample"])}</p>')
    if record["corrected"]:
        parts.append("<p>Corrected</p>" + display(record["corrected"]))
    return f'<div class="tt-statement tt-{verdict}" id="erratum-{html.escape(row.id)}">{"".join(parts)}</div>'


def _number(row: Listed) -> str:
    return f"({row.printed_as})" if row.printed_as.isdigit() else row.printed_as


def _rows(note: str) -> list[Listed]:
    found = [row for row in listed() if row.note == note]
    if not found:
        raise ValueError(f"note: no statement of the list comes from {note!r}, expected one of {notes()}")
    return found


def _by_id(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for item in judged:
        found.setdefault(item.id, []).append(item)
    return found
