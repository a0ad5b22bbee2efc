"""The ledger and the errata as pages show them: tables read off the stored outputs, as HTML and as plain text."""

import html
import posixpath
import re
from collections.abc import Container, Iterable, Sequence

from book.reference.ledger import KINDS, OWN, Judged, Listed, listed
from book.reference.marks import marked
from book.shared.rendered import Rendered, data, table_of, table_row
from throughtime.derivation import FAULTS, display, fold, head, prose, quotation

TABLE = "tt-ledger"
HERE = "reference"  # the folder of the pages that show these tables, below the book
WRONG = ("corrected", "refuted")
RIGHT = ("defined", "holds as printed", "holds as read")
WORDS = (*RIGHT, *FAULTS.values(), "supported by experiment")
# In the order of the book.
NOTES = ("LFMN", "BPTT", "LSTM 1997", "The 1997 paper", "Peephole LSTM", "Elman and Jordan", "Online rules")
PAPERS = ("The 1997 paper", "Online rules")  # the others are notes
AGAIN = re.compile(r"[a-z]+\d*(?:-[a-z0-9]+)+")  # what may be the name of another statement in a sentence on a fault


def href(item: Judged) -> str:
    """The address of a statement's box, as seen from the pages in `reference`."""
    return f"{posixpath.relpath(item.page, HERE)}.html#{item.record['anchor']}"


def counts(judged: Sequence[Judged]) -> Rendered:
    """How many statements of each note have which verdict; each count leads to the first of its statements."""
    wanted, by_id = {note: _rows(note) for note in NOTES}, _by_id(judged)
    wanted["all"] = [row for rows in wanted.values() for row in rows]
    found = {note: [by_id[row.id][0] for row in rows if row.id in by_id] for note, rows in wanted.items()}
    absent = {note: len(wanted[note]) - len(here) for note, here in found.items()}
    of = {note: f"{len(here)} of {len(wanted[note])}" for note, here in found.items()}
    lines = [["judged", *of.values()]]
    for words in WORDS:
        same = {note: [item for item in here if item.record["words"] == words] for note, here in found.items()}
        lines.append([words, *(_count(some, note if note in NOTES else "", words) for note, some in same.items())])
    lines.append(["failed", *(str(sum(bool(item.failed) for item in here)) for here in found.values())])
    lines.append(["missing", *map(str, absent.values())])
    text = [f"{note}: {judged_of} judged, {absent[note]} missing" for note, judged_of in of.items()]
    return Rendered(table_of(["verdict", *wanted], map(table_row, lines), TABLE), "\n".join(text))


def _count(same: Sequence[Judged], note: str, words: str) -> str:
    if not same:
        return "0"
    first = html.escape(same[0].id)
    return f'<a href="ledger.html#ledger-{first}"{data(note=note, kind=words)}>{len(same)}</a>'


def table(judged: Sequence[Judged], note: str) -> Rendered:
    """Every judged statement of a note, one row each, and the list of those that no notebook judges yet."""
    rows, shown = _rows(note), _of_note(judged, note)
    done = {item.id for _, item in shown}
    absent = [row for row in rows if row.id not in done]
    text = [*(_line(item) for _, item in shown), f"not judged yet: {' '.join(row.id for row in absent) or 'none'}"]
    return Rendered(_table(shown) * bool(shown) + _absent(absent, len(rows)), "\n".join(text))


def _table(shown: Iterable[tuple[Listed, Judged]]) -> str:
    head = ["statement", "what it states", "verdict"]
    return table_of(head, (_statement_row(item, row) for row, item in shown), TABLE)


def others(judged: Sequence[Judged]) -> Rendered:
    """Statements of the book that are on no list: worked examples, in order of their pages."""
    found = _unlisted(judged)
    return Rendered(_table(found), "\n".join(_line(item) for _, item in found))


def _unlisted(judged: Sequence[Judged]) -> list[tuple[Listed, Judged]]:
    known = {row.id for row in listed()}
    found = sorted((item for item in judged if item.id not in known), key=lambda item: (item.page, item.id))
    return [(Listed(item.id, note=OWN, printed_as="", states=item.record["title"]), item) for item in found]


def _statement_row(item: Judged, row: Listed) -> str:
    record = item.record
    badge = f'<span class="tt-verdict">{html.escape(record["words"])}</span>'
    if item.failed:
        badge = f"<strong>FAILED: {html.escape(', '.join(item.failed))}</strong>"
    link = f'<a href="{html.escape(href(item))}">{html.escape(item.id)}</a>'
    where = (_number(row), item.chapter or item.page)
    below = "".join(f"<div><small>{prose(text)}</small></div>" for text in where if text)
    formula = display(record["printed"] or record["corrected"]) if record["printed"] or record["corrected"] else ""
    return table_row(
        [link + below, prose(row.states) + formula + _checks(item), badge],
        kind=f"tt-{record['verdict']}",
        id=f"ledger-{html.escape(item.id)}",
        more=data(note=row.note, kind=record["words"]),
    )


def _checks(item: Judged) -> str:
    """A line on the checks and the mutants, and a fold for each check that does not apply."""
    record = item.record
    by_result: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for kind in KINDS:
        by_result[record["checks"][kind]["passed"]].append(kind)
    mutants, told = record["mutants"], {"passed": by_result[True], "FAILED": by_result[False]}
    words = [f"{word}: {', '.join(kinds)}" for word, kinds in told.items() if kinds]
    if steps := record["checks"]["general"].get("argued"):
        words.append(f"argued in words: {steps} step{'s' * (steps > 1)}")
    same = f" ({mutants['equal']} equal)" if mutants["equal"] else ""
    words.append(f"mutants rejected: {mutants['rejected']} of {mutants['tried']}{same}")
    folds = (fold(f"not applicable: {kind}", prose(record["checks"][kind]["reason"])) for kind in by_result[None])
    return f"<div><small>{'; '.join(words)}{''.join(folds)}</small></div>"


def _absent(absent: Sequence[Listed], wanted: int) -> str:
    if not absent:
        return f"<p>All {wanted} statements of this note are judged.</p>"
    items = "".join(f"<li><code>{html.escape(row.id)}</code> {prose(row.states)}</li>" for row in absent)
    return fold(f"{len(absent)} of {wanted} statements of this note are not judged yet", f"<ul>{items}</ul>")


def _line(item: Judged) -> str:
    mutants = item.record["mutants"]
    failed = f", FAILED: {', '.join(item.failed)}" if item.failed else ""
    return f"{item.id}: {item.record['words']}, {mutants['rejected']}/{mutants['tried']} mutants, {item.page}{failed}"


def errata(judged: Sequence[Judged], note: str) -> Rendered:
    """Every statement of a note that is wrong, the gravest first: its form, what is wrong, and what is true instead."""
    return _errata(_of_note(judged, note))


def own_errata(judged: Sequence[Judged]) -> Rendered:
    """The same for the statements that are on no list, in order of their pages."""
    return _errata(_unlisted(judged))


def _errata(found: Sequence[tuple[Listed, Judged]]) -> Rendered:
    wrong = [(row, item) for row, item in found if item.record["verdict"] in WRONG]
    if not wrong:
        return Rendered(f"<p>Nothing is wrong in the {len(found)} judged statements.</p>", f"none of {len(found)}")
    wrong.sort(key=lambda pair: [*FAULTS, ""].index(pair[1].record["kind"]))
    known = {row.id for row, _ in wrong} | {row.id for row in listed()}
    boxes = "".join(_erratum(row, item, known) for row, item in wrong)
    text = [f"{row.id}: {item.record['words']}. {_what_is_wrong(item)}" for row, item in wrong]
    return Rendered(boxes, "\n".join(text))


def _what_is_wrong(item: Judged) -> str:
    return item.record["fault"] if item.box == item.id else f"Printed in both notes, see {item.box}."


def _erratum(row: Listed, item: Judged, known: Container[str]) -> str:
    record = item.record
    parts = [
        head(
            f'<a class="tt-tag" href="{html.escape(href(item))}">{html.escape(row.id)}</a>',
            f'<span class="tt-title">{prose(row.states)}</span>',
            f'<span class="tt-verdict">{html.escape(record["words"])}</span>',
        )
    ]
    if item.box == item.id:
        told = [name for name in AGAIN.findall(record["fault"]) if name in known and name != item.id]
        if record["fault"]:
            parts.append(f'<p class="tt-fault">{_linked(prose(record["fault"]), told)}</p>')
        body = "".join(_parts(row, item))
        parts.append(fold("the formula and its correction", body) if told else body)
    else:
        parts.append(f"<p>{_linked(html.escape(_what_is_wrong(item)), [item.box])}</p>")
    opening = f'<div class="tt-statement tt-{record["verdict"]}" id="erratum-{html.escape(row.id)}"'
    return f"{opening}{data(note=row.note, kind=record['words'])}>{''.join(parts)}</div>"


def _linked(text: str, names: Iterable[str]) -> str:
    """HTML in which the names of other errata lead to them."""
    for name in dict.fromkeys(names):
        text = re.sub(rf"\b{name}\b(?!-)", f'<a href="errata.html#erratum-{name}">{name}</a>', text)
    return text


def _parts(row: Listed, item: Judged) -> list[str]:
    """The parts of an erratum below what is wrong: both forms in one block, and the numbers that tell them apart."""
    record, parts, forms = item.record, [], []
    printed, corrected = marked(record["printed"], record["corrected"])
    sources = [record, *record.get("also", ())]
    if len(sources) > 1:
        ids = {own["id"] for own in sources}
        both = ", ".join(source_of(other) for other in listed() if other.id in ids)
        parts.append(f"<p>Printed in both notes: {html.escape(both)}</p>")
    if record["printed"]:
        where = f" in {_number(row)}" if row.printed_as.isdigit() else ""
        quoted = (quotation(own["quote"], own["translation"]) for own in sources if own["quote"])
        parts += (f'<p class="tt-quote">{words}</p>' for words in quoted)
        forms.append(f"<p>As {'read' if record['quote'] else 'printed'}{where}</p>" + display(printed))
    if record["corrected"]:
        forms.append("<p>Corrected</p>" + display(corrected))
    parts.append(f'<div class="tt-difference">{"".join(forms)}</div>')
    parts.append(f'<p class="tt-counterexample"><strong>Counterexample.</strong> {prose(record["counterexample"])}</p>')
    return parts


def source_of(row: Listed) -> str:
    """Where a statement stands: the note or the papers, and its number there."""
    return f"{row.note}{'' if row.note in PAPERS else ' note'}, {_number(row)}"


def _number(row: Listed) -> str:
    """Numbers of equations in brackets."""
    words = re.search("[A-Za-z]{3}", row.printed_as)
    return row.printed_as if words else re.sub(r"\d+", r"(\g<0>)", row.printed_as)


def _rows(note: str) -> list[Listed]:
    found = [row for row in listed() if row.note == note]
    if not found:
        raise ValueError(f"note: no statement of the list comes from {note!r}, expected one of {list(NOTES)}")
    return found


def _of_note(judged: Sequence[Judged], note: str) -> list[tuple[Listed, Judged]]:
    by_id = _by_id(judged)
    return [(row, item) for row in _rows(note) for item in by_id.get(row.id, [])]


def _by_id(judged: Iterable[Judged]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for item in judged:
        found.setdefault(item.id, []).append(item)
    return found
