"""How the paper of 1997 is read: its words, the program of its institute, and each doubtful detail by itself."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Reading:
    """What the paper leaves open, decided.

    squash      of the output units: "logistic", or "identity" against the paper's words
    slope       whether the error of an output has the factor f'(net), as equation 19 of the paper has it
    reset       activations of gates and cells before each sequence: "0", or "1/2" as in the institute's program
    bias        of gates: "set" to the paper's numbers, or "added" to what is drawn
    grid        whether weights are drawn from multiples of a thousandth of their range
    moved       when the weights move: after the "sequence", after the first step of the "next" one, at each "step"
    squared     whether "average error" of a stopping rule is the mean squared error
    interval    sequences between two tests, as a multiple of those planned
    patience    2a, 2b: the cell is added as soon as the error of 100 sequences is no longer smaller by this share than
                that of the 100 before; None adds it at the start
    """

    squash: str = "logistic"
    slope: bool = True
    reset: str = "0"
    bias: str = "set"
    grid: bool = False
    moved: str = "sequence"
    squared: bool = False
    interval: float = 1.0
    patience: float | None = 0.02


READINGS = {
    "letter": Reading(),
    "program": Reading(reset="1/2", bias="added", grid=True, moved="next"),
}
DETAILS: dict[str, dict[str, object]] = {
    "linear": {"squash": "identity"},
    "error": {"slope": False},
    "reset": {"reset": "1/2"},
    "added": {"bias": "added"},
    "grid": {"grid": True},
    "next": {"moved": "next"},
    "step": {"moved": "step"},
    "squared": {"squared": True},
    "often": {"interval": 0.1},
    "seldom": {"interval": 10.0},
    "at-once": {"patience": None},
    "impatient": {"patience": 0.3},
    "patient": {"patience": 0.0},
}
PAIRS = ("program+linear", "program+error", "reset+linear", "step+error", "step+often", "step+linear")


def reading(name: str) -> Reading:
    """A reading by its name: "letter" or "program", a detail that differs from the letter, or some joined by "+"."""
    first, *more = name.split("+")
    found = READINGS.get(first)
    details = more if found else [first, *more]
    if any(detail not in DETAILS for detail in details):
        choices = ", ".join([*READINGS, *DETAILS])
        raise ValueError(f"reading: expected one of {choices}, or some joined by '+', got {name!r}")
    found = found or READINGS["letter"]
    for detail in details:
        found = replace(found, **DETAILS[detail])
    return found
