"""All nets of the timing tasks, and what the note says of them, by the stored trials."""

from book.experiments.runner import records
from book.experiments.timed import TimedRow
from book.experiments.timed_rows import TIMED, Summary, summary
from book.shared.rendered import Rendered, table

HEAD = ("task", "peepholes", "start", "learnt", "thousand streams", "RMSE of a test")


def stored() -> list[Summary]:
    """A summary of each row that has trials."""
    return summary(records(kind=TimedRow).read())


def told() -> Rendered:
    """All rows that have trials; means and standard deviations are those of nets that learnt the task."""
    return table(HEAD, map(_told, stored()))


def _told(one: Summary) -> list[str]:
    row, spread = TIMED[one.row], f" ± {one.deviation / 1e3:.0f}" * (one.solved > 1)
    found = [f"{one.mean / 1e3:.0f}{spread}", f"{one.rms:.3f}"] if one.solved else ["", ""]
    task, peepholes = one.row.removesuffix("-plain"), "yes" if row.peepholes else "no"
    return [task, peepholes, one.reading, f"{one.solved} of {one.trials}", *found]
