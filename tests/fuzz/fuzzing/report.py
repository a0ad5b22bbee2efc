"""What the records of a run say: tables by kind, faults, and one item in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from fuzzing import cases
from fuzzing.language import text
from fuzzing.statements import Statement

Record = dict[str, Any]
PROVED = {False: 0.95, True: 0.85}  # of the truths, at least; of those that are written otherwise on both sides
# A refusal names what is missing unless it only says that both sides are not the same, or asks for a larger instance
# where a larger one changes nothing.
UNNAMED = ("general check failed", "is wrong as printed", "the base", "the step fails", "mutants survive")


def is_truth(record: Record) -> bool:
    """Whether a record is of a truth."""
    return record["item"].endswith(".0")


def named(record: Record) -> bool:
    """Whether the reason of a refusal names what is missing."""
    reason = record["reason"]
    return record["verdict"] == "refused" and (
        "no place where" in reason or not any(part in reason for part in UNNAMED)
    )


def outcome(record: Record) -> str:
    """The column of a record in its table."""
    verdict, reason = record["verdict"], record["reason"]
    if is_truth(record):
        return {"holds": "proved", "refused": "refused, named" if named(record) else "refused, unnamed"}.get(
            verdict, verdict
        )
    if verdict != "refused":
        return {"holds": "ACCEPTED"}.get(verdict, verdict)
    if "is wrong as printed" in reason:
        return "by numbers"
    return (
        "by the proof" if any(part in reason for part in ("general check", "the base", "the step")) else "by its form"
    )


COLUMNS = {
    True: ("proved", "refused, named", "refused, unnamed", "undecided", "crashed"),
    False: ("by numbers", "by the proof", "by its form", "undecided", "crashed", "ACCEPTED"),
}


def kind_of(record: Record) -> str:
    """The kind of a record; that of one left undecided is made anew."""
    if record["kind"]:
        return record["kind"]
    found, place = cases.named(record["item"])
    return found.falsehoods[place - 1].kind if place else found.truth.kind


def tables(records: Iterable[Record]) -> str:
    """Counts by kind, of truths and of falsehoods."""
    made = [record for record in records if record["verdict"] != "none"]
    lines = []
    for truths, title in ((True, "truths"), (False, "falsehoods")):
        chosen = [record for record in made if is_truth(record) == truths]
        counts = Counter((kind_of(record), outcome(record)) for record in chosen)
        columns = COLUMNS[truths]
        lines += ["", " | ".join([f"{title:24}", f"{'all':>5}", *columns])]
        for kind in [*sorted({kind for kind, _ in counts}), "all"]:
            row = [sum(n for (k, o), n in counts.items() if kind in (k, "all") and o == column) for column in columns]
            lines.append(
                " | ".join(
                    [f"{kind:24}", f"{sum(row):5}", *(f"{n:{len(c)}}" for n, c in zip(row, columns, strict=True))]
                )
            )
    return "\n".join(lines)


def faults(records: Iterable[Record]) -> list[str]:
    """What is wrong with the engine: accepted falsehoods, crashes, truths refused without a name, too few proved."""
    made = [record for record in records if record["verdict"] != "none"]
    truths = [record for record in made if is_truth(record)]
    wrong = {"ACCEPTED", "crashed", "refused, unnamed"}
    found = [f"{record['item']} ({kind_of(record)}): {outcome(record)}" for record in made if outcome(record) in wrong]
    for two_sided, share in PROVED.items():
        outcomes = [outcome(one) for one in truths if kind_of(one).startswith("two-sided") == two_sided]
        if (proved := outcomes.count("proved")) < share * len(outcomes):
            found.append(f"{proved} of {len(outcomes)} {'two-sided ' * two_sided}truths are proved")
    return found


def stated(statement: Statement) -> str:
    """A recurrence and an equation as text."""
    return f"{statement.recurrence.described()}\nasked: {text(statement.left)} = {text(statement.right)}"


def described(item: str, record: Record) -> str:
    """An item in full: the recurrence, the statement, what refutes it, and the verdict."""
    found, place = cases.named(item)
    kind, statement, why = found.falsehoods[place - 1] if place else (found.truth.kind, found.truth, "it is true")
    return "\n".join([
        f"== {item} {kind} ({statement.form}, made of: {found.truth.kind})", stated(statement),
        f"truth: {text(found.truth.left)} = {text(found.truth.right)}", f"but: {why}",
        f"engine: {record['verdict']} in {record['seconds']} s {record['reason']}", "",
    ])  # fmt: skip
