"""Tasks: random sequences with labels or targets, reproducible from a seed. Times are rows, input lines are columns."""

from throughtime.tasks._draw import AtEnd, Labelled

__all__ = ["AtEnd", "Labelled"]
