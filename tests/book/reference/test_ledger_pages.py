"""The ledger and the errata for planted statements: rows, badges, links, missing statements, escaping."""

import copy
from dataclasses import asdict
from html.parser import HTMLParser

import pytest
from book.reference import ledger_pages
from book.reference.ledger import Judged, listed
from throughtime.derivation import FAULTS, Source


def record(name: str, verdict: str = "holds", kind: str = "", **changes) -> dict:
    source = Source(f"title of {name}", kind=kind, fault=f"{name} is < wrong." * bool(kind))
    passed = {"passed": True, "reason": "", "count": 3}
    made = {
        "id": name,
        "anchor": name,
        **asdict(source),
        "verdict": verdict,
        "words": source.words(verdict),
        "checks": {kind: copy.copy(passed) for kind in ("general", "instance", "numeric")},
        "mutants": {"tried": 7, "rejected": 6, "equal": 1, "survivors": []},
        "assumptions": [],
        "printed": f"P_{{{name}}} < 1 & 2",
        "corrected": f"C_{{{name}}}" if verdict == "corrected" else "",
        "counterexample": "At $t=2$ the left side $a<b$ is 1 & not <b>2</b>." if verdict != "holds" else "",
    }
    return made | changes


JUDGED = [
    Judged("lfmn/gradients", record("lfmn-8")),
    Judged("lfmn/gradients", record("lfmn-9", "corrected", "misprint")),
    Judged("lfmn/latching", record("lfmn-latching-condition", "refuted", "result")),
    Judged("lfmn/examples", record("lfmn-example-1", "supported")),
    Judged("bptt/flow", record("bptt-7", "corrected", "index")),
    Judged("index", record("worked-example", "corrected")),
]


class Reader(HTMLParser):
    """Parser that collects the rows of tables as lists of cell texts and the links, and requires closed elements."""

    VOID = ("br", "img")

    def __init__(self, html: str):
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.seen: list[tuple[str, dict]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "a":
            self.links.append(dict(attrs)["href"])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def classes(self) -> list[str]:
        return [attrs["class"] for _, attrs in self.seen if "class" in attrs]


def row_of(html: str, name: str) -> list[str]:
    (found,) = [row for row in Reader(html).rows if row and row[0].startswith(name)]
    return found


def columns(judged) -> dict[str, list[str]]:
    """The counts of each note, from top to bottom."""
    return {name: cells for name, *cells in zip(*Reader(ledger_pages.counts(judged).html).rows, strict=True)}


def test_counts_say_how_much_is_judged_and_how_much_is_missing():
    found = columns(JUDGED)
    lfmn = sum(row.note == "LFMN" for row in listed())
    assert found["verdict"] == ["judged", *ledger_pages.WORDS, "failed", "missing"]
    assert found["LFMN"] == [f"4 of {lfmn}", "0", "1", "0", "1", "0", "0", "1", "1", "0", str(lfmn - 4)]
    assert found["BPTT"][1:-1] == ["0", "0", "0", "0", "0", "1", "0", "0", "0"]
    assert found["all"][0] == f"5 of {len(listed())}"
    assert found["all"][-1] == str(len(listed()) - 5)


def test_a_count_leads_to_its_first_statement_and_says_which_are_counted():
    links = {attrs["href"]: attrs for tag, attrs in Reader(ledger_pages.counts(JUDGED).html).seen if tag == "a"}
    assert links["ledger.html#ledger-bptt-7"] == {
        "href": "ledger.html#ledger-bptt-7", "data-note": "", "data-kind": FAULTS["index"],
    }  # fmt: skip
    rows = [attrs for tag, attrs in Reader(ledger_pages.table(JUDGED, "BPTT").html).seen if "data-note" in attrs]
    assert [(attrs["data-note"], attrs["data-kind"]) for attrs in rows] == [("BPTT", FAULTS["index"])]


def test_a_statement_judged_twice_counts_once():
    twice = [*JUDGED, Judged("other/page", record("lfmn-8"))]
    assert ledger_pages.counts(twice).text == ledger_pages.counts(JUDGED).text


def test_table_has_a_row_for_each_judged_statement_of_the_note_and_no_other():
    rows = Reader(ledger_pages.table(JUDGED, "LFMN").html).rows[1:]
    assert [row[0].split("lfmn/")[0] for row in rows] == [
        "lfmn-8(8)", "lfmn-9(9)", "lfmn-latching-conditionunnumbered", "lfmn-example-1unnumbered",
    ]  # fmt: skip


def test_row_says_number_page_what_it_states_verdict_checks_and_mutants():
    states = {row.id: row.states for row in listed()}
    name, what, verdict = row_of(ledger_pages.table(JUDGED, "LFMN").html, "lfmn-9")
    assert name == "lfmn-9(9)lfmn/gradients"
    assert (
        what
        == states["lfmn-9"]
        + r"\[P_{lfmn-9} < 1 & 2\]"
        + "passed: general, instance, numeric; mutants rejected: 6 of 7 (1 equal)"
    )
    assert verdict == "misprint"


def test_unnumbered_statement_says_so():
    assert "unnumbered" in row_of(ledger_pages.table(JUDGED, "LFMN").html, "lfmn-latching-condition")[0]


@pytest.mark.parametrize(
    ("verdict", "badge"),
    [
        ("holds", "holds as printed"),
        ("corrected", "holds after a correction"),
        ("refuted", "refuted"),
        ("supported", "supported by experiment"),
    ],
)
def test_badge_and_its_color(verdict, badge):
    html = ledger_pages.table([Judged("lfmn/a", record("lfmn-1", verdict))], "LFMN").html
    assert row_of(html, "lfmn-1")[2] == badge
    assert f"tt-{verdict}" in Reader(html).classes()


def test_link_leads_from_the_reference_pages_to_the_box():
    links = Reader(ledger_pages.table(JUDGED, "LFMN").html).links
    assert links[:2] == ["../lfmn/gradients.html#lfmn-8", "../lfmn/gradients.html#lfmn-9"]
    assert ledger_pages.href(Judged("reference/derive-your-own", record("x"))) == "derive-your-own.html#x"
    assert ledger_pages.href(Judged("index", record("x"))) == "../index.html#x"


def test_steps_argued_in_words_are_told():
    item = record("lfmn-1")
    item["checks"]["general"] = {"passed": True, "reason": "", "count": 4, "argued": 2}
    assert (
        "; argued in words: 2 steps; " in row_of(ledger_pages.table([Judged("lfmn/a", item)], "LFMN").html, "lfmn-1")[1]
    )


def test_check_that_does_not_apply_gives_its_reason():
    item = record("lfmn-1")
    item["checks"]["numeric"] = {"passed": None, "reason": "no numbers for $q \\to \\infty$", "count": 0}
    checks = row_of(ledger_pages.table([Judged("lfmn/a", item)], "LFMN").html, "lfmn-1")[1]
    assert "passed: general, instance; " in checks
    assert checks.endswith("not applicable: numericno numbers for \\(q \\to \\infty\\)")


@pytest.mark.parametrize(
    ("plant", "what"),
    [
        (lambda item: item["checks"]["instance"].update(passed=False), "instance"),
        (lambda item: item["mutants"].update(rejected=5), "mutants"),
        (lambda item: item["mutants"].update(tried=0, rejected=0, equal=0), "mutants"),
    ],
)
def test_failed_check_takes_the_place_of_the_verdict(plant, what):
    item = record("lfmn-1")
    plant(item)
    shown = ledger_pages.table([Judged("lfmn/a", item)], "LFMN")
    assert row_of(shown.html, "lfmn-1")[2] == f"FAILED: {what}"
    assert f"FAILED: {what}" in shown.text
    assert columns([Judged("lfmn/a", item)])["LFMN"][-2] == "1"


def test_what_is_missing_is_listed():
    shown = ledger_pages.table(JUDGED, "LFMN")
    assert "<code>lfmn-22</code>" in shown.html
    assert "<code>lfmn-8</code>" not in shown.html
    absent = sum(row.note == "LFMN" for row in listed()) - 4
    assert f"{absent} of {absent + 4} statements of this note are not judged yet" in shown.html
    assert len(shown.text.splitlines()[-1].split()) == 3 + absent


def test_complete_note_says_so():
    everything = [Judged("lfmn/a", record(row.id)) for row in listed() if row.note == "LFMN"]
    shown = ledger_pages.table(everything, "LFMN")
    assert f"All {len(everything)} statements of this note are judged." in shown.html
    assert shown.text.endswith("not judged yet: none")


def test_statements_on_no_list_stand_apart():
    rows = Reader(ledger_pages.others(JUDGED).html).rows[1:]
    assert [row[:3] for row in rows] == [["worked-exampleindex", rows[0][1], "holds after a correction"]]
    assert rows[0][1].startswith("title of worked-example\\[P_")
    assert ledger_pages.others(JUDGED[:-1]).text == "none"


def test_errata_are_exactly_the_corrected_and_the_refuted():
    ids = [attrs["id"] for _, attrs in Reader(ledger_pages.errata(JUDGED, "LFMN").html).seen if "id" in attrs]
    assert ids == ["erratum-lfmn-latching-condition", "erratum-lfmn-9"]  # the gravest first
    bptt = ledger_pages.errata(JUDGED, "BPTT").html
    assert "erratum-bptt-7" in bptt
    assert "lfmn" not in bptt


def test_corrected_statements_on_no_list_have_errata_of_their_own():
    html = ledger_pages.own_errata(JUDGED).html
    assert [attrs["id"] for _, attrs in Reader(html).seen if "id" in attrs] == ["erratum-worked-example"]
    assert "title of worked-example" in html
    assert "<p>As printed</p>" in html
    assert Reader(html).links == ["../index.html#worked-example"]
    assert "Nothing is wrong in the 1 judged" in ledger_pages.own_errata([Judged("a", record("x"))]).html
    assert ledger_pages.own_errata(JUDGED[:-1]).text == "none judged yet"


def test_erratum_shows_print_with_its_number_counterexample_correction_and_link():
    html = ledger_pages.errata(JUDGED, "LFMN").html
    second, first = html.split('id="erratum-lfmn-9"')
    assert '<p class="tt-fault">lfmn-9 is &lt; wrong.</p>' in first
    assert "<p>As printed in (9)</p>" in first
    assert r"\[P_{lfmn-9} &lt; 1 &amp; 2\]" in first
    assert r"\[C_{lfmn-9}\]" in first
    assert Reader(html).links[1] == "../lfmn/gradients.html#lfmn-9"
    assert "<p>As printed</p>" in second  # unnumbered
    assert "Corrected" not in second  # refuted: there is no corrected form


def test_erratum_of_what_is_said_in_words_quotes_it():
    item = Judged("lfmn/a", record("lfmn-17", "corrected", "hypothesis", quote="足以 <", translation="enough"))
    html = ledger_pages.errata([item], "LFMN").html
    assert '<p class="tt-quote"><q>足以 &lt;</q> (enough)</p>' in html
    assert "<p>As read in (17)</p>" in html


def test_erratum_says_what_is_wrong_before_it_shows_the_forms():
    html = ledger_pages.errata(JUDGED[:2], "LFMN").html
    places = [html.index(part) for part in ("lfmn-9 is &lt; wrong.", "As printed", "Corrected", "Counterexample")]
    assert places == sorted(places)
    assert "<details>" not in html


def test_a_slip_told_before_is_linked_and_folded():
    item = Judged("lfmn/a", record("lfmn-10", "corrected", "index", fault="The slip of lfmn-9 again, not lfmn-99."))
    html = ledger_pages.errata([JUDGED[1], item], "LFMN").html
    assert 'The slip of <a href="errata.html#erratum-lfmn-9">lfmn-9</a> again, not lfmn-99.' in html
    assert html.count("<details>") == 1


def twins() -> list[Judged]:
    """A formula that two notes print, as it is read off a page: a statement of each note, in one box."""
    own = {key: record("lstm97-24", "corrected", "result")[key] for key in ("id", "anchor", "title", "words", "fault")}
    own |= {"quote": "因此", "translation": "hence"}
    first = record("bptt-16", "corrected", "result", also=[own], quote="如果", translation="if")
    return [Judged("bptt/vanishing", first), Judged("bptt/vanishing", first | own | {"box": "bptt-16"})]


def test_what_two_notes_print_has_a_row_and_a_place_among_the_counts_in_each():
    found = columns(twins())
    assert [found[note][0].split()[0] for note in ("BPTT", "LSTM 1997", "all")] == ["1", "1", "2"]
    for note, id in (("BPTT", "bptt-16"), ("LSTM 1997", "lstm97-24")):
        reader = Reader(ledger_pages.table(twins(), note).html)
        assert reader.links == [f"../bptt/vanishing.html#{id}"]
        assert [attrs["id"] for tag, attrs in reader.seen if tag == "tr" and "id" in attrs] == [f"ledger-{id}"]


def test_erratum_of_what_two_notes_print_stands_once_and_the_other_note_refers_to_it():
    first, second = (ledger_pages.errata(twins(), note) for note in ("BPTT", "LSTM 1997"))
    assert "<p>Printed in both notes: BPTT note, (16), LSTM 1997 note, (24)</p>" in first.html
    assert first.html.count("</q>") == 2
    assert "Counterexample" in first.html
    assert 'id="erratum-lstm97-24"' in second.html
    assert 'see <a href="errata.html#erratum-bptt-16">bptt-16</a>' in second.html
    assert "Counterexample" not in second.html
    assert "math" not in second.html.replace("lstm97", "")
    assert second.text == "lstm97-24: wrong result. Printed in both notes, see bptt-16."


def test_note_without_errata_says_how_much_was_judged():
    assert "Nothing is wrong in the 1 judged" in ledger_pages.errata(JUDGED[:1], "LFMN").html
    assert "No statement of this note is judged yet" in ledger_pages.errata([], "Peephole LSTM").html


def test_every_note_of_the_list_has_its_place():
    assert sorted(ledger_pages.NOTES) == sorted({row.note for row in listed()})


def test_words_are_escaped():
    html = ledger_pages.errata(JUDGED, "LFMN").html
    assert r"\(a&lt;b\)" in html
    assert "1 &amp; not &lt;b&gt;2&lt;/b&gt;." in html
    item = record("lfmn-1")
    item["checks"]["numeric"] = {"passed": None, "reason": "<script>", "count": 0}
    assert "<script>" not in ledger_pages.table([Judged("lfmn/a", item)], "LFMN").html
    assert "<i>" not in ledger_pages.others([Judged("a", record("x", title="<i>"))]).html


def test_unknown_note_is_refused():
    for page in (ledger_pages.table, ledger_pages.errata):
        with pytest.raises(ValueError, match=r"note: no statement .* 'LSTM', expected one of \['LFMN', "):
            page([], "LSTM")


def test_shown_in_both_forms():
    shown = ledger_pages.counts(JUDGED)
    assert shown._repr_mimebundle_() == {"text/html": shown.html, "text/plain": shown.text}
    assert "LFMN: 4 of 27 judged, 23 missing" in shown.text
