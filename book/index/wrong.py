"""The front page's sentence: how much of what was judged does not hold as printed, in all and in each source."""

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from book.reference.ledger import Judged, listed
from book.reference.ledger_pages import NOTES, WRONG
from book.shared.rendered import Rendered

ERRATA = "reference/errata.html"  # as seen from the front page


def wrong(judged: Sequence[Judged]) -> Rendered:
    """The sentence with its counts, each of which leads to the errata of its source."""
    verdicts = {item.id: item.record["verdict"] for item in judged}
    of = {note: [row.id for row in listed() if row.note == note and row.id in verdicts] for note in NOTES}
    faults = {note: sum(verdicts[name] in WRONG for name in names) for note, names in of.items()}
    whole = f"{sum(faults.values())} of the {sum(map(len, of.values()))} equations and claims judged here"
    rest = "do not hold as their notes and papers print them."
    end = "Each stands in the errata, with the number that shows it."
    links = (
        f'<a href="{ERRATA}?note={quote(note)}">{escape(note)}</a> {faults[note]} of {len(names)}'
        for note, names in of.items()
    )
    html = f'<p class="tt-lead"><strong>{whole}</strong> {rest} {end}</p><p class="tt-sources">{" · ".join(links)}</p>'
    text = (f"{note}: {faults[note]} of {len(names)}" for note, names in of.items())
    return Rendered(html, "\n".join((f"{whole} {rest}", *text)))
