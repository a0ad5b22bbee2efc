"""What the records of a run say: tables by kind, faults, and one item in full."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from fuzzing.items import asked, stated

Record = dict[str, Any]
# The share of truths that is proved at least, by how a kind begins: "" is any equation, "two-sided" what is written
# otherwise on both sides; what is true of known functions alone has no proof.
PROVED = {"": 0.95, "two-sided": 0.9, "text: limits": 0.95, "text: both signs": 0.95}
# What is not shown names what is missing unless it only says that both sides are not the same, or asks for a larger
# instance where a larger one changes nothing.
UNNAMED = ("general check failed", "the base", "the step fails", "mutants survive")
FOREIGN = "text: foreign name"  # has to be refused before any numbers
WRONG = {"ACCEPTED", "JUDGED", "CALLED WRONG", "crashed", "not shown, unnamed"}  # of the engine


def is_truth(record: Record) -> bool:
    return record["item"].endswith(".0")


def named(record: Record) -> bool:
    """Whether the reason why something is not shown names what is missing."""
    reason = record["reason"]
    return "no place where" in reason or not any(part in reason for part in UNNAMED)


def outcome(record: Record) -> str:
    """The column of a record in its table."""
    verdict = record["verdict"]
    if is_truth(record):
        if verdict in ("not shown", "refused"):
            return "not shown, named" if named(record) else "not shown, unnamed"
        return {"holds": "proved", "wrong": "CALLED WRONG"}.get(verdict, verdict)
    if record["kind"] == FOREIGN and verdict in ("holds", "wrong", "not shown"):
        return "JUDGED"
    by_proof = any(part in record["reason"] for part in ("the base", "the step"))
    refused = "by the proof" if by_proof else "by its form"
    return {"holds": "ACCEPTED", "wrong": "by numbers", "refused": refused}.get(verdict, verdict)


COLUMNS = {
    True: ("proved", "not shown, named", "not shown, unnamed", "undecided", "crashed", "CALLED WRONG"),
    False: ("by numbers", "by the proof", "by its form", "not shown", "undecided", "crashed", "JUDGED", "ACCEPTED"),
}


def kind_of(record: Record) -> str:
    """The kind of a record; that of one left undecided is made anew."""
    if record["kind"]:
        return record["kind"]
    found = asked(record["item"])
    return found.kind if found else ""


def sort_of(kind: str) -> str:
    """The sort of a kind of truths, of which a share has to be proved."""
    return next((sort for sort in PROVED if sort and kind.startswith(sort)), kind.partition(":")[0] * (":" in kind))


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
    """What is wrong with the engine: accepted falsehoods, truths called wrong, foreign names that are not refused,
    crashes, truths not shown without a name for what is missing, too few proved.
    """
    made = [record for record in records if record["verdict"] != "none"]
    truths = [record for record in made if is_truth(record)]
    found = [f"{record['item']} ({kind_of(record)}): {outcome(record)}" for record in made if outcome(record) in WRONG]
    for sort, share in PROVED.items():
        outcomes = [outcome(one) for one in truths if sort_of(kind_of(one)) == sort]
        if (proved := outcomes.count("proved")) < share * len(outcomes):
            found.append(f"{proved} of {len(outcomes)} truths are proved{sort and f', {sort}'}")
    return found


def described(item: str, record: Record) -> str:
    """An item in full: the recurrence, the statement, what refutes it, and the verdict."""
    found, truth = asked(item), asked(f"{item.split('.')[0]}.0")
    if found is None or truth is None:
        return f"== {item}: there is none"
    return "\n".join([
        f"== {item} {found.kind} (made of: {truth.kind})", stated(found.statement),
        f"truth: {stated(truth.statement).splitlines()[-1]}", f"but: {found.why or 'it is true'}",
        f"engine: {record['verdict']} in {record['seconds']} s {record['reason']}", "",
    ])  # fmt: skip
